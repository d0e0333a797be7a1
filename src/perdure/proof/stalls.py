"""Connections to Postgres that stand still at a commit, while the owner of the chat stops or edits it."""

import asyncio
import re
import time
from random import Random
from urllib.parse import urlencode
from uuid import UUID

import aiohttp
import msgspec

from perdure.client import ApiError
from perdure.proof.fleet import Fleet, Member
from perdure.proof.proxy import Stall
from perdure.proof.run_log import Asked, Moved, RunLog
from perdure.proof.users import Users

SHARE = 0.7
"""How many of the commits that can be stalled are."""
UNANSWERED = 0.75
"""How many of these the server carries out first."""
VERBS = ("interrupt", "edit")
MOVING = 4.0
"""Seconds that it may take until the owner is answered and the replica has heard of it."""
HEARD = 0.3, 0.9
AFTERWARDS = 1.5
"""Seconds in which a runner that did not heed it shows that: it asks or acts as soon as its commit is answered."""

_CHANNEL = b"perdure\x00"
_NOTICE = re.compile(rb'\["chat","([0-9a-f-]{36})",(\d+)')
_NOBODY = "nobody-"


class _ModelRequest(msgspec.Struct):
    at: float
    text: str | None = None


class _ModelRequests(msgspec.Struct):
    requests: tuple[_ModelRequest, ...]


class Stalls:
    """Those of one replica, which hears by a notice what is done to the chat at another one."""

    def __init__(
        self, fleet: Fleet, member: Member, users: Users, simulator_url: str, *, log: RunLog, seed: str
    ) -> None:
        self._fleet = fleet
        self._member = member
        self._users = users
        self._simulator_url = simulator_url
        self._log = log
        self._dice = Random(f"{seed} {member.name}")
        self._noticed: dict[UUID, int] = {}
        self._moving: dict[UUID, asyncio.Task[None]] = {}

    async def run(self, seconds: float) -> None:
        """Stall connections for a while."""
        proxy = self._member.proxy
        proxy.stall, proxy.hear = self._at, self._hear
        try:
            await asyncio.sleep(seconds)
        finally:
            proxy.stall = lambda _: None
            await asyncio.gather(*self._moving.values(), return_exceptions=True)
            proxy.hear = lambda _: None

    def _at(self, request: bytes) -> Stall | None:
        """Whether the connection stalls at this request: one of a runner, for a chat that is not stalled already."""
        chat_id = next((known for known in self._users.unoccupied if known.bytes in request), None)
        others = [member for member in self._fleet.members if member is not self._member and member.answers]
        if chat_id is None or chat_id in self._moving or not others or self._dice.random() > SHARE:
            return None
        stall = Stall(before_answer=self._dice.random() < UNANSWERED)
        self._log.struck("stall", self._member.name)
        task = self._moving[chat_id] = asyncio.create_task(self._move(chat_id, stall, self._dice.choice(others)))
        task.add_done_callback(lambda _: self._moving.pop(chat_id))
        return stall

    def _hear(self, passed: bytes) -> None:
        if _CHANNEL in passed:
            for chat_id, version in _NOTICE.findall(passed):
                self._noticed[UUID(chat_id.decode())] = int(version)

    async def _move(self, chat_id: UUID, stall: Stall, other: Member) -> None:
        begun, verb = time.time(), self._dice.choice(VERBS)
        try:
            async with asyncio.timeout(MOVING):
                if other.replica is None or not await self._users.move(chat_id, verb, other.replica.url):
                    return
                accepted = time.time()
                await asyncio.sleep(self._dice.uniform(*HEARD))
                noticed = self._noticed.get(chat_id, 0)
                await self._settled(chat_id)
        except (aiohttp.ClientError, ApiError, OSError):
            return
        finally:
            released = time.time()
            stall.over.set()
        await asyncio.sleep(AFTERWARDS)
        self._log.moved.append(
            Moved(
                chat_id=chat_id,
                member=self._member.name,
                verb=verb,
                begun=begun,
                accepted=accepted,
                noticed=noticed,
                released=released,
                asked=await self._asked(chat_id, released),
            )
        )

    async def _settled(self, chat_id: UUID) -> None:
        """Whatever reached the replica and the simulator before has been read by them."""
        if self._member.replica is not None:
            await self._users.look(chat_id, self._member.replica.url)
        await self._requests(marker=_NOBODY)

    async def _asked(self, chat_id: UUID, since: float) -> tuple[Asked, ...]:
        """What the conversation's model was asked. What titles and labels are made of begins otherwise."""
        prefix = f"{self._users.name(chat_id)}-"
        found = await self._requests(marker=prefix)
        return tuple(
            Asked(each.at, each.text)
            for each in found
            if each.at > since and each.text is not None and each.text.startswith(prefix)
        )

    async def _requests(self, marker: str) -> tuple[_ModelRequest, ...]:
        url = f"{self._simulator_url}/sim/requests?{urlencode({'marker': marker})}"
        async with aiohttp.ClientSession() as http, http.get(url) as answer:
            answer.raise_for_status()
            return msgspec.json.decode(await answer.read(), type=_ModelRequests).requests
