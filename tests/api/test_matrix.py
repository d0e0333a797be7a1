"""Who may do what: every route, for every role, on what is one's own, shared, foreign, and of another organisation."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest

from perdure.access.actor import Role
from perdure.api.examples import EXAMPLES
from perdure.api.routing import Route
from perdure.api.table import TABLE
from perdure.core.ids import OrganisationId
from perdure.testing.served_api import Person, ServedApi

TEXT = [{"type": "text", "text": "hello"}]
CHAT_ROUTES = [route for route in TABLE.routes if "chat_id" in route.parameters]
WORKSPACE_ROUTES = [route for route in TABLE.routes if "workspace_id" in route.parameters]
PLAIN_ROUTES = [route for route in TABLE.routes if not route.parameters and not route.public]
NEEDS: dict[str, set[Role]] = {
    "create_chat": {Role.OWNER, Role.ADMIN, Role.MEMBER},
    "upload_file": {Role.OWNER, Role.ADMIN, Role.MEMBER},
    "create_workspace": {Role.OWNER, Role.ADMIN, Role.MEMBER},
    "add_webhook": {Role.OWNER, Role.ADMIN, Role.MEMBER},
    "make_link_code": {Role.OWNER, Role.ADMIN, Role.MEMBER},
    "add_trigger": {Role.OWNER, Role.ADMIN, Role.MEMBER},
    "add_schedule": {Role.OWNER, Role.ADMIN, Role.MEMBER},
    "import_messages": {Role.OWNER, Role.ADMIN, Role.MEMBER},
    "add_memory": {Role.OWNER, Role.ADMIN, Role.MEMBER},
    "forget_memories": {Role.OWNER, Role.ADMIN, Role.MEMBER},
    "put_budgets": {Role.OWNER, Role.ADMIN},
    "add_user": {Role.OWNER, Role.ADMIN},
    "list_login_services": {Role.OWNER},
    "add_group": {Role.OWNER, Role.ADMIN},
    "list_providers": {Role.OWNER, Role.ADMIN},
    "add_provider": {Role.OWNER, Role.ADMIN},
    "list_model_settings": {Role.OWNER, Role.ADMIN},
    "add_model": {Role.OWNER, Role.ADMIN},
    "add_mcp_server": {Role.OWNER, Role.ADMIN},
    "list_hooks": {Role.OWNER, Role.ADMIN},
    "add_hook": {Role.OWNER, Role.ADMIN},
    "read_network": {Role.OWNER, Role.ADMIN},
    "read_own_network": {Role.OWNER, Role.ADMIN, Role.MEMBER},
    "add_rule": {Role.OWNER, Role.ADMIN},
    "read_audit": {Role.OWNER, Role.ADMIN, Role.AUDITOR},
}
"""The roles that may use a route that names nothing. Whoever is not listed here: everybody."""
OF_WORKSPACE = {"open_port"}
"""Routes of a chat that has a workspace; tests/api/preview says who may use them there."""
WRITES = {
    "send_message",
    "edit_message",
    "reorder_queue",
    "edit_queued",
    "delete_queued",
    "promote_queued",
    "interrupt",
    "retry",
    "tell_typing",
    "tool_results",
}
"""What those may do besides with whom a chat is shared to write."""
APPROVES = {"act"}
"""What those may do besides with whom it is shared to approve."""
AUDITED = {"list_debug_runs"}
"""Routes of a chat that only those who look after the deployment may use, and only where they can see the chat."""


@dataclass(frozen=True, slots=True)
class Cast:
    """A chat of Ada's, shared with Bob, foreign to everybody else."""

    chat_id: UUID
    ada: Person
    bob: Person
    stranger: Person
    elsewhere: Person


@pytest.fixture
async def cast(api: ServedApi) -> AsyncIterator[Cast]:
    other = OrganisationId(
        await api.pool.fetchval("INSERT INTO organisations (name) VALUES ('Elsewhere') RETURNING id")
    )
    async with (
        await api.person("ada") as ada,
        await api.person("bob") as bob,
        await api.person("mallory", Role.ADMIN) as stranger,
        await api.person("eve", Role.OWNER, other) as elsewhere,
    ):
        begun = await ada.post("/chats", {"content": TEXT})
        assert "chat" in begun.json, begun.body
        chat_id = begun.json["chat"]["id"]
        await ada.put(f"/chats/{chat_id}/acl", {"users": [str(bob.id)]})
        yield Cast(UUID(chat_id), ada, bob, stranger, elsewhere)


async def ask(person: Person, route: Route, chat_id: object = "") -> int:
    path = re.sub(r"\{(number|entry_id|port)\}", "1", route.path.replace("{chat_id}", str(chat_id)))
    path = re.sub(r"\{\w+_id\}", str(UUID(int=1)), path).replace("{name}", "prompt")
    body: Any = EXAMPLES.get(route.handler.__name__) if "body" in route.wants else None
    if "content" in route.wants:
        body = b"some text"
    return (await person.ask(route.method, path, body, x_file_name="a.txt")).status


@pytest.mark.parametrize("route", CHAT_ROUTES, ids=lambda route: route.name)
async def test_a_chat_is_its_owners_readable_where_shared_and_nowhere_else(cast: Cast, route: Route) -> None:
    assert await ask(cast.stranger, route, cast.chat_id) == 404
    assert await ask(cast.elsewhere, route, cast.chat_id) == 404
    shared = await ask(cast.bob, route, cast.chat_id)
    if route.handler.__name__ in AUDITED:
        assert (shared, await ask(cast.ada, route, cast.chat_id)) == (403, 403)
        return
    if route.handler.__name__ in OF_WORKSPACE:
        assert (shared, await ask(cast.ada, route, cast.chat_id)) == (404, 404)
        return
    if route.reads:
        assert shared == 200
    else:
        assert shared == 403
    # Whatever the state of the chat makes of it: its owner is neither turned away nor told that it does not exist.
    own = await ask(cast.ada, route, cast.chat_id)
    assert own not in (401, 403, 405, 500)
    if route.reads:
        assert own == 200


def let_in(route: Route, role: str, status: int) -> bool:
    """Whether a chat of Ada's answers somebody of this role as the tables say."""
    name = route.handler.__name__
    if name in AUDITED:
        return status == 403
    if name in OF_WORKSPACE:
        return status == 404
    if route.reads:
        return status == 200
    # It is Ada's message; their own they may edit.
    own = name == "edit_message"
    if not own and ((name in WRITES and role != "read") or (name in APPROVES and role == "approve")):
        return status not in (401, 403, 405, 500)
    return status == 403


@pytest.mark.parametrize("role", ["write", "approve"])
@pytest.mark.parametrize("route", CHAT_ROUTES, ids=lambda route: route.name)
async def test_a_role_in_a_chat_opens_what_the_table_names_and_nothing_else(
    cast: Cast, route: Route, role: str
) -> None:
    body = {"users": [str(cast.bob.id)], "roles": {str(cast.bob.id): role}}
    await cast.ada.put(f"/chats/{cast.chat_id}/acl", body)
    assert let_in(route, role, await ask(cast.bob, route, cast.chat_id))
    assert await ask(cast.stranger, route, cast.chat_id) == 404


@pytest.mark.parametrize("role", ["read", "write", "approve"])
@pytest.mark.parametrize("by", ["link", "group"])
async def test_a_role_means_the_same_for_whoever_came_by_a_link_or_belongs_to_a_group(
    cast: Cast, by: str, role: str
) -> None:
    path, group = f"/chats/{cast.chat_id}", ""
    if by == "link":
        await cast.ada.put(f"{path}/acl", {"users": []})
        link = (await cast.ada.put(f"{path}/link", {"role": role})).json["id"]
        assert (await cast.elsewhere.post(f"/links/{link}")).status == 404
        assert await ask(cast.bob, CHAT_ROUTES[0], cast.chat_id) == 404
        assert (await cast.bob.post(f"/links/{link}")).status == 200
    else:
        group = (await cast.stranger.post("/groups", {"name": "g", "members": [str(cast.bob.id)]})).json["id"]
        roles = {} if role == "read" else {group: role}
        await cast.ada.put(f"{path}/acl", {"groups": [group], "roles": roles})
    answers = {route.name: await ask(cast.bob, route, cast.chat_id) for route in CHAT_ROUTES}
    holes = {route.name: answers[route.name] for route in CHAT_ROUTES if not let_in(route, role, answers[route.name])}
    assert holes == {}
    strangers = {route.name: await ask(cast.stranger, route, cast.chat_id) for route in CHAT_ROUTES}
    assert set(strangers.values()) == {404}
    if by == "link":
        await cast.ada.delete(f"{path}/link")
    else:
        await cast.stranger.patch(f"/groups/{group}", {"members": []})
    assert {await ask(cast.bob, route, cast.chat_id) for route in CHAT_ROUTES} == {404}


async def test_a_reader_may_mark_a_shared_chat_as_read(cast: Cast) -> None:
    assert (await cast.bob.patch(f"/chats/{cast.chat_id}", {"read": 1})).status == 200
    assert (await cast.bob.patch(f"/chats/{cast.chat_id}", {"read": 1, "title": "mine"})).status == 403
    assert (await cast.stranger.patch(f"/chats/{cast.chat_id}", {"read": 1})).status == 404


@pytest.mark.parametrize("route", PLAIN_ROUTES, ids=lambda route: route.name)
async def test_a_route_is_for_the_roles_that_the_table_names(api: ServedApi, route: Route) -> None:
    for role in Role:
        async with await api.person(f"the {role}", role) as person:
            status = await ask(person, route)
        if role in NEEDS.get(route.handler.__name__, set(Role)):
            assert status not in (401, 403, 404, 500), role
        else:
            assert status == 403, role


async def test_nothing_but_signing_in_answers_a_stranger(api: ServedApi) -> None:
    async with await api.person("nobody") as person:
        person.token = "pdt_nothing"
        statuses = {route.name: await ask(person, route, UUID(int=1)) for route in TABLE.routes if not route.public}
    assert {name: status for name, status in statuses.items() if status != 401} == {}
    assert len(statuses) > 100


async def test_a_token_that_only_reads_changes_nothing(api: ServedApi) -> None:
    changing = [route for route in TABLE.routes if not route.reads and not route.public]
    async with await api.person("reader", Role.OWNER) as person:
        await api.pool.execute("UPDATE tokens SET scopes = '{read}' WHERE user_id = $1", person.id)
        statuses = {route.name: await ask(person, route, UUID(int=1)) for route in changing}
    assert {name: status for name, status in statuses.items() if status != 403} == {}
    assert len(statuses) > 60


NAMED = {
    "PATCH /users/{user_id}": {"name": "x"},
    "DELETE /users/{user_id}": None,
    "PATCH /groups/{group_id}": {"name": "x"},
    "DELETE /groups/{group_id}": None,
    "PATCH /providers/{provider_id}": {"name": "x"},
    "DELETE /providers/{provider_id}": None,
    "POST /providers/{provider_id}/test": {},
    "GET /providers/{provider_id}/models": None,
    "POST /providers/{provider_id}/keys": {"key": "k"},
    "PATCH /mcp-servers/{server_id}": {"name": "x"},
    "DELETE /mcp-servers/{server_id}": None,
    "PATCH /model-settings/{name}": {"enabled": True},
    "DELETE /model-settings/{name}": None,
    "DELETE /templates/{name}": None,
}


@pytest.mark.parametrize("name", NAMED)
async def test_what_belongs_to_another_organisation_does_not_exist_even_for_an_owner(api: ServedApi, name: str) -> None:
    other = OrganisationId(await api.pool.fetchval("INSERT INTO organisations (name) VALUES ('E') RETURNING id"))
    async with await api.person("eve", Role.OWNER, other) as eve, await api.person("ada", Role.ADMIN) as ada:
        group = (await ada.post("/groups", {"name": "g"})).json["id"]
        body = {"name": "p", "dialect": "anthropic_messages", "base_url": "http://127.0.0.1:1"}
        provider = (await ada.post("/providers", body)).json["id"]
        await ada.put("/templates/m", {"recipe": "description = 'mine'"})
        await ada.post("/model-settings", {"name": "m", "provider_id": provider, "model": "m"})
        server = (await ada.post("/mcp-servers", {"slug": "s", "url": "http://127.0.0.1:1/mcp"})).json["id"]
        method, path = name.split(" ")
        for placeholder, value in (
            ("{user_id}", ada.id),
            ("{group_id}", group),
            ("{provider_id}", provider),
            ("{server_id}", server),
            ("{name}", "m"),
        ):
            path = path.replace(placeholder, str(value))
        assert (await eve.ask(method, path, NAMED[name])).status == 404
        async with await api.person("bob") as bob:
            assert (await bob.ask(method, path, NAMED[name])).status in (403, 404)
        assert (await ada.ask(method, path, NAMED[name])).status in (200, 201, 204)


@pytest.mark.parametrize("route", WORKSPACE_ROUTES, ids=lambda route: route.name)
async def test_a_workspace_is_its_owners_alone(cast: Cast, api: ServedApi, route: Route) -> None:
    owned = (
        "INSERT INTO workspaces (id, organisation_id, owner_id, driver, template) VALUES ($1, $2, $3, 'none', 'blank')"
    )
    await api.pool.execute(owned, UUID(int=1), cast.ada.organisation_id, cast.ada.id)
    assert await ask(cast.stranger, route) == 404
    assert await ask(cast.elsewhere, route) == 404
    await api.pool.execute("DELETE FROM workspaces")


async def test_the_matrix_knows_every_route_that_names_something() -> None:
    others = {
        "DELETE /sessions/{session_id}",
        "POST /links/{link_id}",
        "GET /users/{user_id}/chats",
        "GET /login/oidc/{name}",
        "GET /login/oidc/{name}/callback",
        "PUT /login-services/{name}",
        "DELETE /login-services/{name}",
        "GET /files/{file_id}",
        "GET /files/{file_id}/url",
        "GET /files/{file_id}/content",
        "GET /providers/{provider_id}/keys",
        "DELETE /providers/{provider_id}/keys",
        "PUT /settings/{name}",
        "GET /me/settings/{name}",
        "PUT /me/settings/{name}",
        "POST /inbox/{entry_id}/read",
        "POST /inbox/{entry_id}/unread",
        "DELETE /tokens/{token_id}",
        "DELETE /push/subscriptions/{subscription_id}",
        "GET /templates/{name}",
        "PUT /templates/{name}",
        "PATCH /hooks/{hook_id}",
        "DELETE /hooks/{hook_id}",
        "GET /hooks/{hook_id}/deliveries",
        "DELETE /network/rules/{rule_id}",
        "PUT /network/secrets/{name}",
        "DELETE /network/secrets/{name}",
        "PUT /me/network/secrets/{name}",
        "DELETE /me/network/secrets/{name}",
        *(f"{method} /triggers/{{trigger_id}}" for method in ("GET", "PATCH", "DELETE")),
        *("POST /triggers/{trigger_id}/test", "GET /triggers/{trigger_id}/deliveries", "POST /in/{trigger_id}"),
        "DELETE /channel-links/{channel}/{external_id}",
        "GET /triggers/{trigger_id}/deliveries/{number}",
        "POST /triggers/{trigger_id}/deliveries/{number}/replay",
        *(f"{method} /schedules/{{schedule_id}}" for method in ("GET", "PATCH", "DELETE")),
        *(f"{method} /schedules/{{schedule_id}}/runs" for method in ("GET", "POST")),
        *(f"{method} /webhooks/{{webhook_id}}" for method in ("PATCH", "DELETE")),
        "GET /webhooks/{webhook_id}/deliveries",
        "POST /webhooks/{webhook_id}/deliveries/{number}/replay",
        "POST /webhooks/{webhook_id}/test",
        "PATCH /memories/{memory_id}",
        "DELETE /memories/{memory_id}",
        "GET /skills/{name}",
        "PUT /skills/{name}",
        "DELETE /skills/{name}",
        "POST /mcp-servers/{server_id}/test",
        "POST /mcp-servers/{server_id}/sign-in",
        "DELETE /mcp-servers/{server_id}/sign-in",
    }
    others |= {route.name for route in WORKSPACE_ROUTES}
    named = {route.name for route in TABLE.routes if route.parameters and "chat_id" not in route.parameters}
    assert named == set(NAMED) | others


async def test_personal_things_of_others_do_not_exist(api: ServedApi, cast: Cast) -> None:
    uploaded = await cast.ada.ask("POST", "/files", b"hello", x_file_name="a.txt", content_type="text/plain")
    file_id = uploaded.json["id"]
    token = (await cast.ada.post("/tokens", {"name": "t"})).json["id"]
    entry = await api.pool.fetchval(
        "INSERT INTO inbox (user_id, chat_id, kind) VALUES ($1, $2, 'finished') RETURNING id", cast.ada.id, cast.chat_id
    )
    subscription = (await cast.ada.post("/push/subscriptions", EXAMPLES["subscribe"])).json["id"]
    for other in (cast.bob, cast.stranger, cast.elsewhere):
        assert (await other.delete(f"/push/subscriptions/{subscription}")).status == 404
        assert (await other.get(f"/files/{file_id}")).status == 404
        assert (await other.get(f"/files/{file_id}/url")).status == 404
        assert (await other.delete(f"/tokens/{token}")).status == 404
        assert (await other.post(f"/inbox/{entry}/read")).status == 404
    assert (await cast.ada.get(f"/files/{file_id}")).body == b"hello"
    assert (await cast.ada.post(f"/inbox/{entry}/read")).status == 200
    assert (await cast.ada.delete(f"/tokens/{token}")).status == 204


async def test_a_file_in_a_shared_chat_is_shared_with_it(cast: Cast) -> None:
    uploaded = await cast.ada.ask("POST", "/files", b"hello", x_file_name="a.txt", content_type="text/plain")
    part = {"type": "file", "file_id": uploaded.json["id"]}
    chat_id = (await cast.ada.post("/chats", {"content": [*TEXT, part]})).json["chat"]["id"]
    assert (await cast.bob.get(f"/files/{uploaded.json['id']}")).status == 404
    await cast.ada.put(f"/chats/{chat_id}/acl", {"users": [str(cast.bob.id)]})
    assert (await cast.bob.get(f"/files/{uploaded.json['id']}")).status == 200
    assert (await cast.elsewhere.get(f"/files/{uploaded.json['id']}")).status == 404


async def test_a_share_with_a_group_ends_when_the_group_does(api: ServedApi, cast: Cast) -> None:
    async with await api.person("boss", Role.ADMIN) as boss:
        group = (await boss.post("/groups", {"name": "g", "members": [str(cast.bob.id)]})).json
        assert group["members"] == [str(cast.bob.id)]
        chat_id = (await cast.ada.post("/chats", {"content": TEXT})).json["chat"]["id"]
        await cast.ada.put(f"/chats/{chat_id}/acl", {"groups": [group["id"]]})
        assert (await cast.bob.get(f"/chats/{chat_id}")).status == 200
        listed = (await cast.bob.get("/chats?shared=true")).json["items"]
        assert {chat["id"] for chat in listed} == {chat_id, str(cast.chat_id)}
        await boss.delete(f"/groups/{group['id']}")
        assert (await cast.bob.get(f"/chats/{chat_id}")).status == 404


async def test_sharing_is_told_and_audited(api: ServedApi, cast: Cast) -> None:
    inbox = (await cast.bob.get("/inbox")).json
    assert [(entry["kind"], entry["chat_id"]) for entry in inbox["items"]] == [("shared", str(cast.chat_id))]
    async with await api.person("auditor", Role.AUDITOR) as auditor:
        actions = [entry["action"] for entry in (await auditor.get("/audit")).json["items"]]
        assert "chat.share" in actions


async def test_login_services_are_the_owners_and_those_of_another_organisation_do_not_exist(api: ServedApi) -> None:
    other = OrganisationId(await api.pool.fetchval("INSERT INTO organisations (name) VALUES ('E') RETURNING id"))
    body = EXAMPLES["put_login_service"]
    async with (
        await api.person("boss", Role.OWNER) as boss,
        await api.person("mallory", Role.ADMIN) as admin,
        await api.person("eve", Role.OWNER, other) as eve,
    ):
        assert (await admin.put("/login-services/sso", body)).status == 403
        assert (await boss.put("/login-services/sso", body)).status == 200
        assert (await eve.put("/login-services/sso", body)).status == 404
        assert (await eve.delete("/login-services/sso")).status == 404
        assert (await admin.delete("/login-services/sso")).status == 403
        assert (await eve.get("/login-services")).json == {"items": []}
        shown = (await boss.get("/login-services")).json["items"]
        assert [(item["slug"], item["has_secret"]) for item in shown] == [("sso", True)]
        assert "s3cret" not in str(shown)
        assert (await boss.delete("/login-services/sso")).status == 204
