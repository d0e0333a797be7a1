"""Rule 1: what became of every message that was accepted, and in which order."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from uuid import UUID

from perdure.proof.evidence import MessageRow, QueuedRow
from perdure.proof.observations import Observations
from perdure.proof.run_log import RequestOutcome, Violation

_REMOVING = ("edit", "delete")


def sent_once(run: Observations) -> Iterator[Violation]:
    """Every accepted message is exactly once in the history or the queue, or its chat was asked to remove some."""
    kept = Counter(m.client_id for m in run.evidence.messages if m.client_id)
    kept.update(q.client_id for q in run.evidence.queued if q.client_id and not q.removed)
    hidden = {m.client_id for m in run.evidence.messages if m.hidden}
    removable = {
        o.chat_id for o in run.log.operations if o.verb in _REMOVING and o.outcome is not RequestOutcome.REFUSED
    }
    for sent in (each for each in run.log.operations if each.marker):
        count = kept[sent.marker]
        if count > 1:
            yield Violation(1, sent.chat_id, f"{sent.marker} is there {count} times")
        if sent.outcome is RequestOutcome.REFUSED and count:
            yield Violation(1, sent.chat_id, f"{sent.marker} was refused and is there")
        gone = not count or sent.marker in hidden
        if sent.outcome is RequestOutcome.ACCEPTED and gone and sent.chat_id not in removable:
            yield Violation(1, sent.chat_id, f"{sent.marker} was accepted and is gone")


def removed_by_request(run: Observations) -> Iterator[Violation]:
    """No accepted message is nowhere; what is hidden, or left the queue unsent, a request reaches that removes."""
    asked = [o for o in run.log.operations if o.verb in _REMOVING and o.outcome is not RequestOutcome.REFUSED]
    cuts: dict[UUID, int] = {}
    for edit in (operation for operation in asked if operation.verb == "edit"):
        cuts[edit.chat_id] = min(edit.number, cuts.get(edit.chat_id, edit.number))
    deleted = {(operation.chat_id, operation.number) for operation in asked if operation.verb == "delete"}
    messages = {message.client_id: message for message in run.evidence.messages}
    queued = {each.client_id: each for each in run.evidence.queued}
    for sent in (each for each in run.log.operations if each.marker and each.outcome is RequestOutcome.ACCEPTED):
        where = messages.get(sent.marker), queued.get(sent.marker)
        if lost := _lost(*where, cut=cuts.get(sent.chat_id), deleted=deleted):
            yield Violation(1, sent.chat_id, f"{sent.marker} {lost}")


def admitted_in_order(run: Observations) -> Iterator[Violation]:
    """Messages leave the queue in the order of their admission, steering ones among themselves."""
    promoted = {(o.chat_id, o.number) for o in run.log.operations if o.verb == "promote"}
    ways = {o.marker: o.busy for o in run.log.operations if o.verb == "send"}
    lines = defaultdict[tuple[UUID, str], list[tuple[int, int]]](list)
    for message in run.evidence.messages:
        way = ways.get(message.client_id or "")
        if message.queued_as and way and (message.chat_id, message.queued_as) not in promoted:
            lines[message.chat_id, way].append((message.queued_as, message.number))
    for (chat_id, way), line in lines.items():
        numbers = [number for _, number in sorted(line)]
        if numbers != sorted(numbers):
            yield Violation(1, chat_id, f"the {way} line was not kept: {sorted(line)}")


def _lost(
    message: MessageRow | None,
    waiting: QueuedRow | None,
    *,
    cut: int | None,
    deleted: AbstractSet[tuple[UUID, int]],
) -> str:
    """What is wrong with where a message is; `cut` is the first that an edit of its chat replaced, if one did."""
    if message is not None:
        reached = cut is not None and cut <= message.number
        return "is hidden, and no edit reaches it" if message.hidden and not reached else ""
    if waiting is None:
        return "was accepted and is nowhere"
    # An edit empties the queue.
    reached = cut is not None or (waiting.chat_id, waiting.number) in deleted
    return "left the queue, and nobody asked for that" if waiting.removed and not reached else ""
