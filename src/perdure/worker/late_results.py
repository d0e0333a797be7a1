"""Results that come after their chat began to ask what became of the call: they answer the question."""

from collections.abc import Sequence

from perdure.core.chat import ActionKind, Chat, Decision, OpenCall, Verdict
from perdure.core.errors import ChatNotFound, Refused
from perdure.core.ids import ChatId
from perdure.machine.machine import Machine
from perdure.machine.transitions.actions import CompleteRequiresAction
from perdure.store.journal import Entry, Journal


async def answer_late(machine: Machine, journal: Journal) -> None:
    """Let chats go on whose question has answered itself."""
    for chat_id in await journal.answered_late():
        try:
            await _answer(machine, journal, chat_id)
        except (Refused, ChatNotFound):
            # Somebody decided meanwhile.
            continue


async def _answer(machine: Machine, journal: Journal, chat_id: ChatId) -> None:
    chat = await machine.load(chat_id)
    entries = await journal.load(chat_id, chat.last_assistant)

    def bundle(now: Chat) -> Sequence[CompleteRequiresAction]:
        decisions = decisions_for(now, entries) if now.last_assistant == chat.last_assistant else ()
        expected = frozenset({ActionKind.OUTCOME_UNKNOWN})
        return (CompleteRequiresAction(decisions=decisions, expected=expected),) if decisions else ()

    await machine.change_by(chat_id, bundle)


def decisions_for(chat: Chat, entries: Sequence[Entry]) -> tuple[Decision, ...]:
    """What the journal says became of all calls that nobody has decided about; nothing while one is still open."""
    if chat.action is None or chat.action.kind is not ActionKind.OUTCOME_UNKNOWN:
        return ()
    finished = {(entry.index, entry.run): entry for entry in entries if entry.state == "finished"}
    known = {decision.call_id for decision in chat.action.decided}
    asked = [call for call in chat.open_calls if call.index in chat.action.calls and call.call_id not in known]
    if any((call.index, call.run) not in finished for call in asked):
        return ()
    return tuple(_happened(call, finished[call.index, call.run]) for call in asked)


def _happened(call: OpenCall, entry: Entry) -> Decision:
    return Decision(call.call_id, Verdict.HAPPENED, entry.result or "", is_error=entry.is_error)
