"""What subscribers are sent: batches of events, each encoded once however many they go to."""

from collections.abc import Sequence
from functools import cached_property

import msgspec
from msgspec.structs import replace

from perdure.core.cursor import Cursor
from perdure.core.events import AnyEvent, ChatEvent, InboxEvent, MessagePart, WatchEvent
from perdure.core.public import public_delta
from perdure.live.episodes import EpisodeKey, Piece, merged
from perdure.store.rows import encoded

_encoder = msgspec.json.Encoder()
_SHORT, _MEDIUM = 126, 0xFFFF


class Batch:
    """Events in order. Their JSON is made when it is first asked for, and shared from then on."""

    def __init__(self, events: Sequence[AnyEvent | WatchEvent | InboxEvent]) -> None:
        self.events = events

    @property
    def empty(self) -> bool:
        return not self.events

    @cached_property
    def json(self) -> list[bytes]:
        return [_encoded(event) for event in self.events]

    @cached_property
    def frame(self) -> bytes:
        """A WebSocket's text frame, whole: a JSON array of events. What a server sends is the same for everybody."""
        return text_frame(b"[%b]" % b",".join(self.json))

    @cached_property
    def unpinned(self) -> "Batch":
        """The same without where the chat's owner has pinned it: in the lists of others it is where they have it."""
        if not any(isinstance(event, ChatEvent) and event.chat.pin for event in self.events):
            return self
        return Batch([_unpinned(event) if isinstance(event, ChatEvent) else event for event in self.events])

    @cached_property
    def sse(self) -> bytes:
        """Server-sent events, one for each event. Their type is in their JSON: `error` is a browser's own event."""
        return b"".join(
            b"id: %b\ndata: %b\n\n" % (event.cursor.encode(), encoded_event)
            for event, encoded_event in zip(self.events, self.json, strict=True)
        )


def _unpinned(event: ChatEvent) -> ChatEvent:
    return replace(event, chat=replace(event.chat, pin=0))


def text_frame(payload: bytes) -> bytes:
    """A text frame of RFC 6455, as servers send it: final, not masked, its length in one, three or nine bytes."""
    size = len(payload)
    if size < _SHORT:
        return b"\x81%c%b" % (size, payload)
    if size <= _MEDIUM:
        return b"\x81\x7e%b%b" % (size.to_bytes(2), payload)
    return b"\x81\x7f%b%b" % (size.to_bytes(8), payload)


def joined(batches: Sequence[Batch]) -> Batch:
    """Several batches as one. What was encoded stays encoded."""
    if len(batches) == 1:
        return batches[0]
    whole = Batch([event for batch in batches for event in batch.events])
    whole.__dict__["json"] = [encoded_event for batch in batches for encoded_event in batch.json]
    return whole


def parts_batch(key: EpisodeKey, pieces: Sequence[Piece], after: Cursor) -> Batch:
    """Parts of an episode for somebody who has seen up to the cursor: neighbours merged, provider metadata left out."""
    events: list[AnyEvent] = [
        MessagePart(
            cursor=str(after.after_part(part.seq)),
            role=part.role,
            part=public_delta(part.delta),
            history_version=key.history_version,
            attempt=key.attempt,
            seq=part.seq,
            seq_from=part.seq_from if part.seq_from < part.seq else None,
        )
        for part in merged(pieces, after.seq + 1)
    ]
    return Batch(events)


def _encoded(event: AnyEvent | WatchEvent | InboxEvent) -> bytes:
    try:
        return _encoder.encode(event)
    except UnicodeEncodeError:
        return encoded(event).encode()
