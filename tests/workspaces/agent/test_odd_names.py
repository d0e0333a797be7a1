"""Names that are bytes and not text: what an old archive leaves behind must not hide everything beside it."""

import os

from tests.workspaces.inside import Inside

ODD = os.fsdecode(b"caf\xe9.txt")


async def test_a_directory_with_a_name_that_is_no_text_can_be_listed_searched_and_compared(inside: Inside) -> None:
    assert (await inside.runs("git init -q")).exit_code == 0
    (inside.tree / ODD).write_text("find_me\n")
    (inside.tree / "plain.txt").write_text("find_me too\n")
    (inside.tree / "link").symlink_to(ODD)
    listed = {entry.path for entry in (await inside.client.files.list()).entries}
    assert {"caf?.txt", "plain.txt", "link"} <= listed
    found = await inside.client.files.search("find_me")
    assert "plain.txt" in {match.path for match in found.matches}
    (repository,) = (await inside.client.git.state()).repositories
    assert {"caf?.txt", "plain.txt"} <= {file.path for file in repository.files}
    assert "plain.txt" in (await inside.client.git.diff()).diff
