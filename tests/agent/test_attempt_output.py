"""What is kept of an answer that was cut short."""

from uuid import uuid4

from perdure.agent.attempt_output import AttemptOutput
from perdure.core.deltas import ReasoningDelta, TextDelta
from perdure.core.ids import ChatId
from perdure.core.message import Reasoning
from perdure.core.timing import SystemClock
from perdure.live.episodes import Episode, EpisodeKey


def output() -> AttemptOutput:
    return AttemptOutput(Episode(EpisodeKey(ChatId(uuid4()), 1, 1)), SystemClock())


async def test_a_thought_that_was_interrupted_has_its_end() -> None:
    cut = output()
    cut.answer([ReasoningDelta(0, "I was about")])
    cut.answer([ReasoningDelta(0, " to")])
    (thought,) = cut.parts
    assert isinstance(thought, Reasoning)
    assert thought.text == "I was about to"
    assert thought.started_at is not None
    assert thought.completed_at is not None
    assert thought.completed_at >= thought.started_at


async def test_a_thought_that_ended_keeps_its_end() -> None:
    whole = output()
    whole.answer([ReasoningDelta(0, "Hm."), TextDelta(1, "Hello.")])
    assert whole.parts == whole.parts
