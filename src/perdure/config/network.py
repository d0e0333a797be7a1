"""What may leave workspaces, as an actor may allow it: rules of the organisation and of chats, and their secrets."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from perdure.access.actor import ActorRows, Permission, record
from perdure.access.keyring import Keyring
from perdure.core.errors import InvalidInput, NotFound, Validation
from perdure.core.ids import ChatId
from perdure.store.tables import network
from perdure.store.tables.network import NetworkRuleRow
from perdure.workspaces.egress.rules import Rule, faults
from perdure.workspaces.templates.catalogue import TemplateCatalogue

NETWORK_PURPOSE = "network"
MOST_RULES = 200
"""How many one chat may have, and how many may hold everywhere."""
_CONFIGURE = Permission.CONFIGURE
_rules = msgspec.json.Decoder(Rule)


class OwnSecret(msgspec.Struct, frozen=True):
    """A secret that rules name, as a person may have one of their own."""

    name: str
    hosts: tuple[str, ...]
    stored: bool


class NetworkConfiguration:
    """The rules and secrets of the actor's organisation."""

    def __init__(self, rows: ActorRows, keyring: Keyring) -> None:
        self._rows = rows
        self._keyring = keyring

    async def rules(self) -> list[NetworkRuleRow]:
        return await network.rules(self._rows.organisation(_CONFIGURE))

    async def of_chat(self, chat_id: ChatId) -> list[NetworkRuleRow]:
        return await network.of_chat(self._rows.db, self._rows.organisation_id, chat_id)

    async def allow(self, rule: Rule, chat_id: ChatId | None, *, once: bool = False) -> NetworkRuleRow:
        """In one chat, or everywhere. Credentials and private networks are for those who set up the organisation."""
        if chat_id is None or rule.credential is not None or rule.networks:
            self._rows.actor.require(_CONFIGURE)
        if wrong := faults(rule):
            raise InvalidInput("The rule is not valid.", *wrong)
        row = await network.add(self._rows, chat_id, msgspec.json.encode(rule).decode(), once, MOST_RULES)
        if row is None:
            where = "everywhere" if chat_id is None else "in one chat"
            raise InvalidInput(f"At most {MOST_RULES} rules hold {where}. Remove one, or allow *. and a name.")
        await record(self._rows, "network.allow", chat_id or row.id, host=rule.host, once=once)
        return row

    async def take_back(self, rule_id: UUID, chat_id: ChatId | None) -> None:
        if chat_id is None:
            self._rows.actor.require(_CONFIGURE)
        if await network.remove(self._rows.db, self._rows.organisation_id, rule_id, chat_id) is None:
            raise NotFound("Rule not found.")
        await record(self._rows, "network.take_back", chat_id or rule_id)

    async def secrets(self) -> list[str]:
        return await network.secret_names(self._rows.organisation(_CONFIGURE))

    async def put_secret(self, name: str, secret: str, catalogue: TemplateCatalogue) -> None:
        """Keep a secret for the rules that name it. One that no rule names would go nowhere."""
        scope = self._rows.organisation(_CONFIGURE)
        await self._sound(name, secret, catalogue)
        await network.put_secret(scope, name, self._keyring.seal(secret, NETWORK_PURPOSE))
        await record(self._rows, "network.put_secret", name)

    async def remove_secret(self, name: str) -> None:
        if await network.remove_secret(self._rows.organisation(_CONFIGURE), name) is None:
            raise NotFound("Secret not found.")
        await record(self._rows, "network.remove_secret", name)

    async def own_secrets(self, catalogue: TemplateCatalogue) -> list[OwnSecret]:
        """The secrets that rules name, where each would go, and whether the person has one of their own."""
        stored = await network.own_secret_names(self._rows)
        hosts: dict[str, set[str]] = {name: set() for name in stored}
        for rule in await self._with_secrets(catalogue):
            if rule.credential:
                hosts.setdefault(rule.credential.secret, set()).add(rule.host)
        return [OwnSecret(name, tuple(sorted(hosts[name])), name in stored) for name in sorted(hosts)]

    async def put_own_secret(self, name: str, secret: str, catalogue: TemplateCatalogue) -> None:
        """Keep a secret of the person's own, which their workspaces use in place of the organisation's."""
        self._rows.actor.require(Permission.CHAT)
        await self._sound(name, secret, catalogue)
        sealed = self._keyring.seal(secret, NETWORK_PURPOSE)
        await network.put_own_secret(self._rows, name, sealed)
        await record(self._rows, "network.put_own_secret", name)

    async def remove_own_secret(self, name: str) -> None:
        if await network.remove_own_secret(self._rows, name) is None:
            raise NotFound("Secret not found.")
        await record(self._rows, "network.remove_own_secret", name)

    async def _sound(self, name: str, secret: str, catalogue: TemplateCatalogue) -> None:
        """Refuse what no rule would use, and what no request can carry."""
        named = {rule.credential.secret for rule in await self._with_secrets(catalogue) if rule.credential}
        if name not in named:
            detail = f"no rule names it: give a rule credential = {{ secret = {name!r} }} first"
            raise InvalidInput("The secret would not be used anywhere.", Validation("name", detail))
        if not secret.isprintable() or not secret.isascii():
            raise InvalidInput("The secret cannot be sent.", Validation("secret", "must be printable ASCII"))

    async def _with_secrets(self, catalogue: TemplateCatalogue) -> list[Rule]:
        """Every rule of the organisation and of its templates: those that may name a secret."""
        templates = await catalogue.all(self._rows.organisation_id)
        brought = [rule for template in templates for rule in template.recipe.rules]
        return [*brought, *read(await network.rules(self._rows.organisation(Permission.CHAT)))]


def read(rows: Sequence[NetworkRuleRow]) -> list[Rule]:
    return [_rules.decode(row.rule) for row in rows]
