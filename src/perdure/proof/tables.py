"""What a run found, as text: a table of numbers, and the timeline of a chat for which something did not hold."""

from collections import Counter
from collections.abc import Iterable
from uuid import UUID

from perdure.proof.chaos import ChaosReport
from perdure.proof.run_log import LogLine, RequestOutcome, Violation, clock
from perdure.proof.scale.bars import quantile
from perdure.proof.standstill import FAILOVER_BAR, Standstill
from perdure.proof.users import REST_BAR

RULES = {
    1: "every accepted message once, in order",
    2: "every call one result, no effect twice",
    3: "every client saw the history",
    4: "every chat valid and at rest",
    5: "every commit fenced",
    6: "every move of the database followed",
    7: "what was stopped or edited goes no further",
}
_SHOWN = 20
_SLOWEST = 3


def chaos_table(outcome: ChaosReport) -> str:
    """The run in numbers."""
    log = outcome.log
    asked = Counter(operation.outcome for operation in log.operations)
    rested = "never" if outcome.rested_after is None else f"{outcome.rested_after:.1f} s"
    rows = [
        ("seed", str(outcome.seed)),
        ("seconds", f"{outcome.seconds:.0f}"),
        ("chats", str(len(outcome.evidence.chats))),
        ("operations", f"{len(log.operations)} ({', '.join(f'{asked[each]} {each}' for each in RequestOutcome)})"),
        ("messages, changes", f"{len(outcome.evidence.messages)}, {len(outcome.evidence.changes)}"),
        ("parts seen", f"{log.parts}, {log.reconnects} times left and came back, {log.gaps} gaps"),
        ("effects", f"{len(outcome.effects)}, asked about: {_listed(log.asked)}"),
        ("faults", f"{len(log.faults)}: {_listed(Counter(fault.kind for fault in log.faults))}"),
        ("moved while a commit stalled", _listed(Counter(moved.verb for moved in log.moved))),
        ("failover", _failover(outcome)),
        *(("  slowest", str(each)) for each in _slowest(outcome)),
        *(("moves", text) for text in _moves(outcome)),
        ("all at rest after", f"{rested}   bar {REST_BAR:.0f} s"),
        *((f"rule {rule}", f"{_verdict(outcome.wrong, rule)}: {text}") for rule, text in RULES.items()),
        ("violations", str(len(outcome.wrong))),
    ]
    width = max(len(name) for name, _ in rows)
    found = [f"  rule {wrong.rule}, chat {wrong.chat_id}: {wrong.text}" for wrong in outcome.wrong[:_SHOWN]]
    return "\n".join([*(f"{name:<{width}}  {value}" for name, value in rows), *found])


def timeline(outcome: ChaosReport) -> list[str]:
    """All that happened to the first chat for which something does not hold."""
    chat_id = next((wrong.chat_id for wrong in outcome.wrong if wrong.chat_id is not None), None)
    if chat_id is None:
        return []
    lines = [line for line in outcome.log.lines if line.chat_id in (chat_id, None)]
    lines += _changes(outcome, chat_id)
    head = f"timeline of chat {chat_id}, seed {outcome.seed}"
    return [head, *(_written(line) for line in sorted(lines, key=lambda line: line.at))]


def _changes(outcome: ChaosReport, chat_id: UUID) -> Iterable[LogLine]:
    for change in outcome.evidence.changes:
        if change.chat_id == chat_id:
            owner = "nobody" if change.worker is None else f"{str(change.worker)[:8]}/{str(change.runner)[:8]}"
            text = (
                f"snapshot {change.snapshot} by {change.writer}: {change.status}, "
                f"history {change.history}.{change.attempt}, {owner}"
            )
            yield LogLine(change.at, chat_id, "database", text)


def _written(line: LogLine) -> str:
    at = clock(line.at)
    return f"{at}  {line.who:<10} {line.text}"


def _failover(outcome: ChaosReport) -> str:
    if not outcome.failovers:
        return "nothing was killed"
    middle, worst = outcome.failover(0.5), outcome.failover(0.99)
    bar = FAILOVER_BAR.total_seconds()
    met = "met" if worst < bar else "missed"
    return f"p50 {middle:.2f} s, p99 {worst:.2f} s of {len(outcome.failovers)}   bar p99 < {bar:.0f} s: {met}"


def _moves(outcome: ChaosReport) -> list[str]:
    """How often the database moved, and how soon something was committed at its new server."""
    bar = outcome.following_bar
    if bar is None:
        return []
    kinds = _listed(Counter(each.kind for each in outcome.evidence.switchovers))
    enough = f"bar {outcome.fewest_moves}: {'met' if outcome.moved_enough else 'missed'}"
    seconds = outcome.followings
    measured = f"next commit p50 {quantile(seconds, 0.5):.2f} s, p99 {quantile(seconds, 0.99):.2f} s"
    if bar.longest is not None:
        met = "met" if outcome.followed_soon else "missed"
        measured += f"   bar p99 < {bar.longest.total_seconds():.0f} s: {met}"
    return [f"{len(outcome.evidence.switchovers)} ({kinds})   {enough}", measured]


def _slowest(outcome: ChaosReport) -> list[Standstill]:
    """The three that took longest, and whatever took longer than it may."""
    ordered = sorted(outcome.failovers, key=lambda each: each.seconds, reverse=True)
    late = sum(each.seconds >= FAILOVER_BAR.total_seconds() for each in ordered)
    return ordered[: min(_SHOWN, max(_SLOWEST, late))]


def _verdict(wrong: Iterable[Violation], rule: int) -> str:
    count = sum(each.rule == rule for each in wrong)
    return f"violated {count} times" if count else "holds"


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "nothing"
