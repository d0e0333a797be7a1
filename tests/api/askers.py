"""People of every role, with tokens of every scope, each in an organisation with one of everything."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

import requests
from tests.api.things import BROWSER, Things, access_things, created, personal_things

from perdure.access.actor import PERMISSIONS, Permission, Role, Scope
from perdure.access.credentials import TOKEN_PREFIX, digest, mint
from perdure.core.ids import ChatId, OrganisationId, UserId
from perdure.faces.asking import TurnId
from perdure.faces.openai.ids import conversation_id, item_id, response_id
from perdure.store.pool import Pool
from perdure.testing.served_api import Person

SAYS: Any = {"content": [{"type": "text", "text": "hello"}]}
SLOWLY: Any = {"content": [{"type": "text", "text": "[[pause:2s]] hello"}]}


class Kind(NamedTuple):
    """Who asks: a role, and what the token may be used for."""

    role: Role
    scope: Scope


KINDS = (
    Kind(Role.OWNER, Scope.ADMIN),
    Kind(Role.ADMIN, Scope.ADMIN),
    Kind(Role.MEMBER, Scope.ADMIN),
    Kind(Role.AUDITOR, Scope.ADMIN),
    Kind(Role.OWNER, Scope.CHAT),
    Kind(Role.OWNER, Scope.READ),
)


@dataclass(slots=True)
class Asker:
    """Somebody who asks for what a tool made up, about things that are there."""

    kind: Kind
    token: str = field(repr=False)
    things: Things
    session: requests.Session = field(default_factory=requests.Session, repr=False)

    def __post_init__(self) -> None:
        # No proxy and no file of passwords is meant here, and looking for them takes half of the time.
        self.session.trust_env = False

    @property
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where everybody asks, and where models are."""

    url: str
    pool: Pool
    models: str

    async def askers(self, *, workspaces: bool) -> list[Asker]:
        """Everybody, in organisations that nobody else is in: whatever one of them breaks is broken only there."""
        return [await self.asker(kind, workspaces=workspaces) for kind in KINDS]

    async def asker(self, kind: Kind, *, workspaces: bool) -> Asker:
        organisation = OrganisationId(
            await self.pool.fetchval("INSERT INTO organisations (name) VALUES ('Anywhere') RETURNING id")
        )
        async with self._person(organisation, Role.OWNER) as host, self._person(organisation, kind.role) as person:
            things = await self._set_up(host)
            may_chat = Permission.CHAT in PERMISSIONS[kind.role]
            things |= await self._chat(person if may_chat else host, person, workspaces=workspaces)
            things |= await self._own(person if may_chat else host)
            things |= await personal_things(self.pool, person if may_chat else host, things["chats", "chat_id"])
            return Asker(kind, await self._token(person.id, kind.scope), things)

    @asynccontextmanager
    async def _person(self, organisation: OrganisationId, role: Role) -> AsyncGenerator[Person]:
        user = await self.pool.fetchval(
            "INSERT INTO users (organisation_id, email, name, role) "
            "VALUES ($1, gen_random_uuid() || '@example.com', $2, $2) RETURNING id",
            organisation,
            role.value,
        )
        async with AsyncExitStack() as stack:
            token = await self._token(user, Scope.ADMIN)
            yield await stack.enter_async_context(Person(user, organisation, self.url, token))

    async def _token(self, user: UserId, scope: Scope) -> str:
        token = mint(TOKEN_PREFIX)
        await self.pool.execute(
            "INSERT INTO tokens (hash, user_id, name, hint, scopes) VALUES ($1, $2, 'test', '', $3)",
            digest(token),
            user,
            [scope.value],
        )
        return token

    async def _set_up(self, host: Person) -> dict[tuple[str, str], str]:
        """What an organisation has: a model that answers, people, servers that nobody listens at."""
        await host.put("/settings/experiments", {"value": ["hooks"]})
        options: Any = {"vendor": "anthropic"}
        at = {"name": "P", "dialect": "anthropic_messages", "base_url": self.models, "options": options}
        provider = await created(host, "/providers", at)
        await made_key(host, provider)
        model = {"name": "m", "provider_id": provider, "model": "demo", "default": True}
        assert (await host.post("/model-settings", model)).status == 201
        assert (await host.put("/skills/notes", {"description": "d", "content": "c"})).status == 200
        assert (await host.put("/templates/ours", {"recipe": 'description = "Ours"\n'})).status == 200
        hook = {"url": "https://127.0.0.1:9/hook", "events": ["pre_tool_use"], "enabled": False}
        user = {"email": f"{host.id}@example.org", "name": "X", "role": "member"}
        return {
            **await access_things(host),
            ("providers", "provider_id"): provider,
            ("model-settings", "name"): "m",
            ("models", "name"): "m",
            ("ag-ui", "agent"): "m",
            ("skills", "name"): "notes",
            ("templates", "name"): "ours",
            ("agent", "name"): "ours",
            ("settings", "name"): "system_prompt",
            ("users", "user_id"): await created(host, "/users", user),
            ("groups", "group_id"): await created(host, "/groups", {"name": "G", "members": []}),
            ("mcp-servers", "server_id"): await created(
                host, "/mcp-servers", {"slug": "s", "url": "http://127.0.0.1:9/mcp"}
            ),
            ("hooks", "hook_id"): await created(host, "/hooks", hook),
        }

    async def _chat(self, maker: Person, reader: Person, *, workspaces: bool) -> dict[tuple[str, str], str]:
        """A chat that is at work for a while, with something in its queue."""
        chat_id = (await maker.post("/chats", SLOWLY)).json["chat"]["id"]
        assert (await maker.post(f"/chats/{chat_id}/messages", SAYS)).status == 202
        if maker is not reader:
            assert (await maker.put(f"/chats/{chat_id}/acl", {"users": [str(reader.id)]})).status == 200
        chat = ChatId(UUID(chat_id))
        things = {
            ("chats", "chat_id"): chat_id,
            ("chat", "name"): chat_id,
            ("chats/messages", "number"): "1",
            ("chats/queue", "number"): "1",
            ("chats/ports", "port"): "3000",
            ("responses", "response_id"): response_id(TurnId(chat, 1)),
            ("conversations", "conversation_id"): conversation_id(chat),
            ("conversations/items", "name"): item_id(TurnId(chat, 1), "msg", 0),
        }
        if workspaces:
            workspace = await created(maker, "/workspaces", {"template": "blank"})
            things[("workspaces", "workspace_id")] = workspace
        return things

    async def _own(self, maker: Person) -> dict[tuple[str, str], str]:
        """What is a person's own."""
        entry = await self.pool.fetchval(
            "INSERT INTO inbox (user_id, kind, title, text) VALUES ($1, 'digest', 't', 'x') RETURNING id", maker.id
        )
        named = {"content-type": "text/plain", "x-file-name": "a.txt"}
        uploaded = await maker.post("/files", b"some text", **named)
        return {
            ("inbox", "entry_id"): str(entry),
            ("subscriptions", "subscription_id"): await created(maker, "/push/subscriptions", BROWSER),
            ("tokens", "token_id"): await created(maker, "/tokens", {"name": "T", "scopes": ["chat"]}),
            ("files", "file_id"): uploaded.json["id"],
            ("files", "name"): uploaded.json["id"],
        }


async def made_key(person: Person, provider: str) -> None:
    answer = await person.post(f"/providers/{provider}/keys", {"key": "sk-of-nobody"})
    assert answer.status == 201, answer.body
