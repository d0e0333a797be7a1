"""How many turns a second of CPU carries, with one process behind an address and with several.

Postgres, the model and the load share the machine, so what counts is the CPU that the server itself used: each process
may have a core, and so many turns fit into what that core gives.
"""

from dataclasses import dataclass
from statistics import median

from perdure.cli.progress import progress
from perdure.cli.scaletest import own_place
from perdure.proof.scale.bars import Bar
from perdure.proof.scale.load import SERVER, Load
from perdure.proof.scale.scaletest import Wanted

GAIN = 0.9
"""Of each further process, as much of a core has to become turns."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What one load came to."""

    turns: float
    """A second of CPU of the server."""
    rate: float
    """A second by the clock, with everything else on the same machine."""
    failures: int


async def measured(processes: int, chats: int, turns: int, rounds: int) -> tuple[list[Bar], str]:
    """By turns with one process and with several, so that whatever else the machine does meets both."""
    wanted = [Wanted(chats=chats, turns=turns, processes=count) for count in (1, processes)]
    alone: list[Carried] = []
    together: list[Carried] = []
    with progress() as shown:
        for number in range(rounds):
            shown(f"round {number + 1} of {rounds}")
            alone.append(await _loaded(wanted[0]))
            together.append(await _loaded(wanted[1]))
    return judged(processes, alone, together), _told(processes, alone, together)


def judged(processes: int, alone: list[Carried], together: list[Carried]) -> list[Bar]:
    # A process is a core: with so many of them, so many seconds of CPU pass in one.
    gain = processes * median(each.turns for each in together) / median(each.turns for each in alone)
    failures = sum(each.failures for each in (*alone, *together))
    return [
        Bar(f"turns that {processes} cores carry against one", gain, GAIN * processes, "x", at_least=True),
        Bar("failures", float(failures), 0.0),
    ]


def _told(processes: int, alone: list[Carried], together: list[Carried]) -> str:
    lines = [
        f"{name}: {median(each.turns for each in loads):.0f} turns a second of the server's CPU, "
        f"{median(each.rate for each in loads):.0f} a second by the clock"
        for name, loads in (("1 process", alone), (f"{processes} processes", together))
    ]
    return "\n".join(lines)


async def _loaded(wanted: Wanted) -> Carried:
    async with own_place(wanted, 1) as (place, _):
        await Load(place, chats=8, turns=3, text=wanted.text).run(lambda _done, _all: None)
        loaded = await Load(place, chats=wanted.chats, turns=wanted.turns, text=wanted.text).run(lambda _a, _b: None)
    return Carried(len(loaded.turns) / loaded.burned[SERVER], loaded.rate, loaded.failures.total())
