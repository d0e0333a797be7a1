"""What one has is nobody else's: every route that names a thing, asked about one that is really there."""

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.api.things import Things, named, placed, things

from perdure.access.actor import Role
from perdure.api.examples import EXAMPLES
from perdure.api.routing import Route
from perdure.api.table import TABLE
from perdure.core.ids import OrganisationId
from perdure.testing.served_api import Person, ServedApi

ROUTES = [route for route in TABLE.routes if route.parameters and not route.public]
PERSONAL = {
    "channel-links",
    "chats",
    "files",
    "inbox",
    "memories",
    "schedules",
    "sessions",
    "subscriptions",
    "tokens",
    "triggers",
    "webhooks",
    "workspaces",
}
"""What is somebody's own: for everybody else there is no such thing, whatever their role."""
NAMED = {"settings", "skills", "secrets", "templates"}
"""What everybody, or every organisation, has under the same names: one's own is found, or made."""
SHARED = {"links"}
"""What opens for colleagues who know it."""
KEPT_BY: dict[str, set[Role]] = {
    "groups": {Role.OWNER, Role.ADMIN},
    "hooks": {Role.OWNER, Role.ADMIN},
    "login-services": {Role.OWNER},
    "mcp-servers": {Role.OWNER, Role.ADMIN},
    "model-settings": {Role.OWNER, Role.ADMIN},
    "providers": {Role.OWNER, Role.ADMIN},
    "rules": {Role.OWNER, Role.ADMIN},
    "users": {Role.OWNER, Role.ADMIN},
}
"""Who changes what an organisation has."""
EVERYBODYS = {"list_keys", "put_key", "sign_in_to_mcp_server", "sign_out_of_mcp_server"}
"""What everybody does with what their organisation has."""


@pytest.fixture
async def theirs(api: ServedApi) -> AsyncIterator[Things]:
    async with await api.person("ada", Role.OWNER) as ada:
        yield await things(api, ada)


def collection(route: Route) -> str:
    """What the first name of its path is in."""
    return next(iter(named(route.path).values()))


async def ask(person: Person, route: Route, known: Things) -> int:
    given = dict.fromkeys(named(route.path), "1")
    values = placed(route.path, given, known, really=True)
    path = re.sub(r"\{(\w+)\}", lambda found: values[found[1]], route.path)
    body: Any = EXAMPLES.get(route.handler.__name__) if "body" in route.wants else None
    if "content" in route.wants:
        body = b"some text"
    return (await person.ask(route.method, path, body, x_file_name="a.txt")).status


async def answers(person: Person, known: Things, collections: set[str]) -> dict[str, int]:
    return {route.name: await ask(person, route, known) for route in ROUTES if collection(route) in collections}


def test_every_route_that_names_a_thing_is_about_what_is_known_here() -> None:
    assert {collection(route) for route in ROUTES} == PERSONAL | NAMED | SHARED | set(KEPT_BY)


@pytest.mark.parametrize("role", [Role.OWNER, Role.ADMIN, Role.MEMBER, Role.AUDITOR])
async def test_what_is_somebodys_own_does_not_exist_for_others(api: ServedApi, theirs: Things, role: Role) -> None:
    async with await api.person("mallory", role) as mallory:
        found = await answers(mallory, theirs, PERSONAL)
    # Who may not do a thing at all need not be told that there is nothing.
    refused = {404, 403} if role is Role.AUDITOR else {404}
    assert {name: status for name, status in found.items() if status not in refused} == {}
    assert len(found) > 70


async def test_nothing_of_another_organisation_exists(api: ServedApi, theirs: Things) -> None:
    other = OrganisationId(await api.pool.fetchval("INSERT INTO organisations (name) VALUES ('E') RETURNING id"))
    async with await api.person("eve", Role.OWNER, other) as eve:
        found = await answers(eve, theirs, PERSONAL | SHARED | set(KEPT_BY))
    assert {name: status for name, status in found.items() if status != 404} == {}


@pytest.mark.parametrize("role", list(Role))
async def test_what_an_organisation_has_is_changed_by_those_who_look_after_it(
    api: ServedApi, theirs: Things, role: Role
) -> None:
    async with await api.person("mallory", role) as mallory:
        found = {
            route.name: (await ask(mallory, route, theirs), role in KEPT_BY[collection(route)])
            for route in ROUTES
            if collection(route) in KEPT_BY and route.handler.__name__ not in EVERYBODYS
        }
    assert {name: status for name, (status, may) in found.items() if (status == 403) is may or status == 500} == {}
