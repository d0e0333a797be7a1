"""A conversation at a terminal: what is typed, what is shown, and when to leave."""

import asyncio
import signal
import sys
import threading
from contextlib import aclosing
from decimal import Decimal, InvalidOperation
from http import HTTPStatus
from typing import Any

import msgspec

from perdure.cli.screen import Screen
from perdure.client import ApiError, Chat, Client, EventStream
from perdure.core.action import ActionKind
from perdure.core.chat import Busy, Status
from perdure.core.events import ActionRequired, PendingAction, PendingCall, PendingQuestion, StatusEvent
from perdure.core.message import Message

_RESTING = (Status.WAITING, Status.ERROR, Status.REQUIRES_ACTION)
NEEDS_YOU = 3
_RECALLED = 20
"""How many messages are looked at for the last words of each side."""
_DECISIONS = {
    "approve": ActionKind.APPROVAL,
    "deny": ActionKind.APPROVAL,
    "happened": ActionKind.OUTCOME_UNKNOWN,
    "repeat": ActionKind.OUTCOME_UNKNOWN,
    "skip": ActionKind.OUTCOME_UNKNOWN,
    "answer": ActionKind.ELICITATION,
    "refuse": ActionKind.ELICITATION,
}
_HELP = """A line is sent; while the agent works, it waits in the queue.
  /steer TEXT      the agent reads it at its next step
  /interrupt TEXT  the agent stops and reads it
  /stop            the agent stops (so does Ctrl-C)
  /approve /deny   answer what the agent asks to do
  /happened TEXT   a call that was cut off did happen, with this result
  /repeat /skip    run such a call once more, or let the agent go on without it
  /answer JSON     fill in the form that a call shows; /refuse says no to it
  /raise DOLLARS   let the chat spend so much in all; /decline ends the turn
  /retry           try again after an error
  /quit            leave (so does Ctrl-D); the agent goes on without you"""
_GREETING = "Type to begin. /help lists what else you can do; Ctrl-D leaves."
_STEP = "The agent ends its step before this process leaves it. Ctrl-C leaves now; nothing is lost."


class Conversation:
    """One chat at a terminal."""

    def __init__(self, client: Client, model: str | None, *, here: bool, again: str) -> None:
        self._client = client
        self._again = again
        """What to type to come back."""
        self._here = here
        """Whether this process drives the chat itself."""
        self._options: dict[str, Any] = {"model": model} if model else {}
        self._chat: Chat | None = None
        self._screen = Screen(sys.stdout, sys.stderr)
        self._stream: EventStream | None = None
        self._following: asyncio.Task[None] | None = None
        self._status = Status.WAITING
        self._action: PendingAction | None = None
        self._rested = asyncio.Event()
        self._rested.set()
        self._typed = asyncio.Queue[str | None]()
        """Line by line; None is the end."""

    async def resume(self, chat_id: str, *, recall: bool) -> None:
        self._chat = await self._client.chats.get(chat_id)
        newest = await self._chat.messages(limit=_RECALLED)
        self._screen = Screen(sys.stdout, sys.stderr, since=newest[0].number if newest else 0)
        if recall:
            self._screen.recall(self._chat.card.title, newest)

    async def ask(self, text: str) -> int:
        """One question, one answer; the exit code says how it ended."""
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._interrupt)
        await self._say(text, Busy.QUEUE)
        await self._rested.wait()
        await self._leave()
        return {Status.WAITING: 0, Status.REQUIRES_ACTION: NEEDS_YOU}.get(self._status, 1)

    async def talk(self) -> int:
        """Line after line, until the input ends."""
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._interrupt)
        self._screen.prompts = somebody_types()
        if self._chat is not None:
            self._rested.clear()
            self._follow()
        elif self._screen.prompts:
            self._screen.note(_GREETING)
            self._screen.prompt()
        await self._until_left()
        self._screen.finish()
        if self._chat is not None:
            await self._rested_or_interrupted()
            sys.stderr.write(f"Go on with: {self._again} --chat {self._chat.id}\n")
        await self._leave()
        return 0

    async def _until_left(self) -> None:
        """Obey what is typed, until the input ends or somebody leaves."""
        _read_lines(self._typed)
        while (line := await self._typed.get()) not in (None, "/quit"):
            self._screen.entered()
            await self._obey(line)
            if self._rested.is_set():
                self._screen.prompt()

    async def _obey(self, line: str) -> None:
        verb, _, rest = line.partition(" ")
        try:
            match verb:
                case "/steer" | "/interrupt" if rest:
                    await self._say(rest, Busy(verb[1:]))
                case "/stop" if self._chat:
                    await self._stop(self._chat)
                case "/retry" if self._chat:
                    await self._chat.retry()
                case "/raise" if self._chat and _micros(rest) is not None:
                    await self._chat.act(limit=_micros(rest))
                case "/decline" if self._chat:
                    await self._chat.act(decline=True)
                case _ if verb[1:] in _DECISIONS and verb[:1] == "/" and self._chat:
                    await self._decide(verb[1:], rest)
                case _ if verb.startswith("/"):
                    self._screen.note(_HELP)
                case _ if line.strip():
                    await self._say(line, Busy.QUEUE)
                case _:
                    pass
        except ApiError as error:
            self._screen.note(f"! {error}")

    async def _say(self, text: str, busy: Busy) -> None:
        self._rested.clear()
        if self._chat is None:
            self._chat = await self._client.chats.create(text, **self._options)
        else:
            sent = await self._chat.send(text, busy=busy, **self._options)
            if sent.message is not None and not self._heard_of(sent.message):
                # It may have been told meanwhile that the turn before came to rest.
                self._rested.clear()
        self._follow()

    def _heard_of(self, message: Message) -> bool:
        """Whether the stream has come to this message: what it says of the status is later."""
        told = self._stream.transcript.messages if self._stream else []
        return bool(told) and told[-1].number >= message.number

    async def _stop(self, chat: Chat) -> None:
        try:
            await chat.interrupt()
        except ApiError as error:
            # It has come to rest on its own.
            if error.status != HTTPStatus.CONFLICT:
                raise

    async def _decide(self, decision: str, result: str) -> None:
        assert self._chat is not None
        action = self._action
        if action is None or action.kind is not _DECISIONS[decision]:
            self._screen.note("Nothing of that kind is asked.")
            return
        open_calls = [call for call in action.calls if call.decision is None]
        if action.kind is ActionKind.ELICITATION:
            said = [{"decision": "answer", "answers": _answers(call, decision, result)} for call in open_calls]
        else:
            said = [{"decision": decision, "result": result}] * len(open_calls)
        await self._chat.act(
            decisions=[{"call_id": call.call_id, **each} for call, each in zip(open_calls, said, strict=True)]
        )

    def _follow(self) -> None:
        if self._following is None:
            assert self._chat is not None
            self._following = asyncio.ensure_future(self._show(self._chat))
            self._following.add_done_callback(self._heard_last)

    def _heard_last(self, following: "asyncio.Task[None]") -> None:
        """Nothing more is shown, as when the output is closed or the chat is gone: nobody waits for it."""
        if not following.cancelled():
            self._rested.set()
            self._typed.put_nowait(None)

    async def _show(self, chat: Chat) -> None:
        self._stream = chat.stream()
        events = aiter(self._stream)
        async with aclosing(events):
            async for event in events:
                self._screen.show(event)
                match event:
                    case StatusEvent(status=status):
                        self._status = status
                        (self._rested.set if status in _RESTING else self._rested.clear)()
                    case ActionRequired(action=action):
                        self._action = action
                    case _:
                        pass
                if self._rested.is_set():
                    self._screen.prompt()

    def _interrupt(self) -> None:
        """Ctrl-C: stop the agent while it works; leave when it rests."""
        if self._rested.is_set():
            self._typed.put_nowait(None)
        elif self._chat is not None:
            self._screen.note("(stopping)")
            self._stopping = asyncio.ensure_future(self._obey("/stop"))
        else:
            # It is being asked for the first time: nobody is there yet who could stop.
            raise KeyboardInterrupt

    async def _rested_or_interrupted(self) -> None:
        """Input from a file ends before the answer does: wait for it."""
        if not sys.stdin.isatty() and self._following is not None:
            await self._rested.wait()

    async def _leave(self) -> None:
        self._screen.finish()
        asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
        if self._following is not None:
            self._following.cancel()
            await asyncio.wait([self._following])
            if not self._following.cancelled():
                self._following.result()
        if self._here and not self._rested.is_set():
            self._screen.note(_STEP)


def somebody_types() -> bool:
    """Whether a person sits at a terminal, and not a script."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _answers(call: PendingCall, decision: str, text: str) -> dict[str, Any]:
    """What is typed, as the answer to all that a call asks: JSON, or what belongs into the only field of a form."""
    if decision == "refuse":
        return {asked.key: {"action": "decline"} for asked in call.questions}
    return {asked.key: {"action": "accept", "content": _filled(asked, text)} for asked in call.questions}


def _filled(asked: PendingQuestion, text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text or "{}", type=dict[str, Any])
    except msgspec.DecodeError:
        fields: dict[str, Any] = (asked.schema or {}).get("properties") or {}
        return {next(iter(fields)): text} if len(fields) == 1 else {}


def _micros(dollars: str) -> int | None:
    """Micro-dollars, or None where it is not an amount."""
    try:
        amount = Decimal(dollars.strip().removeprefix("$"))
    except InvalidOperation:
        return None
    return round(amount * 1_000_000) if amount.is_finite() and amount >= 0 else None


def _read_lines(lines: "asyncio.Queue[str | None]") -> None:
    """What is typed, line by line, then None. The thread that reads is left behind when the command ends."""
    loop = asyncio.get_running_loop()

    def read() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(lines.put_nowait, line.rstrip("\n"))
        loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read, daemon=True).start()
