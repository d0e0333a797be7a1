"""The ways in which a simulated provider goes wrong: by name, or by chance."""

from email.utils import formatdate
from random import Random

import msgspec

from perdure.sim.script import Fault, Part, Step, Text

STATUSES = {
    "invalid": 400,
    "overflow": 400,
    "auth": 401,
    "forbidden": 403,
    "not_found": 404,
    "timeout": 408,
    "too_large": 413,
    "rate_limit": 429,
    "quota": 429,
    "server_error": 500,
    "bad_gateway": 502,
    "unavailable": 503,
    "gateway_timeout": 504,
    "overloaded": 529,
}
"""Faults that are an error answer instead of a stream. `stream_<kind>` is the same error inside a stream."""

IN_STREAM = "stream_"

UNRENDERED = frozenset({"cut", "silence", "malformed", "no_terminal"})
"""Faults of the byte stream, the same in every wire format."""

BEFORE = frozenset({"html", "slow", "empty", "never"})
"""Faults before the first byte: an HTML page, a slow start, an empty body, no answer at all."""

GIGANTIC = 8 * 1024 * 1024

KINDS = (
    frozenset(STATUSES)
    | frozenset(IN_STREAM + kind for kind in STATUSES)
    | UNRENDERED
    | BEFORE
    | {"gigantic", "endless"}
)


def named(word: str) -> str:
    """The kind of a fault from its name or its status."""
    if word.isdigit():
        word = next((kind for kind, status in STATUSES.items() if status == int(word)), word)
    word = word.replace("-", "_")
    if word not in KINDS:
        raise ValueError(f"unknown fault {word!r}; known are {', '.join(sorted(KINDS))}")
    return word


def expanded(step: Step) -> Step:
    """The step with gigantic deltas and endless output turned into texts."""
    if not step.faults:
        return step
    return msgspec.structs.replace(step, parts=tuple(_expanded(part) for part in step.parts))


def _expanded(part: Part) -> Part:
    match part:
        case Fault(kind="gigantic"):
            size = part.size or GIGANTIC
            return Text("x" * size, chunk=size)
        case Fault(kind="endless"):
            return Text("and on and on ", endless=True)
        case _:
            return part


def retry_headers(fault: Fault, now: float) -> dict[str, str]:
    """The header that says when to come back: `2` seconds, `1500ms`, or `date+2` for an HTTP date."""
    hint = fault.retry_after
    if hint is None:
        return {}
    if hint.endswith("ms"):
        return {"retry_after_ms": hint.removesuffix("ms")}
    if hint.startswith("date+"):
        return {"retry_after": formatdate(now + float(hint.removeprefix("date+")), usegmt=True)}
    return {"retry_after": hint}


class RandomFaults(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How likely each fault is, for one attempt at one request. The same attempt always meets the same fate."""

    faults: dict[str, float] = {}
    seed: int = 0
    seconds: float = 1.0
    """How long a silence or a slow start lasts."""

    def __post_init__(self) -> None:
        for kind in self.faults:
            named(kind)

    def strike(self, step: Step, digest: str, attempt: int) -> Step:
        """The step with the fault that the dice say, if they say one."""
        if not self.faults:
            return step
        dice = Random(f"{self.seed} {digest} {attempt}")
        fault = next((Fault(named(kind)) for kind, chance in self.faults.items() if dice.random() < chance), None)
        return step if fault is None else self._struck(step, fault, dice)

    def _struck(self, step: Step, fault: Fault, dice: Random) -> Step:
        fault = msgspec.structs.replace(fault, seconds=self.seconds)
        if fault.kind in STATUSES:
            return msgspec.structs.replace(step, parts=(fault, *step.parts))
        at = dice.randrange(len(step.parts) + 1)
        before, after = step.parts[:at], step.parts[at:]
        return msgspec.structs.replace(step, parts=(*before, *_torn(after, fault, dice)))


def _torn(parts: tuple[Part, ...], fault: Fault, dice: Random) -> tuple[Part, ...]:
    """The fault in the middle of the text that comes next, or before anything else."""
    match parts:
        case (Text(text), *rest) if len(text) > 1:
            at = dice.randrange(1, len(text))
            return (Text(text[:at]), fault, Text(text[at:]), *rest)
        case _:
            return (fault, *parts)


NO_FAULTS = RandomFaults()
