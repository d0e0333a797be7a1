"""A chat's agents: chats that work for it, started, addressed and stopped only while it is driven as believed."""

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from uuid import NAMESPACE_URL, UUID, uuid5

import msgspec
from msgspec import structs

from perdure.config.config import Config
from perdure.config.mcp import selected
from perdure.config.settings import SubagentModels
from perdure.core.card import ChatSettings, ChatSource, NewCard
from perdure.core.chat import Busy, Chat, State
from perdure.core.commit import Commit, Guard, IdempotencyKey
from perdure.core.errors import ChatNotFound, HookDenied, KeyTaken, Refused, TransitionNotAllowed
from perdure.core.ids import ChatId, ModelName
from perdure.core.message import AnyPart, Effort, NewMessage, Role, Text, Visibility
from perdure.core.text import storable
from perdure.machine.machine import Machine, Request
from perdure.machine.transitions import Create, Interrupt, SendMessage, Transition
from perdure.observe.measures.work import AgentMeasures
from perdure.store import family
from perdure.store.family import Agent, Parent
from perdure.store.pool import Pool
from perdure.tools.call import CallContext, Mode, ToolFailed
from perdure.tools.hooks.hooks import Hooks, submitted
from perdure.tools.hooks.messages import Subject

_log = logging.getLogger(__name__)
TITLE_WORDS, TITLE_LENGTH = 6, 80
ONLY_EXPLORE = "While the chat plans, only agents of type explore can be {}."
_STOPPABLE = frozenset({State.R0, State.R1, State.A0, State.A1})


class AgentType(StrEnum):
    GENERAL = "general"
    EXPLORE = "explore"


class Family:
    """Starts agents, speaks to them and stops them."""

    def __init__(self, pool: Pool, machine: Machine, config: Config, hooks: Hooks, measures: AgentMeasures) -> None:
        self._pool = pool
        self._machine = machine
        self._config = config
        self._hooks = hooks
        self._measures = measures

    async def spawn(
        self,
        ctx: CallContext,
        kind: AgentType,
        prompt: str,
        *,
        title: str | None,
        model: str | None,
        effort: Effort | None,
    ) -> ChatId:
        """Start an agent, or find the one that this very call has started before."""
        child = ChatId(uuid5(NAMESPACE_URL, f"agent:{ctx.key}"))
        above = await family.parent(self._pool, ctx.key.chat_id)
        if await family.parent_of(self._pool, child) == ctx.key.chat_id:
            return child
        await self._check_limits(ctx, above)
        if ctx.mode is Mode.PLAN and kind is not AgentType.EXPLORE:
            raise ToolFailed(ONLY_EXPLORE.format("started"))
        chosen = await self._model(ctx, kind, model) or ctx.model_context.model or above.model
        message = NewMessage(
            role=Role.USER,
            parts=await self._submitted(ctx, child, prompt),
            created_by=ctx.asker,
            model=chosen,
            effort=effort or above.effort,
        )
        create = Create((*_system(above), message))
        inherited = replace(above, settings=await self._settings(ctx, kind, above))
        card = _card(ctx, inherited, kind, storable(title or prompt), chosen, effort or above.effort)
        try:
            await self._machine.create(child, card, [create], self._request(ctx))
            self._measures.started(kind.value)
        except TransitionNotAllowed:
            _log.debug("agent %s is there already", child)
        return child

    async def _settings(self, ctx: CallContext, kind: AgentType, above: Parent) -> str:
        """One that explores keeps the MCP servers of this moment, also those that nobody chose by name."""
        settings = msgspec.json.decode(above.settings, type=ChatSettings)
        if kind is not AgentType.EXPLORE or settings.mcp_servers is not None:
            return above.settings
        servers = selected((await self._config.of(ctx.organisation_id)).mcp_servers, None)
        kept = structs.replace(settings, mcp_servers=tuple(server.slug for server in servers))
        return msgspec.json.encode(kept).decode()

    async def _submitted(self, ctx: CallContext, child: ChatId, prompt: str) -> tuple[AnyPart, ...]:
        """The prompt as hooks leave it."""
        subject = Subject(organisation_id=ctx.organisation_id, owner_id=ctx.asker, chat_id=child)
        try:
            return await submitted(self._hooks, subject, (Text(storable(prompt)),), begins="spawn")
        except HookDenied as error:
            raise ToolFailed(f"A hook denied the prompt: {error}") from error

    async def _check_limits(self, ctx: CallContext, above: Parent) -> None:
        limits = (await self._config.settings(ctx.organisation_id)).subagents
        if above.depth >= limits.depth:
            raise ToolFailed("You cannot start agents here. Do the work yourself.")
        if above.working >= limits.working:
            raise ToolFailed(f"{above.working} agents work already, which is the limit. Wait for one with wait_agent.")

    async def _model(self, ctx: CallContext, kind: AgentType, asked: str | None) -> ModelName | None:
        """The model that was asked for, or the first override that can be used."""
        if asked is not None:
            return await self._usable(ctx, asked) or _refuse_model(asked)
        personal = (await self._config.personal(ctx.asker)).settings.subagents
        deployment = (await self._config.settings(ctx.organisation_id)).subagents
        for override in (_override(personal, kind), _override(deployment, kind)):
            if override is not None and (found := await self._usable(ctx, override)) is not None:
                return found
            if override is not None:
                _log.warning("the model %s set for agents cannot be used", override)
        return None

    async def _usable(self, ctx: CallContext, name: str) -> ModelName | None:
        found = await self._config.model(ctx.organisation_id, ModelName(name))
        return None if found is None else found.name

    async def message(self, ctx: CallContext, agent: Agent, text: str) -> Chat:
        """Say something to an agent: it starts on it, or reads it before its next step."""
        if ctx.mode is Mode.PLAN and agent.type != AgentType.EXPLORE:
            raise ToolFailed(ONLY_EXPLORE.format("told something"))
        said = NewMessage(role=Role.USER, parts=(Text(storable(text)),), created_by=ctx.asker)
        return await self._once(ctx, agent, SendMessage(said, Busy.STEER))

    async def planning(self, chat_id: ChatId) -> bool:
        """Whether a chat only plans now: it, or one of those that it works for."""
        return await family.planning(self._pool, chat_id)

    async def interrupt(self, ctx: CallContext, agent: Agent) -> bool:
        """Stop an agent and its own agents. Whether there was anything to stop."""
        if agent.at_rest:
            return False
        try:
            await self._once(ctx, agent, Interrupt())
        except TransitionNotAllowed:
            return False
        return True

    async def _once(self, ctx: CallContext, agent: Agent, transition: Transition) -> Chat:
        """Follow an arrow in an agent's chat, unless this very call has done so before."""
        try:
            committed = await self._machine.change(agent.id, transition, request=self._request(ctx, once=True))
        except KeyTaken:
            return await self._machine.load(agent.id)
        return committed.chat

    def _request(self, ctx: CallContext, *, once: bool = False) -> Request:
        guard = None if ctx.fence is None else Guard(ctx.key.chat_id, ctx.fence)
        return Request(guard=guard, key=(lambda plan: _key(ctx, plan)) if once else None)

    async def all(self, chat_id: ChatId) -> list[Agent]:
        """Every agent below a chat, nearest first."""
        return await family.agents(self._pool, chat_id)

    async def named(self, chat_id: ChatId, ids: Sequence[str]) -> list[Agent]:
        """These agents, in this order. One that is not below the chat is refused by name."""
        known = {agent.id: agent for agent in await family.agents(self._pool, chat_id, _uuids(ids))}
        found = [known.get(chat_id) for chat_id in _uuids(ids)]
        missing = [name for name, agent in zip(dict.fromkeys(ids), found, strict=True) if agent is None]
        if missing:
            raise ToolFailed(f"You have no agent {missing[0]!r}. list_agents names those that you have.")
        return [agent for agent in found if agent is not None]

    async def stop_all(self, chat_id: ChatId) -> int:
        """Stop whatever works below a chat. How many were told to."""
        stopped = 0
        for agent in await self.all(chat_id):
            if not agent.at_rest:
                stopped += await self._stop(agent.id)
        return stopped

    async def _stop(self, chat_id: ChatId) -> bool:
        def bundle(chat: Chat) -> Sequence[Transition]:
            return (Interrupt(),) if chat.state in _STOPPABLE else ()

        try:
            committed = await self._machine.change_by(chat_id, bundle)
        except (Refused, ChatNotFound):
            return False
        return not committed.empty


def _refuse_model(name: str) -> ModelName:
    raise ToolFailed(f"There is no model {name!r} to use. list_subagent_models names those that there are.")


def _override(models: SubagentModels, kind: AgentType) -> ModelName | None:
    return models.explore_model if kind is AgentType.EXPLORE else models.general_model


def _system(above: Parent) -> list[NewMessage]:
    return [NewMessage(role=Role.SYSTEM, parts=parts, visibility=Visibility.MODEL) for parts in above.system]


def _card(
    ctx: CallContext, above: Parent, kind: AgentType, title: str, model: ModelName | None, effort: Effort | None
) -> NewCard:
    return NewCard(
        organisation_id=ctx.organisation_id,
        owner_id=ctx.owner_id,
        title=" ".join(title.split()[:TITLE_WORDS])[:TITLE_LENGTH] or "Agent",
        title_source="named",
        parent_id=ctx.key.chat_id,
        root_id=above.root_id or ctx.key.chat_id,
        agent_type=kind.value,
        source=ChatSource.AGENT,
        model=model,
        effort=effort,
        workspace_id=above.workspace_id,
        client_tool_deadline=above.client_tool_deadline,
        settings=above.settings,
    )


def _key(ctx: CallContext, plan: Commit) -> IdempotencyKey:
    """The call's own name, kept with the change: a call that is run again after a crash changes nothing."""
    answer = msgspec.json.encode({"chat_id": plan.chat.id}).decode()
    digest = hashlib.sha256(answer.encode()).digest()
    return IdempotencyKey(caller=ctx.owner_id, route="agents", key=str(ctx.key), request_hash=digest, answer=answer)


def _uuids(ids: Sequence[str]) -> list[ChatId]:
    """The ids without repeats. What is no id at all names nothing."""
    return [_uuid(name) for name in dict.fromkeys(ids)]


def _uuid(name: str) -> ChatId:
    try:
        return ChatId(UUID(name))
    except ValueError:
        return ChatId(UUID(int=0))
