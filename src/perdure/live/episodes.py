"""The parts of answers while they are being given: one log per attempt, in memory, followed by whoever wants to."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from msgspec import Struct

from perdure.core.deltas import AnyDelta
from perdure.core.ids import ChatId
from perdure.core.joining import joinable, joined
from perdure.core.message import Role
from perdure.core.timing import CLOSED_EPISODE_KEPT, COALESCE
from perdure.live.thinning import Allowance, chat_allowance, replica_allowance


class Piece(Struct, frozen=True, array_like=True, gc=False):
    """One numbered part of an episode, in its internal form: provider metadata included."""

    role: Role
    delta: AnyDelta


@dataclass(frozen=True, slots=True, order=True)
class EpisodeKey:
    """Names one log by one process: every attempt at every history has its own."""

    chat_id: ChatId
    history_version: int
    attempt: int


Later = Callable[[float, Callable[[], None]], object]
"""Calls back after some seconds."""


def on_the_loop(seconds: float, callback: Callable[[], None]) -> object:
    return asyncio.get_running_loop().call_later(seconds, callback)


class SharedTimer:
    """Fires every `COALESCE` while anything grows, once for all episodes of a replica.

    A timer for each of them cost more than what they had to say.
    """

    __slots__ = ("_growing", "_later")

    def __init__(self, later: Later = on_the_loop) -> None:
        self._later = later
        self._growing: list[Episode] = []

    def join(self, episode: "Episode") -> None:
        """Have the episode told what it has grown by when the timer fires next."""
        if not self._growing:
            self._later(COALESCE.total_seconds(), self._fire)
        self._growing.append(episode)

    def _fire(self) -> None:
        growing, self._growing = self._growing, []
        for episode in growing:
            episode.coalesced()


class Episode:
    """A log of parts, numbered from 1. Adding is cheap and never waits for anyone who reads.

    The first part of an answer wakes the followers at once. Later ones wait until the timer fires, which nobody sees:
    all answers of a replica are then shown in one turn of the loop.
    """

    __slots__ = ("_coalescing", "_pieces", "_timer", "_told", "_wakers", "allowance", "closed", "key")

    def __init__(
        self,
        key: EpisodeKey,
        wakers: "Iterable[Wake]" = (),
        timer: SharedTimer | None = None,
        allowance: Allowance | None = None,
    ) -> None:
        self.key = key
        self.closed = False
        self.allowance = allowance or chat_allowance(replica_allowance())
        """How much the chat's tools may show while they run."""
        self._pieces: list[Piece] = []
        self._wakers = wakers
        self._timer = timer or SharedTimer()
        self._told = 0
        self._coalescing = False

    @property
    def seq(self) -> int:
        """The number of the newest part; 0 before the first."""
        return len(self._pieces)

    def add(self, role: Role, deltas: Sequence[AnyDelta]) -> None:
        self._pieces.extend([Piece(role, delta) for delta in deltas])
        if self._coalescing:
            return
        if not self._told:
            self._tell()
        self._coalesce()

    def add_after(self, seq: int, pieces: Sequence[Piece]) -> bool:
        """Take over parts that another log numbered from `seq` + 1. False where some in between are missing."""
        if seq > self.seq:
            return False
        self._pieces.extend(pieces[self.seq - seq :])
        if not self._coalescing and self._tell():
            # They waited where they came from.
            self._coalesce()
        return True

    def parts_since(self, seq: int) -> list[Piece]:
        """Every part after this number."""
        return self._pieces[seq:]

    def _coalesce(self) -> None:
        self._coalescing = True
        self._timer.join(self)

    def _tell(self) -> bool:
        """Wake the followers, if there is anything new."""
        if self._told == len(self._pieces):
            return False
        self._told = len(self._pieces)
        for wake in tuple(self._wakers):
            wake(self)
        return True

    def coalesced(self) -> None:
        """Wake the followers for what has come since."""
        self._coalescing = False
        self._tell()


Wake = Callable[[Episode], None]
"""Told that an episode is new or has grown. It must only take note: the model's stream waits for it."""


class Episodes:
    """The open episodes of this replica, at most one a chat, and those closed a moment ago."""

    def __init__(self, later: Later = on_the_loop) -> None:
        self._later = later
        self._timer = SharedTimer(later)
        self._allowance = replica_allowance()
        self._episodes: dict[ChatId, Episode] = {}
        self._wakers: dict[ChatId, list[Wake]] = {}

    def open(self, key: EpisodeKey) -> Episode:
        """Begin an episode, which replaces an older one of its chat."""
        older = self._episodes.get(key.chat_id)
        if older is not None:
            older.closed = True
        wakers, allowance = self._wakers.setdefault(key.chat_id, []), chat_allowance(self._allowance)
        episode = Episode(key, wakers, self._timer, allowance)
        self._episodes[key.chat_id] = episode
        for wake in tuple(self._wakers[key.chat_id]):
            wake(episode)
        return episode

    def of(self, chat_id: ChatId) -> Episode | None:
        """The chat's newest episode, open or closed a moment ago."""
        return self._episodes.get(chat_id)

    def close(self, key: EpisodeKey) -> None:
        """Say that nothing more comes. Late followers find the episode for a while."""
        episode = self._episodes.get(key.chat_id)
        if episode is None or episode.key != key or episode.closed:
            return
        episode.closed = True
        self._later(CLOSED_EPISODE_KEPT.total_seconds(), lambda: self._forget(episode))

    def drop(self, chat_id: ChatId) -> None:
        """Forget the answer in flight: it belongs to a past that is gone."""
        episode = self._episodes.get(chat_id)
        if episode is not None:
            episode.closed = True
            self._forget(episode)

    def follow(self, chat_id: ChatId, wake: Wake) -> Callable[[], None]:
        """Be woken for every episode of the chat, also those that are not open yet; the result stops that."""
        wakers = self._wakers.setdefault(chat_id, [])
        wakers.append(wake)

        def stop() -> None:
            wakers.remove(wake)
            self._tidy(chat_id)

        return stop

    def all(self) -> tuple[Episode, ...]:
        return tuple(self._episodes.values())

    def _forget(self, episode: Episode) -> None:
        if self._episodes.get(episode.key.chat_id) is episode:
            del self._episodes[episode.key.chat_id]
            self._tidy(episode.key.chat_id)

    def _tidy(self, chat_id: ChatId) -> None:
        # An episode holds its chat's list of followers: the list goes when neither is left.
        if not self._wakers.get(chat_id) and chat_id not in self._episodes:
            self._wakers.pop(chat_id, None)


class Merged(Struct, frozen=True, gc=False):
    """Parts `seq_from` to `seq` of an episode, as one."""

    role: Role
    delta: AnyDelta
    seq_from: int
    seq: int


def merged(pieces: Iterable[Piece], seq_from: int) -> list[Merged]:
    """The parts from number `seq_from` on, neighbours joined where folding gives the same."""
    found: list[Merged] = []
    run: list[AnyDelta] = []
    role, seq = Role.ASSISTANT, seq_from - 1
    for piece in pieces:
        if run and (piece.role is not role or not joinable(run[-1], piece.delta)):
            found.append(Merged(role, joined(run), seq - len(run) + 1, seq))
            run = []
        run.append(piece.delta)
        role, seq = piece.role, seq + 1
    if run:
        found.append(Merged(role, joined(run), seq - len(run) + 1, seq))
    return found
