"""Telling whoever gave a task how it goes, of what the outbox holds for it."""

from collections.abc import Callable

from perdure.access.chats import Chats
from perdure.core.errors import PerdureError
from perdure.core.ids import OrganisationId, UserId
from perdure.faces.a2a.push import headers_of
from perdure.faces.a2a.task import GivenTask
from perdure.faces.asked import TurnId, own_tools
from perdure.faces.following import DECIDED, TurnFeed
from perdure.store.pool import Pool
from perdure.store.tables import task_pushes
from perdure.store.tables.webhooks import TakenEvent
from perdure.stream.hubs import Hubs
from perdure.worker.webhooks import Http

BEGUN = "task.begun"
"""What is looked at a while after a push was asked for: whatever the task did until every replica knew of it."""
_NOTHING = 204


class Pushing:
    """Delivers what the outbox holds for tasks: the task as it is then, read in the name of whoever gave it."""

    def __init__(self, pool: Pool, hubs: Hubs, reading: Callable[[UserId, OrganisationId, str], Chats]) -> None:
        self._pool = pool
        self._hubs = hubs
        self._reading = reading

    async def send(self, event: TakenEvent, credential: str, http: Http) -> tuple[int | None, str]:
        place = await task_pushes.place(self._pool, event.webhook_id)
        if place is None:
            return _NOTHING, "Nobody is to be told any more."
        turn = TurnId(place.chat_id, place.turn)
        chats = self._reading(place.owner_id, place.organisation_id, place.role)
        try:
            task = await self._task(chats, turn)
        except PerdureError as error:
            await task_pushes.over(self._pool, event.webhook_id)
            return _NOTHING, str(error)
        if task.at_work and event.event == BEGUN:
            return None, "The task is at work."
        if task.at_work and not task.has_said:
            return _NOTHING, ""
        answer = await http("POST", event.url, headers_of(credential), {"task": task.object})
        if 200 <= answer.status < 300 and task.over:
            await task_pushes.over(self._pool, event.webhook_id)
        detail = "" if answer.status < 300 else f"It answered with HTTP {answer.status}."
        return answer.status, detail

    async def _task(self, chats: Chats, turn: TurnId) -> GivenTask:
        names = own_tools(await chats.read(turn.chat_id))
        feed = TurnFeed(chats, self._hubs, turn.chat_id, turn.number, names).pausing(DECIDED)
        task = GivenTask(turn)
        task.take(await feed.now())
        return task
