"""The place for work that takes a while: in a forked process of its own, so that others are answered meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import signal
import sys
from typing import Callable, cast

from perdure.workspaces.agent.children import Children, read_up_to
from perdure.workspaces.agent.guard import forget_signals
from perdure.workspaces.agent.kernel import die_with, name_process
from perdure.workspaces.agent.problems import Problem, of_os_error

Found = dict[str, object]
LONGEST_SECONDS = 240.0


async def run_aside(children: Children, work: Callable[[], Found], seconds: float = LONGEST_SECONDS) -> Found:
    """Do something in a fork and hand its result over. What it made half it must be able to leave behind."""
    reading, writing = os.pipe()
    pid, ended = fork_aside(children, lambda: _work(work, writing))
    os.close(writing)
    try:
        content, _ = await asyncio.wait_for(read_up_to(reading, sys.maxsize), seconds)
        await asyncio.wait_for(ended, seconds)
    except asyncio.TimeoutError:
        raise Problem(504, "timeout", f"it took longer than {seconds:.0f} s") from None
    finally:
        if not ended.done():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            await ended
        os.close(reading)
    return _answer(content)


def fork_aside(children: Children, work: Callable[[], None]) -> tuple[int, asyncio.Future[int]]:
    """Do something in a fork that ends with this process. What it was ended by comes later."""
    agent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            die_with(agent)
            forget_signals()
            gc.disable()
            name_process("perdure-files")
            work()
            os._exit(0)
        finally:
            os._exit(70)
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    children.expect(pid, lambda status: None if ended.done() else ended.set_result(status))
    return pid, ended


def problem_of(work: Callable[[], Found]) -> Found | Problem:
    """What work came to, or why it did not."""
    try:
        return work()
    except Problem as problem:
        return problem
    except OSError as error:
        return of_os_error(error, str(error.filename or "the workspace's files"))


def _answer(content: bytes) -> Found:
    try:
        told = cast("Found", json.loads(content))
    except ValueError:
        raise Problem(500, "ended", "it was ended in the middle; try again") from None
    problem = cast("tuple[int, str, str] | None", told.get("problem"))
    if problem is not None:
        raise Problem(*problem)
    return cast("Found", told["found"])


def _work(work: Callable[[], Found], writing: int) -> None:
    found = problem_of(work)
    told: Found = {"found": found}
    if isinstance(found, Problem):
        told = {"problem": [found.status, found.code, found.message]}
    with os.fdopen(writing, "wb") as file:
        file.write(json.dumps(told).encode())
