"""`git` in a sandbox against a real git server outside: cloned, branched, pushed with a token that nobody sees."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.workspaces.egress.git_server import HOST, GitServer
from tests.workspaces.egress.servers import HERE
from tests.workspaces.local.conftest import Fenced

from perdure.workspaces.egress.rules import Credential, Rule, armed

TOKEN = "t0ken-of-the-forge"


@dataclass(slots=True)
class Forge:
    """A git server, and a workspace whose rules lead there with its token."""

    fenced: Fenced
    server: GitServer

    async def has(self, token: str) -> None:
        """The token that the fence adds from now on."""
        credential = Credential("forge", kind="basic")
        rule = Rule(HOST, port=self.server.port, paths=("/team/app.git/*",), networks=HERE, credential=credential)
        await self.fenced.told(armed(rule, {"forge": token}))

    async def runs(self, command: str) -> tuple[int | None, str]:
        process = await self.fenced.runs(f"{{ {command}; }} 2>&1")
        return process.exit_code, process.head

    async def cloned(self) -> None:
        code, said = await self.runs(
            f"git clone -q {self.server.url} app && cd app && git config user.name A && git config user.email a@b.c"
            " && git switch -qc work && echo more > more.txt && git add . && git commit -qm more"
        )
        assert code == 0, said


@pytest.fixture
async def forge(fenced: Fenced, tmp_path: Path) -> AsyncGenerator[Forge]:
    server = GitServer(tmp_path, fenced.servers.authority, TOKEN)
    found = Forge(fenced, server)
    await found.has(TOKEN)
    yield found
    server.close()


async def test_a_branch_is_cloned_committed_and_pushed_with_a_token_that_is_nowhere_inside(forge: Forge) -> None:
    await forge.cloned()
    code, said = await forge.runs("cd app && git push -u origin work && git rev-parse HEAD")
    assert code == 0, said
    assert forge.server.head("work") == said.split()[-1]
    # What git itself shows is not what is sent: the fence puts the token in the place of whatever it was.
    assert all(shown.startswith("Basic ") for shown in forge.server.seen)
    halves = f"{TOKEN[:4]}''{TOKEN[4:]}"
    places = "/workspace /home /tmp /run /etc /proc/[0-9]*/environ /proc/[0-9]*/mem"
    _, found = await forge.runs(f"printf %s {halves} | grep -rlaFf - {places} 2>/dev/null; true")
    assert found == ""


async def test_a_push_that_is_rejected_says_so_and_leaves_the_server_as_it_was(forge: Forge) -> None:
    await forge.cloned()
    newer = forge.server.commits("somebody was faster")
    code, said = await forge.runs("cd app && git push origin work:main")
    assert code == 1
    assert "[rejected]" in said
    assert forge.server.head("main") == newer
    hook = forge.server.repository / "hooks/pre-receive"
    hook.write_text("#!/bin/sh\necho 'no pushes on Fridays' >&2\nexit 1\n")
    hook.chmod(0o755)
    code, said = await forge.runs("cd app && git push origin work")
    assert (code, "no pushes on Fridays" in said) == (1, True)
    assert forge.server.head("work") == ""


async def test_a_token_that_expires_in_the_middle_ends_the_push_and_a_new_one_finishes_it(forge: Forge) -> None:
    await forge.cloned()
    forge.server.token = "another"
    code, said = await forge.runs("cd app && timeout 50 git push origin work")
    assert code == 128
    assert "Authentication failed" in said or "could not read" in said, said
    assert forge.server.head("work") == ""
    await forge.has("another")
    code, said = await forge.runs("cd app && git push origin work")
    assert code == 0, said
    assert forge.server.head("work") != ""


async def test_another_repository_of_the_same_server_is_not_the_rules_to_give(forge: Forge) -> None:
    asked = len(forge.server.seen)
    code, said = await forge.runs(f"git clone -q {forge.server.url.replace('app', 'other')} other")
    assert code == 128
    assert "403" in said
    assert len(forge.server.seen) == asked
