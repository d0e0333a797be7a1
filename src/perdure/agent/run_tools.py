"""Running a batch of calls: concurrently, each journaled by its effect, every outcome a result the model can read."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from posixpath import normpath
from typing import Any, Protocol

from perdure.agent.attempt_output import AttemptOutput
from perdure.agent.decision import Policy
from perdure.agent.journaling import Begun, Journaling, OnceCalls
from perdure.agent.notices import unheard
from perdure.agent.results import answered, result_of
from perdure.agent.toolset import Toolset, mode_of
from perdure.core.action import OpenCall, Question
from perdure.core.card import Card
from perdure.core.chat import Chat
from perdure.core.errors import (
    Fenced,
    HookDispatchFailed,
    PerdureError,
    ProviderFailure,
    RunLost,
    Unavailable,
    WorkspaceUnreachable,
)
from perdure.core.fence import Fence
from perdure.core.ids import ChatId, FileId
from perdure.core.message import NewMessage, ToolCall
from perdure.core.timing import TOOL_CAP_EXTRA, WORKSPACE_REACH, Clock
from perdure.observe.measures.work import MCP, UNKNOWN
from perdure.observe.tool_watch import ToolWatch
from perdure.store.journal import CallRun, Entry, Journal
from perdure.tools.arguments import parsed
from perdure.tools.builtin import ending
from perdure.tools.call import ACTING, CallKey, InputNeeded, Mode, ModelContext, NewFile, ToolFailed, ToolOutput, within
from perdure.tools.services import ToolServices
from perdure.tools.tool import Effect, Tool, ToolContext

CONCURRENT_CALLS = 8
PLACES = 10_000
DOUBTFUL = "What was asked for may or may not have been done: look before you repeat it."
OUT_OF_REACH = "The workspace does not answer. Go on without it, or report that it does not answer."
PLANS_NOW = "Nothing was done: the chat only plans since a moment ago, and nothing may be changed any more."
DENIED = "This tool may not be used here. Go on without it, or ask the user."

_log = logging.getLogger(__name__)


Ended = ToolOutput | HookDispatchFailed | InputNeeded | None
"""What a call came to; None where its workspace is gone."""


class FileStore(Protocol):
    """Where files that tools hand over are kept until their result is committed."""

    async def keep(self, card: Card, files: Sequence[NewFile]) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The calls to run now, and all that is known about them."""

    chat: Chat
    card: Card
    fence: Fence
    toolset: Toolset
    calls: Sequence[tuple[OpenCall, ToolCall]]
    output: AttemptOutput
    budget: int
    entries: Mapping[int, Entry] = field(default_factory=dict[int, Entry])
    policies: Mapping[str, Policy] = field(default_factory=dict[str, Policy])
    interrupted: Callable[[], bool] = lambda: False
    model_context: ModelContext = field(default_factory=ModelContext)
    once_calls: OnceCalls = field(default_factory=OnceCalls)
    planning: bool = False
    """Whether the chat only plans by now, although it was prepared for more."""

    def acts(self, call: ToolCall) -> bool:
        """Whether a call may change something, here or at the client's."""
        tool = self.toolset.ours.get(call.tool)
        return call.tool in self.toolset.clients if tool is None else tool.effect is not Effect.READS


@dataclass(frozen=True, slots=True)
class Results:
    """What a batch came to, in call order."""

    messages: tuple[NewMessage, ...]
    files: tuple[FileId, ...] = ()
    lost: frozenset[int] = frozenset()
    """Calls whose workspace is gone: nobody knows whether they ran, and the journal says so."""
    questions: tuple[Question, ...] = ()
    """What calls ask that go on with the answer."""
    word: str = ""
    """What people are told besides."""
    outdated: bool = False
    """Whether the chat may use other tools by now than it was prepared for."""


@dataclass(frozen=True, slots=True)
class LeftRunning:
    """A run that nobody here waits for any more."""

    run: CallRun
    name: str
    tool: Tool | None = None
    """What was called, where the chat still has it."""
    handle: str | None = None


@dataclass(frozen=True, slots=True)
class _Called:
    """A call that may run."""

    call: ToolCall
    tool: Tool
    arguments: Mapping[str, Any]
    release: Callable[[], None] = lambda: None
    """Nobody needs to wait for it any more: it can be taken over."""


class ToolRunner:
    """Runs calls for every chat of a replica."""

    def __init__(
        self,
        journal: Journal,
        store: FileStore,
        clock: Clock,
        services: ToolServices,
        reached: Callable[[str], None] = lambda _: None,
        watch: ToolWatch | None = None,
    ) -> None:
        self.journaling = Journaling(journal, clock)
        self._watch = watch or ToolWatch(clock)
        self._reached = reached
        self._store = store
        self._clock = clock
        self._services = services
        self._places: dict[tuple[ChatId, Mode], str] = {}
        """Which incarnation of its workspace a chat was in last, so that the journal can be told before a call."""

    async def run(self, batch: Batch) -> Results:
        """All calls of the batch. Each result is kept and shown as soon as it exists."""
        batch = await self._bound(batch)
        slots = asyncio.Semaphore(CONCURRENT_CALLS)
        lanes: dict[str, asyncio.Task[Ended]] = {}
        tasks: list[asyncio.Task[Ended]] = []
        try:
            async with asyncio.TaskGroup() as group:
                for open_call, call in batch.calls:
                    before = [lanes[lane] for lane in _lanes(batch.toolset, call) if lane in lanes]
                    task = group.create_task(self._one(batch, open_call, call, slots, before))
                    lanes.update(dict.fromkeys(_lanes(batch.toolset, call), task))
                    tasks.append(task)
        except BaseExceptionGroup as several:
            raise several.exceptions[0] from None
        if silent := next((r for task in tasks if isinstance(r := task.result(), HookDispatchFailed)), None):
            raise ProviderFailure(unheard(silent)) from silent
        pairs = [(*calls, task.result()) for calls, task in zip(batch.calls, tasks, strict=True)]
        made = [(opened, call, output) for opened, call, output in pairs if isinstance(output, ToolOutput)]
        return Results(
            tuple(
                answered(call, output, self._clock, decided_by=open_call.cleared_by) for open_call, call, output in made
            ),
            tuple(file.id for *_, output in made for file in output.files),
            frozenset(open_call.index for open_call, _, output in pairs if output is None),
            tuple(
                Question(open_call.index, asked.key, asked.message, asked.schema, asked.url)
                for open_call, _, output in pairs
                if isinstance(output, InputNeeded)
                for asked in output.questions
            ),
            self._services.chat_files.unsaid(batch.card.root_id or batch.card.id),
            outdated=batch.planning,
        )

    async def _bound(self, batch: Batch) -> Batch:
        """The batch, bound by what the chat may do now: planning begins at once, and not with the next turn."""
        acting = batch.toolset.mode in ACTING and any(batch.acts(call) for _, call in batch.calls)
        planning = acting and await self._services.family.planning(batch.chat.id)
        return replace(batch, planning=True) if planning else batch

    async def _one(
        self,
        batch: Batch,
        open_call: OpenCall,
        call: ToolCall,
        slots: asyncio.Semaphore,
        before: Sequence["asyncio.Task[Ended]"],
    ) -> Ended:
        if before:
            await asyncio.wait(before)
        async with slots:
            await batch.once_calls.still_open()
            with self._watch.call(_label(batch.toolset, call), call.call_id) as seen:
                try:
                    output = _bounded(await self._output(batch, open_call, call), batch.budget)
                except RunLost:
                    return None
                except (HookDispatchFailed, InputNeeded) as error:
                    # The others of the batch come to their end first.
                    return error
                seen.gave(output.text, is_error=output.is_error)
        shown = result_of(call, output, self._clock, decided_by=open_call.cleared_by)
        batch.output.result(open_call.index, shown)
        self._reached("tools.shown")
        return output

    async def ends(self, chat_id: ChatId) -> None:
        """A chat's turn is about to end: what changes in its workspace from now on is not its own."""
        await self._services.chat_files.ends(chat_id)

    def rests(self, chat_id: ChatId) -> None:
        """A chat's turn is over: what changes in its workspace from now on is not its own."""
        self._services.chat_files.rests(chat_id)

    async def end(self, card: Card, runs: Iterable[LeftRunning]) -> None:
        """End what calls still have running. What cannot be reached is left, and logged."""
        for left in runs:
            run, end = left.run, ending(left.name) or (left.tool and left.tool.end)
            if end is None:
                continue
            context = ToolContext(
                key=CallKey(run.chat_id, run.message, run.index, run.run),
                owner_id=card.owner_id,
                asked_by=card.asked_by,
                organisation_id=card.organisation_id,
                home=card.root_id or card.id,
                mode=mode_of(card),
                handle=left.handle,
                services=self._services,
            )
            try:
                async with asyncio.timeout(WORKSPACE_REACH.total_seconds()):
                    await end(context)
            except (PerdureError, TimeoutError) as error:
                _log.warning("a call of chat %s may still run: %s", card.id, error)

    async def _output(self, batch: Batch, open_call: OpenCall, call: ToolCall) -> ToolOutput:
        entry = batch.entries.get(open_call.index)
        if entry is not None and entry.run == open_call.run and entry.state == "finished":
            return ToolOutput(entry.result or "", entry.is_error)
        try:
            tool = self._tool(batch, call, begun=entry is not None and entry.run == open_call.run)
            arguments = parsed(call.args, tool.schema)
        except ToolFailed as failure:
            return ToolOutput(str(failure), is_error=True)
        self._reached("tools.parsed")
        if tool.effect is Effect.ONCE:
            with batch.once_calls.running() as release:
                return await self._executed(batch, open_call, _Called(call, tool, arguments, release))
        return await self._executed(batch, open_call, _Called(call, tool, arguments))

    async def _executed(self, batch: Batch, open_call: OpenCall, called: "_Called") -> ToolOutput:
        """Run the call between its two lines in the journal."""
        tool, arguments = called.tool, called.arguments
        entry = batch.entries.get(open_call.index)
        run = CallRun(batch.chat.id, batch.chat.last_assistant, open_call.index, open_call.run)
        context = self._context(batch, open_call, called.call)
        journaled = tool.effect is not Effect.READS or (entry is not None and entry.run == open_call.run)
        if not journaled:
            context = replace(context, handed=partial(self._handed_first, batch.fence, run, tool))
        else:
            place = self._places.get((context.home, context.mode))
            begun = await self.journaling.begin(run, batch.fence, tool, entry=entry, incarnation=place)
            context = replace(
                context,
                entered=partial(self._entered, batch.fence, context, begun),
                handle=entry.handle if entry is not None and begun.adopted else None,
                answers=open_call.answers,
                handed=partial(self._handed, batch.fence, begun, called.release),
            )
            self._reached("tools.started")
            if tool.mcp_server_id is not None and context.mode in ACTING:
                # It may run in the workspace, or reach it: nobody can tell.
                await self._services.chat_files.before_foreign(batch.chat.id, batch.model_context.turn, context.home)
        try:
            output = _bounded(await self._attempted(tool, context, arguments), batch.budget)
        except RunLost:
            await self.journaling.lose(run, batch.fence)
            raise
        self._reached("tools.ran")
        await self._store.keep(batch.card, output.files)
        self._reached("tools.files_kept")
        if journaled:
            await self.journaling.end(run, batch.fence, tool, output)
            self._reached("tools.journaled")
        return output

    async def _handed(self, fence: Fence, begun: Begun, release: Callable[[], None], handle: str) -> None:
        await self.journaling.hand(begun.run, fence, handle)
        self._reached("tools.handed")
        release()

    async def _handed_first(self, fence: Fence, run: CallRun, tool: Tool, handle: str) -> None:
        """A call that may be repeated goes on elsewhere: from now on the journal knows it."""
        await self.journaling.begin(run, fence, replace(tool, effect=Effect.KEYED), entry=None, incarnation=None)
        await self.journaling.hand(run, fence, handle)
        self._reached("tools.handed")

    async def _entered(self, fence: Fence, context: ToolContext, begun: Begun, incarnation: str) -> bool:
        """The call reached its workspace. Whether it began in one that is gone."""
        self._places[context.home, context.mode] = incarnation
        if len(self._places) > PLACES:
            del self._places[next(iter(self._places))]
        return await self.journaling.enter(begun, fence, incarnation)

    def _tool(self, batch: Batch, call: ToolCall, *, begun: bool) -> Tool:
        if batch.planning and batch.acts(call) and not begun:
            raise ToolFailed(PLANS_NOW)
        tool = batch.toolset.ours.get(call.tool)
        if tool is None:
            raise ToolFailed(batch.toolset.why_missing(call.tool))
        if batch.policies.get(call.tool) is Policy.DENY:
            raise ToolFailed(DENIED)
        return tool

    def _context(self, batch: Batch, open_call: OpenCall, call: ToolCall) -> ToolContext:
        return ToolContext(
            key=CallKey(batch.chat.id, batch.chat.last_assistant, open_call.index, open_call.run),
            owner_id=batch.card.owner_id,
            asked_by=batch.card.asked_by,
            organisation_id=batch.card.organisation_id,
            home=batch.card.root_id or batch.card.id,
            mode=batch.toolset.mode,
            fence=batch.fence,
            model_context=batch.model_context,
            interrupted=batch.interrupted,
            progress=lambda text: batch.output.progress(open_call.index, call, text),
            afresh=lambda: batch.output.progress(open_call.index, call, "", afresh=True),
            services=self._services,
        )

    async def _attempted(self, tool: Tool, context: ToolContext, arguments: Mapping[str, Any]) -> ToolOutput:
        """Whatever the tool does, as a result."""
        limit = (tool.timeout + TOOL_CAP_EXTRA).total_seconds()
        try:
            async with asyncio.timeout(limit):
                return await tool.run(context, arguments)
        except ToolFailed as failure:
            return ToolOutput(str(failure), is_error=True)
        except TimeoutError:
            return ToolOutput(f"The tool gave no answer within {limit:.0f} s. Try something smaller.", is_error=True)
        except WorkspaceUnreachable as error:
            # Only a root can start a workspace; the error says how.
            advice = str(error) if context.mode is Mode.ROOT else OUT_OF_REACH
            return ToolOutput(advice if tool.effect is Effect.READS else f"{advice} {DOUBTFUL}", is_error=True)
        except (Fenced, Unavailable, HookDispatchFailed, InputNeeded):
            raise
        except PerdureError as error:
            if isinstance(error, RunLost) and tool.effect is not Effect.READS:
                raise
            return ToolOutput(str(error), is_error=True)
        except Exception:  # noqa: BLE001 - a tool is foreign code: whatever it raises is a result
            _log.exception("tool %s failed", tool.name)
            return ToolOutput("The tool failed because of an error of its own. Try another way.", is_error=True)


def _label(toolset: Toolset, call: ToolCall) -> str:
    """What a call counts as: models make names up, and MCP servers bring theirs."""
    tool = toolset.ours.get(call.tool)
    if tool is None:
        return UNKNOWN
    return tool.name if tool.mcp_server_id is None else MCP


def _bounded(output: ToolOutput, budget: int) -> ToolOutput:
    return replace(output, text=within(output.text, budget))


def _lanes(toolset: Toolset, call: ToolCall) -> list[str]:
    """What a call must not share with another at the same time."""
    tool = toolset.ours.get(call.tool)
    if tool is None:
        return []
    if tool.serial:
        return [f"tool:{tool.name}"]
    if tool.effect is Effect.READS:
        return []
    try:
        arguments = parsed(call.args, tool.schema)
    except ToolFailed:
        return []
    return [f"path:{normpath(path)}" for path in _paths(arguments)]


def _paths(arguments: Mapping[str, Any]) -> list[str]:
    match arguments:
        case {"path": str(path)}:
            return [path]
        case {"files": [*files]}:
            return [file["path"] for file in files if isinstance(file, dict) and "path" in file]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return []
