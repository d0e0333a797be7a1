"""Following arrows in memory: what some transitions come to, as one commit. Nothing is written."""

from collections.abc import Generator, Iterator, Sequence
from types import GeneratorType

from perdure.core.chat import Chat, State, Status
from perdure.core.commit import Commit
from perdure.core.errors import ChatNotFound, InvalidState, TransitionNotAllowed
from perdure.core.ids import ChatId
from perdure.machine.diagram import DIAGRAM
from perdure.machine.planning import Draft
from perdure.machine.transitions import Transition


class WrongLanding(Exception):
    """A transition planned a state that the diagram does not allow: a bug, caught before anything is written."""


Transitions = Sequence[Transition] | Generator[Transition, Chat]
"""One after the other. A generator is sent the chat as it is after each, so that it can choose the next by it."""


def follow(chat: Chat | None, transitions: Transitions, *, chat_id: ChatId | None = None) -> Commit:
    """Apply transitions one after the other; raise where the diagram has no arrow. Nothing is written."""
    base = chat if chat is not None else _nothing(chat_id)
    draft = Draft(chat, base)
    state = State.N if chat is None else base.state
    for transition in _each(transitions, draft) if isinstance(transitions, GeneratorType) else transitions:
        landings = _landings(state, transition)
        change = transition.plan(draft.chat)
        if change is None:
            continue
        draft.apply(change)
        state = draft.chat.state
        if state not in landings:
            raise WrongLanding(f"{type(transition).__name__} landed in {state.value}")
    return draft.commit()


def _each(transitions: Generator[Transition, Chat], draft: Draft) -> Iterator[Transition]:
    try:
        transition = next(transitions)
        while True:
            yield transition
            transition = transitions.send(draft.chat)
    except StopIteration:
        return


def _landings(state: State, transition: Transition) -> set[State]:
    landings = DIAGRAM[state].get(type(transition))
    if landings is not None:
        return landings
    if state is State.N:
        raise ChatNotFound
    if state is State.INVALID:
        raise InvalidState
    raise TransitionNotAllowed(type(transition).__name__, state.value)


def _nothing(chat_id: ChatId | None) -> Chat:
    assert chat_id is not None, "a new chat needs an id"
    return Chat(id=chat_id, status=Status.WAITING)
