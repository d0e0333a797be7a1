"""The client for code without an event loop: the same chats, one call at a time."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterable
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Self, TypeVar
from uuid import UUID

from perdure.client.chats import Chat, ChatPage, Chats, Content, Sent, Turn
from perdure.client.client import Client
from perdure.client.stream import Transport
from perdure.client.tools import ClientTool
from perdure.core.chat import Busy
from perdure.core.events import AnyEvent, ChatCard
from perdure.core.message import File, Message
from perdure.core.timing import REQUEST_PATIENCE

T = TypeVar("T")


class _Loop:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="perdure client", daemon=True)
        self._thread.start()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for the work. Whoever is interrupted meanwhile, as by Ctrl-C, waits only for it to be given up.

        An interruption may come between any two instructions here. So threads meet at queues, which it cannot leave
        locked; the loop says itself when nothing of the work is left; and the task is let go of in the loop's thread,
        because an interruption that meets the clean-up after an object is swallowed.
        """
        tasks: list[asyncio.Task[T]] = []
        done, left = SimpleQueue[Callable[[], T]](), SimpleQueue[None]()

        def begin() -> None:
            tasks.append(self._loop.create_task(work))
            tasks[0].add_done_callback(end)

        def end(task: "asyncio.Task[T]") -> None:
            tasks.clear()
            done.put(_outcome(task))

        def give_up() -> None:
            if tasks:
                tasks[0].add_done_callback(lambda _: left.put(None))
                tasks[0].cancel()
            else:
                work.close()
                left.put(None)

        try:
            self._loop.call_soon_threadsafe(begin)
            return done.get()()
        except KeyboardInterrupt:
            self._loop.call_soon_threadsafe(give_up)
            left.get()
            raise

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def _outcome(task: "asyncio.Task[T]") -> Callable[[], T]:
    """What came of it, without the task itself."""
    error = asyncio.CancelledError() if task.cancelled() else task.exception()
    if error is None:
        result = task.result()
        return lambda: result

    def fail() -> T:
        raise error

    return fail


class BlockingClient:
    """A connection to a deployment. Use it as a context manager. `timeout` is how many seconds one answer may take."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:8080",
        *,
        token: str | None = None,
        timeout: float = REQUEST_PATIENCE.total_seconds(),
    ) -> None:
        self._client = Client(url, token=token, timeout=timeout)
        self._loop: _Loop | None = None

    def __enter__(self) -> Self:
        self._loop = _Loop()
        self._loop.do(self._client.__aenter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._loop is not None
        self._loop.do(self._client.__aexit__(kind, error, trace))
        self._loop.close()

    @property
    def chats(self) -> "BlockingChats":
        assert self._loop is not None, "use it as `with BlockingClient(...) as client`"
        return BlockingChats(self._client.chats, self._loop)

    def models(self) -> list[dict[str, Any]]:
        assert self._loop is not None
        return self._loop.do(self._client.models())

    def upload(self, name: str, content: bytes, *, media_type: str = "application/octet-stream") -> File:
        assert self._loop is not None
        return self._loop.do(self._client.upload(name, content, media_type=media_type))


class BlockingChats:
    """The chats that the caller may see."""

    def __init__(self, inner: Chats, loop: _Loop) -> None:
        self._inner = inner
        self._loop = loop

    def create(self, content: Content, *, tools: Iterable[ClientTool] = (), **options: Any) -> "BlockingChat":
        return BlockingChat(self._loop.do(self._inner.create(content, tools=tools, **options)), self._loop)

    def get(self, chat_id: UUID | str, *, tools: Iterable[ClientTool] = ()) -> "BlockingChat":
        return BlockingChat(self._loop.do(self._inner.get(chat_id, tools=tools)), self._loop)

    def list(self, q: str | None = None, *, cursor: str | None = None, limit: int = 50) -> ChatPage:
        return self._loop.do(self._inner.list(q, cursor=cursor, limit=limit))


class BlockingChat:
    """One chat."""

    def __init__(self, inner: Chat, loop: _Loop) -> None:
        self._inner = inner
        self._loop = loop

    @property
    def id(self) -> UUID:
        return self._inner.id

    @property
    def card(self) -> ChatCard:
        return self._inner.card

    def send(self, content: Content, *, busy: Busy = Busy.QUEUE, **options: Any) -> Sent:
        return self._loop.do(self._inner.send(content, busy=busy, **options))

    def edit(self, number: int, content: Content, **options: Any) -> Sent:
        return self._loop.do(self._inner.edit(number, content, **options))

    def interrupt(self) -> None:
        self._loop.do(self._inner.interrupt())

    def retry(self) -> None:
        self._loop.do(self._inner.retry())

    def compact(self) -> None:
        self._loop.do(self._inner.compact())

    def agents(self) -> tuple[ChatCard, ...]:
        return self._loop.do(self._inner.agents())

    def act(self, **body: Any) -> None:
        self._loop.do(self._inner.act(**body))

    def messages(self, *, before: int | None = None, limit: int = 50) -> tuple[Message, ...]:
        return self._loop.do(self._inner.messages(before=before, limit=limit))

    def answer(self, *, on_event: Callable[[AnyEvent], None] = lambda _: None) -> Turn:
        return self._loop.do(self._inner.answer(on_event=on_event))

    def stream(self, cursor: str | None = None, *, transport: Transport = Transport.WEBSOCKET) -> Generator[AnyEvent]:
        """Every event from the cursor on. Close the generator to stop."""
        events = aiter(self._inner.stream(cursor, transport=transport))
        try:
            while True:
                yield self._loop.do(_next(events))
        finally:
            self._loop.do(events.aclose())


async def _next(events: AsyncGenerator[AnyEvent]) -> AnyEvent:
    return await anext(events)
