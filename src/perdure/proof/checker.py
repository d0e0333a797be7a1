"""The promises as questions to the evidence. Each answer is a list of what does not hold."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from uuid import UUID

import msgspec

from perdure.core.message import AnyPart, ToolCall, ToolResult
from perdure.core.timing import LEASE, SEVERED_LEASE
from perdure.proof.admission import admitted_in_order, removed_by_request, sent_once
from perdure.proof.checked_transcript import spoken
from perdure.proof.cluster import FAIL_OVER, STUCK, SWITCH_OVER, Stray, followings
from perdure.proof.evidence import ChangeRow, MessageRow
from perdure.proof.heeding import answers_its_question, moves_are_heeded
from perdure.proof.observations import Observations, Rule
from perdure.proof.run_log import ASLEEP, QUIET, Violation

AT_REST = ("waiting", "error")
PERFORMED = "performed "
EMPTYING = ("crash postgres", SWITCH_OVER, FAIL_OVER)


def answered_once(run: Observations) -> Iterator[Violation]:
    """Every call of the history has exactly one result, right after it."""
    resting = {chat.id: chat for chat in run.evidence.chats if chat.status in AT_REST}
    for chat_id, messages in _histories(run.evidence.messages).items():
        open_calls: list[str] = []
        for message in messages:
            results = [part.call_id for part in message.parts if isinstance(part, ToolResult)]
            for call_id in results:
                if call_id not in open_calls:
                    yield Violation(2, chat_id, f"message {message.number} answers {call_id}, which is not open")
                else:
                    open_calls.remove(call_id)
            if open_calls and message.role in ("user", "assistant"):
                yield Violation(2, chat_id, f"message {message.number} follows open calls {open_calls}")
            open_calls += [part.call_id for part in message.parts if isinstance(part, ToolCall)]
        if open_calls and chat_id in resting:
            error = resting[chat_id].last_error or "no error"
            yield Violation(2, chat_id, f"it rests with open calls {open_calls}, and {error}")


def effects_once(run: Observations) -> Iterator[Violation]:
    """No run of a call had its effect twice; no effect that a result reports is missing."""
    for call, times in Counter(each.call for each in run.effects).items():
        if times > 1:
            yield Violation(2, UUID(call.partition("/")[0]), f"the effect of call {call} happened {times} times")
    happened = {each.effect for each in run.effects}
    for message in run.evidence.messages:
        for part in message.parts:
            if isinstance(part, ToolResult) and not part.is_error and part.result.startswith(PERFORMED):
                effect = part.result.removeprefix(PERFORMED)
                if effect not in happened:
                    yield Violation(2, message.chat_id, f"effect {effect} was reported and never happened")


def told_the_truth(run: Observations) -> Iterator[Violation]:
    """What each client assembled is the history in the database."""
    histories = _histories(run.evidence.messages)
    for transcript in run.transcripts:
        visible = [m for m in histories.get(transcript.chat_id, ()) if m.role != "system" and m.visibility != "model"]
        stored = {m.number: _shown(m.parts) for m in visible}
        heard: dict[int, bytes] = {m.number: _shown(m.parts) for m in transcript.messages}
        for number in sorted(stored.keys() | heard.keys()):
            if stored.get(number) != heard.get(number):
                yield Violation(
                    3,
                    transcript.chat_id,
                    f"{transcript.name}: message {number} is {_difference(stored, heard, number)}",
                )


def told_after_written(run: Observations) -> Iterator[Violation]:
    """Nobody hears of a change before it is written."""
    written = {(change.chat_id, change.snapshot): change.at for change in run.evidence.changes}
    for told in run.log.told:
        at = written.get((told.chat_id, told.revision))
        if at is None and told.at < run.evidence.taken:
            yield Violation(
                3, told.chat_id, f"message {told.number} of revision {told.revision} was told and never written"
            )
        elif at is not None and told.at < at:
            early = (at - told.at) * 1000
            yield Violation(3, told.chat_id, f"message {told.number} was told {early:.1f} ms before it was written")


def stored_whole(run: Observations) -> Iterator[Violation]:
    """What is stored of an answer in flight has no hole."""
    reached = dict[tuple[UUID, int, int], int]()
    for piece in run.evidence.stored:
        episode = piece.chat_id, piece.history, piece.attempt
        last = reached.get(episode, 0)
        if piece.seq_from > last + 1:
            text = f"answer {piece.history}.{piece.attempt}: parts {last + 1} to {piece.seq_from - 1} were never stored"
            yield Violation(3, piece.chat_id, text)
        reached[episode] = max(last, piece.seq_to)


def partial_kept(run: Observations) -> Iterator[Violation]:
    """What people saw of an answer, and was stored before its driver died, is kept when the answer is stopped."""
    edits = {o.marker for o in run.log.operations if o.verb == "edit"}
    edited = {(m.chat_id, m.revision) for m in run.evidence.messages if m.client_id in edits}
    for chat_id, died in run.log.watched:
        stopped = next((c for c in run.evidence.changes if c.chat_id == chat_id and _stopped(c, died)), None)
        # An edit ends an interruption too, and drops what it replaces.
        if stopped is None or stopped.writer != stopped.old_writer or (chat_id, stopped.snapshot) in edited:
            continue
        seen = _seen(run, chat_id, (stopped.old_history or 0, stopped.old_attempt or 0), died)
        kept = max((len(spoken(m.parts)) for m in run.evidence.messages if _kept_in(m, stopped)), default=0)
        if kept < max(seen, default=0):
            text = f"snapshot {stopped.snapshot}: {max(seen)} characters were seen and stored, {kept} are kept"
            yield Violation(3, chat_id, text)


def rests(run: Observations) -> Iterator[Violation]:
    """Every chat is at rest, and owned by nobody who is dead."""
    for chat in run.evidence.chats:
        if chat.status not in AT_REST:
            yield Violation(4, chat.id, f"it is still {chat.status}")
        if chat.status == "waiting" and chat.queue:
            yield Violation(4, chat.id, f"it waits with {len(chat.queue)} queued")
        if chat.owned and not chat.owner_lives:
            yield Violation(4, chat.id, "a dead replica owns it")


def numbered(run: Observations) -> Iterator[Violation]:
    """Every message is there, numbered without a gap, those that an edit hides included."""
    numbers = defaultdict[UUID, list[int]](list)
    for message in run.evidence.messages:
        numbers[message.chat_id].append(message.number)
    for chat in run.evidence.chats:
        if numbers[chat.id] != list(range(1, chat.next_message)):
            yield Violation(4, chat.id, "its messages are not numbered without a gap")


def fenced(run: Observations) -> Iterator[Violation]:
    """Every answer was written by the replica that owned the chat, and a chat was taken only from the dead."""
    answers = {(m.chat_id, m.revision) for m in run.evidence.messages if m.role == "assistant" and not m.hidden}
    for change in run.evidence.changes:
        if (change.chat_id, change.snapshot) in answers and change.old_writer != change.writer:
            text = (
                f"snapshot {change.snapshot}: {change.writer} wrote an answer while {change.old_writer} owned the chat"
            )
            yield Violation(5, change.chat_id, text)
        lease = SEVERED_LEASE if change.severed else LEASE
        if _taken(change) and change.unseen is not None and change.unseen < lease.total_seconds():
            text = f"snapshot {change.snapshot}: taken from an owner seen {change.unseen:.2f} s ago"
            yield Violation(5, change.chat_id, text)


def attempts_used_once(run: Observations) -> Iterator[Violation]:
    """An answer belongs to an attempt that its own runner recorded."""
    answers = {(m.chat_id, m.revision) for m in run.evidence.messages if m.role == "assistant" and not m.hidden}
    recorders: dict[tuple[UUID, int, int], UUID | None] = {}
    for change in run.evidence.changes:
        if (change.chat_id, change.snapshot) in answers and change.old_status == "running":
            key = change.chat_id, change.old_history or 0, change.old_attempt or 0
            if key in recorders and recorders[key] != change.old_runner:
                text = f"snapshot {change.snapshot}: attempt {key[1]}.{key[2]} was another runner's"
                yield Violation(5, change.chat_id, text)
        if change.attempt and (change.history, change.attempt) != (change.old_history, change.old_attempt):
            recorders[change.chat_id, change.history, change.attempt] = change.runner or change.old_runner


def followed(run: Observations) -> Iterator[Violation]:
    """After the database moved, something is committed again."""
    limit = (STUCK + run.late).total_seconds()
    # When people stop to act, nothing may be left to commit.
    acting = min(run.evidence.taken, run.log.calm_since or run.evidence.taken)
    for move in followings(run.evidence.switchovers, run.evidence.changes, run.log.unserved):
        if acting - move.at > limit and (move.seconds is None or move.seconds > limit):
            after = "yet" if move.seconds is None else f"for {move.seconds:.1f} s"
            yield Violation(6, None, f"{move.kind}: its new server took writes, and nothing was committed {after}")


def astray(run: Observations) -> Iterator[Violation]:
    """Nobody uses a server that takes no writes, when another one has taken them for long enough."""
    for stray in run.strays:
        if not _woken(run, stray):
            yield Violation(6, None, f"{stray.name} uses a server that takes no writes, and does not notice")


def _woken(run: Observations, stray: Stray) -> bool:
    """Whether the replica slept a moment ago: it cannot know yet."""
    slept = [fault.at for fault in run.log.faults if fault.kind == "sleep" and fault.target == stray.name]
    return any(at < stray.at < at + (ASLEEP + STUCK).total_seconds() for at in slept)


ALWAYS: tuple[Rule, ...] = (
    effects_once,
    told_after_written,
    stored_whole,
    partial_kept,
    fenced,
    attempts_used_once,
    followed,
    astray,
    answers_its_question,
    moves_are_heeded,
)
"""Rules that hold at any moment."""
HEALED: tuple[Rule, ...] = (
    *ALWAYS,
    sent_once,
    removed_by_request,
    admitted_in_order,
    answered_once,
    told_the_truth,
    rests,
    numbered,
)
"""Rules that hold once everything has come to rest."""
OUTSIDE: tuple[Rule, ...] = (sent_once, admitted_in_order, answered_once, told_the_truth, rests)
"""Rules for which it is enough to ask the API, once everything has come to rest."""


def violations(run: Observations, rules: Sequence[Rule]) -> list[Violation]:
    return [wrong for rule in rules for wrong in rule(run)]


def _seen(run: Observations, chat_id: UUID, episode: tuple[int, int], died: float) -> list[int]:
    """How much of an answer was seen, of what was stored before its driver died.

    A crash of Postgres empties the table of parts, and no standby has it: of answers from before nothing is promised.
    """
    stored = [
        s for s in run.evidence.stored if (s.chat_id, s.history, s.attempt) == (chat_id, *episode) and s.at < died
    ]
    crashes = [fault.at for fault in run.log.faults if fault.kind in EMPTYING]
    if any(piece.at < crash < died for piece in stored for crash in crashes):
        return []
    last = max((piece.seq_to for piece in stored), default=0)
    shown = [
        each
        for transcript in run.transcripts
        if transcript.chat_id == chat_id
        for each in transcript.shown.get(episode, ())
    ]
    return [length for _, seq, length in shown if seq <= last]


def _kept_in(message: MessageRow, change: ChangeRow) -> bool:
    """Whether this change may have written the answer. A later edit that hides it puts its own mark on it."""
    ours = message.revision > change.snapshot if message.hidden else message.revision == change.snapshot
    return message.role == "assistant" and message.chat_id == change.chat_id and ours


def _stopped(change: ChangeRow, died: float) -> bool:
    """Whether this ends an interruption in the quiet time after a death."""
    ended = change.old_status == "interrupting" and change.status != "interrupting"
    return ended and died < change.at < died + QUIET.total_seconds()


def _taken(change: ChangeRow) -> bool:
    """Whether another owner took it: a replica that lost its lease keeps its runner, whoever else takes it has one."""
    owned = change.old_worker is not None and change.worker is not None
    return owned and change.worker != change.old_worker and change.runner != change.old_runner


def _histories(messages: Iterable[MessageRow]) -> dict[UUID, list[MessageRow]]:
    histories = defaultdict[UUID, list[MessageRow]](list)
    for message in messages:
        if not message.hidden:
            histories[message.chat_id].append(message)
    return histories


def _shown(parts: Iterable[AnyPart]) -> bytes:
    """Parts as clients get them."""
    return msgspec.json.encode([_without_metadata(part) for part in parts])


def _without_metadata(part: AnyPart) -> AnyPart:
    if getattr(part, "provider_metadata", None) is not None:
        return msgspec.structs.replace(part, provider_metadata=None)  # pyright: ignore[reportCallIssue]
    return part


def _difference(stored: Mapping[int, bytes], heard: Mapping[int, bytes], number: int) -> str:
    if number not in heard:
        return "in the database and was never heard"
    if number not in stored:
        return "heard and not in the database"
    return f"{stored[number][:160]!r} in the database and {heard[number][:160]!r} to the client"
