"""What the API promises in its small print: choices, names, bounds and headers."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from perdure.access.actor import Role
from perdure.config.models import Provider
from perdure.core.ids import ProviderId
from perdure.testing.served_api import Person, ServedApi

HELLO = [{"type": "text", "text": "Hello."}]
NOBODY = "00000000-0000-4000-8000-000000000000"


async def begun(ada: Person, **options: Any) -> dict[str, Any]:
    answer = await ada.post("/chats", {"content": HELLO, **options})
    assert answer.status == 201, answer.body
    return answer.json["chat"]


def fields(answer: Any) -> tuple[int, list[str]]:
    return answer.status, [each["field"] for each in answer.json["validations"]]


async def test_servers_approvals_and_web_search_are_chosen_when_a_chat_is_begun(api: ServedApi, ada: Person) -> None:
    async with await api.person("boss", Role.ADMIN) as boss:
        server = {"slug": "notes", "transport": "http", "url": "https://mcp.example.org"}
        assert (await boss.post("/mcp-servers", server)).status == 201
    chosen = {"mcp_servers": ["notes"], "approvals": {"execute": "ask"}, "web_search": True}
    chat = await begun(ada, **chosen)
    assert (await ada.get(f"/chats/{chat['id']}")).json["settings"] == chosen
    unknown = await ada.post("/chats", {"content": HELLO, "mcp_servers": ["no such"]})
    assert fields(unknown) == (400, ["mcp_servers[0]"])


async def test_a_chat_says_where_it_was_begun(api: ServedApi, ada: Person) -> None:
    assert "source" not in await begun(ada, title="from a program")
    cli = await ada.post("/chats", {"content": HELLO, "title": "typed"}, perdure_client="cli")
    assert cli.json["chat"]["source"] == "cli"
    found = await ada.get("/chats?q=source:cli")
    assert [(chat["title"], chat["source"]) for chat in found.json["items"]] == [("typed", "cli")]
    link = await ada.get(f"/login/link?token={await api.services.sign_in.link(ada.id)}")
    ada.cookie = link.headers["set-cookie"].partition(";")[0]
    token = (await ada.get("/me")).json["csrf_token"]
    page = await ada.post("/chats", {"content": HELLO, "title": "clicked"}, x_csrf_token=token, perdure_client="cli")
    assert page.json["chat"]["source"] == "page"
    forked = await ada.post(f"/chats/{page.json['chat']['id']}/fork", {"after": 1}, x_csrf_token=token)
    assert forked.json["chat"]["source"] == "page"


async def test_a_client_tool_named_like_a_shipped_one_is_refused(ada: Person) -> None:
    refused = await ada.post("/chats", {"content": HELLO, "client_tools": [{"name": "execute"}]})
    assert fields(refused) == (400, ["client_tools[0].name"])


async def test_the_workspace_of_a_chat_is_taken_off(api: ServedApi, ada: Person) -> None:
    made = await api.pool.fetchval(
        "INSERT INTO workspaces (id, owner_id, organisation_id, template, driver) "
        "VALUES (gen_random_uuid(), $1, $2, 'blank', 'local') RETURNING id",
        ada.id,
        ada.organisation_id,
    )
    chat = await begun(ada, workspace_id=str(made))
    kept = await ada.patch(f"/chats/{chat['id']}", {"title": "Other"})
    assert kept.json["chat"]["workspace_id"] == str(made)
    off = await ada.patch(f"/chats/{chat['id']}", {"workspace_id": None})
    assert (off.status, "workspace_id" in off.json["chat"]) == (200, False)


async def test_a_title_is_trimmed_and_says_something(ada: Person) -> None:
    chat = await begun(ada, title="  Plans ")
    assert chat["title"] == "Plans"
    path = f"/chats/{chat['id']}"
    assert (await ada.patch(path, {"title": " More plans\u2003"})).json["chat"]["title"] == "More plans"
    assert fields(await ada.patch(path, {"title": "   "})) == (400, ["title"])
    assert fields(await ada.post("/chats", {"content": HELLO, "title": " "})) == (400, ["title"])


@pytest.mark.parametrize(("after", "before", "status"), [(3, 3, 400), (4, 3, 400), (2, 3, 200)])
async def test_a_page_that_can_hold_nothing_is_refused(ada: Person, after: int, before: int, status: int) -> None:
    chat = await begun(ada)
    answer = await ada.get(f"/chats/{chat['id']}/messages?after={after}&before={before}")
    assert answer.status == status


async def test_a_chat_is_shared_only_with_people_who_exist(api: ServedApi, ada: Person) -> None:
    chat = await begun(ada)
    elsewhere = await api.pool.fetchval("INSERT INTO organisations (name) VALUES ('Else') RETURNING id")
    async with await api.person("bob") as bob, await api.person("eve", organisation=elsewhere) as eve:
        path = f"/chats/{chat['id']}/acl"
        for users, groups, wrong in (
            ([str(bob.id), NOBODY], [], ["users[1]"]),
            ([str(eve.id)], [], ["users[0]"]),
            ([str(bob.id)], [NOBODY], ["groups[0]"]),
        ):
            assert fields(await ada.put(path, {"users": users, "groups": groups})) == (400, wrong)
        for roles in ({NOBODY: "write"}, {str(bob.id): "write", str(eve.id): "read"}):
            refused = await ada.put(path, {"users": [str(bob.id)], "roles": roles})
            assert fields(refused) == (400, [f"roles[{list(roles)[-1]}]"])
        assert (await ada.get(path)).json == {"users": [], "groups": []}
        assert (await ada.put(path, {"users": [str(bob.id)], "groups": []})).json["users"] == [str(bob.id)]


@pytest.mark.parametrize(
    ("content", "kind", "shown"),
    [
        (b"%PDF-1.7", "application/pdf", "attachment"),
        (b"a,b", "text/csv", "attachment"),
        (b"a", "text/plain", "inline"),
    ],
)
async def test_files_are_shown_or_handed_over_and_kept_for_a_moment(
    ada: Person, content: bytes, kind: str, shown: str
) -> None:
    stored = (await ada.ask("POST", "/files", content, x_file_name="a", content_type=kind)).json
    file = await ada.get(f"/files/{stored['id']}")
    assert file.headers["content-disposition"] == f"{shown}; filename*=UTF-8''a"
    assert file.headers["cache-control"] == "private, max-age=300"
    assert (await ada.get("/me")).headers["cache-control"] == "no-store"


async def test_templates_are_searched(ada: Person) -> None:
    every = [each["name"] for each in (await ada.get("/templates")).json["items"]]
    assert [each["name"] for each in (await ada.get("/templates?q=BLANK")).json["items"]] == ["blank"]
    assert (await ada.get("/templates?q=blank%20nonsense")).json["items"] == []
    assert len(every) > 1


async def test_a_wrong_effort_lists_the_right_ones(ada: Person) -> None:
    chat = await begun(ada)
    for answer in (
        await ada.post("/chats", {"content": HELLO, "effort": "huge"}),
        await ada.patch(f"/chats/{chat['id']}", {"effort": "huge"}),
        await ada.post(f"/chats/{chat['id']}/messages", {"content": HELLO, "effort": "huge"}),
    ):
        assert fields(answer) == (400, ["effort"])
        assert "none, minimal, low, medium, high" in answer.json["validations"][0]["detail"]


async def test_a_card_moves_when_something_is_said(api: ServedApi, ada: Person) -> None:
    chat = UUID((await begun(ada))["id"])
    path = f"/chats/{chat}"
    for method, to in (("POST", "/messages"), ("PUT", "/queue/1"), ("PUT", "/messages/1")):
        await api.pool.execute("UPDATE chat_cards SET updated_at = now() - interval '1 day'")
        before = (await ada.get(path)).json["chat"]["updated_at"]
        answer = await ada.ask(method, f"{path}{to}", {"content": HELLO})
        assert answer.status in (200, 202), answer.body
        after = (await ada.get(path)).json["chat"]["updated_at"]
        assert after > before, to
        assert answer.json["chat"]["updated_at"] == after


async def test_settings_show_what_holds_while_nobody_set_them(api: ServedApi, ada: Person) -> None:
    async with await api.person("boss", Role.ADMIN) as boss:
        shown = (await boss.get("/settings")).json
        assert (shown["retention"], shown["subagents"]["working"]) == ({"archived_days": 30}, 20)
        assert (await boss.put("/settings/subagents", {"value": {"depth": 2}})).status == 200
        assert (await boss.get("/settings")).json["subagents"] == {
            "general_model": None,
            "explore_model": None,
            "depth": 2,
            "working": 20,
        }
        # What was not said follows the defaults of later releases.
        assert await api.pool.fetchval("SELECT value FROM settings WHERE name = 'subagents'") == '{"depth":2}'
    assert (await ada.get("/me/settings/subagents")).json["value"] == {"general_model": None, "explore_model": None}


async def test_trying_a_provider_that_never_answers_ends(api: ServedApi) -> None:
    over = asyncio.Event()

    async def silent(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await over.wait()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    provider = Provider(id=ProviderId(uuid4()), name="Mute", dialect="openai_chat", base_url=f"http://127.0.0.1:{port}")
    probe = replace(api.services.probe, patience=timedelta(milliseconds=100))
    async with await api.person("boss", Role.ADMIN) as boss:
        actor = await api.services.authentication.actor(boss.token)
    tried, offered = await probe.try_provider(actor, provider, None), await probe.offered(actor, provider)
    assert (tried.ok, tried.message) == (False, "Mute did not answer within 0.1 s.")
    assert (offered.items, offered.message) == ((), "Mute did not answer within 0.1 s.")
    assert api.services.probe.patience == timedelta(seconds=30)
    over.set()
    server.close()
