"""No regular expression of the product takes long: each is tried with what it could choke on."""

import ast
import importlib
import importlib.util
import pkgutil
import re
import signal
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import perdure

PARSER: Any = importlib.import_module("re._parser")
COMPILER: Any = importlib.import_module("re._compiler")
CONSTANTS: Any = importlib.import_module("re._constants")

LENGTH = 20_000
SECONDS = 0.1
"""Of the processor. A text of this length takes a millisecond or so; where time grows with its square, a second."""
STARTS = ("match", "fullmatch")
ALPHABET = tuple(" \t\n-_./:;=,'\"\\`~@#%&*+!?()[]{}<>|$^aAzZeExX019é€漢\0")
ENDS = {"perdure.providers.event_streams._EVENTS": "\n\n"}
"""How the texts end that a pattern is given, where they all do."""


@dataclass(frozen=True, slots=True)
class Written:
    """A pattern as the source has it, and how it is used: where a text begins, or anywhere in it."""

    place: str
    pattern: Any
    anywhere: bool


class TooLong(Exception):
    pass


def modules() -> Iterator[tuple[str, Path]]:
    for found in pkgutil.walk_packages(perdure.__path__, "perdure."):
        if ".sim" not in found.name and ".testing" not in found.name and not found.name.endswith("__main__"):
            spec = importlib.util.find_spec(found.name)
            if spec is not None and spec.origin is not None:
                yield found.name, Path(spec.origin)


def compiled(value: Any, depth: int = 3) -> Iterator[re.Pattern[Any]]:
    """Patterns in a value of a module, also in what holds several."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, dict):
        for each in cast("dict[Any, Any]", value).items():
            yield from compiled(each, depth)
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for each in cast("Iterable[Any]", value):
            yield from compiled(each, depth - 1)
    elif depth and type(value).__module__.startswith("perdure.") and not isinstance(value, type):
        held = cast("object", value)
        for name in getattr(type(held), "__slots__", ()) or getattr(held, "__dict__", ()):
            yield from compiled(getattr(held, name, None), depth - 1)


def written() -> Iterator[Written]:
    for name, file in modules():
        module, tree = importlib.import_module(name), ast.parse(file.read_text())
        used = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
        at_start = {ast.unparse(node.value) for node in used if node.attr in STARTS}
        anywhere = {ast.unparse(node.value) for node in used if node.attr in ("search", "sub", "subn", "split")}
        anywhere |= {ast.unparse(node.value) for node in used if node.attr in ("findall", "finditer")}
        for key, value in vars(module).items():
            for pattern in compiled(value):
                yield Written(f"{name}.{key}", pattern, key in anywhere or key not in at_start)
        for node in ast.walk(tree):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="re"), attr=used_by), args=[ast.Constant(str(raw)), *_]
                ):
                    if used_by != "compile":
                        yield Written(f"{name}:{node.lineno}", re.compile(raw), used_by not in STARTS)
                case _:
                    pass


def samples(nodes: Iterable[Any]) -> str:
    """A text that a parsed pattern takes, or nearly."""
    return "".join(sample(*node) for node in nodes)


def sample(kind: Any, value: Any) -> str:
    match str(kind):
        case "LITERAL":
            return chr(value)
        case "NOT_LITERAL" | "ANY":
            return "a" if value != ord("a") else "b"
        case "IN":
            return next((char for char in (*ALPHABET, *map(chr, range(256))) if _in(char, value)), "")
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return samples(value[2]) * max(value[0], 1 if value[1] else 0)
        case "SUBPATTERN":
            return samples(value[3])
        case "BRANCH":
            return samples(value[1][0])
        case "ATOMIC_GROUP":
            return samples(value)
        case _:
            return ""


def _in(char: str, members: Any) -> bool:
    tree = PARSER.SubPattern(PARSER.State(), [(CONSTANTS.IN, members)])
    return COMPILER.compile(tree, re.UNICODE).match(char) is not None


def units(nodes: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """What comes before a repetition, and what it repeats."""
    for node in nodes:
        kind, value = node
        match str(kind):
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                if value[1] == CONSTANTS.MAXREPEAT or value[1] > 50:
                    yield before, samples(value[2])
                yield from units(value[2], before)
            case "SUBPATTERN":
                yield from units(value[3], before)
            case "BRANCH":
                for branch in value[1]:
                    yield from units(branch, before)
                    yield before, samples(branch)
            case "ATOMIC_GROUP":
                yield from units(value, before)
            case _:
                pass
        before += sample(*node)


def hostile(pattern: re.Pattern[Any]) -> Iterator[str]:
    """Long texts that it takes nearly to their end, from every place of them."""
    raw = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree = PARSER.parse(raw, pattern.flags & ~re.UNICODE)
    found = {*units(tree), *(("", char) for char in ALPHABET), ("", samples(tree))}
    for before, unit in sorted(found):
        if unit:
            for repeated in {unit, before + unit, f"{before}{unit} "}:
                yield f"{before}{repeated * LENGTH}"[:LENGTH] + "\x01"


def seconds(each: Written, text: str) -> float:
    ended = text + ENDS.get(each.place, "")
    given = ended.encode() if isinstance(each.pattern.pattern, bytes) else ended
    begun = time.process_time()
    if each.anywhere:
        for _ in each.pattern.finditer(given):
            pass
    else:
        each.pattern.match(given)
        each.pattern.fullmatch(given)
    return time.process_time() - begun


def _late(*_: object) -> None:
    raise TooLong


def slow(each: Written) -> str | None:
    for text in hostile(each.pattern):
        signal.setitimer(signal.ITIMER_VIRTUAL, 5 * SECONDS)
        try:
            taken = seconds(each, text)
            if taken > SECONDS:
                taken = min(taken, seconds(each, text), seconds(each, text))
        except TooLong:
            return f"{each.place} {each.pattern.pattern!r}: more than {5 * SECONDS} s for {text[:40]!r}"
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if taken > SECONDS:
            return f"{each.place} {each.pattern.pattern!r}: {taken:.2f} s for {text[:40]!r}"
    return None


def test_no_pattern_takes_long() -> None:
    before = signal.signal(signal.SIGVTALRM, _late)
    try:
        found = list({(each.pattern, each.anywhere): each for each in written()}.values())
        told = [slow(each) for each in found]
    finally:
        signal.signal(signal.SIGVTALRM, before)
    assert len(found) > 60
    assert [each for each in told if each] == []
