"""The place for the agent program's interface: which request leads to which piece."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable
from typing import Callable, NamedTuple

from perdure.workspaces.agent import files, limits
from perdure.workspaces.agent.copies import Copies
from perdure.workspaces.agent.disk import Disk
from perdure.workspaces.agent.file_history import FileHistory
from perdure.workspaces.agent.git import Git
from perdure.workspaces.agent.http import Handler, Reply, Request, answer
from perdure.workspaces.agent.intents import Intents
from perdure.workspaces.agent.keys import Keys
from perdure.workspaces.agent.pipes import Pipes
from perdure.workspaces.agent.places import Places
from perdure.workspaces.agent.ports import Ports
from perdure.workspaces.agent.problems import invalid, missing
from perdure.workspaces.agent.processes import Processes
from perdure.workspaces.agent.search import Search
from perdure.workspaces.agent.settings import Settings
from perdure.workspaces.agent.swapping import Swap, swap_all
from perdure.workspaces.agent.terminals import Terminals
from perdure.workspaces.agent.watching import Watching

VERSION = 1


class Program(NamedTuple):
    """The pieces of a running agent program."""

    settings: Settings
    incarnation: str
    started: float
    places: Places
    keys: Keys
    processes: Processes
    intents: Intents
    search: Search
    terminals: Terminals
    pipes: Pipes
    ports: Ports
    git: Git
    git_watch: Watching
    context_watch: Watching
    history: FileHistory
    copies: Copies
    disk: Disk
    stopping: asyncio.Event


Route = Callable[[Program, Request], Awaitable[Reply]]


async def health(program: Program, _: Request) -> Reply:
    return answer(
        {
            "version": VERSION,
            "incarnation": program.incarnation,
            "read_only": program.settings.read_only,
            "tree": program.places.tree,
            "home": program.places.home,
            "search": "ripgrep" if program.search.program else "python",
            "uptime_ms": int((time.monotonic() - program.started) * 1000),
            "running": len(program.processes.running()),
        }
    )


async def start_process(program: Program, request: Request) -> Reply:
    report = program.processes.start(request.fields())
    program.disk.wake()
    return answer(report, 201)


async def list_processes(program: Program, _: Request) -> Reply:
    return answer({"processes": program.processes.list()})


async def wait_process(program: Program, request: Request) -> Reply:
    most = min(request.number("output", limits.ANSWER_BYTES), limits.ANSWER_BYTES)
    return answer(await program.processes.wait(request.run, request.number("wait_ms", 0) / 1000, most))


async def follow_process(program: Program, request: Request) -> Reply:
    stream = program.processes.follow(request.run, request.number("offset", 0))
    return Reply(b"", kind="application/octet-stream", stream=stream)


async def signal_process(program: Program, request: Request) -> Reply:
    """Once per key: a process may do something else when it hears a signal again."""
    fields = request.fields()
    key = fields.maybe_text("key")
    known = None if key is None else program.keys.known(key, fields.fingerprint())
    if known is not None:
        return answer(known.result or program.processes.find(request.run).report())
    grace = fields.maybe_integer("grace_ms")
    seconds = None if grace is None else min(grace, 60_000) / 1000
    signal = program.processes.checked(request.run, fields.text("signal", "TERM"))
    if key is not None:
        program.keys.claim(key, fields.fingerprint(), request.run, program.incarnation)
    report = await program.processes.signal(request.run, signal, seconds)
    if key is not None:
        program.keys.finish(key, report)
    return answer(report)


async def find_key(program: Program, request: Request) -> Reply:
    key = request.text("key")
    return answer(program.intents.by_key(key) or program.processes.by_key(key))


async def forget_keys(program: Program, request: Request) -> Reply:
    for key in request.fields().texts("keys"):
        program.keys.forget(key)
    return answer({})


async def read_file(program: Program, request: Request) -> Reply:
    offset, limit = request.number("offset", 1), request.number("limit", files.PAGE_LINES)
    if offset < 1 or not 1 <= limit <= files.PAGE_LINES:
        raise invalid(f"offset starts at 1 and limit is 1 to {files.PAGE_LINES}")
    return answer(files.read_lines(program.places, request.text("path"), offset, limit))


async def read_content(program: Program, request: Request) -> Reply:
    with program.places.find(request.text("path")) as place:
        content = files.read_bytes(place, request.text("path"), request.number("most", files.CONTENT_BYTES))
    return Reply(content, kind="application/octet-stream")


async def put_content(program: Program, request: Request) -> Reply:
    with program.places.find(request.text("path"), create_parents=True) as place:
        swap_all([Swap(place, request.body, request.text("path"), "p" + secrets.token_hex(8))])
        if request.query.get("executable"):
            files.make_executable(place)
    return answer({})


async def write_file(program: Program, request: Request) -> Reply:
    return _changed(program, answer(program.intents.write(request.fields())))


async def edit_files(program: Program, request: Request) -> Reply:
    return _changed(program, answer(program.intents.edit(request.fields())))


async def list_files(program: Program, request: Request) -> Reply:
    return answer(files.list_tree(program.places, request.query.get("path", "."), request.number("depth", 1)))


async def search_files(program: Program, request: Request) -> Reply:
    found = await program.search.run(request.text("pattern"), request.query.get("path", "."), request.query.get("glob"))
    return answer(found)


async def open_terminal(program: Program, request: Request) -> Reply:
    return answer(program.terminals.open(*_size(request), request.fields().text("name", "")), 201)


async def list_terminals(program: Program, _: Request) -> Reply:
    return answer({"terminals": program.terminals.list()})


async def follow_terminal(program: Program, request: Request) -> Reply:
    stream = program.terminals.follow(request.run, request.number("offset", 0))
    return Reply(b"", kind="application/octet-stream", stream=stream)


async def type_terminal(program: Program, request: Request) -> Reply:
    return answer(program.terminals.type(request.run, request.body))


async def resize_terminal(program: Program, request: Request) -> Reply:
    return answer(program.terminals.resize(request.run, *_size(request)))


async def close_terminal(program: Program, request: Request) -> Reply:
    return answer(program.terminals.close(request.run))


async def open_pipe(program: Program, request: Request) -> Reply:
    return answer(program.pipes.open(request.fields()), 201)


async def look_at_pipe(program: Program, request: Request) -> Reply:
    return answer(program.pipes.look(request.run))


async def follow_pipe(program: Program, request: Request) -> Reply:
    return Reply(b"", kind="application/octet-stream", stream=program.pipes.follow(request.run))


async def write_pipe(program: Program, request: Request) -> Reply:
    return answer(await program.pipes.write(request.run, request.body))


async def close_pipe(program: Program, request: Request) -> Reply:
    return answer(program.pipes.close(request.run))


async def list_ports(program: Program, _: Request) -> Reply:
    return answer({"ports": program.ports.list()})


async def connect_port(program: Program, request: Request) -> Reply:
    if not request.run.isdigit() or len(request.run) > 5:
        raise invalid("a port is a number")
    return Reply(b"", tunnel=await program.ports.connect(int(request.run)))


async def git_state(program: Program, request: Request) -> Reply:
    return answer(await program.git_watch.when_not(request.query.get("known", ""), request.number("wait_ms", 0) / 1000))


async def git_diff(program: Program, request: Request) -> Reply:
    return answer(await program.git.diff(request.query.get("path", ".")))


async def take_snapshot(program: Program, request: Request) -> Reply:
    return answer(await program.history.take(request.fields()))


async def show_difference(program: Program, request: Request) -> Reply:
    return answer(await program.history.difference(request.fields()))


async def go_back(program: Program, request: Request) -> Reply:
    return answer(await program.history.go_back(request.fields()))


async def forget_snapshots(program: Program, request: Request) -> Reply:
    return answer(await program.history.forget(request.fields()))


async def copy_out(program: Program, request: Request) -> Reply:
    return Reply(b"", tunnel=program.copies.out(request.fields()))


async def copy_in(program: Program, _: Request) -> Reply:
    return Reply(b"", tunnel=program.copies.into())


async def context(program: Program, request: Request) -> Reply:
    return answer(
        await program.context_watch.when_not(request.query.get("known", ""), request.number("wait_ms", 0) / 1000)
    )


async def shut_down(program: Program, _: Request) -> Reply:
    await program.processes.stop_all(limits.GRACE_SECONDS)
    program.stopping.set()
    return answer({})


def _size(request: Request) -> tuple[int, int]:
    fields = request.fields()
    return fields.integer("columns", 80, 2, 1000), fields.integer("rows", 24, 2, 1000)


def _changed(program: Program, reply: Reply) -> Reply:
    program.git_watch.touch()
    program.context_watch.touch()
    return reply


ROUTES: dict[tuple[str, str], Route] = {
    ("GET", "/v1/health"): health,
    ("POST", "/v1/processes"): start_process,
    ("GET", "/v1/processes"): list_processes,
    ("GET", "/v1/processes/*"): wait_process,
    ("GET", "/v1/processes/*/output"): follow_process,
    ("POST", "/v1/processes/*/signal"): signal_process,
    ("GET", "/v1/keys"): find_key,
    ("POST", "/v1/keys/forget"): forget_keys,
    ("GET", "/v1/files/lines"): read_file,
    ("GET", "/v1/files/content"): read_content,
    ("PUT", "/v1/files/content"): put_content,
    ("POST", "/v1/files/write"): write_file,
    ("POST", "/v1/files/edit"): edit_files,
    ("GET", "/v1/files/list"): list_files,
    ("GET", "/v1/files/search"): search_files,
    ("POST", "/v1/terminals"): open_terminal,
    ("GET", "/v1/terminals"): list_terminals,
    ("GET", "/v1/terminals/*/output"): follow_terminal,
    ("POST", "/v1/terminals/*/input"): type_terminal,
    ("POST", "/v1/terminals/*/size"): resize_terminal,
    ("DELETE", "/v1/terminals/*"): close_terminal,
    ("POST", "/v1/pipes"): open_pipe,
    ("GET", "/v1/pipes/*"): look_at_pipe,
    ("GET", "/v1/pipes/*/output"): follow_pipe,
    ("POST", "/v1/pipes/*/input"): write_pipe,
    ("DELETE", "/v1/pipes/*"): close_pipe,
    ("GET", "/v1/ports"): list_ports,
    ("POST", "/v1/ports/*/connect"): connect_port,
    ("GET", "/v1/git"): git_state,
    ("GET", "/v1/git/diff"): git_diff,
    ("POST", "/v1/snapshots"): take_snapshot,
    ("POST", "/v1/snapshots/difference"): show_difference,
    ("POST", "/v1/snapshots/back"): go_back,
    ("POST", "/v1/snapshots/forget"): forget_snapshots,
    ("POST", "/v1/copies/out"): copy_out,
    ("POST", "/v1/copies/in"): copy_in,
    ("GET", "/v1/context"): context,
    ("POST", "/v1/shutdown"): shut_down,
}


def handler(program: Program) -> Handler:
    async def handle(request: Request) -> Reply:
        route = ROUTES.get((request.method, request.path)) or ROUTES.get((request.method, request.pattern))
        if route is None:
            raise missing(f"no {request.method} {request.path}")
        return await route(program, request)

    return handle
