"""Asking a model for a summary: of the whole old part, or of pieces that fit and then of their summaries."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from msgspec import structs

from perdure.agent.compaction.shorten import fitted
from perdure.agent.compaction.size import NO_FRAME, UNKNOWN_WINDOW, Frame
from perdure.agent.models import ResolvedModel
from perdure.core.deltas import Accumulator, TextDelta
from perdure.core.errors import ProviderFailure
from perdure.core.failure import ChatError, ErrorKind
from perdure.core.message import AnyPart, NewMessage, Role, Text, Usage
from perdure.core.timing import SUMMARY_CAP
from perdure.providers.client import ProviderClient
from perdure.providers.estimate import BYTES_PER_TOKEN, estimate
from perdure.providers.request import CHAIN, ModelRequest

OUTPUT_TOKENS = 8_000
# People hear of the progress once in so many letters.
TOLD_EVERY = 150
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
        beginning: ModelRequest,
        progress: Callable[[str], None],
        *,
        frame: Frame = NO_FRAME,
        guidance: Sequence[str] = (),
    ) -> None:
        self._frame = frame
        self._client = client
        self._model = model
        self._beginning = structs.replace(
            beginning,
            screen=beginning.screen if model.sees_screens else None,
            settings=structs.replace(model.settings.without(CHAIN), max_output_tokens=self._output),
        )
        self._progress = progress
        self._instruction = "\n\n".join((INSTRUCTION, *guidance))

    async def summarise(self, messages: Sequence[NewMessage]) -> Summary:
        """One summary, by way of pieces where the whole does not fit."""
        async with asyncio.timeout(SUMMARY_CAP.total_seconds()):
            return await self._summarise(messages)

    @property
    def room(self) -> int:
        """Tokens of conversation that fit one request."""
        window, beginning = self._model.window or UNKNOWN_WINDOW, self._beginning
        told = estimate((_said(self._instruction),), system=beginning.system, tools=beginning.tools)
        return max(1_000, window * 9 // 10 - self._output - told)

    @property
    def _output(self) -> int:
        window = self._model.window or UNKNOWN_WINDOW
        return min(OUTPUT_TOKENS, self._model.settings.max_output_tokens, window // 4)

    async def _summarise(self, messages: Sequence[NewMessage]) -> Summary:
        pieces = _pieces(messages, self.room, self._frame)
        if len(pieces) == 1:
            return await self._of(pieces[0])
        summaries = [await self._of(piece, f"Part {part} of {len(pieces)}: ") for part, piece in enumerate(pieces, 1)]
        joined = "\n\n".join(summary.text for summary in summaries)
        final = await self._ask((*fitted((_said(joined),), self.room).messages, _said(JOINING)), "The parts together: ")
        return Summary(final.text, sum((summary.usage for summary in summaries), final.usage))

    async def _of(self, messages: Sequence[NewMessage], what: str = "") -> Summary:
        return await self._ask((*fitted(messages, self.room, self._frame).messages, _said(self._instruction)), what)

    async def _ask(self, messages: Sequence[NewMessage], what: str) -> Summary:
        request = structs.replace(self._beginning, messages=messages)
        accumulator, written, told = Accumulator(), 0, 0
        async with self._client.stream(self._model.route, request) as stream:
            async for batch in stream:
                for delta in batch:
                    accumulator.add(delta)
                written += sum(len(delta.text) for delta in batch if isinstance(delta, TextDelta))
                if written >= told + TOLD_EVERY:
                    told = written
                    self._progress(f"{what}{told // BYTES_PER_TOKEN} tokens so far")
            usage = stream.finish.usage
        text = _text(accumulator.parts())
        if not text.strip():
            raise ProviderFailure(ChatError("The summary came back empty.", ErrorKind.GENERIC))
        return Summary(text, usage or Usage())


def _pieces(messages: Sequence[NewMessage], room: int, frame: Frame) -> list[list[NewMessage]]:
    """The messages in runs that fit, cut where a new exchange begins."""
    pieces: list[list[NewMessage]] = [[]]
    used = 0
    for message in messages:
        size = min(frame.of((message,)), room)
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
