"""The schedules of whoever asked for a turn, as their agent may see and change them."""

from uuid import NAMESPACE_URL, uuid5

from perdure.access.actor import PERMISSIONS, Actor, ActorRows, Permission, Role
from perdure.config.schedules import ScheduleOptions, Schedules, read_options
from perdure.core.errors import InvalidInput, NotAllowed
from perdure.core.ids import ScheduleId
from perdure.core.timing import Clock
from perdure.store.pool import Pool
from perdure.store.scopes import OrganisationScope
from perdure.store.tables import users
from perdure.store.tables.schedules import ScheduleRow
from perdure.tools.call import CallContext, ToolFailed

NOTHING = "There are no schedules."


class OwnSchedules:
    """What agents let begin by itself."""

    def __init__(self, pool: Pool, clock: Clock) -> None:
        self._pool = pool
        self._clock = clock

    async def add(self, ctx: CallContext, name: str, rule: str, prompt: str, zone: str, *, here: bool) -> str:
        if here and ctx.asker != ctx.owner_id:
            raise ToolFailed("Only the owner of this chat can have something said in it later. Use a new chat.")
        options = ScheduleOptions(
            name=name.strip(),
            rule=rule,
            zone=zone,
            prompt=prompt,
            chat_id=ctx.key.chat_id if here else None,
            model=None if here else ctx.model_context.model,
        )
        try:
            # Whoever runs the call again names the same schedule.
            row = await (await self._of(ctx)).add(options, ScheduleId(uuid5(NAMESPACE_URL, f"{ctx.key}/schedule")))
        except InvalidInput as error:
            wrong = "; ".join(f"{each.field} {each.detail}" for each in error.validations)
            raise ToolFailed(f"{error} {wrong}".strip()) from error
        return f"Scheduled: {_line(row)}"

    async def listed(self, ctx: CallContext) -> str:
        return "\n".join(_line(row) for row in await (await self._of(ctx)).all()) or NOTHING

    async def remove(self, ctx: CallContext, schedule: str) -> str:
        schedules = await self._of(ctx)
        found = [row for row in await schedules.all() if str(row.id).startswith(schedule.strip().lower())]
        if len(found) != 1:
            raise ToolFailed(f"{len(found) or 'No'} schedules have an id that begins so: list_schedules shows them.")
        await schedules.delete(found[0].id)
        return f"Removed: {_line(found[0])}"

    async def _of(self, ctx: CallContext) -> Schedules:
        person = await users.one(OrganisationScope(self._pool, ctx.organisation_id), ctx.asker)
        if person is None or person.disabled:
            raise ToolFailed("Whoever asked was removed.")
        role = Role(person.role)
        actor = Actor(
            user_id=person.id,
            organisation_id=ctx.organisation_id,
            role=role,
            name=person.name,
            permissions=PERMISSIONS[role],
        )
        try:
            actor.require(Permission.CHAT)
        except NotAllowed as error:
            raise ToolFailed(str(error)) from error
        return Schedules(ActorRows(actor, self._pool), self._clock.now())


def _line(row: ScheduleRow) -> str:
    options = read_options(row.options)
    where = "in one chat" if options.chat_id else "in a new chat each time"
    if row.paused_at:
        stands = f"paused {row.pause_reason}".strip()
    else:
        stands = f"next {row.next_at:%Y-%m-%d %H:%M} UTC" if row.next_at else "over"
    return f"{row.id} {options.name}: {' '.join(options.rule.split())} ({options.zone}), {where}, {stands}"
