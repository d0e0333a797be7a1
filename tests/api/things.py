"""One of everything that a path of the API can name, so that requests reach further than to a 404."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from perdure.access.credentials import TOKEN_PREFIX, digest, mint
from perdure.core.ids import ChatId, ReplicaId, RunnerId
from perdure.core.message import NewMessage, Role, Text
from perdure.machine.change import Owner
from perdure.machine.transitions import Abandon, Acquire, CommitStep, FinishTurn
from perdure.store.pool import Pool
from perdure.testing.served_api import Person, ServedApi

Things = Mapping[tuple[str, str], str]
"""Ids by the collection that they are in, such as `chats`, and the name that the path gives them."""

_OWNER = Owner(ReplicaId(UUID(int=1)), RunnerId(UUID(int=2)))
BROWSER = {
    "endpoint": "https://updates.push.example.com/wpush/v2/gAAAA",
    "keys": {
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg",
    },
}


async def things(api: ServedApi, person: Person) -> Things:
    """Made by an owner. The names of what they are under stand in the routes' paths."""

    async def made(path: str, body: Any) -> str:
        return await created(person, path, body)

    await person.put("/settings/experiments", {"value": ["hooks"]})
    # Nobody listens at this address: what would go to a model is refused at once.
    provider = await made(
        "/providers", {"name": "P", "dialect": "openai_chat", "base_url": "http://127.0.0.1:9", "options": {}}
    )
    await made_model(person, provider)
    await person.put("/skills/notes", {"description": "d", "content": "c"})
    await person.put("/templates/ours", {"recipe": 'description = "Ours"\n'})
    entry = await api.pool.fetchval(
        "INSERT INTO inbox (user_id, kind, title, text) VALUES ($1, 'digest', 't', 'x') RETURNING id", person.id
    )
    hook = {"url": "https://127.0.0.1:9/hook", "events": ["pre_tool_use"]}
    chat_id = await _chat(api, person)
    return {
        **await personal_things(api.pool, person, chat_id),
        **await access_things(person),
        ("workspaces", "workspace_id"): await made("/workspaces", {"template": "blank"}),
        ("chats", "chat_id"): chat_id,
        ("chats/ports", "port"): "3000",
        ("chats/messages", "number"): "1",
        ("chats/queue", "number"): "1",
        ("providers", "provider_id"): provider,
        ("model-settings", "name"): "m",
        ("skills", "name"): "notes",
        ("templates", "name"): "ours",
        ("settings", "name"): "system_prompt",
        ("inbox", "entry_id"): str(entry),
        ("subscriptions", "subscription_id"): await made("/push/subscriptions", BROWSER),
        ("users", "user_id"): await made("/users", {"email": "x@example.com", "name": "X", "role": "member"}),
        ("groups", "group_id"): await made("/groups", {"name": "G", "members": []}),
        ("tokens", "token_id"): await made("/tokens", {"name": "T", "scopes": ["chat"]}),
        ("mcp-servers", "server_id"): await made("/mcp-servers", {"slug": "s", "url": "http://127.0.0.1:9/mcp"}),
        ("hooks", "hook_id"): await made("/hooks", hook),
        ("files", "file_id"): await _file(person),
    }


async def created(person: Person, path: str, body: Any) -> str:
    answer = await person.post(path, body)
    assert answer.status == 201, answer.body
    return str(answer.json["id"])


async def personal_things(pool: Pool, person: Person, chat_id: str) -> dict[tuple[str, str], str]:
    """What somebody with a chat of their own has beside it. Nobody listens where the webhook leads."""
    webhook = {"name": "W", "url": "https://127.0.0.1:9/told"}
    schedule = {"name": "S", "rule": "0 9 1 1 *", "prompt": "hello"}
    link = await person.put(f"/chats/{chat_id}/link", {})
    session = await pool.fetchval(
        "INSERT INTO sessions (hash, user_id, expires_at) VALUES ($1, $2, now() + interval '1 day') RETURNING id",
        digest(mint(TOKEN_PREFIX)),
        person.id,
    )
    webhook_id = await created(person, "/webhooks", webhook)
    delivery = await person.post(f"/webhooks/{webhook_id}/test")
    trigger_id = await created(person, "/triggers", {"name": "T", "signing": "token"})
    incoming = await person.post(f"/triggers/{trigger_id}/test", {"body": {"said": "hello"}})
    assert incoming.status == 202, incoming.body
    await pool.execute(
        "INSERT INTO channel_people (organisation_id, channel, external, name, user_id) "
        "VALUES ($1, 'github', $2::text, 'octocat', $3)",
        person.organisation_id,
        person.id.hex,
        person.id,
    )
    return {
        ("triggers", "trigger_id"): trigger_id,
        ("in", "trigger_id"): trigger_id,
        ("triggers/deliveries", "number"): str(incoming.json["id"]),
        ("channel-links", "channel"): "github",
        ("channel-links", "external_id"): person.id.hex,
        ("schedules", "schedule_id"): await created(person, "/schedules", schedule),
        ("webhooks", "webhook_id"): webhook_id,
        ("memories", "memory_id"): await created(person, "/memories", {"text": "Tea, not coffee."}),
        ("webhooks/deliveries", "number"): str(delivery.json["id"]),
        ("rules", "rule_id"): await created(person, f"/chats/{chat_id}/network/rules", {"rule": {"host": "a.example"}}),
        ("links", "link_id"): link.json["id"],
        ("sessions", "session_id"): str(session),
    }


async def access_things(person: Person) -> dict[tuple[str, str], str]:
    """What an owner sets up for others: a secret for a rule, and where people sign in, at a place without a server."""
    keyed = {"rule": {"host": "b.example", "credential": {"secret": "forge"}}}
    assert (await person.post("/network/rules", keyed)).status == 201
    assert (await person.put("/network/secrets/forge", {"secret": "s"})).status < 300
    slug = f"l-{person.id.hex}"
    service = {"name": "L", "issuer": "http://127.0.0.1:9", "client_id": "c", "client_secret": "s"}
    assert (await person.put(f"/login-services/{slug}", service)).status == 200
    return {("secrets", "name"): "forge", ("login-services", "name"): slug, ("oidc", "name"): slug}


async def made_model(person: Person, provider: str) -> None:
    model = {"name": "m", "provider_id": provider, "model": "m", "default": True}
    assert (await person.post("/model-settings", model)).status == 201


async def _chat(api: ServedApi, person: Person) -> str:
    """A chat with an answer, at work again, with something in its queue."""
    said = {"content": [{"type": "text", "text": "hello"}]}
    chat_id = (await person.post("/chats", said)).json["chat"]["id"]
    answer = NewMessage(role=Role.ASSISTANT, parts=(Text("Hello."),))
    step = CommitStep(messages=(answer,), continues=False)
    await api.services.machine.change(ChatId(UUID(chat_id)), Acquire(_OWNER), step, FinishTurn(), Abandon())
    for _ in range(2):
        assert (await person.post(f"/chats/{chat_id}/messages", said)).status == 202
    return chat_id


async def _file(person: Person) -> str:
    answer = await person.post("/files", b"some text", **{"content-type": "text/plain", "x-file-name": "a.txt"})
    assert answer.status == 201, answer.body
    return answer.json["id"]


def named(path: str) -> dict[str, str]:
    """What a path names, by the collection that it is in; of what is in something else, such as `chats/messages`."""
    pieces = path.strip("/").split("/")
    return {piece[1:-1]: _collection(pieces[:place]) for place, piece in enumerate(pieces) if _is_name(piece)}


def _collection(before: list[str]) -> str:
    while _is_name(before[-1]):
        before = before[:-1]
    *_, parent, thing, collection = ["", "", *before]
    return f"{parent}/{collection}" if _is_name(thing) else collection


def _is_name(piece: str) -> bool:
    return piece.startswith("{")


def placed(path: str, given: dict[str, Any], known: Things, *, really: bool) -> dict[str, Any]:
    """The values of a path's names, with things that exist where there are such."""
    under = named(path)
    return {name: known.get((under.get(name, ""), name), value) if really else value for name, value in given.items()}
