"""The place for changing several files as one: an intent is on disk before the first change, settled after a crash."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import stat
from contextlib import ExitStack
from typing import Callable, NamedTuple, cast

from perdure.workspaces.agent.diff import unified
from perdure.workspaces.agent.durable import Folder
from perdure.workspaces.agent.edits import Edit, Refused, edit_bytes
from perdure.workspaces.agent.fields import Fields
from perdure.workspaces.agent.files import CONTENT_BYTES, read_bytes
from perdure.workspaces.agent.keys import Keys, Record
from perdure.workspaces.agent.places import Places
from perdure.workspaces.agent.problems import Problem, invalid, refused
from perdure.workspaces.agent.swapping import NotUndone, Swap, swap_all

MADE = "made"
TOTAL_BYTES = 16 * 1024 * 1024
"""How much content the files of one request may have, before and after: nobody else is answered meanwhile."""


class Change(NamedTuple):
    """One file before and after. `before` is nothing for a file that is new."""

    path: str
    before: bytes | None
    after: bytes

    @property
    def header(self) -> dict[str, object]:
        return {
            "path": self.path,
            "before": None if self.before is None else hashlib.sha256(self.before).hexdigest(),
            "after": hashlib.sha256(self.after).hexdigest(),
            "sizes": [len(self.before or b""), len(self.after)],
        }


class Intents:
    """Writes and edits, each at most once per key, all of a request or nothing."""

    def __init__(self, folder: Folder, keys: Keys, places: Places, incarnation: str) -> None:
        self._folder = folder
        self._keys = keys
        self._places = places
        self._incarnation = incarnation

    def edit(self, fields: Fields) -> dict[str, object]:
        return self._once(fields, self._plan_edits)

    def write(self, fields: Fields) -> dict[str, object]:
        return self._once(fields, self._plan_write)

    def by_key(self, key: str) -> dict[str, object] | None:
        record = self._keys.find(key)
        if record is None or not record.run.startswith("e"):
            return None
        return self._told(record)

    def settle(self) -> None:
        """At start: complete what was begun, or undo it where it cannot be completed.

        What can be neither, as on a disk without room for a name, waits for the next start; its key has no result.
        """
        waiting: set[str] = set()
        for name in self._folder.names():
            run, _, made = name.partition(".")
            key, changes = _unpack(self._folder.read(name) or b"{}\n")
            try:
                result = self._done(changes) if made else self._settle(run, changes)
                if key:
                    self._keys.finish(key, result)
                self._folder.remove(name)
            except (Problem, NotUndone, OSError):
                waiting.add(run)
        for record in self._keys.unfinished():
            if record.run.startswith("e") and record.run not in waiting:
                # No intent is left, so nothing was changed under this key.
                self._keys.forget(record.key)

    def _settle(self, run: str, changes: list[Change]) -> dict[str, object]:
        untouched = [change for change in changes if self._holds(change.path, change.before)]
        made = [change for change in changes if self._holds(change.path, change.after)]
        why = "a file changed meanwhile"
        if len({change.path for change in untouched + made}) == len(changes):
            try:
                self._swap(run, [(change.path, change.after) for change in untouched if change not in made])
                self._clear(run, changes)
                return self._done(changes)
            except Problem as problem:
                why = problem.message
        self._swap(run, [(change.path, change.before) for change in made if change not in untouched])
        self._clear(run, changes)
        paths = ", ".join(self._places.shown(change.path) for change in changes)
        return _failed("undone", f"the workspace stopped in the middle; undone: {paths} ({why})")

    def _holds(self, path: str, content: bytes | None) -> bool:
        """Whether a file is as it should be. A path that leads nowhere any more is not."""
        try:
            with self._places.find(path) as place:
                return (None if place.status() is None else read_bytes(place, path, CONTENT_BYTES)) == content
        except Problem as problem:
            return content is None and problem.code == "not_found"

    def _clear(self, run: str, changes: list[Change]) -> None:
        """Take away what a crash left beside the files, also beside those that were not touched now."""
        for change in changes:
            with contextlib.suppress(Problem), self._places.find(change.path) as place:
                Swap(place, None, change.path, run).clear()

    def _once(self, fields: Fields, plan: Callable[[Fields], list[Change]]) -> dict[str, object]:
        key = fields.maybe_text("key")
        run = "e" + secrets.token_hex(8)
        if key is not None:
            known = self._keys.known(key, fields.fingerprint())
            if known is not None:
                return self._told(known)
        changes = plan(fields)
        # What is told is put together before anything is written: nobody waits for it afterwards.
        result = self._done(changes)
        if key is not None:
            self._keys.claim(key, fields.fingerprint(), run, self._incarnation)
        self._carry_out(key, run, changes)
        self._record(key, run, result)
        return result

    def _record(self, key: str | None, run: str, result: dict[str, object]) -> None:
        try:
            if key is not None:
                self._keys.finish(key, result)
            self._folder.remove(run)
        except OSError:
            # On a full disk the intent itself says what was made, under a name that nobody settles again.
            self._folder.rename(run, f"{run}.{MADE}")

    def _told(self, record: Record) -> dict[str, object]:
        made = self._folder.read(f"{record.run}.{MADE}")
        unknown: dict[str, object] = (
            {"state": "lost", "incarnation": record.incarnation} if made is None else self._done(_unpack(made)[1])
        )
        return record.result or unknown

    def _carry_out(self, key: str | None, run: str, changes: list[Change]) -> None:
        try:
            self._folder.write(run, _pack(key, changes))
            self._swap(run, [(change.path, change.after) for change in changes])
        except NotUndone as failure:
            # The intent stays: the next start completes or undoes it.
            message = f"{failure}; some files are changed and some are not; stop the workspace and start it again"
            raise Problem(500, "half_done", message) from failure
        except (Problem, OSError):
            self._folder.remove(run)
            if key is not None:
                self._keys.forget(key)
            raise

    def _swap(self, run: str, contents: list[tuple[str, bytes | None]]) -> None:
        with ExitStack() as stack:
            swap_all(
                [
                    Swap(
                        stack.enter_context(self._places.find(path, create_parents=True)),
                        new,
                        self._places.shown(path),
                        run,
                    )
                    for path, new in contents
                ]
            )

    def _plan_write(self, fields: Fields) -> list[Change]:
        try:
            after = fields.text("content").encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise invalid("content holds half of a surrogate pair, which cannot be written as UTF-8") from None
        follow = fields.flag("through_links", True)
        with self._places.find(fields.text("path"), create_parents=True, follow=follow) as place:
            status = place.status()
            if status is not None and stat.S_ISDIR(status.st_mode):
                raise refused("is_a_directory", f"{fields.text('path')} is a directory; name a file in it")
            before = None if status is None else read_bytes(place, place.path, CONTENT_BYTES)
            return [Change(place.path, before, after)]

    def _plan_edits(self, fields: Fields) -> list[Change]:
        """Every edit is tried in memory first; the first that fails leaves everything as it was."""
        wanted: dict[str, list[Edit]] = {}
        asked: dict[str, str] = {}
        for file in fields.objects("files"):
            path = os.path.normpath(self._places.absolute(file.text("path")))
            asked.setdefault(path, file.text("path"))
            wanted.setdefault(path, []).extend(
                Edit(edit.text("old_text"), edit.text("new_text"), edit.flag("replace_all"))
                for edit in file.objects("edits")
            )
        if not wanted or not all(wanted.values()):
            raise invalid("files must name at least one file, each with at least one edit")
        changes: list[Change] = []
        seen: dict[tuple[int, int], str] = {}
        follow = fields.flag("through_links", True)
        room = TOTAL_BYTES
        for path, edits in wanted.items():
            change = self._plan_file(asked[path], edits, seen, follow)
            room -= len(change.before or b"") + len(change.after)
            if room < 0:
                raise refused(
                    "too_large", f"{asked[path]}: so many large files cannot be edited at once; use several calls"
                )
            changes.append(change)
        return changes

    def _plan_file(self, path: str, edits: list[Edit], seen: dict[tuple[int, int], str], follow: bool) -> Change:
        with self._places.find(path, follow=follow) as place:
            before = read_bytes(place, path, CONTENT_BYTES)
            status = place.status()
            identity = (status.st_dev, status.st_ino) if status is not None else (0, 0)
            if identity in seen:
                raise refused(
                    "same_file", f"{path} and {seen[identity]} are the same file; put all its edits under one name"
                )
            seen[identity] = path
            try:
                return Change(place.path, before, edit_bytes(before, edits))
            except Refused as refusal:
                raise refused("edit_refused", f"{path}: {refusal}") from None

    def _done(self, changes: list[Change]) -> dict[str, object]:
        files: list[dict[str, object]] = []
        for change in changes:
            shown = self._places.shown(change.path)
            diff = unified(shown.lstrip("/"), change.before or b"", change.after)
            files.append({"path": shown, "new": change.before is None, "bytes": len(change.after), "diff": diff})
        return {"state": "done", "files": files}


def _failed(state: str, message: str) -> dict[str, object]:
    return {"state": state, "error": {"code": state, "message": message}}


def _pack(key: str | None, changes: list[Change]) -> bytes:
    header = json.dumps({"key": key, "changes": [change.header for change in changes]})
    return b"".join(
        [header.encode(), b"\n", *(content for change in changes for content in (change.before or b"", change.after))]
    )


def _unpack(content: bytes) -> tuple[str, list[Change]]:
    first, _, rest = content.partition(b"\n")
    header = Fields.parse(first)
    changes: list[Change] = []
    for entry in header.objects("changes"):
        sizes = cast("list[int]", json.loads(first)["changes"][len(changes)]["sizes"])
        before, rest = rest[: sizes[0]], rest[sizes[0] :]
        after, rest = rest[: sizes[1]], rest[sizes[1] :]
        changes.append(Change(entry.text("path"), before if entry.maybe_text("before") is not None else None, after))
    return header.maybe_text("key") or "", changes
