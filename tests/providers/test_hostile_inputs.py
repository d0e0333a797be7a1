"""Errors and streams that nobody would send: each is understood or refused in no time, and nothing of it is kept.

`--inputs 100000` tries so many of each kind, as `make proof ARGS=fuzz-providers` does.
"""

import gc
import random
import resource
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from tests.providers.dialects_played import RECORDINGS, played
from tests.providers.routes import NAMES

from perdure.providers.errors.classification import chat_error, refusal
from perdure.providers.errors.failures import ApiError, Failure
from perdure.providers.event_streams import EventTooLong

MOST_SECONDS = 0.2
MOST_GROWTH_KIB = 64 * 1024
MOST_KEPT_BYTES = 64 * 1024
WARM_UP = 300
WORDS = (
    "http/2 ",
    "http/1.1",
    "stream error ",
    "stream reset ",
    "rst_stream",
    "status ",
    "code",
    "model ",
    "models",
    "not ",
    "found",
    "previous response ",
    "budget ",
    "exceeded ",
    "thinking budget_tokens ",
    "quota ",
    "$5.00 ",
    "could not ",
    "find ",
    "credential",
    "input token count ",
    "exceeds ",
    "overloaded",
    "429",
    "503:",
    "sk-",
    "key",
    "bearer ",
    "AIza",
    "https://x.test/",
    "\n",
    " ",
    "  ",
    "\t",
    ":",
    "=",
    "#",
    "/",
    ".",
    "-",
    "0",
    "1",
    "a",
    "{",
    "}",
    '"',
    "[",
    "<",
    "<!--",
    "<html>",
    "\ufeff",
    "\ud83d",
    "\udfff",
    "é",
    "中",
    '{"error": {"message": "',
    '"retryDelay": "',
    '"code": "content_filter"',
)
SIZES = (0, 1, 3, 10, 100, 1_000, 8_000)


def words(chooser: random.Random) -> str:
    """A few words over and over, or many of them once."""
    some = chooser.choices(WORDS, k=chooser.choice((1, 2, 3, 8)))
    size = chooser.choice(SIZES)
    return "".join(some) * (size // len(some)) if chooser.random() < 0.7 else "".join(chooser.choices(WORDS, k=size))


def error(chooser: random.Random) -> BaseException:
    text = words(chooser)[: 70 * 1024]
    match chooser.randrange(4):
        case 0:
            return RuntimeError(text)
        case 1:
            return ApiError(text, status=chooser.choice((None, 400, 429, 500)), body=words(chooser)[: 70 * 1024])
        case 2:
            body = msgspec.json.encode({"error": {"message": text.encode("utf-8", "replace").decode()}})
            return refusal(chooser.choice((200, 400, 403, 429, 500, 503)), {}, body)
        case _:
            return refusal(chooser.choice((200, 404, 502)), {"retry-after": text[:40]}, text.encode("utf-8", "replace"))


def classified(number: int) -> None:
    chooser = random.Random(number)
    told = chat_error(error(chooser), chooser.choice((None, "Acme", "\ud800")))
    assert told is not None
    msgspec.json.encode(told)
    assert len(told.detail or "") <= 500


EVENTS = {
    name: [block for path in RECORDINGS if path.parent.name == name for block in path.read_bytes().split(b"\n\n")]
    for name in NAMES
}


STRANGE: tuple[object, ...] = (None, "", "abc", "None", 5, -1, 1.5, True, [], {}, [None], [{"a": None}], 10**18)


def estranged(chooser: random.Random, value: Any) -> Any:
    """The same with something else in one place: what a careless server fills in."""
    if value and isinstance(value, dict | list) and chooser.random() < 0.9:
        changed: Any = value.copy()  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        place = chooser.choice(list(changed) if isinstance(value, dict) else range(len(changed)))
        changed[place] = estranged(chooser, changed[place])
        return changed
    return chooser.choice(STRANGE)


def careless(chooser: random.Random, event: bytes) -> bytes:
    """An event with a value of another kind somewhere in it."""
    name, found, data = event.partition(b"data: ")
    try:
        value = msgspec.json.decode(data)
    except msgspec.DecodeError:
        return event
    return name + found + msgspec.json.encode(estranged(chooser, value))


def stream(chooser: random.Random, dialect: str) -> bytes:
    """Events of recordings in any order, some wounded, some with a strange value, some said a thousand times."""
    events = chooser.choices(EVENTS[dialect], k=chooser.choice((1, 5, 30)))
    events = [careless(chooser, event) if chooser.random() < 0.2 else event for event in events]
    whole = bytearray(b"\n\n".join(events * chooser.choice((1, 1, 1, 20))) + b"\n\n")
    for _ in range(chooser.choice((0, 0, 1, 4))):
        at = chooser.randrange(len(whole) + 1)
        whole[at : at + chooser.randrange(4)] = words(chooser)[:200].encode("utf-8", "replace")
    return bytes(whole)


def decoded(dialect: str) -> Callable[[int], None]:
    def one(number: int) -> None:
        chooser = random.Random(number)
        with suppress(Failure, EventTooLong):
            played(dialect, stream(chooser, dialect))

    return one


KINDS: dict[str, Callable[[int], None]] = {"classification": classified, **{name: decoded(name) for name in NAMES}}


def seconds(work: Callable[[int], None], number: int) -> float:
    begun = time.process_time()
    work(number)
    return time.process_time() - begun


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", KINDS)
def test_no_input_takes_long_or_fails_in_an_unknown_way(kind: str, pytestconfig: pytest.Config) -> None:
    inputs, work = int(str(pytestconfig.getoption("--inputs"))), KINDS[kind]
    warm = max((seconds(work, number), number) for number in range(WARM_UP))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    slowest, which = max(warm, *((seconds(work, number), number) for number in range(WARM_UP, WARM_UP + inputs)))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    told = f"{kind}: {inputs} inputs, slowest {slowest * 1000:.0f} ms (input {which}), {grown} KiB more memory"
    pytestconfig.get_terminal_writer().line(told)
    assert slowest < MOST_SECONDS, f"input {which}"
    assert grown < MOST_GROWTH_KIB


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_an_input_is_kept(kind: str) -> None:
    """The most that a process ever had grows with the largest input; what it has afterwards does not."""
    for number in range(WARM_UP):
        KINDS[kind](number)
    gc.collect()
    tracemalloc.start()
    try:
        for number in range(WARM_UP, 2 * WARM_UP):
            KINDS[kind](number)
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < MOST_KEPT_BYTES


@pytest.mark.parametrize(
    "repeated",
    [
        "http/2 ",
        "http/2",
        "stream error ",
        "model ",
        "budget ",
        "previous response ",
        "sk-",
        "$of $",
        "spent ",
        "failed getting ",
    ],
)
def test_a_text_of_one_word_over_and_over_is_classified_at_once(repeated: str) -> None:
    text = (repeated * (64 * 1024))[: 64 * 1024]
    begun = time.process_time()
    for raised in (RuntimeError(text), ApiError(text, body=text), refusal(500, {}, text.encode())):
        chat_error(raised)
    assert time.process_time() - begun < MOST_SECONDS
