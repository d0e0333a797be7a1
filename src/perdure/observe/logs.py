"""Log lines: for people on a terminal, as JSON for everything else; and the ids of whom a line is about."""

import logging
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TextIO, TypedDict, Unpack

import msgspec

from perdure.core.tasks import BoundedMap
from perdure.core.timing import LOG_AGAIN

NOBODY: Mapping[str, str] = MappingProxyType({})
_about: ContextVar[Mapping[str, str]] = ContextVar("about", default=NOBODY)


class Ids(TypedDict, total=False):
    """What a line can be about."""

    replica: object
    chat: object
    turn: object
    attempt: object
    request: object
    organisation: object
    purpose: object


def about() -> Mapping[str, str]:
    """The ids that hold here and now."""
    return _about.get()


@contextmanager
def concerning(**ids: Unpack[Ids]) -> Generator[None]:
    """Everything logged inside is about these."""
    token = _about.set({**_about.get(), **{name: str(value) for name, value in ids.items()}})
    try:
        yield
    finally:
        _about.reset(token)


_REMEMBERED = 1_000
_ORDINARY = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}
_COLOURS = {
    logging.DEBUG: "2",
    logging.INFO: "36",
    logging.WARNING: "33",
    logging.ERROR: "31",
    logging.CRITICAL: "1;31",
}


class JsonFormatter(logging.Formatter):
    """One JSON object to a line."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": _moment(record).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_details(record),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line, enc_hook=str).decode()


class TextFormatter(logging.Formatter):
    """A line that a person reads: time, level, message, then the details."""

    def __init__(self, *, colours: bool) -> None:
        super().__init__()
        self._colours = colours

    def format(self, record: logging.LogRecord) -> str:
        level = self._coloured(f"{record.levelname.lower():<7}", _COLOURS.get(record.levelno, "0"))
        details = "".join(f" {name}={value}" for name, value in _details(record).items())
        line = f"{_moment(record):%H:%M:%S} {level} {record.getMessage()}{self._coloured(details, '2')}"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line

    def _coloured(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colours and text else text


class StampIds(logging.Filter):
    """Takes down, in the task that logs, who the line is about."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.about = about()
        return True


class SayOnce(logging.Filter):
    """Lets the same warning through once in a while: whatever waits for a database that is away tries again and again.

    The next one that is let through says how often it came since.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._said = BoundedMap[tuple[str, str, str], tuple[float, int]](_REMEMBERED)
        """Until when each is not said again, and how often it came since it was said."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno != logging.WARNING:
            return True
        what = record.name, record.getMessage(), str(about())
        until, times = self._said.get(what) or (0.0, 0)
        if self._now() < until:
            self._said.keep(what, (until, times + 1))
            return False
        self._said.keep(what, (self._now() + LOG_AGAIN.total_seconds(), 0))
        if times:
            record.repeated = times
        return True


def start_logging(*, level: str, json: bool | None = None, stream: TextIO = sys.stderr) -> None:
    """Send every line to the stream. Without a wish it is text on a terminal and JSON elsewhere."""
    handler = logging.StreamHandler(stream)
    as_json = not stream.isatty() if json is None else json
    handler.setFormatter(JsonFormatter() if as_json else TextFormatter(colours=stream.isatty()))
    handler.addFilter(StampIds())
    handler.addFilter(SayOnce())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for chatty in ("asyncio", "uvicorn", "httpx2", "httpcore2", "mcp"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


def _moment(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)


def _details(record: logging.LogRecord) -> dict[str, object]:
    attributes = vars(record)
    ids: Mapping[str, str] = attributes.get("about", {})
    return {**ids, **{name: value for name, value in attributes.items() if name not in _ORDINARY and name != "about"}}
