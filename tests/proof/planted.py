"""A program for tests: a chaos replica with one promise broken on purpose."""

import asyncio
import sys
from collections.abc import Callable
from typing import Any

from msgspec import structs

from perdure.cli import chaos_replica
from perdure.core.chat import Chat
from perdure.core.commit import Commit
from perdure.core.fence import Fence
from perdure.core.timing import SystemClock
from perdure.live.segments import Segments
from perdure.machine.machine import Machine
from perdure.store.journal import Journal
from perdure.store.pool import RenewingPool
from perdure.worker.lease import Lease
from perdure.worker.owned_chat import OwnedChat
from perdure.worker.runner import Runner


def plant(kind: type, name: str, broken: object) -> None:
    setattr(kind, name, broken)


async def nothing(*_: object, **__: object) -> None:
    return


async def yes(*_: object, **__: object) -> bool:
    return True


def skip_the_fence() -> None:
    """A runner commits whatever it believed, also after another took its chat."""

    def holds(*_: object) -> bool:
        return True

    def saw(*_: object) -> None:
        return

    plant(Fence, "holds", holds)
    plant(Lease, "held", nothing)
    plant(Runner, "saw", saw)
    plant(OwnedChat, "ours", property(holds))


def publish_before_commit() -> None:
    """Everybody hears of a change, and then it is written."""
    written: Any = getattr(Machine, "_written")  # noqa: B009

    async def eager(self: Any, committer: Any, plan: Any) -> Commit:
        if not plan.empty and plan.base is not None:
            chat = structs.replace(plan.chat, updated_at=SystemClock().now())
            self._announce(structs.replace(plan, chat=chat))
            await asyncio.sleep(0.01)
        return await written(self, committer, plan)

    plant(Machine, "_written", eager)


def drop_a_segment() -> None:
    """Every second round of parts is taken for stored and is not."""
    write: Any = getattr(Segments, "_write")  # noqa: B009
    rounds = [0]

    async def forgetful(self: Any, episodes: Any, over: Any) -> None:
        rounds[0] += 1
        if rounds[0] % 2:
            self._stored.update({episode.key: episode.seq for episode in episodes})
        await write(self, episodes, over)

    plant(Segments, "_write", forgetful)


def forget_the_journal() -> None:
    """Calls run, and nobody writes down that they did."""

    async def empty(*_: object) -> tuple[Any, ...]:
        return ()

    for name in ("start", "adopt", "finish"):
        plant(Journal, name, yes)
    plant(Journal, "load", empty)


def reuse_an_attempt() -> None:
    """A runner that takes a chat over goes on under the attempt of the one before."""
    begin: Any = OwnedChat.begin_attempt

    async def again(self: Any, *args: Any, **options: Any) -> None:
        if self.chat.generation_attempt:
            self._recorded = self._attempt
        await begin(self, *args, **options)

    plant(OwnedChat, "begin_attempt", again)


def keep_a_demoted_server() -> None:
    """The pool keeps its connections when their server takes no writes any more."""

    def keep(*_: object, **__: object) -> None:
        return

    plant(RenewingPool, "renew", keep)


def fence_at_the_end() -> None:
    """A runner that waits for its own commit takes a newer row for its own work, and its fence is made of that row."""

    def saw(self: Any, chat: Chat) -> None:
        owned, before = self._owned, self._owned.chat
        if chat.snapshot_version <= before.snapshot_version:
            return
        owned._chat = owned._newest = chat
        moved = (chat.status, chat.history_version) != (before.status, before.history_version)
        if (moved or not owned.ours) and not owned._committing and self._work is not None:
            self._work.cut_short()

    plant(Runner, "saw", saw)


BUGS: dict[str, Callable[[], None]] = {
    bug.__name__: bug
    for bug in (
        skip_the_fence,
        publish_before_commit,
        drop_a_segment,
        forget_the_journal,
        reuse_an_attempt,
        keep_a_demoted_server,
        fence_at_the_end,
    )
}

if __name__ == "__main__":
    BUGS[sys.argv.pop(1)]()
    chaos_replica.main()
