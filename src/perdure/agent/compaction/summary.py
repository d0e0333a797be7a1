"""Asking a model for a summary: of the whole old part, or of pieces that fit and then of their summaries."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from msgspec import structs

from perdure.agent.compaction.shorten import fitted
from perdure.agent.compaction.size import UNKNOWN_WINDOW, Frame
from perdure.agent.models import ResolvedModel
from perdure.core.deltas import Accumulator
from perdure.core.errors import ProviderFailure
from perdure.core.failure import ChatError, ErrorKind
from perdure.core.message import NewMessage, Role
from perdure.core.parts import AnyPart, Text
from perdure.core.timing import SUMMARY_CAP
from perdure.core.usage import Usage
from perdure.providers.client import ProviderClient
from perdure.providers.estimate import estimate
from perdure.providers.request import ModelRequest

OUTPUT_TOKENS = 8_000
INSTRUCTION = (
    "Summarise the conversation so far for yourself: you will go on from this summary alone. Keep what was asked, what "
    "was decided and why, names, paths, numbers and commands that matter, what was tried and how it ended, and what is "
    "still to do. Leave out what no longer matters. Write plain text and call no tool."
)
JOINING = "These are summaries of consecutive parts of one conversation. Join them into one summary of the same kind."


@dataclass(frozen=True, slots=True)
class Summary:
    text: str
    usage: Usage


class Summariser:
    """A model that summarises, within a bounded time and size."""

    def __init__(
        self,
        client: ProviderClient,
        model: ResolvedModel,
        frame: Frame,
        progress: Callable[[str], None],
        *,
        guidance: Sequence[str] = (),
    ) -> None:
        self._client = client
        self._model = model
        self._frame = frame
        self._progress = progress
        self._instruction = "\n\n".join((INSTRUCTION, *guidance))

    async def summarise(self, messages: Sequence[NewMessage]) -> Summary:
        """One summary, by way of pieces where the whole does not fit."""
        async with asyncio.timeout(SUMMARY_CAP.total_seconds()):
            return await self._summarise(messages)

    @property
    def room(self) -> int:
        """Tokens of conversation that fit one request."""
        window = self._model.window or UNKNOWN_WINDOW
        return max(
            1_000, window * 9 // 10 - self._output - self._frame.tokens() - estimate((_said(self._instruction),))
        )

    @property
    def _output(self) -> int:
        window = self._model.window or UNKNOWN_WINDOW
        return min(OUTPUT_TOKENS, self._model.settings.max_output_tokens, window // 4)

    async def _summarise(self, messages: Sequence[NewMessage]) -> Summary:
        pieces = _pieces(messages, self.room)
        if len(pieces) == 1:
            return await self._ask((*fitted(pieces[0], self.room), _said(self._instruction)))
        summaries = [await self._ask((*fitted(piece, self.room), _said(self._instruction))) for piece in pieces]
        joined = "\n\n".join(summary.text for summary in summaries)
        final = await self._ask((*fitted((_said(joined),), self.room), _said(JOINING)))
        return Summary(final.text, sum((summary.usage for summary in summaries), final.usage))

    async def _ask(self, messages: Sequence[NewMessage]) -> Summary:
        request = ModelRequest(
            messages=messages,
            system=self._frame.system,
            tools=self._frame.tools,
            settings=structs.replace(self._model.settings, max_output_tokens=self._output),
        )
        accumulator = Accumulator()
        async with self._client.stream(self._model.route, request) as stream:
            async for batch in stream:
                for delta in batch:
                    accumulator.add(delta)
                self._progress("")
            usage = stream.finish.usage
        text = _text(accumulator.parts())
        if not text.strip():
            raise ProviderFailure(ChatError("The summary came back empty.", ErrorKind.GENERIC))
        return Summary(text, usage or Usage())


def _pieces(messages: Sequence[NewMessage], room: int) -> list[list[NewMessage]]:
    """The messages in runs that fit, cut where a new exchange begins."""
    pieces: list[list[NewMessage]] = [[]]
    used = 0
    for message in messages:
        size = min(estimate((message,)), room)
        if pieces[-1] and used + size > room and message.role is not Role.TOOL:
            pieces.append([])
            used = 0
        pieces[-1].append(message)
        used += size
    return pieces


def _said(text: str) -> NewMessage:
    return NewMessage(role=Role.USER, parts=(Text(text),))


def _text(parts: Sequence[AnyPart]) -> str:
    return "".join(part.text for part in parts if isinstance(part, Text))
