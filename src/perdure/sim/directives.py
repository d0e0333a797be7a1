"""Directives in a prompt, such as `[[say:200 tokens]]` or `[[call:read_file {"path": "a"}]]`: a script in one line."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import msgspec
from msgspec.structs import replace

from perdure.sim.document import Json
from perdure.sim.faults import named
from perdure.sim.script import (
    TOKEN,
    Call,
    Fault,
    Finish,
    GatePart,
    Part,
    Pause,
    Reasoning,
    Script,
    Search,
    Step,
    Text,
    Usage,
)

_OPENING = re.compile(r"\[\[([a-z_]+)(?::\s*)?")
_AMOUNT = re.compile(r"(\d+) tokens?$")
_SIZES = {"kb": 1024, "mb": 1024 * 1024}
_WORDS = "the old sea was far and the sun ran low one day all men saw how red the sky can get "


class BadDirective(Exception):
    """A prompt says something that no directive means."""


@dataclass(frozen=True, slots=True)
class Directive:
    """One directive as it stands in a prompt."""

    name: str
    value: str


EMPTY = Step(())


@dataclass(slots=True)
class Draft:
    """The steps that the directives read so far amount to."""

    steps: list[Step] = field(default_factory=list[Step])
    step: Step = EMPTY

    def add(self, part: Part) -> None:
        """Add a part; what follows a call belongs to the next step, except further calls."""
        if self.step.calls and not isinstance(part, Call):
            self.close()
        self.step = replace(self.step, parts=(*self.step.parts, part))

    def close(self) -> None:
        """Begin another step."""
        self.steps.append(self.step)
        self.step = Step((), chunk=self.step.chunk, rate=self.step.rate)


def scan(text: str) -> Iterator[Directive]:
    """Every directive in the text. The arguments of a call may contain brackets of their own."""
    at = 0
    while opening := _OPENING.search(text, at):
        end = _end_of_call(text, opening.end()) if opening[1] == "call" else text.find("]]", opening.end())
        if end < 0:
            return
        yield Directive(opening[1], text[opening.end() : end].strip())
        at = end + 2


def script_named(text: str) -> str | None:
    """The name in `[[script:name]]`."""
    return next((one.value for one in scan(text) if one.name == "script"), None)


def compose(text: str) -> Script | None:
    """The script that the directives in a prompt spell, if there are any."""
    draft, found = Draft(), False
    for directive in scan(text):
        act = ACTIONS.get(directive.name)
        if act is not None:
            _follow(act, draft, directive)
            found = True
    if draft.step.parts or draft.step.finish != "stop":
        draft.close()
    return Script("directives", tuple(draft.steps)) if found else None


def _follow(act: Callable[[Draft, str], None], draft: Draft, directive: Directive) -> None:
    try:
        act(draft, directive.value)
    except (ValueError, msgspec.ValidationError) as error:
        raise BadDirective(f"[[{directive.name}:{directive.value}]]: {error}") from error


def filler(amount: int) -> str:
    """A text of so many tokens, every word one token long."""
    size = amount * TOKEN
    return (_WORDS * (size // len(_WORDS) + 1))[:size]


def _end_of_call(text: str, start: int) -> int:
    brace = text.find("{", start)
    close = text.find("]]", start)
    if brace < 0 or close < brace:
        return close
    try:
        _, end = json.JSONDecoder().raw_decode(text, brace)
    except ValueError:
        return close
    return text.find("]]", end)


def _spoken(value: str) -> str:
    amount = _AMOUNT.match(value)
    return filler(int(amount[1])) if amount else value


def _call(draft: Draft, value: str) -> None:
    name, _, rest = value.partition(" ")
    try:
        input_: Json = json.loads(rest) if rest.strip() else {}
    except ValueError:
        draft.add(Call(name, raw=rest))
        return
    draft.add(Call(name, input_ if isinstance(input_, dict) else {}))


def _fault(draft: Draft, value: str) -> None:
    kind, *options = value.split()
    fault = Fault(named(kind))
    draft.add(_with_options(fault, options))


def _with_options(fault: Fault, options: list[str]) -> Fault:
    for option in options:
        if re.fullmatch(r"x\d+", option):
            fault = replace(fault, times=int(option[1:]))
        elif option.startswith("retry_after="):
            fault = replace(fault, retry_after=option.partition("=")[2])
        elif option.endswith(("kb", "mb")):
            fault = replace(fault, size=int(option[:-2]) * _SIZES[option[-2:]])
        else:
            fault = replace(fault, seconds=duration(option))
    return fault


def duration(text: str) -> float:
    """Seconds from `3s`, `250ms` or `3`."""
    return float(text[:-2]) / 1000 if text.endswith("ms") else float(text.removesuffix("s"))


def _usage(draft: Draft, value: str) -> None:
    figures = {
        name: int(amount) for name, _, amount in (pair.partition("=") for pair in value.replace(",", " ").split())
    }
    draft.step = replace(draft.step, usage=Usage(**figures))


def _finish(draft: Draft, value: str) -> None:
    draft.step = replace(draft.step, finish=msgspec.convert(value, Finish))


def _chunk(draft: Draft, value: str) -> None:
    draft.step = replace(draft.step, chunk=int(value))


def _rate(draft: Draft, value: str) -> None:
    draft.step = replace(draft.step, rate=float(value))


ACTIONS: dict[str, Callable[[Draft, str], None]] = {
    "say": lambda draft, value: draft.add(Text(_spoken(value))),
    "count": lambda draft, value: draft.add(Text("", counted=int(value))),
    "cite": lambda draft, value: draft.add(Text(_spoken(value), cited=True)),
    "think": lambda draft, value: draft.add(Reasoning(_spoken(value))),
    "redacted": lambda draft, value: draft.add(Reasoning(_spoken(value), redacted=True)),
    "search": lambda draft, value: draft.add(Search(value)),
    "pause": lambda draft, value: draft.add(Pause(duration(value))),
    "gate": lambda draft, value: draft.add(GatePart(value)),
    "call": _call,
    "fault": _fault,
    "finish": _finish,
    "usage": _usage,
    "chunk": _chunk,
    "rate": _rate,
    "then": lambda draft, _: draft.close(),
}
"""What each directive does; `[[script:name]]` is looked for before these."""
