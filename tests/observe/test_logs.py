"""What a line of the log looks like, and who it says it is about."""

import asyncio
import io
import logging
from collections.abc import Iterator

import msgspec
import pytest

from perdure.core.timing import LOG_AGAIN
from perdure.observe.logs import SayOnce, concerning, start_logging


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def test_a_line_is_json_where_there_is_no_terminal() -> None:
    stream = io.StringIO()
    start_logging(level="info", stream=stream)
    with concerning(replica="r1", chat="c1"), concerning(turn=3, attempt=1):
        logging.getLogger("perdure.worker").info("took %s", "it", extra={"milliseconds": 12})
    line = msgspec.json.decode(stream.getvalue())
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "info",
        "logger": "perdure.worker",
        "message": "took it",
        "replica": "r1",
        "chat": "c1",
        "turn": "3",
        "attempt": "1",
        "milliseconds": 12,
    }


def test_a_line_is_for_people_on_a_terminal() -> None:
    stream = Terminal()
    start_logging(level="info", stream=stream)
    with concerning(chat="c1"):
        logging.getLogger("perdure").warning("slow")
    assert stream.getvalue().endswith("\x1b[33mwarning\x1b[0m slow\x1b[2m chat=c1\x1b[0m\n")


def test_an_exception_is_one_field_of_one_line() -> None:
    stream = io.StringIO()
    start_logging(level="info", stream=stream)
    try:
        raise ValueError("two\nlines")
    except ValueError:
        logging.getLogger("perdure").exception("failed")
    assert stream.getvalue().count("\n") == 1
    assert "ValueError: two\nlines" in msgspec.json.decode(stream.getvalue())["exception"]


async def test_tasks_inherit_whom_they_are_about_and_do_not_mix() -> None:
    stream = io.StringIO()
    start_logging(level="info", stream=stream)

    async def work(chat: str) -> None:
        with concerning(chat=chat):
            await asyncio.create_task(asyncio.to_thread(logging.getLogger("perdure").info, chat))

    await asyncio.gather(*(work(f"c{number}") for number in range(5)))
    lines = [msgspec.json.decode(line) for line in stream.getvalue().splitlines()]
    assert len(lines) == 5
    assert all(line["chat"] == line["message"] for line in lines)


def test_less_severe_lines_are_left_out() -> None:
    stream = io.StringIO()
    start_logging(level="warning", stream=stream)
    logging.getLogger("perdure").info("chatter")
    assert stream.getvalue() == ""


def test_a_warning_that_repeats_is_said_again_once_in_a_while_with_how_often_it_came() -> None:
    now = 0.0
    say_once = SayOnce(lambda: now)

    def says(text: str, level: int = logging.WARNING) -> logging.LogRecord | None:
        record = logging.makeLogRecord({"name": "perdure", "levelno": level, "msg": text})
        return record if say_once.filter(record) else None

    assert [says("away") is not None for _ in range(5)] == [True, False, False, False, False]
    assert says("something else") is not None
    with concerning(chat="1"):
        assert says("away") is not None
    assert all(says("a bug", logging.ERROR) is not None for _ in range(3))
    now += LOG_AGAIN.total_seconds()
    again = says("away")
    assert again is not None
    assert vars(again)["repeated"] == 4
