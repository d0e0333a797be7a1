"""Where previews are: an origin for each port of each workspace where there can be one, else a path of the server's."""

import base64
import re
from dataclasses import dataclass
from urllib.parse import urlsplit
from uuid import UUID

from perdure.core.ids import WorkspaceId
from perdure.settings import NO_ORIGIN

BASE = "/preview"
"""Below which previews are that have no origin of their own."""
OPEN = "/.perdure/open"
"""Where a preview on its own origin begins."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_LABEL = re.compile(r"p([1-9][0-9]{0,4})-([a-z2-7]{26})")


@dataclass(frozen=True, slots=True)
class Place:
    """One port of one workspace."""

    workspace_id: WorkspaceId
    port: int

    @property
    def label(self) -> str:
        """Its own part of a host name."""
        word = base64.b32encode(self.workspace_id.bytes).decode().rstrip("=").lower()
        return f"p{self.port}-{word}"

    @classmethod
    def of(cls, label: str) -> "Place | None":
        match = _LABEL.fullmatch(label.lower())
        if match is None:
            return None
        content = base64.b32decode(f"{match[2].upper()}======")
        found = cls(WorkspaceId(UUID(bytes=content)), int(match[1]))
        # The last letter has bits to spare: a place has one name.
        return found if found.label == label.lower() else None


@dataclass(frozen=True, slots=True)
class PreviewAddresses:
    """What the environment says of them. A server that only its own machine reaches needs to be told nothing."""

    configured: str | None = None
    public_url: str | None = None

    @property
    def _local(self) -> bool:
        """Whether names below `localhost` may do: every browser finds them on its own machine."""
        return self.configured is None and (self.public_url is None or _host(self.public_url) in LOOPBACK)

    def origin(self, place: Place, page: str) -> str | None:
        """The origin of a place, for whoever uses the page that is there."""
        if self.configured not in (None, NO_ORIGIN):
            return (self.configured or "").replace("*", place.label)
        if not self._local or _host(page) not in LOOPBACK:
            return None
        parts = urlsplit(page)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{place.label}.localhost{port}"

    def place(self, host: str) -> Place | None:
        """Which place a request is for, by its header `Host`."""
        name, _, port = host.lower().partition(":")
        label, _, rest = name.partition(".")
        if self.configured not in (None, NO_ORIGIN):
            expected = urlsplit(self.configured or "")
            if f"*.{rest}" != expected.hostname or (port and expected.port and port != str(expected.port)):
                return None
        elif not self._local or rest != "localhost":
            return None
        return Place.of(label)

    @property
    def frames(self) -> str:
        """What the page may show in a frame, as a content security policy has it."""
        if self.configured not in (None, NO_ORIGIN):
            return self.configured or ""
        return "http://*.localhost:* https://*.localhost:*" if self._local else ""


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
