"""What becomes of a turn whose model does not answer, or answers nothing that can be used."""

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from uuid import uuid4

import pytest

from perdure.agent.models import ResolvedModel
from perdure.agent.prompt import PromptContext
from perdure.core.card import Card, NewCard
from perdure.core.chat import Chat, State
from perdure.core.commit import Commit
from perdure.core.errors import Refused
from perdure.core.failure import ErrorKind, RetryState
from perdure.core.ids import ChatId, ModelName
from perdure.core.message import Effort, Kind, NoticePart
from perdure.core.timing import ATTEMPT_LIMIT
from perdure.machine.transitions import Create, Interrupt, RecordGenerationAttempt, RecordRetryState
from perdure.sim.script import Fault, Script, Step
from perdure.sim.script import Text as Say
from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.testing.clock import HurriedClock
from perdure.testing.fakes import PlainSources
from perdure.testing.replica import InProcessReplica, open_replica


@pytest.fixture
async def replica(database_url: str, pool: Pool, sim: Simulator) -> AsyncIterator[InProcessReplica]:
    async with open_replica(database_url, pool, sim.url, clock=HurriedClock()) as replica:
        yield replica


@pytest.fixture
def first_is_overloaded(sim: Simulator) -> None:
    """The model `first` never answers; every other does."""
    sim.script(Script("overloaded", (Step((Fault("overloaded"),)),), model="first"))
    sim.script(Script("answers", (Step((Say("Here I am."),)),), model="second"))


async def notices(replica: InProcessReplica, chat: ChatId) -> list[NoticePart]:
    rows = [message for message in await replica.messages(chat) if message.kind is Kind.NOTICE]
    return [part for row in rows for part in row.parts if isinstance(part, NoticePart)]


def asked(sim: Simulator) -> list[str | None]:
    return [request.model for request in sim.requests]


def attempts_of(replica: InProcessReplica) -> list[int]:
    """The attempts that were recorded, as they come."""
    seen: list[int] = []

    def saw(committed: Commit) -> None:
        if committed.chat.retry_state is not None:
            seen.append(committed.chat.retry_state.attempt)

    replica.announcer.follow(saw)
    return seen


async def test_a_model_that_never_answers_is_given_up_after_so_many_attempts(
    replica: InProcessReplica, sim: Simulator
) -> None:
    attempts = attempts_of(replica)
    chat = await replica.someone_asks(f"[[fault:overloaded x{ATTEMPT_LIMIT + 5}]]")
    rested = await replica.comes_to_rest(chat)
    assert (rested.state, len(sim.requests)) == (State.E0, ATTEMPT_LIMIT)
    assert attempts == list(range(1, ATTEMPT_LIMIT))
    assert rested.last_error is not None
    assert (rested.last_error.kind, rested.last_error.retryable) == (ErrorKind.OVERLOADED, True)
    assert f"Gave up after {ATTEMPT_LIMIT} attempts." in (rested.last_error.detail or "")


@pytest.mark.usefixtures("first_is_overloaded")
async def test_another_model_takes_over_after_three_overloads(replica: InProcessReplica, sim: Simulator) -> None:
    replica.models.gone = {"away"}
    replica.models.fallbacks = {"first": (ModelName("away"), ModelName("second"), ModelName("third"))}
    chat = await replica.someone_asks("hello", model="first")
    rested = await replica.comes_to_rest(chat)
    assert (rested.state, asked(sim)) == (State.W, ["first", "first", "first", "second"])
    assert [notice.kind for notice in await notices(replica, chat)] == ["fallback"]
    assert (await replica.messages(chat))[-1].model == "second"


@pytest.mark.usefixtures("first_is_overloaded")
async def test_the_next_turn_starts_with_the_chosen_model_again(replica: InProcessReplica, sim: Simulator) -> None:
    replica.models.fallbacks = {"first": (ModelName("second"),)}
    chat = await replica.someone_asks("hello", model="first")
    await replica.comes_to_rest(chat)
    await replica.someone_adds(chat, "and again")
    await replica.comes_to_rest(chat)
    assert asked(sim) == ["first", "first", "first", "second"] * 2


async def test_the_last_fallback_that_fails_too_ends_the_turn(replica: InProcessReplica, sim: Simulator) -> None:
    replica.models.fallbacks = {"first": (ModelName("second"),)}
    chat = await replica.someone_asks("[[fault:overloaded]]", model="first")
    rested = await replica.comes_to_rest(chat)
    assert rested.state is State.E0
    assert asked(sim) == ["first"] * 3 + ["second"] * ATTEMPT_LIMIT


class Stumbling(PlainSources):
    """Fails so many times before it answers."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.left = times

    async def context(self, card: Card) -> PromptContext:
        if self.left:
            self.left -= 1
            raise Refused("not now")
        return await super().context(card)


@pytest.mark.parametrize(("failures", "state"), [(3, State.W), (4, State.E0)])
async def test_preparing_a_turn_is_tried_three_times_more(
    replica: InProcessReplica, failures: int, state: State
) -> None:
    object.__setattr__(replica.runner_services.preparation, "sources", Stumbling(failures))
    chat = await replica.someone_asks("[[say:2 tokens]]")
    rested: Chat = await replica.comes_to_rest(chat)
    assert rested.state is state


async def test_a_model_that_is_not_there_any_more_is_named_in_a_notice(replica: InProcessReplica) -> None:
    replica.models.gone = {"old"}
    chat = await replica.someone_asks("[[say:2 tokens]]", model="old")
    await replica.comes_to_rest(chat)
    kinds: Sequence[str] = [notice.kind for notice in await notices(replica, chat)]
    assert kinds == ["model_replaced"]


async def test_a_replica_whose_clock_is_behind_waits_no_longer_than_people_were_told(replica: InProcessReplica) -> None:
    far_off = replica.clock.now() + timedelta(days=1000)
    state = RetryState(1, 2_000, "busy", ErrorKind.OVERLOADED, far_off)
    card = NewCard(organisation_id=replica.organisation, owner_id=replica.user, title="waits")
    begun = (Create((replica.says("[[say:here]]"),)), RecordGenerationAttempt(), RecordRetryState(state))
    chat = (await replica.machine.create(ChatId(uuid4()), card, begun)).chat
    assert (await replica.comes_to_rest(chat.id)).state is State.W
    assert (await replica.said(chat.id))[-1] == "here"


class Lost:
    """Models that nobody finds any more."""

    async def resolve(self, card: Card, name: ModelName | None, effort: Effort | None) -> ResolvedModel:
        raise KeyError(name, effort, card.id)


async def test_a_stop_ends_the_turn_also_where_the_partial_answer_cannot_be_kept(
    replica: InProcessReplica, sim: Simulator
) -> None:
    chat = await replica.someone_asks("[[gate:never]] [[say:5 tokens]]")
    await sim.gates["never"].reached()
    object.__setattr__(replica.runner_services.preparation, "models", Lost())
    await replica.machine.change(chat, Interrupt())
    rested = await replica.comes_to_rest(chat)
    assert (rested.state, rested.owned, rested.last_error) == (State.W, False, None)
    assert [notice.kind for notice in await notices(replica, chat)] == ["partial_lost"]
