"""Who may follow what: every stream, watch and terminal, for every kind of caller, over HTTP and as a WebSocket."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from uuid import UUID

import aiohttp
import pytest

from perdure.access.actor import Role, Scope
from perdure.api import build_stream, terminal
from perdure.core.ids import OrganisationId
from perdure.stream import endpoints
from perdure.stream import endpoints as watch_streams
from perdure.testing.served_api import Person, ServedApi

WORKSPACE = UUID(int=1)
TEXT = [{"type": "text", "text": "hello"}]
ENTERS = 0
"""Neither turned away nor told that there is no such thing, whatever else stands against it."""

_BY_LINK = {"linked": ENTERS, "taken back": 404}
_CHAT = {"own": ENTERS, "shared": ENTERS, **_BY_LINK, "foreign": 404, "elsewhere": 404, "auditor": 404, "nobody": 401}
_WATCH = {
    "own": ENTERS,
    "shared": ENTERS,
    "linked": ENTERS,
    "taken back": ENTERS,
    "foreign": ENTERS,
    "elsewhere": ENTERS,
    "auditor": ENTERS,
    "nobody": 401,
}
_WORKSPACE = {
    "own": ENTERS,
    "shared": 404,
    "linked": 404,
    "taken back": 404,
    "foreign": 404,
    "elsewhere": 404,
    "auditor": 403,
    "nobody": 401,
}
_READS = {f"own, {scope.value}": ENTERS for scope in Scope}
_WORKS = {**_READS, f"own, {Scope.READ.value}": 403}
EXPECTED: dict[str, dict[str, int]] = {
    endpoints.PATTERN: {**_CHAT, **_READS},
    watch_streams.LIST_PATTERN: {**_WATCH, **_READS},
    watch_streams.INBOX_PATTERN: {**_WATCH, **_READS},
    build_stream.PATTERN: {**_WORKSPACE, **_WORKS},
    terminal.PATTERN: {**_WORKSPACE, **_WORKS},
}
"""What each caller is answered, by the stream's pattern."""


@pytest.fixture
async def callers(api: ServedApi) -> AsyncIterator[dict[str, Person]]:
    other = OrganisationId(await api.pool.fetchval("INSERT INTO organisations (name) VALUES ('E') RETURNING id"))
    async with AsyncExitStack() as stack:
        people = {
            "own": await stack.enter_async_context(await api.person("ada")),
            "shared": await stack.enter_async_context(await api.person("bob")),
            "linked": await stack.enter_async_context(await api.person("lena")),
            "taken back": await stack.enter_async_context(await api.person("tom")),
            "foreign": await stack.enter_async_context(await api.person("mallory", Role.ADMIN)),
            "elsewhere": await stack.enter_async_context(await api.person("eve", Role.OWNER, other)),
            "auditor": await stack.enter_async_context(await api.person("audrey", Role.AUDITOR)),
        }
        ada = people["own"]
        people["nobody"] = replace(ada, token="pdt_nothing")
        for scope in Scope:
            made = await ada.post("/tokens", {"name": scope.value, "scopes": [scope.value]})
            people[f"own, {scope.value}"] = replace(ada, token=made.json["secret"])
        yield people


@pytest.fixture
async def paths(api: ServedApi, callers: dict[str, Person]) -> AsyncIterator[dict[str, str]]:
    """Where each stream of Ada's is: of a chat that is shared with Bob, and of a workspace."""
    ada, bob = callers["own"], callers["shared"]
    chat = (await ada.post("/chats", {"content": TEXT})).json["chat"]["id"]
    await ada.put(f"/chats/{chat}/acl", {"users": [str(bob.id), str(callers["taken back"].id)]})
    await ada.put(f"/chats/{chat}/acl", {"users": [str(bob.id)]})
    link = (await ada.put(f"/chats/{chat}/link", {"role": "write"})).json["id"]
    assert (await callers["linked"].post(f"/links/{link}")).status == 200
    owned = (
        "INSERT INTO workspaces (id, organisation_id, owner_id, driver, template) VALUES ($1, $2, $3, 'none', 'blank')"
    )
    await api.pool.execute(owned, WORKSPACE, ada.organisation_id, ada.id)
    named = {r"(?P<chat_id>[^/]+)": chat, r"(?P<workspace_id>[^/]+)": str(WORKSPACE)}
    found: dict[str, str] = {}
    for pattern in EXPECTED:
        found[pattern] = pattern
        for name, value in named.items():
            found[pattern] = found[pattern].replace(name, value)
    found[terminal.PATTERN] += "?session=main"
    yield found
    await api.pool.execute("DELETE FROM workspaces")


async def over_http(person: Person, path: str) -> int:
    headers = {"authorization": f"Bearer {person.token}"}
    async with aiohttp.ClientSession() as http, http.get(f"{person.url}/api/v1{path}", headers=headers) as answer:
        return answer.status


async def as_websocket(person: Person, path: str) -> int:
    headers = {"authorization": f"Bearer {person.token}"}
    async with aiohttp.ClientSession() as http:
        try:
            async with http.ws_connect(f"{person.url}/api/v1{path}", headers=headers):
                return 101
        except aiohttp.WSServerHandshakeError as refused:
            return refused.status


def verdict(status: int) -> int:
    return status if status in (401, 403, 404) else ENTERS


async def test_the_matrix_knows_every_stream(api: ServedApi) -> None:
    assert api.stream_patterns == set(EXPECTED)


@pytest.mark.parametrize("pattern", EXPECTED)
async def test_a_stream_is_for_those_that_the_table_names(
    callers: dict[str, Person], paths: dict[str, str], pattern: str
) -> None:
    answers = {name: verdict(await over_http(person, paths[pattern])) for name, person in callers.items()}
    assert answers == EXPECTED[pattern]


@pytest.mark.parametrize("pattern", [pattern for pattern in EXPECTED if pattern != build_stream.PATTERN])
async def test_a_socket_is_for_those_that_the_table_names(
    callers: dict[str, Person], paths: dict[str, str], pattern: str
) -> None:
    answers = {name: verdict(await as_websocket(person, paths[pattern])) for name, person in callers.items()}
    assert answers == EXPECTED[pattern]


async def test_a_build_is_told_to_no_socket(callers: dict[str, Person], paths: dict[str, str]) -> None:
    answers = {await as_websocket(person, paths[build_stream.PATTERN]) for person in callers.values()}
    assert answers == {400}
