"""One answer, heard from bytes to deltas: a splitter and a decoder together, without any I/O."""

from collections.abc import Iterator, Sequence

from msgspec import structs

from perdure.core.deltas import AnyDelta, Finish, TextDelta
from perdure.core.joining import fewer
from perdure.providers.dialects.dialect import Decoder, Meaning, MoreText
from perdure.providers.errors.failures import Foreign, Garbled, Malformed
from perdure.providers.event_streams import EventStreamSplitter, EventTooLong, Splitter

BURST = 4
"""From so many events on it pays to read them together."""


class Listener:
    """Turns the pieces of a body into batches of deltas, and keeps the finish, the last word of every answer."""

    def __init__(self, splitter: Splitter | EventStreamSplitter, decoder: Decoder) -> None:
        self.decoder = decoder
        self.events = 0
        """How many events were heard, also those that say nothing."""
        self.finish: Finish | None = None
        self._splitter = splitter
        self._more_text: MoreText | None = getattr(decoder, "more_text", None)

    @property
    def done(self) -> bool:
        return self.decoder.done

    def feed(self, piece: bytes) -> list[AnyDelta]:
        """What a piece of the body says, a burst of tokens as one. What follows the last word is not heard."""
        batch: list[AnyDelta] = []
        if self.decoder.done:
            return batch
        try:
            for events in self._split(piece):
                self._hear(events, batch)
        except (Malformed, EventTooLong) as error:
            # A stream that began well is the right API, whatever happened to it since.
            if self.events:
                raise Garbled(str(error)) from error
            raise
        return fewer(batch) if len(batch) > 1 else batch

    def _split(self, piece: bytes) -> Iterator[Sequence[bytes]]:
        """The events that a piece completes; one by one where what follows the last word may be broken."""
        events = self._splitter.feed(piece)
        if isinstance(events, list):
            yield events
            return
        for event in events:
            yield (event,)
            if self.decoder.done:
                return

    def _hear(self, events: Sequence[bytes], batch: list[AnyDelta]) -> None:
        decoder, feed = self.decoder, self.decoder.feed
        more_text = self._more_text if len(events) > BURST else None
        at = 0
        while at < len(events):
            at += 1
            try:
                meaning = feed(events[at - 1])
            except Foreign:
                if not self.events:
                    raise
                continue
            self.events += 1
            if decoder.done:
                self._take(meaning, batch)
                return
            # Only an answer that is done has said its last word.
            batch.extend(meaning)  # pyright: ignore[reportArgumentType]
            if more_text is not None and batch and type(batch[-1]) is TextDelta:
                # Once a piece: that bounds what is read in vain.
                at += self._run_of_text(more_text, events[at:], batch)
                more_text = None

    def _run_of_text(self, more_text: MoreText, events: Sequence[bytes], batch: list[AnyDelta]) -> int:
        """How many of the events said nothing but more text, which is heard as one."""
        if (heard := more_text(events) if events else None) is None:
            return 0
        count, text = heard
        self.events += count
        batch.append(text)
        return count

    def close(self) -> list[AnyDelta]:
        """What the end of the body says. Raises StreamEnded where it came too early."""
        batch: list[AnyDelta] = []
        if not self.decoder.done:
            for event in self._splitter.close():
                self._take(self._last(event), batch)
        if not self.decoder.done:
            self._take(self.decoder.close(), batch)
        return batch

    def _last(self, event: bytes) -> Meaning:
        """An event that no blank line ended: whole from a careless server, or cut off."""
        try:
            return self.decoder.feed(event)
        except Malformed:
            return ()

    def _take(self, meaning: Meaning, batch: list[AnyDelta]) -> None:
        for said in meaning:
            if isinstance(said, Finish):
                self.finish = said if said.usage is None or said.usage.possible else structs.replace(said, usage=None)
            else:
                batch.append(said)
