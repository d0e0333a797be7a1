"""One request to a provider, told to everybody who watches."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from perdure.core.deltas import Finish
from perdure.observe.calls import CANCELLED, OK, CallWatch, Ended, Sent, Watcher
from perdure.providers.dialects.dialect import Encoded
from perdure.providers.errors.classification import ClassifiedError, classify
from perdure.providers.errors.failures import ApiError
from perdure.providers.model import cost
from perdure.providers.redaction import secrets_in
from perdure.providers.route import Route


class ObservedCall:
    """Tells the watchers what happens to one request, each thing once."""

    def __init__(self, watchers: Sequence[Watcher], route: Route, messages: int) -> None:
        self._watchers = watchers
        self._route = route
        self._messages = messages
        self._watches: list[CallWatch] = []
        self._began = False
        self.secrets: tuple[bytes, ...] = ()
        """What was sent as proof of who asks."""

    async def sent(self, method: str, url: str, encoded: Encoded, proof: Mapping[str, str]) -> None:
        self.secrets = secrets_in(proof)
        if not self._watchers:
            return
        sent = Sent(
            provider=self._route.provider,
            model=self._route.model.id,
            dialect=self._route.dialect.name,
            vendor=self._route.dialect.telemetry,
            method=method,
            url=url,
            headers={**encoded.headers, **self._route.endpoint.headers},
            body=encoded.body or b"",
            messages=self._messages,
            blocks=encoded.block_hashes,
            secrets=(*proof.values(), *self._route.endpoint.headers.values()),
        )
        seen = [await watcher.sent(sent) for watcher in self._watchers]
        self._watches = [watch for watch in seen if watch is not None]

    @property
    def listeners(self) -> tuple[Callable[[bytes], None], ...]:
        """Whoever wants every piece of the answer: usually nobody."""
        return tuple(watch.heard for watch in self._watches if watch.listens)

    def began(self) -> None:
        """The answer says something. Only the first time counts."""
        if not self._began:
            self._began = True
            for watch in self._watches:
                watch.began()

    def finished(self, finish: Finish) -> None:
        price, usage = self._route.model.price, finish.usage
        paid = None if usage is None or price is None else cost(usage, price)
        self._end(Ended(outcome=OK, status=200, finish=finish, cost=paid))

    def refused(self, error: BaseException) -> None:
        """No stream came of it."""
        if isinstance(error, asyncio.CancelledError):
            self.left()
            return
        if isinstance(error, ApiError):
            for listener in self.listeners:
                listener(error.body.encode())
        self.failed(classify(error, self._route.provider))

    def failed(self, error: ClassifiedError) -> None:
        self._end(Ended(outcome=error.kind.value, status=error.status_code, error=error.chat_error()))

    def left(self) -> None:
        """Nobody wanted the rest."""
        self._end(Ended(outcome=CANCELLED))

    def _end(self, ended: Ended) -> None:
        watches, self._watches = self._watches, []
        for watch in watches:
            watch.ended(ended)
