"""The tools that approvals can be settled for, and what a model's threshold is until somebody sets another."""

from perdure.access.actor import Role
from perdure.testing.served_api import Person, ServedApi


async def test_the_tools_that_ship_are_listed_with_what_they_are_for(ada: Person) -> None:
    listed = {tool["name"]: tool for tool in (await ada.get("/tools")).json["items"]}
    assert listed["search_files"] == {
        "name": "search_files",
        "description": "Search the text of files in the workspace.",
    }
    assert sorted(name for name, tool in listed.items() if tool.get("asks")) == [
        "add_schedule",
        "computer",
        "remove_schedule",
    ]


async def test_a_model_says_when_its_chats_are_compacted(api: ServedApi, ada: Person) -> None:
    [model] = (await ada.get("/models")).json["items"]
    assert model["compaction_threshold"] == 70
    async with await api.person("boss", Role.ADMIN) as boss:
        path = f"/model-settings/{model['name']}"
        [stored] = [each for each in (await boss.get("/model-settings")).json["items"] if each["name"] == model["name"]]
        options = {**stored["options"], "compaction_threshold": 55}
        assert (await boss.patch(path, {"options": options})).status == 200
    [model] = (await ada.get("/models")).json["items"]
    assert model["compaction_threshold"] == 55
