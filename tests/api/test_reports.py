"""What was used, what was done, and which workspaces there are, as the page asks for it."""

from uuid import UUID, uuid4

from tests.api.test_copies import answered

from perdure.access.actor import Role
from perdure.core.ids import ChatId
from perdure.testing.served_api import Person, ServedApi


async def test_usage_by_chat_names_ones_own_and_only_whose_the_others_are(api: ServedApi, ada: Person) -> None:
    chat_id = await answered(api, ada, "one?", "two.")
    mine = (await ada.get("/usage?group=chat")).json["items"]
    assert [(line["name"], line["chat_id"], line["cost"]) for line in mine] == [("one?", str(chat_id), 120)]
    async with await api.person("boss", Role.ADMIN) as boss:
        everybodys = (await boss.get("/usage?group=chat")).json["items"]
    assert [(line["name"], line["chat_id"]) for line in everybodys] == [("ada@example.com", str(chat_id))]


async def test_the_audit_log_names_what_was_changed_and_is_filtered(api: ServedApi) -> None:
    async with await api.person("boss", Role.ADMIN) as boss, await api.person("chief", Role.OWNER) as chief:
        group = (await boss.post("/groups", {"name": "Readers"})).json["id"]
        user = (await chief.post("/users", {"email": "grace@example.com"})).json["id"]
        entries = (await boss.get("/audit")).json["items"]
        named = {(each["action"], each.get("actor"), each["subject"], each.get("subject_name")) for each in entries}
        assert ("group.add", "boss@example.com", group, "Readers") in named
        assert ("user.add", "chief@example.com", user, "grace@example.com") in named

        async def actions(query: str) -> list[str]:
            return [each["action"] for each in (await boss.get(f"/audit?{query}")).json["items"]]

        assert await actions(f"actor={boss.id}") == ["group.add"]
        assert await actions("action=user") == ["user.add"]
        assert await actions("action=user.ad") == []
        assert await actions("action=user.add&from=2000-01-01&to=9999-12-31") == ["user.add"]
        assert await actions("to=2000-01-01") == []


async def test_who_reads_the_audit_log_is_not_told_the_address_of_a_hook(api: ServedApi) -> None:
    """It may hold credentials, and only those who configure hooks may see it."""
    async with await api.person("boss", Role.ADMIN) as boss, await api.person("aud", Role.AUDITOR) as auditor:
        hook = {"url": "https://user:pass-word@rules.example.org/x?key=hush", "events": ["pre_tool_use"]}
        assert (await boss.post("/hooks", hook)).status == 201
        told = (await auditor.get("/audit")).body.decode()
    assert "hook.add" in told
    assert "rules.example.org" not in told


async def test_a_workspace_is_named_and_tells_its_chats_and_its_size(api: ServedApi, ada: Person) -> None:
    owned = (
        "INSERT INTO workspaces (id, organisation_id, owner_id, driver, template) VALUES ($1, $2, $3, 'none', 'blank')"
    )
    workspace = uuid4()
    await api.pool.execute(owned, workspace, ada.organisation_id, ada.id)
    begun = await ada.post(
        "/chats",
        {"content": [{"type": "text", "text": "Import."}], "workspace_id": str(workspace), "title": "Importer"},
    )
    chat_id = ChatId(UUID(begun.json["chat"]["id"]))
    renamed = await ada.patch(f"/workspaces/{workspace}", {"name": " The importer "})
    [listed] = (await ada.get("/workspaces")).json["items"]
    assert (renamed.json["name"], listed["name"]) == ("The importer", "The importer")
    assert listed["chats"] == [{"id": str(chat_id), "title": "Importer"}]
    # Nobody can look into what no driver knows.
    assert (await ada.get(f"/workspaces/{workspace}/size")).json == {}
