"""Templates that an organisation brings, and the limits of what is made from them."""

from base64 import b64encode

from perdure.access.actor import Role
from perdure.core.ids import OrganisationId
from perdure.testing.served_api import ServedApi

RECIPE = """
description = "Ours"
start_up = "test -f hello.sh && ./hello.sh > said"
idle_minutes = 5

[environment]
GREETING = "hello"
"""
HELLO = b"#!/bin/sh\necho $GREETING\n"
BODY = {"recipe": RECIPE, "readme": "Read me.", "files": {"hello.sh": b64encode(HELLO).decode()}}


async def test_an_admin_brings_a_template_and_everybody_in_the_organisation_uses_it(api: ServedApi) -> None:
    other = OrganisationId(await api.pool.fetchval("INSERT INTO organisations (name) VALUES ('E') RETURNING id"))
    async with (
        await api.person("ada", Role.ADMIN) as ada,
        await api.person("bob") as bob,
        await api.person("eve", Role.OWNER, other) as eve,
    ):
        assert (await bob.put("/templates/ours", BODY)).status == 403
        assert (await ada.put("/templates/ours", BODY)).json["shipped"] is False
        assert (await bob.get("/templates/ours")).json["readme"] == "Read me."
        assert "ours" in [item["name"] for item in (await bob.get("/templates")).json["items"]]
        assert (await eve.get("/templates/ours")).status == 404
        made = await bob.post("/workspaces", {"template": "ours"})
        said = await bob.get(f"/workspaces/{made.json['id']}/files/content?path=said")
        assert said.body == b"hello\n"


async def test_a_template_that_is_taken_away_leaves_its_workspaces(api: ServedApi) -> None:
    async with await api.person("ada", Role.ADMIN) as ada:
        await ada.put("/templates/ours", BODY)
        place = f"/workspaces/{(await ada.post('/workspaces', {'template': 'ours'})).json['id']}"
        assert (await ada.delete("/templates/ours")).status == 204
        assert (await ada.delete("/templates/ours")).status == 404
        assert (await ada.post("/workspaces", {"template": "ours"})).status == 404
        assert (await ada.post(f"{place}/stop")).json["status"] == "stopped"
        assert (await ada.get(f"{place}/files/content?path=said")).body == b"hello\n"
        assert (await ada.delete(place)).status == 204
        actions = [entry["action"] for entry in (await ada.get("/audit")).json["items"]]
        assert actions[:2] == ["template.remove", "template.put"]


async def test_a_template_that_makes_no_sense_is_refused_with_what_is_wrong(api: ServedApi) -> None:
    async with await api.person("ada", Role.ADMIN) as ada:
        for name, body, wrong in (
            ("ours", {"recipe": "description = "}, "template.toml"),
            ("ours", {"recipe": "colour = 'red'"}, "template.toml"),
            ("OURS", {"recipe": "description = ''"}, "name"),
            ("ours", {"recipe": "description = ''\ndriver = 'cloud'"}, "driver"),
            ("ours", {"recipe": "description = ''\n[limits]\nmemory = 1"}, "limits.memory"),
            ("ours", {"recipe": "description = ''", "files": {"../x": ""}}, "files.../x"),
        ):
            said = await ada.put(f"/templates/{name}", body)
            assert (said.status, said.json["validations"][0]["field"]) == (400, wrong)
        assert (await ada.put("/templates/python", BODY)).status == 409
        assert (await ada.delete("/templates/python")).status == 404


async def test_nobody_has_more_workspaces_than_one_person_may(api: ServedApi) -> None:
    async with await api.person("ada", Role.ADMIN) as ada, await api.person("bob") as bob:
        await ada.put("/settings/workspaces", {"value": {"per_person": 1}})
        first = await bob.post("/workspaces", {"template": "blank"})
        second = await bob.post("/workspaces", {"template": "blank"})
        assert (first.status, second.status) == (201, 409)
        assert "Remove one first" in second.json["message"]
        content = [{"type": "text", "text": "hello"}]
        refused = await bob.post("/chats", {"content": content, "workspace": {"template": "blank"}})
        assert refused.status == 409
        assert (await bob.get("/chats")).json["items"] == []
        assert (await ada.post("/workspaces", {"template": "blank"})).status == 201
        await bob.delete(f"/workspaces/{first.json['id']}")
        assert (await bob.post("/workspaces", {"template": "blank"})).status == 201


async def test_a_chat_can_be_begun_with_a_workspace_that_is_made_when_it_is_used(api: ServedApi) -> None:
    async with await api.person("ada", Role.ADMIN) as ada:
        await ada.put("/templates/ours", BODY)
        content = [{"type": "text", "text": "hello"}]
        body = {"content": content, "workspace": {"template": "ours"}}
        chat = (await ada.post("/chats", body, idempotency_key="once")).json["chat"]
        again = (await ada.post("/chats", body, idempotency_key="once")).json["chat"]
        assert again["workspace_id"] == chat["workspace_id"]
        (noted,) = (await ada.get("/workspaces")).json["items"]
        assert (noted["id"], noted["status"]) == (chat["workspace_id"], "creating")
        said = await ada.get(f"/workspaces/{noted['id']}/files/content?path=said")
        assert said.body == b"hello\n"
        assert (await ada.get(f"/workspaces/{noted['id']}")).json["status"] == "running"
        assert (await ada.post("/chats", {"content": content, "workspace": {"template": "none"}})).status == 400


async def test_what_nobody_uses_is_stopped_after_its_time_and_starts_again_on_use(api: ServedApi) -> None:
    async with await api.person("ada", Role.ADMIN) as ada:
        await ada.put("/templates/ours", BODY)
        workspaces = api.services.workspaces
        assert workspaces is not None
        place = f"/workspaces/{(await ada.post('/workspaces', {'template': 'ours'})).json['id']}"
        await api.pool.execute("UPDATE workspaces SET used_at = now() - interval '4 minutes'")
        await workspaces.stop_idle()
        assert (await ada.get(place)).json["status"] == "running"
        await api.pool.execute("UPDATE workspaces SET used_at = now() - interval '6 minutes'")
        await workspaces.stop_idle()
        assert (await ada.get(place)).json["status"] == "stopped"
        assert (await ada.get(f"{place}/files/content?path=said")).body == b"hello\n"
        assert (await ada.get(place)).json["status"] == "running"


async def test_a_workspace_in_use_is_not_idle(api: ServedApi) -> None:
    async with await api.person("ada") as ada:
        workspaces = api.services.workspaces
        assert workspaces is not None
        place = f"/workspaces/{(await ada.post('/workspaces', {'template': 'blank'})).json['id']}"
        assert (await ada.get(f"{place}/files")).status == 200
        await api.pool.execute("UPDATE workspaces SET used_at = now() - interval '1 day'")
        assert (await ada.get(f"{place}/files")).status == 200
        await workspaces.stop_idle()
        assert (await ada.get(place)).json["status"] == "running"


async def test_a_template_that_fails_half_way_tells_the_end_of_its_log_and_leaves_nothing(api: ServedApi) -> None:
    async with await api.person("ada", Role.ADMIN) as ada:
        await ada.put("/templates/bad", {"recipe": "description = 'b'\nstart_up = 'touch made; echo oops; exit 3'"})
        said = await ada.post("/workspaces", {"template": "bad"})
        assert said.status == 409
        assert said.json == {"message": "The step start_up failed with exit code 3.", "detail": "oops\n"}
        (failed,) = (await ada.get("/workspaces")).json["items"]
        assert (failed["status"], failed["error"]) == ("failed", said.json["message"])
        assert (await ada.get(f"/workspaces/{failed['id']}/files")).status == 409
        assert (await ada.delete(f"/workspaces/{failed['id']}")).status == 204
