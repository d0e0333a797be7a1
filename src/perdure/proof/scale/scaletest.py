"""A whole scale test: the stages one after the other, and the bars that follow from what they measured."""

from collections.abc import Callable
from statistics import median

import msgspec

from perdure.proof.scale import stages
from perdure.proof.scale.bars import Bar, quantile
from perdure.proof.scale.gauges import BACKGROUND
from perdure.proof.scale.load import SERVER, Deployment, Load, Loaded, shares

FLOOR_TURNS = 2
IDLE_TURNS = 40
PACED_CHATS = (20, 200)
REFERENCE_CHATS = 500
"""What a turn may cost is said for so many chats at once; with more, its rate is compared with that of so many."""
SERVER_CPU, POSTGRES_CPU = "CPU of the server for a turn", "CPU of Postgres for a turn"
AGAINST_FLOOR = "turns/s against the floor"
NOISE = 1.15
"""What counts as the same on a machine with other things to do."""
Progress = Callable[[str, float], None]
"""Told the name of a stage, and how much of it is done."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """How much to do."""

    chats: int = 500
    turns: int = 10
    tokens: int = 200
    tools: int = 0
    subscribers: int = 1
    processes: int = 1
    """How many a replica has."""
    load_only: bool = False
    """Nothing but the load and its floor."""
    streams: int = 1000
    resting: int = 10_000

    @property
    def text(self) -> str:
        return "[[call:list_templates]]" * self.tools + f"[[say:{self.tokens} tokens]]"


class Figure(msgspec.Struct, frozen=True):
    """One line of the table that is no bar."""

    name: str
    value: str


class Report(msgspec.Struct, kw_only=True):
    """Everything that was measured."""

    wanted: Wanted
    bars: list[Bar] = []
    figures: list[Figure] = []
    series: list[tuple[float, float, float, float]] = []
    """Seconds, turns a second, median and 95th percentile of seconds until rest."""

    @property
    def met(self) -> bool:
        return all(bar.met for bar in self.bars)


class ScaleTest:
    """Measures one place. Where only its address is known, what needs its processes and database is left out."""

    def __init__(self, place: Deployment, simulator_url: str, wanted: Wanted, *, progress: Progress) -> None:
        self._place = place
        self._simulator_url = simulator_url
        self._wanted = wanted
        self._progress = progress
        self.report = Report(wanted=wanted)

    async def run(self) -> Report:
        self._progress("warming up", 0)
        await Load(self._place, chats=8, turns=3, text=self._wanted.text).run(_unseen)
        whole = bool(self._place.database_url) and not self._wanted.load_only
        if whole:
            await self._inside()
        await self._load()
        if whole:
            await self._outside()
        return self.report

    async def _inside(self) -> None:
        """What is measured on a server that has little to do."""
        self._progress("statements", 0)
        warm = await stages.warm(self._place, self._wanted.text)
        self._bar("durable commits per simple turn", warm.commits, 2.0)
        self._bar("SQL round trips per simple turn, warm", warm.round_trips, 4.0)
        self._bar("configuration queries per turn, warm", warm.configuration, 0.0)
        self._progress("first output", 0)
        added = await stages.first_tokens(self._place, self._simulator_url, IDLE_TURNS)
        self._bar("added time to first token, p50, idle server", median(added.by_server), 10.0, "ms")
        self._figure("added time to first token, p99", f"{quantile(added.by_server, 0.99):.1f} ms")
        self._bar("from sending to the first token, p50, one chat alone", median(added.in_all), 5.0, "ms")
        self._figure("from sending to the first token, p99", f"{quantile(added.in_all, 0.99):.1f} ms")
        self._progress("deltas", 0)
        deltas = await stages.deltas(self._place, self._simulator_url)
        self._figure("CPU per delta: server, floor", f"{deltas.ours:.1f} µs, {deltas.floor:.1f} µs")
        self._bar("CPU per streamed delta against draining the same bytes", deltas.ours / deltas.floor, 4.0, "x")
        await self._paced()
        self._progress("long chats", 0)
        await self._long_chats()

    async def _paced(self) -> None:
        """Deltas at the pace of a model, of a few chats and of many, over both transports."""
        self._progress("paced deltas", 0)
        for chats in PACED_CHATS:
            for name, sse in (("WebSocket", False), ("SSE", True)):
                spent = await stages.paced_delta(self._place, chats, sse=sse)
                self._bar(f"CPU per delta at 50 tokens/s, {chats} chats, {name}", spent, 50.0, "µs")

    async def _long_chats(self) -> None:
        long = await stages.long_chats(self._place, self._wanted.text)
        self._figure("CPU of turn 10, of turn 200", f"{long.early_cpu:.2f} ms, {long.late_cpu:.2f} ms")
        self._figure("rows read by turn 10, by turn 200", f"{long.early_rows:.1f}, {long.late_rows:.1f}")
        # Encoding the request is part of it: of a long prompt only what is new is encoded.
        self._bar("CPU of turn 200 against turn 10", long.late_cpu / long.early_cpu, 1.5, "x")
        self._bar("rows read by turn 200 against turn 10", long.late_rows / max(1.0, long.early_rows), 1.5, "x")

    async def _load(self) -> None:
        wanted = self._wanted
        load = Load(
            self._place, chats=wanted.chats, turns=wanted.turns, text=wanted.text, subscribers=wanted.subscribers
        )
        reference = await self._reference()
        before = await self._floor()
        loaded = await load.run(lambda done, all_: self._progress("load", done / all_))
        after = await self._floor()
        self._bar(f"failures at {wanted.chats} x {wanted.turns}", float(sum(loaded.failures.values())), 0.0)
        for reason in loaded.reasons[:3]:
            self._figure("failure", reason)
        self._figures(loaded)
        self.report.series = series(loaded)
        if before and after:
            self._against_the_floor(loaded, before, after)
        if reference is None:
            self._of_a_turn(loaded)
        else:
            self._figure(f"turns/s of {REFERENCE_CHATS} chats", f"{reference:.1f}")
            name = f"turns/s of {wanted.chats:,} chats against {REFERENCE_CHATS}"
            self._bar(name, loaded.rate / reference, 0.9, "x", at_least=True)

    async def _reference(self) -> float | None:
        """Turns a second of fewer chats on the same server, where the load is of more."""
        wanted = self._wanted
        if wanted.chats <= REFERENCE_CHATS:
            return None
        self._progress(f"{REFERENCE_CHATS} chats", 0)
        load = Load(self._place, chats=REFERENCE_CHATS, turns=wanted.turns, text=wanted.text)
        return (await load.run(_unseen)).rate

    def _of_a_turn(self, loaded: Loaded) -> None:
        """What a turn cost whom, and how much longer than others some had to wait."""
        turns = max(1, len(loaded.turns))
        if self._place.pids and not self._wanted.tools:
            self._bar(SERVER_CPU, loaded.burned[SERVER] / turns * 1e3, 1.4, "ms")
            self._bar(POSTGRES_CPU, loaded.burned["Postgres"] / turns * 1e3, 0.9, "ms")
        rests = [turn.rested for turn in loaded.turns]
        self._bar("p99 of a turn against p50", quantile(rests, 0.99) / max(quantile(rests, 0.5), 1e-9), 3.0, "x")

    async def _floor(self) -> stages.Floor | None:
        """The floor, where there is a database for it. Before the load and after it: machines have moods."""
        if not self._place.database_url:
            return None
        self._progress("floor", 0)
        wanted = self._wanted
        return await stages.floor_turns(
            self._place, self._simulator_url, wanted.text, chats=wanted.chats, turns=FLOOR_TURNS
        )

    def _against_the_floor(self, loaded: Loaded, before: stages.Floor, after: stages.Floor) -> None:
        floor = before.and_again(after)
        self._figure("floor", f"{floor.rate:.0f} turns/s: {before.rate:.0f} before the load, {after.rate:.0f} after it")
        self._figure("CPU per turn", shares(loaded.burned, len(loaded.turns), loaded.seconds))
        self._figure("CPU per turn of the floor", shares(floor.burned, floor.turns, floor.seconds))
        # The floor is one process.
        limit = 0.35 if self._wanted.processes == 1 else 0.45
        self._bar(AGAINST_FLOOR, loaded.rate / floor.rate, limit, at_least=True, unit="x")

    def _figures(self, loaded: Loaded) -> None:
        turns = max(1, len(loaded.turns))
        self._figure("turns/s", f"{loaded.rate:.1f} over {loaded.seconds:.1f} s")
        for name, values in (
            ("create or send", [turn.accepted for turn in loaded.turns]),
            ("time to running", [turn.running for turn in loaded.turns]),
            ("time to first output", [turn.first_output for turn in loaded.turns]),
            ("time to rest", [turn.rested for turn in loaded.turns]),
            ("time to rest of first turns", [turn.rested for turn in loaded.turns if turn.first]),
            ("time to rest of warm turns", [turn.rested for turn in loaded.turns if not turn.first]),
        ):
            shown = ", ".join(f"{quantile(values, share) * 1e3:.0f}" for share in (0.5, 0.95, 0.99))
            self._figure(f"{name}, p50, p95, p99", f"{shown} ms")
        self._figure("failures by stage", ", ".join(f"{k} {v}" for k, v in loaded.failures.items()) or "none")
        self._figure("retries", str(loaded.retries))
        self._figure("events, bytes to clients per turn", f"{loaded.events / turns:.1f}, {loaded.received / turns:.0f}")
        if loaded.statements:
            done = sum(each.calls for each in loaded.statements if each.kind != BACKGROUND) / turns
            self._figure("SQL statements per turn, beside turns", f"{done:.2f}, {loaded.calls(BACKGROUND):.2f}")
        if self._place.pids:
            self._figure("server memory, highest", f"{max((m.memory for m in loaded.moments), default=0):.0f} MiB")

    async def _outside(self) -> None:
        """What is measured with many chats at once."""
        if self._wanted.streams:
            self._progress("stuck subscriber", 0)
            stuck = await stages.stuck_subscriber(self._place, self._wanted.streams)
            self._figure("paced answer beside a flood: read, stuck", f"{stuck.read:.2f} s, {stuck.held:.2f} s")
            self._figure("server CPU meanwhile: read, stuck", f"{stuck.read_cpu:.2f} s, {stuck.held_cpu:.2f} s")
            slowdown = stuck.held / stuck.read
            self._bar(f"slowdown of {self._wanted.streams} streams by a stuck subscriber", slowdown, NOISE, "x")
        if self._wanted.resting:
            self._progress("chats at rest", 0)
            before, after = await stages.resting_memory(self._place, "[[say:5 tokens]]", self._wanted.resting)
            self._figure("memory: before, after", f"{before:.0f} MiB, {after:.0f} MiB")
            self._bar(f"resident memory of {self._wanted.resting:,} chats at rest", after / before, NOISE, "x")

    def _bar(self, name: str, value: float, limit: float, unit: str = "", *, at_least: bool = False) -> None:
        self.report.bars.append(Bar(name, value, limit, unit, at_least))

    def _figure(self, name: str, value: str) -> None:
        self.report.figures.append(Figure(name, value))


def _unseen(_done: int, _all: int) -> None:
    """Progress that nobody looks at."""


def series(loaded: Loaded, buckets: int = 60) -> list[tuple[float, float, float, float]]:
    """The load over time, in so many pieces."""
    if not loaded.turns:
        return []
    begun = min(turn.asked_at for turn in loaded.turns)
    width = max(loaded.seconds / buckets, 0.25)
    pieces: dict[int, list[float]] = {}
    for turn in loaded.turns:
        pieces.setdefault(int((turn.asked_at + turn.rested - begun) / width), []).append(turn.rested)
    return [
        (at * width, len(rests) / width, quantile(rests, 0.5), quantile(rests, 0.95))
        for at, rests in sorted(pieces.items())
    ]
