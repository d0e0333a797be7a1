"""The place for keys: what was started under which key, so that nothing is ever started twice."""

from __future__ import annotations

import hashlib
import json
import time
from typing import NamedTuple, cast

from perdure.workspaces.agent.durable import Folder
from perdure.workspaces.agent.problems import Problem

KEPT_SECONDS = 30 * 24 * 3600
SWEEP_SECONDS = 3600


class Record(NamedTuple):
    """One use of a key: which request, which run it became, and its result once there is one."""

    key: str
    request: str
    run: str
    incarnation: str
    result: dict[str, object] | None


class Keys:
    """Every key in one small file of a folder that commands cannot reach."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._swept = 0.0

    def known(self, key: str, request: str) -> Record | None:
        """What a key was used for. The same key for another request is an error."""
        known = self.find(key)
        if known is not None and known.request != request:
            raise Problem(409, "key_reused", "this key was used for another request; nothing was started")
        return known

    def claim(self, key: str, request: str, run: str, incarnation: str) -> None:
        """Take a key that was not used before for a new run, durably."""
        self._sweep()
        self._store(Record(key, request, run, incarnation, None))

    def finish(self, key: str, result: dict[str, object]) -> None:
        known = self.find(key)
        if known is not None:
            self._store(known._replace(result=result))

    def find(self, key: str) -> Record | None:
        return self._load(_name(key))

    def unfinished(self) -> list[Record]:
        records = [self._load(name) for name in self._folder.names()]
        return [record for record in records if record is not None and record.result is None]

    def _load(self, name: str) -> Record | None:
        content = self._folder.read(name)
        if content is None:
            return None
        fields = cast("dict[str, object]", json.loads(content))
        result = fields.get("result")
        return Record(
            str(fields["key"]),
            str(fields["request"]),
            str(fields["run"]),
            str(fields["incarnation"]),
            cast("dict[str, object]", result) if isinstance(result, dict) else None,
        )

    def forget(self, key: str) -> None:
        self._folder.remove(_name(key))

    def _store(self, record: Record) -> None:
        self._folder.write(_name(record.key), json.dumps(record._asdict()).encode())

    def _sweep(self) -> None:
        now = time.time()
        if now - self._swept < SWEEP_SECONDS:
            return
        self._swept = now
        for name in self._folder.names():
            if self._folder.age(name, now) > KEPT_SECONDS:
                self._folder.remove(name)


def _name(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
