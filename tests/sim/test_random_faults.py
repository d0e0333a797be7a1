"""Faults by chance: as likely as said, and the same again with the same seed."""

import aiohttp
import pytest
from tests.sim.wires import CHAT

from perdure.sim.faults import STATUSES, RandomFaults
from perdure.sim.script import Call, Fault, Step, Text
from perdure.sim.server import Simulator

STEP = Step((Text("a long answer that can be torn"), Call("read")))


def fates(random_faults: RandomFaults, count: int = 2_000) -> list[Step]:
    return [random_faults.strike(STEP, str(number), 0) for number in range(count)]


def test_faults_are_as_likely_as_said() -> None:
    struck = [step for step in fates(RandomFaults({"cut": 0.1, "overloaded": 0.1})) if step.faults]
    assert 300 < len(struck) < 460
    assert {step.faults[0].kind for step in struck} == {"cut", "overloaded"}


def test_the_same_seed_brings_the_same_faults() -> None:
    assert fates(RandomFaults({"cut": 0.5}, seed=3)) == fates(RandomFaults({"cut": 0.5}, seed=3))
    assert fates(RandomFaults({"cut": 0.5}, seed=3)) != fates(RandomFaults({"cut": 0.5}, seed=4))


def test_another_attempt_may_fare_better() -> None:
    random_faults = RandomFaults({"cut": 0.5})
    assert {bool(random_faults.strike(STEP, "request", attempt).faults) for attempt in range(20)} == {True, False}


@pytest.mark.parametrize("kind", ["cut", "overloaded"])
def test_nothing_of_the_answer_is_lost_but_what_follows_the_fault(kind: str) -> None:
    for step in fates(RandomFaults({kind: 1.0}), 50):
        assert "".join(part.text for part in step.parts if isinstance(part, Text)) == "a long answer that can be torn"
        assert step.calls == STEP.calls
        assert isinstance(step.parts[0], Fault) or kind not in STATUSES


async def test_random_faults_change_over_http(sim: Simulator) -> None:
    async with aiohttp.ClientSession(sim.url) as client:
        async with client.put("/sim/random-faults", json={"faults": {"503": 1.0}}) as answer:
            assert answer.status == 200
        async with CHAT.ask(client, "", "hi") as answer:
            assert answer.status == 503
        async with client.put("/sim/random-faults", json={}) as answer:
            assert answer.status == 200
        async with CHAT.ask(client, "", "hi") as answer:
            assert answer.status == 200
        async with client.put("/sim/random-faults", json={"faults": {"rain": 1.0}}) as answer:
            assert answer.status == 400
