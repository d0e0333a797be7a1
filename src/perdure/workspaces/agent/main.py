"""The place for starting the agent program: read the settings, settle the past, serve until told to stop."""

from __future__ import annotations

import asyncio
import fcntl
import os
import secrets
import socket
import sys
import time
from typing import Callable

from perdure.workspaces.agent.children import Children
from perdure.workspaces.agent.context import Context
from perdure.workspaces.agent.copies import Copies
from perdure.workspaces.agent.disk import Disk
from perdure.workspaces.agent.durable import Folder
from perdure.workspaces.agent.fields import Fields
from perdure.workspaces.agent.file_history import FileHistory
from perdure.workspaces.agent.git import Git
from perdure.workspaces.agent.handover import take
from perdure.workspaces.agent.http import Server
from perdure.workspaces.agent.intents import Intents
from perdure.workspaces.agent.kernel import adopt_orphans, hide_memory, name_process
from perdure.workspaces.agent.keys import Keys
from perdure.workspaces.agent.memory import Memory
from perdure.workspaces.agent.offering import listen, offer
from perdure.workspaces.agent.pipes import Pipes
from perdure.workspaces.agent.places import Places
from perdure.workspaces.agent.ports import Ports
from perdure.workspaces.agent.problems import Problem
from perdure.workspaces.agent.process import CommandContext
from perdure.workspaces.agent.processes import Processes
from perdure.workspaces.agent.routes import Program, handler
from perdure.workspaces.agent.search import Search
from perdure.workspaces.agent.settings import Settings
from perdure.workspaces.agent.snapshots import Snapshots
from perdure.workspaces.agent.terminals import Terminals
from perdure.workspaces.agent.watching import Watching

READY_SECONDS = 20.0
LOOK_SECONDS = 0.02


def start_detached(path: str, log: str, serve: Callable[[], None]) -> bool:
    """Serve in a process of its own unless somebody serves at this socket already; true once it answers."""
    lock = os.open(path + ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _answers(path):
            _fork_away(path, log, serve)
        deadline = time.monotonic() + READY_SECONDS
        while not _answers(path):
            if time.monotonic() > deadline:
                return False
            time.sleep(LOOK_SECONDS)
        return True
    finally:
        os.close(lock)


def _answers(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
        except OSError:
            return False
    return True


def _fork_away(path: str, log: str, serve: Callable[[], None]) -> None:
    first = os.fork()
    if first:
        os.waitpid(first, 0)
        return
    try:
        os.setsid()
        if os.fork() == 0:
            _redirect(log)
            _note_pid(path + ".pid")
            serve()
    finally:
        os._exit(0)


def _redirect(log: str) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
    for target, source in enumerate((nothing, written, written)):
        os.dup2(source, target)
    os.closerange(3, 4096)


def _note_pid(path: str) -> None:
    """Who serves, and since when: a number alone may be another's after a while."""
    with open(path, "w") as file:
        file.write(f"{os.getpid()}\n{started(os.getpid())}\n")


def started(pid: int) -> str:
    """When a process was started, and in which life of the machine."""
    with open("/proc/sys/kernel/random/boot_id") as boot, open(f"/proc/{pid}/stat") as stat:
        return f"{boot.read().strip()} {stat.read().rpartition(')')[2].split()[19]}"


USAGE = """usage: perdure agent [--detach] CONFIG.json   (or - to read the settings from standard input)
       perdure agent --take SOCKET

The program inside a workspace. The server starts it; there is no need to start it yourself.
--detach serves in the background, unless somebody serves at the settings' socket already.
--take asks a neighbour at the socket for the settings and for the open folder of records.
"""


def main(arguments: list[str] | None = None) -> int:
    """Serve a workspace as the settings say, until told to stop."""
    given = sys.argv[1:] if arguments is None else arguments
    names = [argument for argument in given if argument != "--detach"]
    asked, takes = "-h" in names or "--help" in names, names[:1] == ["--take"]
    if asked or len(names) != 1 + takes:
        (sys.stdout if asked else sys.stderr).write(USAGE)
        return 0 if asked else 2
    try:
        settings = _taken(names[1]) if takes else _settings(names[0])
    except (OSError, Problem) as error:
        sys.stderr.write(f"perdure: {names[-1]} cannot be used: {getattr(error, 'strerror', None) or error}\n")
        return 2

    def run() -> None:
        asyncio.run(serve(*_prepare(settings)))

    if "--detach" in given:
        return 0 if start_detached(settings.socket, settings.socket + ".log", run) else 1
    run()
    return 0


def _settings(path: str) -> Settings:
    if path == "-":
        return Settings.read(Fields.parse(sys.stdin.buffer.read()))
    with open(path, "rb") as file:
        return Settings.read(Fields.parse(file.read()))


def _taken(path: str) -> Settings:
    content, records = take(path)
    return Settings.read(Fields.parse(content))._replace(state_descriptor=records)


def _prepare(settings: Settings) -> tuple[Settings, Folder, socket.socket, Memory]:
    """Take what needs the starter's rights, then give them up."""
    folder = Folder(settings.state_descriptor) if settings.state_descriptor is not None else Folder.open(settings.state)
    listening = _listen(settings)
    if settings.egress:
        settings = settings._replace(egress_descriptor=os.open(settings.egress, os.O_PATH | os.O_DIRECTORY))
    kept = (settings.state_descriptor, settings.socket_descriptor, settings.oom_descriptor, settings.egress_descriptor)
    for descriptor in kept:
        if descriptor is not None:
            os.set_inheritable(descriptor, False)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    memory = Memory(settings.oom_descriptor)
    if settings.group is not None and settings.user is not None:
        os.setgroups([])
        os.setresgid(settings.group, settings.group, settings.group)
        os.setresuid(settings.user, settings.user, settings.user)
    adopt_orphans()
    hide_memory()
    name_process("perdure-agent")
    os.umask(0o022)
    os.chdir(settings.tree)
    return settings, folder, listening, memory


def _listen(settings: Settings) -> socket.socket:
    if settings.socket_descriptor is not None:
        return socket.socket(fileno=settings.socket_descriptor)
    if settings.socket.startswith("/"):
        listening = socket.socket(socket.AF_UNIX)
        if os.path.lexists(settings.socket):
            os.unlink(settings.socket)
        listening.bind(settings.socket)
        os.chmod(settings.socket, 0o666 if settings.token else 0o600)
    else:
        host, _, port = settings.socket.rpartition(":")
        listening = socket.create_server((host, int(port)))
    listening.listen(64)
    return listening


async def serve(settings: Settings, folder: Folder, listening: socket.socket, memory: Memory) -> None:
    program = assemble(settings, folder, memory)
    program.intents.settle()
    await program.history.settle()
    serving = asyncio.ensure_future(Server(handler(program), settings.token).serve(listening))
    measuring = asyncio.ensure_future(program.disk.run())
    leaving = asyncio.ensure_future(_leave_when_deleted(program, folder))
    offering = asyncio.ensure_future(_offer(settings))
    await program.stopping.wait()
    # Long enough for the answer to the one who asked to leave.
    await asyncio.sleep(0.05)
    serving.cancel()
    measuring.cancel()
    leaving.cancel()
    offering.cancel()


async def _offer(settings: Settings) -> None:
    if settings.egress_descriptor is not None:
        await offer(listen(settings.egress_port), settings.egress_descriptor)


async def _leave_when_deleted(program: Program, folder: Folder) -> None:
    """A workspace whose records were deleted belongs to nobody any more."""
    while not folder.deleted:  # noqa: ASYNC110
        await asyncio.sleep(program.settings.deleted_check_ms / 1000)
    await program.processes.stop_all(0.0)
    program.stopping.set()


def assemble(settings: Settings, folder: Folder, memory: Memory) -> Program:
    incarnation = secrets.token_hex(8)
    places = Places(settings.tree, settings.home, settings.roots)
    children = Children()
    children.install(asyncio.get_running_loop())
    keys = Keys(folder.inside("keys"))
    environment = settings.command_environment({})
    git = Git(places, children, environment)
    git_watch, context_watch = Watching(git.state), Watching(Context(places).snapshot)

    def changed() -> None:
        git_watch.touch()
        context_watch.touch()

    around = CommandContext(settings, places, children, keys, incarnation, changed, memory)
    processes = Processes(around)
    history = FileHistory(Snapshots(folder.inside("snapshots"), places.tree), children, keys, incarnation, changed)
    return Program(
        settings=settings,
        incarnation=incarnation,
        started=time.monotonic(),
        places=places,
        keys=keys,
        processes=processes,
        intents=Intents(folder.inside("edits"), keys, places, incarnation),
        search=Search(places, children, environment),
        terminals=Terminals(around),
        pipes=Pipes(around),
        ports=Ports(),
        git=git,
        git_watch=git_watch,
        context_watch=context_watch,
        history=history,
        copies=Copies(places, history, children),
        disk=Disk(places, processes, settings.disk_bytes),
        stopping=asyncio.Event(),
    )
