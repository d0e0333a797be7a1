"""The state of repositories: branch, origin, distance, changed files, diffs."""

import asyncio
from datetime import timedelta

import pytest
from tests.workspaces.inside import PATIENCE, Inside

from perdure.core.errors import WorkspaceRefused
from perdure.workspaces.agent.git import without_credentials

SETUP = """
git init -q -b main repo && cd repo
git config user.email a@example.com && git config user.name A
printf 'one\\ntwo\\n' > a.txt && git add . && git commit -qm first
git clone -q --bare . ../origin.git
git remote add origin ../origin.git && git fetch -q && git branch -q -u origin/main
"""


@pytest.fixture
async def repository(inside: Inside) -> Inside:
    assert (await inside.runs(SETUP)).exit_code == 0
    return inside


async def test_a_tree_without_repositories_has_none(inside: Inside) -> None:
    assert (await inside.client.git.state()).repositories == []


async def test_branch_origin_and_distance_are_known(repository: Inside) -> None:
    await repository.runs("cd repo && git commit -q --allow-empty -m second")
    found = {item.path: item for item in (await repository.client.git.state()).repositories}["repo"]
    assert (found.branch, found.origin, found.upstream, found.ahead, found.behind) == (
        "main",
        "../origin.git",
        "origin/main",
        1,
        0,
    )


async def test_changed_and_new_files_are_counted(repository: Inside) -> None:
    await repository.runs(
        "cd repo && printf 'one\\n2\\n3\\n' > a.txt && printf 'x\\ny\\n' > new.txt && head -c 9 /dev/zero > blob"
    )
    found = (await repository.client.git.state()).repositories
    files = {file.path: (file.status, file.added, file.removed, file.binary) for file in found[-1].files}
    assert files == {"a.txt": ("changed", 2, 1, False), "new.txt": ("new", 2, 0, False), "blob": ("new", 0, 0, True)}


async def test_a_diff_has_changes_and_new_files(repository: Inside) -> None:
    await repository.runs("cd repo && printf 'one\\n2\\n' > a.txt && echo x > new.txt")
    diff = await repository.client.git.diff("repo")
    assert "-two\n+2\n" in diff.diff
    assert "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+x\n" in diff.diff
    assert diff.complete


async def test_a_diff_is_bounded(repository: Inside) -> None:
    await repository.runs("cd repo && seq 1 100000 > a.txt")
    diff = await repository.client.git.diff("repo")
    assert len(diff.diff) <= 256 * 1024
    assert not diff.complete


async def test_a_repository_without_a_commit_has_a_diff(inside: Inside) -> None:
    await inside.runs("git init -q -b main . && echo x > staged && git add staged && echo y > new")
    diff = (await inside.client.git.diff(".")).diff
    assert "+x" in diff
    assert "+y" in diff


async def test_watchers_hear_of_a_change_and_of_nothing_else(repository: Inside) -> None:
    known = (await repository.client.git.state()).hash
    assert (await repository.client.git.state(known, timedelta(milliseconds=50))).hash == known
    watching = [asyncio.ensure_future(repository.client.git.state(known, PATIENCE)) for _ in range(3)]
    await repository.runs("cd repo && echo more >> a.txt")
    heard = {state.hash for state in await asyncio.gather(*watching)}
    assert len(heard) == 1
    assert known not in heard


async def test_what_a_repository_configures_is_not_run(repository: Inside) -> None:
    await repository.runs(
        "cd repo && git config core.fsmonitor 'touch ../ran;' && git config diff.external 'touch ../ran;' && "
        "echo x > a.txt"
    )
    await repository.client.git.state()
    await repository.client.git.diff("repo")
    assert not (repository.tree / "ran").exists()


async def test_only_repositories_of_the_workspace_have_diffs(repository: Inside) -> None:
    with pytest.raises(WorkspaceRefused, match="not the root of a git repository"):
        await repository.client.git.diff("/")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:secret@forge.example/a/b.git", "https://forge.example/a/b.git"),
        ("https://token@forge.example:8443/a", "https://forge.example:8443/a"),
        ("git@forge.example:a/b.git", "git@forge.example:a/b.git"),
        ("../origin.git", "../origin.git"),
    ],
)
def test_an_origin_is_shown_without_its_credentials(url: str, shown: str) -> None:
    assert without_credentials(url) == shown
