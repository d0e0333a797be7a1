"""Skills that people keep for themselves."""

from typing import Any

import pytest

from perdure.testing.served_api import Person

SKILL = "---\nname: release\ndescription: How we release.\n---\nTag, then push.\n"


async def test_a_skill_is_kept_listed_changed_and_forgotten(ada: Person) -> None:
    kept = await ada.put("/skills/release", {"content": SKILL, "files": {"steps.md": "1. Tag."}})
    assert (kept.status, kept.json["description"]) == (200, "How we release.")
    assert kept.json["files"] == {"steps.md": "1. Tag."}
    changed = await ada.put("/skills/release", {"content": "Just push.", "description": "Releasing."})
    assert (changed.json["content"], changed.json["files"]) == ("Just push.", {})
    listed = (await ada.get("/skills")).json["items"]
    assert [(skill["name"], skill["description"]) for skill in listed] == [("release", "Releasing.")]
    assert (await ada.delete("/skills/release")).status == 204
    assert (await ada.get("/skills/release")).status == 404


@pytest.mark.parametrize(
    ("name", "body", "field", "detail"),
    [
        ("release", {"content": "---\nname: release\n"}, "content", "begins with --- and is never closed"),
        ("release", {"content": "---\nname: release\nHow we\n---\n"}, "content", "no `name: value`: line 3"),
        ("release", {"content": SKILL.replace("release\n", "deploy\n", 1)}, "content", "its header says 'deploy'"),
        ("release", {"content": "Tag, then push."}, "description", "is needed"),
        ("Release!", {"content": SKILL}, "name", "lowercase letters"),
    ],
)
async def test_what_cannot_be_a_skill_is_refused_with_what_is_wrong(
    ada: Person, name: str, body: dict[str, Any], field: str, detail: str
) -> None:
    refused = await ada.put(f"/skills/{name}", body)
    assert refused.status == 400
    (wrong,) = refused.json["validations"]
    assert (wrong["field"], detail in wrong["detail"]) == (field, True)
    assert (await ada.get("/skills")).json["items"] == []
