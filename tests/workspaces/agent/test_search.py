"""Finding text: the same answers with ripgrep and without it."""

import pytest
from tests.workspaces.inside import Inside

from perdure.core.errors import WorkspaceRefused


@pytest.fixture(params=["ripgrep", "python"])
async def searching(inside: Inside, request: pytest.FixtureRequest) -> Inside:
    if request.param == "python":
        await inside.is_killed()
        inside.settings["environment"] = {"PATH": "/nowhere"}
        await inside.start()
    assert (await inside.client.health()).search == request.param
    (inside.tree / "src").mkdir()
    (inside.tree / "src/a.py").write_text("import os\n\ndef find_me():\n    pass\n")
    (inside.tree / "src/b.txt").write_text("find_me too\n")
    (inside.tree / ".hidden").write_text("find_me hidden\n")
    (inside.tree / "blob").write_bytes(b"find_me\0binary")
    return inside


async def test_matches_have_a_path_a_line_and_a_text(searching: Inside) -> None:
    found = await searching.client.files.search(r"find_\w+\(", "src")
    assert [(match.path, match.line, match.text) for match in found.matches] == [("src/a.py", 3, "def find_me():")]


async def test_hidden_files_count_and_binary_ones_do_not(searching: Inside) -> None:
    found = await searching.client.files.search("find_me")
    assert sorted(match.path for match in found.matches) == [".hidden", "src/a.py", "src/b.txt"]


async def test_a_glob_narrows(searching: Inside) -> None:
    found = await searching.client.files.search("find_me", glob="*.py")
    assert [match.path for match in found.matches] == ["src/a.py"]


async def test_no_match_is_an_empty_answer(searching: Inside) -> None:
    assert (await searching.client.files.search("absent_word")).matches == []


async def test_a_broken_pattern_is_refused_with_what_to_do(searching: Inside) -> None:
    with pytest.raises(WorkspaceRefused, match="escape special characters"):
        await searching.client.files.search("find_me(")


async def test_very_many_matches_are_cut_and_said_to_be(searching: Inside) -> None:
    (searching.tree / "many").write_text("needle\n" * 5000)
    found = await searching.client.files.search("needle")
    assert (len(found.matches), found.complete) == (200, False)


async def test_a_search_does_not_leave_the_workspace(searching: Inside) -> None:
    (searching.outside / "secret").write_text("find_me\n")
    (searching.tree / "hole").symlink_to(searching.outside)
    assert "secret" not in str(await searching.client.files.search("find_me"))
    with pytest.raises(WorkspaceRefused, match="outside the workspace"):
        await searching.client.files.search("find_me", "../outside")


async def test_a_pattern_is_never_an_option(searching: Inside) -> None:
    (searching.tree / "dash").write_text("--files\n")
    assert [match.path for match in (await searching.client.files.search("--files")).matches] == ["dash"]


@pytest.mark.parametrize("searching", ["python"], indirect=True)
async def test_a_pattern_that_would_take_for_ever_is_refused_and_the_workspace_goes_on(searching: Inside) -> None:
    (searching.tree / "trap").write_text("a" * 5000 + "!\n")
    with pytest.raises(WorkspaceRefused, match="make it simpler"):
        await searching.client.files.search("(a+)+$")
    assert [match.path for match in (await searching.client.files.search("a!$")).matches] == ["trap"]


async def test_matches_that_are_too_long_to_be_all_shown_are_said_to_be_cut(inside: Inside) -> None:
    """What ripgrep says of a match is the whole line, and much of that is thrown away."""
    for number in range(8):
        (inside.tree / f"{number}.min.js").write_text("needle" + "x" * 900_000)
    found = await inside.client.files.search("needle")
    assert (0 < len(found.matches) < 8, found.complete) == (True, False)
