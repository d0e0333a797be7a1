"""Which proxy a request goes through, as the environment's well-known settings say."""

from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import urlsplit

URLS_KEPT = 256


@dataclass(frozen=True, slots=True)
class Proxies:
    """Proxies by scheme, and the hosts that are reached without one: names, `.suffixes`, or `*`.

    This machine itself is never reached through a proxy.
    """

    http: str | None = field(default=None, repr=False)
    https: str | None = field(default=None, repr=False)
    exempt: tuple[str, ...] = ()

    @lru_cache(maxsize=URLS_KEPT)  # noqa: B019 (one for the whole process)
    def for_url(self, url: str) -> str | None:
        parts = urlsplit(url)
        host = parts.hostname or ""
        if _loopback(host) or any(_covers(pattern, host) for pattern in self.exempt):
            return None
        return self.https if parts.scheme == "https" else self.http


def _covers(pattern: str, host: str) -> bool:
    pattern = pattern.strip().lower().split(":")[0].lstrip("*")
    if not pattern:
        return True
    return host == pattern.lstrip(".") or host.endswith("." + pattern.lstrip("."))


def _loopback(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")
