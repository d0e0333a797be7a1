"""Real processes that use an embedded server, as root and as an ordinary user."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from perdure.store.embedded.cluster import Cluster
from perdure.store.embedded.locks import exclusive_now
from perdure.testing.polling import eventually

HOLDER = Path(__file__).with_name("holder.py")
ORDINARY = "ordinary user"
ROOT = "root"


@cache
def drop_privileges() -> tuple[str, ...]:
    """How root becomes `nobody`, who must at least be able to read Python, wherever root keeps it."""
    if os.geteuid() != 0:
        return ()
    nobody = pwd.getpwnam("nobody")
    plain = ("setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups")
    reading = (*plain, "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
    nested = "import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', 'import perdure.core']))"
    trial = subprocess.run([*plain, sys.executable, "-c", nested], capture_output=True, check=False)
    return plain if trial.returncode == 0 else reading


@dataclass(frozen=True, slots=True)
class Holder:
    """A process with a lease."""

    process: subprocess.Popen[str]
    url: str

    def tend(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("tend\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "tended\n"

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def leave(self) -> None:
        self.process.communicate()
        assert self.process.returncode == 0


@dataclass(frozen=True, slots=True)
class Machine:
    """A data directory, and the processes that somebody starts on it."""

    directory: Path
    account: str
    holders: list[Holder]

    @property
    def cluster(self) -> Cluster:
        return Cluster(self.directory / "postgres")

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        prefix = drop_privileges() if self.account == ORDINARY else ()
        return subprocess.Popen(
            [*prefix, sys.executable, str(HOLDER), str(self.directory), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def hold(self, *arguments: str) -> Holder:
        return self.holding(self.start(*arguments))

    def holding(self, process: subprocess.Popen[str]) -> Holder:
        assert process.stdout is not None
        holder = Holder(process, process.stdout.readline().strip())
        assert holder.url, process.communicate()[1]
        self.holders.append(holder)
        return holder

    def refusal(self, *arguments: str) -> str:
        """What is said to somebody who gets no lease."""
        output, complaint = self.start(*arguments).communicate()
        assert output == ""
        return complaint

    def postmaster(self) -> int:
        running = self.cluster.postmaster()
        assert running is not None
        return running.pid

    def keeper(self) -> int:
        """The process that holds the keeper's lock, by the kernel's own list."""
        inode = self.cluster.keeping.stat().st_ino
        locks = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
        return next(int(words[4]) for words in locks if words[5].endswith(f":{inode}"))

    def kill_keeper(self) -> int:
        """Kill it, and wait for the kernel to have taken its lock away."""
        keeper = self.keeper()
        os.kill(keeper, signal.SIGKILL)
        eventually(lambda: _free(self.cluster.keeping), "the keeper dies")
        return keeper

    def kill_server(self) -> int:
        server = self.postmaster()
        os.kill(server, signal.SIGKILL)
        return server

    def stopped(self) -> bool:
        return not (self.cluster.data / "postmaster.pid").exists()


def _free(lock: Path) -> bool:
    probe = exclusive_now(lock)
    if probe is not None:
        probe.release()
    return probe is not None


@pytest.fixture(params=[ROOT, ORDINARY] if os.geteuid() == 0 else [ORDINARY])
def machine(request: pytest.FixtureRequest) -> Iterator[Machine]:
    yield from _machine(request.param)


@pytest.fixture
def own_machine() -> Iterator[Machine]:
    """For what does not depend on who we are."""
    yield from _machine(ROOT if os.geteuid() == 0 else ORDINARY)


@pytest.fixture
def users_machine() -> Iterator[Machine]:
    yield from _machine(ORDINARY)


def _machine(account: str) -> Iterator[Machine]:
    directory = Path(tempfile.mkdtemp(prefix="perdure-"))
    directory.chmod(0o755)
    if account == ORDINARY and os.geteuid() == 0:
        shutil.chown(directory, "nobody")
    machine = Machine(directory, account, [])
    try:
        yield machine
        for holder in machine.holders:
            if holder.process.returncode is None:
                holder.kill()
        eventually(machine.stopped, "the server stops when nobody uses it")
        eventually(lambda: not machine.cluster.keeping.exists() or _free(machine.cluster.keeping), "its keeper goes")
    finally:
        shutil.rmtree(directory)
