"""Faults by chance: what a chaos test switches on for every request, repeatable by its seed."""

from random import Random

import msgspec

from perdure.sim.faults import STATUSES, named
from perdure.sim.script import Fault, Part, Step, Text


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
