"""The place for changing several files as one: an intent is on disk before the first change, settled after a crash."""

from __future__ import annotations

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
from perdure.workspaces.agent.files import CONTENT_BYTES, Staged, read_bytes, stage, staging
from perdure.workspaces.agent.keys import Keys
from perdure.workspaces.agent.places import Places
from perdure.workspaces.agent.problems import Problem, invalid, refused


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
        return record.result or {"state": "lost", "incarnation": record.incarnation}

    def settle(self) -> None:
        """At start: complete what was begun, or undo it where somebody changed a file in between."""
        for name in self._folder.names():
            key, changes = _unpack(self._folder.read(name) or b"{}\n")
            try:
                result = self._settle(name, changes)
            except (Problem, OSError) as error:
                result = _failed("failed", f"the edit could neither be completed nor undone: {error}")
            if key:
                self._keys.finish(key, result)
            self._folder.remove(name)
        for record in self._keys.unfinished():
            if record.run.startswith("e"):
                # No intent is left, so nothing was changed under this key.
                self._keys.forget(record.key)

    def _settle(self, run: str, changes: list[Change]) -> dict[str, object]:
        for change in changes:
            with self._places.find(change.path, create_parents=True) as place:
                staging(place, run).discard()
        current = {change.path: self._current(change.path) for change in changes}
        if all(current[change.path] in (change.before, change.after) for change in changes):
            self._replace(
                run, [(change.path, change.after) for change in changes if current[change.path] != change.after]
            )
            return self._done(changes)
        self._replace(run, [(change.path, change.before) for change in changes if current[change.path] == change.after])
        paths = ", ".join(self._places.shown(change.path) for change in changes)
        return _failed("undone", f"the workspace stopped in the middle and a file changed meanwhile; undone: {paths}")

    def _once(self, fields: Fields, plan: Callable[[Fields], list[Change]]) -> dict[str, object]:
        key = fields.maybe_text("key")
        run = "e" + secrets.token_hex(8)
        if key is not None:
            known = self._keys.known(key, fields.fingerprint())
            if known is not None:
                return known.result or {"state": "lost", "incarnation": known.incarnation}
        changes = plan(fields)
        if key is not None:
            self._keys.claim(key, fields.fingerprint(), run, self._incarnation)
        return self._carry_out(key, run, changes)

    def _carry_out(self, key: str | None, run: str, changes: list[Change]) -> dict[str, object]:
        self._folder.write(run, _pack(key, changes))
        try:
            self._replace(run, [(change.path, change.after) for change in changes])
        except Problem:
            self._folder.remove(run)
            if key is not None:
                self._keys.forget(key)
            raise
        result = self._done(changes)
        if key is not None:
            self._keys.finish(key, result)
        self._folder.remove(run)
        return result

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
        for path, edits in wanted.items():
            changes.append(self._plan_file(asked[path], edits, seen, follow))
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

    def _current(self, path: str) -> bytes | None:
        with self._places.find(path, create_parents=True) as place:
            return None if place.status() is None else read_bytes(place, place.path, CONTENT_BYTES)

    def _replace(self, run: str, contents: list[tuple[str, bytes | None]]) -> None:
        """Everything is staged before the first file is touched, so a full disk changes nothing."""
        with ExitStack() as stack:
            places = [
                (stack.enter_context(self._places.find(path, create_parents=True)), new) for path, new in contents
            ]
            staged: list[Staged] = []
            try:
                for place, new in places:
                    if new is not None:
                        staged.append(stage(place, new, run))
            except Problem:
                for file in staged:
                    file.discard()
                raise
            for file in staged:
                file.commit()
            for place, new in places:
                if new is None:
                    os.unlink(place.name, dir_fd=place.directory)

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
