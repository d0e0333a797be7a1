"""What chaos clients say: prompts that make the simulated model count, and call tools whose effects are known."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

ONCE, KEYED, MINE = "record_once", "record_keyed", "ask_person"
TOOLS = (ONCE, KEYED, MINE)
CHANCES = {ONCE: 0.35, KEYED: 0.35, MINE: 0.15}
RATES = (60, 150, 400)
TOLD_APART = 30


@dataclass(frozen=True, slots=True)
class Prompt:
    text: str
    effects: tuple[str, ...] = ()


def prompt(marker: str, dice: Random, tools: Sequence[str] = TOOLS) -> Prompt:
    """Something to say, under a name that is used once."""
    calls = [tool for tool in tools if dice.random() < CHANCES[tool]]
    if ONCE in calls and dice.random() < 0.25:
        calls.append(ONCE)
    effects = tuple(f"{marker}/{index}" for index in range(len(calls)))
    asked = "".join(f'[[call:{tool} {{"effect": "{name}"}}]]' for tool, name in zip(calls, effects, strict=True))
    number = int(marker.rpartition("-")[2])
    again = f"[[then]] {_count(number, dice)}" if calls else ""
    return Prompt(f"{marker} [[rate:{dice.choice(RATES)}]] {_count(number, dice)} {asked} {again}", effects)


def _count(number: int, dice: Random) -> str:
    """So many words that the answer tells for which of the newest messages it is."""
    return f"[[count:{dice.choice((5, 40, 150, 250)) + number % TOLD_APART}]]"
