"""Episodes: numbering, waking in bursts, what stays and what goes."""

from collections.abc import Callable
from uuid import uuid4

from perdure.core.deltas import TextDelta
from perdure.core.ids import ChatId
from perdure.core.message import Role
from perdure.core.timing import CLOSED_EPISODE_KEPT, COALESCE
from perdure.live.episodes import Episode, EpisodeKey, Episodes, Piece, SharedTimer
from perdure.testing.scripted import texts


class Timers:
    """Callbacks that run when the test says so."""

    def __init__(self) -> None:
        self.waiting: list[tuple[float, Callable[[], None]]] = []

    def __call__(self, seconds: float, callback: Callable[[], None]) -> None:
        self.waiting.append((seconds, callback))

    def fire(self) -> list[float]:
        due, self.waiting = self.waiting, []
        for _, callback in due:
            callback()
        return [seconds for seconds, _ in due]


CHAT = ChatId(uuid4())
KEY = EpisodeKey(CHAT, 3, 1)


def test_parts_are_numbered_from_one_without_a_gap() -> None:
    episode = Episodes(Timers()).open(KEY)
    episode.add(Role.ASSISTANT, texts("a", "b"))
    episode.add(Role.TOOL, texts("c"))
    assert episode.seq == 3
    assert episode.parts_since(1) == [Piece(Role.ASSISTANT, TextDelta(0, "b")), Piece(Role.TOOL, TextDelta(0, "c"))]


def test_the_first_part_of_an_answer_wakes_at_once_and_the_rest_together() -> None:
    timers, heard = Timers(), list[int]()
    episodes = Episodes(timers)
    episodes.follow(CHAT, lambda episode: heard.append(episode.seq))
    episode = episodes.open(KEY)
    for piece in ("a", "b", "c", "d"):
        episode.add(Role.ASSISTANT, texts(piece))
    assert heard == [0, 1]
    assert timers.fire() == [COALESCE.total_seconds()]
    assert heard == [0, 1, 4]
    timers.fire()
    assert (heard, timers.waiting) == ([0, 1, 4], [])
    episode.add(Role.ASSISTANT, texts("e"))
    assert heard == [0, 1, 4]
    timers.fire()
    assert heard == [0, 1, 4, 5]


def test_nobody_waits_longer_for_a_part_than_a_person_would_notice() -> None:
    assert COALESCE.total_seconds() <= 0.015


def test_parts_that_come_from_another_log_wait_only_once() -> None:
    timers, heard = Timers(), list[int]()
    episodes = Episodes(timers)
    episodes.follow(CHAT, lambda episode: heard.append(episode.seq))
    copy = episodes.open(KEY)
    pieces = [Piece(Role.ASSISTANT, delta) for delta in texts("a", "b", "c")]
    copy.add_after(0, pieces[:1])
    copy.add_after(1, pieces[1:2])
    assert heard == [0, 1]
    timers.fire()
    timers.fire()
    assert (heard, timers.waiting) == ([0, 1, 2], [])
    copy.add_after(2, pieces[2:])
    assert heard == [0, 1, 2, 3]


def test_episodes_that_grow_at_the_same_time_share_one_timer() -> None:
    timers, heard = Timers(), list[tuple[ChatId, int]]()
    episodes, other = Episodes(timers), ChatId(uuid4())
    for chat_id in (CHAT, other):
        episodes.follow(chat_id, lambda episode: heard.append((episode.key.chat_id, episode.seq)))
        episode = episodes.open(EpisodeKey(chat_id, 3, 1))
        for piece in ("a", "b"):
            episode.add(Role.ASSISTANT, texts(piece))
    assert timers.fire() == [COALESCE.total_seconds()]
    assert heard == [(CHAT, 0), (CHAT, 1), (other, 0), (other, 1), (CHAT, 2), (other, 2)]


def test_a_follower_hears_of_episodes_that_open_later_until_it_stops() -> None:
    heard = list[EpisodeKey]()
    episodes = Episodes(Timers())
    stop = episodes.follow(CHAT, lambda episode: heard.append(episode.key))
    episodes.open(KEY)
    second = EpisodeKey(CHAT, 3, 2)
    episodes.open(second)
    stop()
    episodes.open(EpisodeKey(CHAT, 3, 3))
    assert heard == [KEY, second]


def test_a_closed_episode_is_found_for_a_while() -> None:
    timers = Timers()
    episodes = Episodes(timers)
    episode = episodes.open(KEY)
    episodes.close(KEY)
    assert (episodes.of(CHAT), episode.closed) == (episode, True)
    assert timers.fire() == [CLOSED_EPISODE_KEPT.total_seconds()]
    assert episodes.of(CHAT) is None


def test_closing_an_episode_that_was_replaced_does_nothing() -> None:
    timers = Timers()
    episodes = Episodes(timers)
    episodes.open(KEY)
    newer = episodes.open(EpisodeKey(CHAT, 3, 2))
    episodes.close(KEY)
    timers.fire()
    assert (episodes.of(CHAT), newer.closed) == (newer, False)


def test_a_copy_takes_each_part_once_and_says_when_some_are_missing() -> None:
    copy = Episode(KEY, timer=SharedTimer(Timers()))
    pieces = [Piece(Role.ASSISTANT, delta) for delta in texts("a", "b", "c", "d")]
    assert copy.add_after(0, pieces[:2])
    assert copy.add_after(1, pieces[1:3])
    assert not copy.add_after(4, pieces)
    assert copy.add_after(0, pieces[:1])
    assert copy.parts_since(0) == pieces[:3]
