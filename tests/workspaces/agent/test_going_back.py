"""Going back under kills: at every call that makes something lasting, and then once more until it is done."""

import asyncio
import json
import os
import random
import sys
from pathlib import Path

import pytest
from tests.workspaces.snapshot_cases import tree_hash

# Snapshots in a process of their own that is killed at the n-th call that makes something lasting.
DOOMED = """
import json, os, signal, sys
sys.path.insert(0, sys.argv[1])
from perdure.workspaces.agent.durable import Folder
from perdure.workspaces.agent.snapshots import Mark, Snapshots, Terms

state, tree, work, left = sys.argv[2], sys.argv[3], json.loads(sys.argv[4]), [int(sys.argv[5])]

def doomed(name):
    call = getattr(os, name)
    def instead(*given, **named):
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*given, **named)
    setattr(os, name, instead)

for name in ("rename", "unlink", "mkdir", "rmdir", "symlink", "fsync", "write", "fchmod", "ftruncate"):
    doomed(name)
terms = Terms(1 << 30, (), frozenset(), None)
snapshots = Snapshots(Folder.open(state), tree)
snapshots.settle()
match work:
    case ["settle"]:
        pass
    case ["go_back", turn]:
        snapshots.go_back("chat", turn, None, None, "run%d" % os.getpid(), terms)
    case [kind, turn]:
        snapshots.take(Mark(kind, "chat", turn), terms)
print(json.dumps("done"))
"""
SOURCES = str(Path(__file__).parents[3] / "src")
NEVER = 1_000_000


class Files:
    """A tree with what is kept of it."""

    def __init__(self, root: Path) -> None:
        self.tree, self.state = root / "tree", root / "state"
        self.tree.mkdir(parents=True)

    async def does(self, *work: object, dies_at: int = NEVER) -> bool:
        """Whether it came to its end."""
        arguments = [SOURCES, str(self.state), str(self.tree), json.dumps(work), str(dies_at)]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-S", "-c", DOOMED, *arguments, stdout=asyncio.subprocess.PIPE
        )
        said, _ = await process.communicate()
        assert process.returncode in (0, -9), process.returncode
        return said.strip() == b'"done"'

    @property
    def hash(self) -> str:
        return tree_hash(self.tree)

    def left_over(self) -> list[str]:
        """What nobody should find: names that are only for the time of a change."""
        roots = (self.tree, self.state)
        return [str(path) for root in roots for path in root.rglob("*.new")]


def changed(tree: Path, chance: random.Random) -> None:
    """One thing that somebody may do to a tree."""
    everything = sorted(tree.rglob("*"))
    folders = [tree, *(path for path in everything if path.is_dir() and not path.is_symlink())]
    others = [path for path in everything if path.is_symlink() or not path.is_dir()]
    place = chance.choice(folders) / f"n{chance.randrange(8)}"
    match chance.randrange(7):
        case 0 | 1 if not place.is_dir():
            place.unlink(missing_ok=True)
            place.write_bytes(chance.randbytes(chance.choice((0, 10, 5_000, 300_000))))
        case 2 if not os.path.lexists(place):
            place.mkdir()
        case 3 if not os.path.lexists(place):
            place.symlink_to(chance.choice(("n1", "../..", "/etc/passwd", "nowhere")))
        case 4 if others:
            chance.choice(others).unlink()
        case 5 if others and not (one := chance.choice(others)).is_symlink():
            one.chmod(chance.choice((0o644, 0o755, 0o600, 0o444)))
        case 6 if not place.is_dir() and others:
            chance.choice(others).replace(place)
        case _:
            pass


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


async def a_turn(files: Files) -> tuple[str, str]:
    """A turn that does a bit of everything: how the tree was before it, and after."""
    (files.tree / "folder" / "inner").mkdir(parents=True)
    (files.tree / "folder" / "inner" / "file").write_text("one\n")
    (files.tree / "large").write_bytes(os.urandom(300_000))
    (files.tree / "link").symlink_to("large")
    before = files.hash
    assert await files.does("before", 1)
    (files.tree / "folder" / "inner" / "file").unlink()
    (files.tree / "folder" / "inner").rmdir()
    (files.tree / "folder" / "inner").write_text("a file now")
    (files.tree / "large").write_bytes(b"small now")
    (files.tree / "link").unlink()
    (files.tree / "link").mkdir()
    (files.tree / "link" / "new").write_text("new")
    assert await files.does("after", 1)
    return before, files.hash


async def test_a_kill_at_any_call_leaves_files_that_go_back_whole_at_the_next_start(files: Files) -> None:
    before, after = await a_turn(files)
    instant = 0
    while True:
        instant += 1
        done = await files.does("go_back", 1, dies_at=instant)
        assert await files.does("settle")
        assert files.hash in (before, after)
        assert done <= (files.hash == before)
        assert files.left_over() == []
        if done:
            break
        if files.hash == before:
            # Forth again, for the next instant.
            assert await files.does("before", instant + 1)
            for path in sorted(files.tree.rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
            (files.tree / f"only{instant}").write_text("x")
            assert await files.does("after", instant + 1)
            after = files.hash
    assert instant > 30


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A story has eight turns of one to seven edits, and goes back after some of them."""
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(max(4, int(str(metafunc.config.getoption("--rewinds"))) // 16)))


async def test_random_edits_go_back_whole_however_often_somebody_is_killed(files: Files, seed: int) -> None:
    chance = random.Random(seed)
    kills = edits = rewinds = 0
    states: dict[int, str] = {}
    for turn in range(1, 9):
        states[turn] = files.hash
        # The first dies at once, so that no story is without a kill.
        while not await files.does("before", turn, dies_at=chance.randrange(1, 40) if kills else 1):
            kills += 1
        for _ in range(chance.randrange(1, 8)):
            changed(files.tree, chance)
            edits += 1
        while not await files.does("after", turn, dies_at=chance.randrange(1, 40)):
            kills += 1
        if chance.random() < 0.4:
            to = chance.choice(list(states))
            while not await files.does("go_back", to, dies_at=chance.randrange(1, 60)):
                kills += 1
            assert await files.does("settle")
            assert files.hash == states[to]
            rewinds += 1
            assert files.left_over() == []
            states = {turn: state for turn, state in states.items() if turn <= to}
    assert kills > 0
    print(f"seed {seed}: {edits} edits, {rewinds} rewinds, {kills} kills")  # noqa: T201
