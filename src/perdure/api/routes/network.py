"""What may leave workspaces whose network is by permission."""

from datetime import UTC, datetime
from uuid import UUID

from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.wire.network import (
    ChatNetwork,
    ChatRuleBody,
    CountedRequests,
    NetworkSecretBody,
    NetworkView,
    OwnNetwork,
    RefusedRequest,
    RuleBody,
    ShownRule,
)
from perdure.core.ids import ChatId
from perdure.store.tables import network
from perdure.store.tables.network import NetworkUse
from perdure.workspaces.egress.proxy import SeenRequest

routes = Routes("network")

MOST_SHOWN = 50


@routes.get("/network")
async def read_network(caller: Caller) -> NetworkView:
    """The rules of the organisation, and the names of its secrets for them."""
    configured = caller.administration.network
    return NetworkView(tuple(map(ShownRule.of, await configured.rules())), tuple(await configured.secrets()))


@routes.post("/network/rules", status=201)
async def add_rule(caller: Caller, body: RuleBody) -> ShownRule:
    """Allow something in all workspaces with a network by permission, from their next use on."""
    return ShownRule.of(await caller.administration.network.allow(body.rule, None))


@routes.delete("/network/rules/{rule_id}")
async def remove_rule(caller: Caller, rule_id: UUID) -> None:
    """Remove a rule."""
    await caller.administration.network.take_back(rule_id, None)


@routes.put("/network/secrets/{name}")
async def put_network_secret(caller: Caller, name: str, body: NetworkSecretBody) -> None:
    """Keep a secret that the proxy outside adds to the requests of rules that name it. It is never shown again."""
    await caller.administration.network.put_secret(name, body.secret, caller.services.workspaces.templates)


@routes.delete("/network/secrets/{name}")
async def remove_network_secret(caller: Caller, name: str) -> None:
    """Delete a secret. Rules that name it let nothing out until it is set again."""
    await caller.administration.network.remove_secret(name)


@routes.get("/me/network")
async def read_own_network(caller: Caller) -> OwnNetwork:
    """The secrets that rules name, with the hosts they go to, and which of them you have your own of."""
    catalogue = caller.services.workspaces.templates
    return OwnNetwork(tuple(await caller.administration.network.own_secrets(catalogue)))


@routes.put("/me/network/secrets/{name}")
async def put_own_network_secret(caller: Caller, name: str, body: NetworkSecretBody) -> None:
    """Keep a secret of your own, such as your token of a forge: your workspaces use it in place of the organisation's.

    It is added outside of them and never shown again.
    """
    await caller.administration.network.put_own_secret(name, body.secret, caller.services.workspaces.templates)


@routes.delete("/me/network/secrets/{name}")
async def remove_own_network_secret(caller: Caller, name: str) -> None:
    """Delete a secret of your own. Your workspaces use the organisation's again, where there is one."""
    await caller.administration.network.remove_own_secret(name)


@routes.get("/chats/{chat_id}/network")
async def read_chat_network(caller: Caller, chat_id: ChatId) -> ChatNetwork:
    """What the chat's workspace was denied, and what is allowed in this chat."""
    seen = await caller.chats.read(chat_id)
    home = seen.row.root_id or chat_id
    requests = await caller.services.workspaces.requests(home)
    refused = {(each.method, each.host, each.port, each.path): each for each in requests if not each.allowed}
    newest = sorted(refused.values(), key=lambda each: each.number, reverse=True)[:MOST_SHOWN]
    rules = await caller.administration.network.of_chat(home)
    row = await caller.services.workspaces.of_chat(home)
    used = (await network.used(caller.rows.db, row.id) if row is not None else None) or NetworkUse()
    counted = CountedRequests(used.allowed, used.refused)
    return ChatNetwork(tuple(map(_refused, newest)), tuple(map(ShownRule.of, rules)), counted)


@routes.post("/chats/{chat_id}/network/rules", status=201, apart=True)
async def allow_in_chat(caller: Caller, chat_id: ChatId, body: ChatRuleBody) -> ShownRule:
    """Allow something in this chat's workspace, or a single request. Takes effect at once."""
    seen = await caller.chats.own(chat_id)
    home = seen.row.root_id or chat_id
    made = await caller.administration.network.allow(body.rule, home, once=body.once)
    await caller.services.workspaces.rules_changed(home)
    return ShownRule.of(made)


@routes.delete("/chats/{chat_id}/network/rules/{rule_id}", apart=True)
async def take_back_in_chat(caller: Caller, chat_id: ChatId, rule_id: UUID) -> None:
    """Remove a rule of this chat."""
    seen = await caller.chats.own(chat_id)
    home = seen.row.root_id or chat_id
    await caller.administration.network.take_back(rule_id, home)
    await caller.services.workspaces.rules_changed(home)


def _refused(seen: SeenRequest) -> RefusedRequest:
    at = datetime.fromtimestamp(seen.at, UTC)
    return RefusedRequest(
        at=at,
        method=seen.method,
        host=seen.host,
        port=seen.port,
        path=seen.path,
        reason=seen.reason,
        rule=seen.lifted_by,
    )
