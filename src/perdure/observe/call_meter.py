"""Measures calls to models."""

from perdure.core.clock import Clock
from perdure.observe.calls import Ended, Sent
from perdure.observe.context import about
from perdure.observe.measures.work import CallMeasures


class CallMeter:
    """Watches every call for the numbers."""

    def __init__(self, measures: CallMeasures, clock: Clock) -> None:
        self._measures = measures
        self._clock = clock

    async def sent(self, sent: Sent) -> "MeteredCall":
        self._measures.sent(len(sent.body), sent.messages)
        return MeteredCall(self._measures, self._clock, sent)


class MeteredCall:
    listens = False

    def __init__(self, measures: CallMeasures, clock: Clock, sent: Sent) -> None:
        self._measures = measures
        self._clock = clock
        self._sent = sent
        self._purpose = about().get("purpose", "other")
        self._since = clock.monotonic()

    def heard(self, _: bytes, /) -> None:
        pass

    def began(self) -> None:
        self._measures.began(self._sent.provider, self._sent.model, self._clock.monotonic() - self._since)

    def ended(self, ended: Ended) -> None:
        sent, took = self._sent, self._clock.monotonic() - self._since
        self._measures.ended(sent.provider, sent.model, purpose=self._purpose, outcome=ended.outcome, seconds=took)
        if ended.finish is not None and ended.finish.usage is not None:
            self._measures.used(sent.model, ended.finish.usage, ended.cost)
