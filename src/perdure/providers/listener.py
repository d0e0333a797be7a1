"""One answer, heard from bytes to deltas: a splitter and a decoder together, without any I/O."""

from msgspec import structs

from perdure.core.deltas import AnyDelta, Finish
from perdure.core.joining import fewer
from perdure.providers.dialects.dialect import Decoder, Meaning
from perdure.providers.errors.failures import Foreign, Garbled, Malformed
from perdure.providers.event_streams import EventStreamSplitter, EventTooLong, Splitter


class Listener:
    """Turns the pieces of a body into batches of deltas, and keeps the finish, the last word of every answer."""

    def __init__(self, splitter: Splitter | EventStreamSplitter, decoder: Decoder) -> None:
        self.decoder = decoder
        self.events = 0
        """How many events were heard, also those that say nothing."""
        self.finish: Finish | None = None
        self._splitter = splitter

    @property
    def done(self) -> bool:
        return self.decoder.done

    def feed(self, piece: bytes) -> list[AnyDelta]:
        """What a piece of the body says, a burst of tokens as one. What follows the last word is not heard."""
        batch: list[AnyDelta] = []
        decoder = self.decoder
        if decoder.done:
            return batch
        feed = decoder.feed
        try:
            for event in self._splitter.feed(piece):
                try:
                    meaning = feed(event)
                except Foreign:
                    if not self.events:
                        raise
                    continue
                self.events += 1
                if decoder.done:
                    self._take(meaning, batch)
                    break
                # Only an answer that is done has said its last word.
                batch.extend(meaning)  # pyright: ignore[reportArgumentType]
        except (Malformed, EventTooLong) as error:
            # A stream that began well is the right API, whatever happened to it since.
            if self.events:
                raise Garbled(str(error)) from error
            raise
        return fewer(batch) if len(batch) > 1 else batch

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
