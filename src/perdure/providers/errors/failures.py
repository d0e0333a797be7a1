"""What can go wrong on the way to a model, as it was met: raw, to be classified.

Failure
├── ApiError            the API answered with an error, before or inside the stream
├── StreamEnded         the stream ended before its terminal event
├── Garbled             the stream became unreadable after it had begun well
├── Malformed           what came was never this API: HTML, another format
│   ├── Foreign         a sound event, but none that this API has
│   └── NotStreamed     the right API, which answered in one piece although a stream was asked for
├── StartupTimeout      nothing came in time
├── SilenceTimeout      something came, then nothing for too long
├── DeadlinePassed      our own limit for the whole call
├── Filtered            the provider withheld the answer
├── KeyMissing          nobody gave a key
├── CredentialsUnusable a key, but nothing could be signed with it
└── ProviderDisabled    an admin switched the provider off
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


class Failure(Exception):
    """A model call failed. The text is for the classification, not for people."""


@dataclass(eq=False)
class ApiError(Failure):
    """An error object of the API. `status` is None where it came inside a stream and names none."""

    text: str
    """What the error says of itself: its code and message."""
    status: int | None = None
    body: str = ""
    """The raw answer around it."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def __str__(self) -> str:
        return self.text


class StreamEnded(Failure):
    def __init__(self) -> None:
        super().__init__("stream ended before its terminal event")


class Garbled(Failure):
    """An event nobody can read, after others that were fine."""


class Malformed(Failure):
    """What came does not speak the dialect."""


class Foreign(Malformed):
    """An event that is sound JSON and nothing we know. The first one means another API; a later one means nothing."""


class NotStreamed(Malformed):
    """A whole answer where a stream was asked for: some servers ignore the wish."""


class StartupTimeout(Failure):
    def __init__(self) -> None:
        super().__init__("no first event in time")


class SilenceTimeout(Failure):
    def __init__(self) -> None:
        super().__init__("the stream fell silent")


class DeadlinePassed(Failure):
    def __init__(self) -> None:
        super().__init__("our own deadline passed")


class Filtered(Failure):
    """The provider withheld the answer. The text is its explanation, if it gave one."""


class KeyMissing(Failure):
    """There is no key for this provider."""


class CredentialsUnusable(Failure):
    """The credentials exist, but no request can be authorized with them."""


class ProviderDisabled(Failure):
    """An admin switched this provider off."""
