"""The cluster for tests from outside: each of its programs killed and started again, and all of it at once."""

import asyncio
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

INTO = ("--mount", "--net", "--ipc", "--uts", "--pid")
API_SERVER, KUBELET, CONTAINERD = "kube-apiserver", "kubelet", "containerd"


@dataclass(frozen=True, slots=True)
class Program:
    """One that was killed, as it has to be started again."""

    pid: int
    arguments: tuple[str, ...]
    folder: str
    log: Path


class Box:
    """A folder with `up.sh` and `down.sh`, of which the cluster runs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def kills(self, name: str) -> Program:
        """Without a word to it. What it has started goes on."""
        (found,) = [pid for pid in _everybody() if _name(pid) == name and _space(pid) == self._inside()]
        arguments = Path(f"/proc/{found}/cmdline").read_bytes().split(b"\0")[:-1]
        program = Program(
            found,
            tuple(each.decode() for each in arguments),
            str(Path(f"/proc/{found}/cwd").readlink()),
            Path(f"/proc/{found}/fd/1").readlink(),
        )
        _end(found)
        return program

    def starts(self, program: Program) -> None:
        """In the box, so that it ends with it. What gives up is started again, and what is killed is not."""
        again = 'while :; do "$@"; [ $? -lt 128 ] || exit; sleep 0.5; done'
        script = f'cd "$0"; PATH="$1:/usr/sbin:/usr/bin:/sbin:/bin"; shift; {again}'
        into = ("nsenter", "-t", str(self._first()), *INTO)
        around = ("sh", "-c", script, program.folder, str(self._folder / "bin"))
        with program.log.open("ab") as log:
            subprocess.run(
                ["setsid", "--fork", *into, *around, *program.arguments],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=True,
            )  # fmt: skip

    def kills_pods(self) -> int:
        """Whatever runs in pods, and those who watch it. How many processes that were."""
        inside = self._inside()
        control = Path("/sys/fs/cgroup/memory" if Path("/sys/fs/cgroup/memory").is_dir() else "/sys/fs/cgroup")
        pids = {int(line) for path in control.glob("perdkube/**/cgroup.procs") for line in path.read_text().split()}
        pids |= {pid for pid in _everybody() if _name(pid).startswith("containerd-shim") and _space(pid) == inside}
        for pid in pids:
            _end(pid)
        return len(pids)

    async def crashes(self) -> None:
        """All of it at once; etcd, images and volumes stay, as on a machine that lost its power."""
        await _run(self._folder / "down.sh", "--keep")

    async def comes_back(self) -> None:
        await _run(self._folder / "up.sh")

    def _inside(self) -> Path | None:
        return _space(self._first())

    def _first(self) -> int:
        return _children(int((self._folder / "state/pid").read_text()))[0]


def _children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _everybody() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def _space(pid: int) -> Path | None:
    try:
        return Path(f"/proc/{pid}/ns/pid").readlink()
    except OSError:
        return None


def _end(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


async def _run(*command: object) -> None:
    process = await asyncio.create_subprocess_exec(
        *map(str, command), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    said, _ = await process.communicate()
    assert process.returncode == 0, said.decode()
