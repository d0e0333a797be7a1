"""A team: what the demo model does when it is to use agents. It starts them, hears each of them, and reports."""

import re
from dataclasses import dataclass

import msgspec

from perdure.sim.ask import Answered, Ask
from perdure.sim.document import Json, is_object
from perdure.sim.script import Call, Step, Text

MOST, USUAL = 50, 3
_TEAM = re.compile(
    r"\b(?:use|ask|start|spawn|send|let|with)\b[^.]*?\b(?:(\d{1,2})\s+)?(?:sub-?)?agents\b", re.IGNORECASE
)
_EXPLORING = "You explore on behalf of another agent"
_AT_WORK = frozenset({"running", "needs_user"})
_TOPICS = (
    "the files at the top",
    "the longest file",
    "what depends on what",
    "what is written about it",
    "its history",
)


def wanted(ask: Ask, offered: frozenset[str]) -> bool:
    """Whether this is for a team."""
    return {"spawn_agent", "wait_agent"} <= offered and _TEAM.search(ask.prompt) is not None


def exploring(ask: Ask) -> bool:
    """Whether somebody of a team is asked."""
    return _EXPLORING in ask.system


def report(ask: Ask) -> Step:
    """What somebody of a team found."""
    asked = " ".join(ask.prompt.split())[:120]
    return Step((Text(f"I was asked: {asked}\n\nNothing there is surprising, as far as a demo can tell."),))


def step(ask: Ask) -> Step:
    """Start them, wait for those that are still at work, report."""
    team = Team(ask)
    if not team.started:
        return team.start()
    return team.wait() if team.at_work and not team.lost else team.report()


@dataclass(frozen=True, slots=True)
class Team:
    """The agents of this turn, read off its calls and their results."""

    ask: Ask

    @property
    def started(self) -> list[str]:
        """Every agent, in the order of the calls; one that could not be started has no id."""
        spawned = [answer for call, answer in self.ask.work if call.name == "spawn_agent"]
        return [str(_object(answer).get("id", "")) for answer in spawned]

    @property
    def heard(self) -> dict[str, dict[str, Json]]:
        """What was last said about each."""
        said: dict[str, dict[str, Json]] = {}
        for call, answer in self.ask.work:
            agents = _object(answer).get("agents") if call.name == "wait_agent" else None
            for agent in agents if isinstance(agents, list) else ():
                if is_object(agent):
                    said[str(agent.get("id"))] = agent
        return said

    @property
    def at_work(self) -> list[str]:
        heard = self.heard
        unheard: dict[str, Json] = {"status": "running"}
        return [one for one in self.started if one and heard.get(one, unheard).get("status") in _AT_WORK]

    @property
    def lost(self) -> bool:
        """Whether waiting does not work."""
        waits = [answer for call, answer in self.ask.work if call.name == "wait_agent"]
        return bool(waits) and waits[-1] is not None and waits[-1].failed

    def start(self) -> Step:
        found = _TEAM.search(self.ask.prompt)
        count = min(MOST, int(found[1])) if found and found[1] else USUAL
        calls = [Call("spawn_agent", _task(number)) for number in range(count)]
        return Step((Text(f"This is a job for {count} agents. I will start them and wait for what they find."), *calls))

    def wait(self) -> Step:
        at_work = self.at_work
        left = f"{len(at_work)} of {len(self.started)} are still working."
        return Step((Text(left), Call("wait_agent", {"ids": [*at_work], "timeout": 600})))

    def report(self) -> Step:
        heard = self.heard
        lines = [
            f"| {agent.get('title')} | {agent.get('status')} |" for one in self.started if (agent := heard.get(one))
        ]
        table = "\n".join(["| Agent | How it ended |", "| --- | --- |", *lines])
        return Step((Text(f"## What my agents found\n\n{table}\n\nNone of them found a reason to worry."),))


def _task(number: int) -> dict[str, Json]:
    topic = _TOPICS[number % len(_TOPICS)]
    prompt = f"Look at {topic} and say in two sentences what matters there. You are number {number + 1}."
    return {"type": "explore", "title": f"Look at {topic}", "prompt": prompt}


def _object(answer: Answered | None) -> dict[str, Json]:
    try:
        value = msgspec.json.decode(answer.text) if answer is not None and not answer.failed else None
    except msgspec.DecodeError:
        return {}
    return value if is_object(value) else {}
