"""The small program between the server and a sandbox.

It prepares what needs the server's rights, lets go of the server, drops the rights and becomes the sandbox. Standard
library only; it runs as its own process and is told what to do on standard input.
"""

import contextlib
import ctypes
import json
import os
import resource
import socket
import sys
from pathlib import Path
from typing import Any, cast

MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
CLONE_NEWNS = 0x00020000
STAGE = "/tmp"  # noqa: S108
OPEN_FILES = 65_536


def main() -> None:
    """Fork away from the server, then become the program; the server reads from the socket when that is ready."""
    request = cast("dict[str, Any]", json.load(sys.stdin))
    if os.fork():
        return
    os.setsid()
    for group in cast("list[str]", request["groups"]):
        Path(group, "cgroup.procs").write_text("0")
    kept = _descriptors(request)
    log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
    settings = {name: _filled(value, kept) for name, value in cast("dict[str, Any]", request["settings"]).items()}
    if not request["sandboxed"]:
        noted = {"child-pid": os.getpid(), "started": started(os.getpid())}
        os.write(kept["information"], json.dumps(noted).encode())
    if request["stage"]:
        _stage(cast("list[list[str]]", request["stage"]))
    os.dup2(_memory_file(json.dumps(settings).encode()), 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    _close_all_but({0, 1, 2, *kept.values()})
    for descriptor in kept.values():
        os.set_inheritable(descriptor, True)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit = min(OPEN_FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    arguments = [str(_filled(argument, kept)) for argument in cast("list[str]", request["arguments"])]
    os.execvpe(arguments[0], arguments, {"PATH": request["path"]})  # noqa: S606


def started(pid: int) -> str:
    """When a process was started, and in which life of the machine: no two processes of one number have the same."""
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()} {ticks}"


def _descriptors(request: "dict[str, Any]") -> dict[str, int]:
    """What the sandbox gets as open descriptors because no path inside leads to it."""
    kept = {
        "socket": _listen(Path(request["socket"])),
        "state": os.open(request["state"], os.O_RDONLY | os.O_DIRECTORY),
    }
    kept["information"] = os.open(request["information"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    if request["egress"]:
        kept["egress"] = os.open(request["egress"], os.O_PATH | os.O_DIRECTORY)
    if request["events"]:
        kept["events"] = os.open(request["events"], os.O_RDONLY)
    if request["filter"]:
        kept["filter"] = _memory_file(bytes.fromhex(request["filter"]))
    return kept


def _listen(path: Path) -> int:
    """A listening socket at a path of any length."""
    directory = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    listening = socket.socket(socket.AF_UNIX)
    path.unlink(missing_ok=True)
    listening.bind(f"/proc/self/fd/{directory}/{path.name}")
    path.chmod(0o600)
    listening.listen(64)
    return listening.detach()


def _memory_file(content: bytes) -> int:
    descriptor = os.memfd_create("perdure")
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _stage(binds: list[list[str]]) -> None:
    """In a mount namespace of our own, put what the sandbox binds where the unprivileged user can reach it."""
    library = ctypes.CDLL(None, use_errno=True)

    def checked(result: int, what: str) -> None:
        if result != 0:
            raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")

    def mount(source: str, target: str, kind: str, flags: int, data: str) -> None:
        result = library.mount(source.encode(), target.encode(), kind.encode(), flags, data.encode())
        checked(result, f"mounting {target}")

    checked(library.unshare(CLONE_NEWNS), "a mount namespace")
    mount("none", "/", "", MS_REC | MS_PRIVATE, "")
    opened = [(os.open(source, os.O_PATH), Path(source).is_dir(), Path(STAGE, name)) for source, name in binds]
    mount("perdure", STAGE, "tmpfs", 0, "size=1m,mode=755")
    for descriptor, directory, target in opened:
        target.mkdir(parents=True) if directory else target.touch()
        mount(f"/proc/self/fd/{descriptor}", str(target), "", MS_BIND | MS_REC, "")


def _filled(value: object, kept: dict[str, int]) -> Any:
    """A descriptor's number where its name stands."""
    return kept.get(value[1:]) if isinstance(value, str) and value.startswith("@") else value


def _close_all_but(kept: set[int]) -> None:
    for descriptor in [int(path.name) for path in Path("/proc/self/fd").iterdir()]:
        if descriptor not in kept:
            with contextlib.suppress(OSError):
                os.close(descriptor)


if __name__ == "__main__":
    main()
