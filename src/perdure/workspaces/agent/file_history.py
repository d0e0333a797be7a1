"""The place for what the server asks about snapshots: one thing at a time, in a process beside this one."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Callable

from perdure.workspaces.agent.aside import Found, run_aside
from perdure.workspaces.agent.children import Children
from perdure.workspaces.agent.fields import Fields
from perdure.workspaces.agent.keys import Keys
from perdure.workspaces.agent.problems import Problem, invalid
from perdure.workspaces.agent.snapshots import Mark, Snapshots, Terms

KINDS = ("before", "after")


class FileHistory:
    """Snapshots, asked for in requests. Each begins in a fork of its own, so nothing of the tree stays in memory."""

    def __init__(
        self, snapshots: Snapshots, children: Children, keys: Keys, incarnation: str, changed: Callable[[], None]
    ) -> None:
        self._snapshots = snapshots
        self._children = children
        self._keys = keys
        self._incarnation = incarnation
        self._changed = changed
        self._alone = asyncio.Lock()

    async def take(self, fields: Fields) -> Found:
        mark = Mark(fields.text("kind"), fields.text("chat"), fields.integer("turn"))
        if mark.kind not in KINDS:
            raise invalid(f"kind must be one of {', '.join(KINDS)}")
        terms = Terms.read(fields)
        try:
            return await self._aside(lambda: self._snapshots.take(mark, terms))
        except Problem:
            # A disk that is full takes no note either; what is to be heard is why no snapshot was taken.
            with contextlib.suppress(OSError):
                self._snapshots.miss(mark)
            raise

    async def forget(self, fields: Fields) -> Found:
        terms = Terms.read(fields)
        return await self._aside(lambda: self._snapshots.forget(terms))

    async def difference(self, fields: Fields) -> Found:
        chat, turn, until = fields.text("chat"), fields.integer("turn"), fields.maybe_integer("until")
        back, terms = fields.flag("back"), Terms.read(fields)
        return await self._aside(lambda: self._snapshots.difference(chat, turn, until, back, terms))

    async def go_back(self, fields: Fields) -> Found:
        """Once per key: asked again, it answers what came of it."""
        key, request = fields.text("key"), fields.fingerprint()
        known = self._keys.known(key, request)
        if known is not None and known.result is not None:
            return known.result
        chat, turn, number = fields.text("chat"), fields.integer("turn"), fields.maybe_integer("number")
        state, terms = fields.maybe_text("state"), Terms.read(fields)
        run = known.run if known is not None else "b" + secrets.token_hex(8)
        if known is None:
            self._keys.claim(key, request, run, self._incarnation)
        try:
            found = await self._aside(lambda: self._snapshots.go_back(chat, turn, number, state, run, terms))
        except Problem:
            self._keys.forget(key)
            raise
        self._keys.finish(key, found)
        self._changed()
        return found

    @asynccontextmanager
    async def alone(self) -> AsyncGenerator[Snapshots, None]:
        """The snapshots, with nobody else at work on them."""
        async with self._alone:
            yield self._snapshots

    async def settle(self) -> None:
        """At start: complete what was going back. What cannot be completed now is tried again at the next start."""
        if self._snapshots.unsettled:
            try:
                found = await self._aside(lambda: self._snapshots.settle() or {})
            except Problem:
                return
            for record in self._keys.unfinished():
                if record.run == found.get("run"):
                    self._keys.finish(record.key, {name: value for name, value in found.items() if name != "run"})
        for record in self._keys.unfinished():
            if record.run.startswith("b"):
                self._keys.forget(record.key)

    async def _aside(self, work: Callable[[], Found]) -> Found:
        async with self._alone:
            return await run_aside(self._children, work)
