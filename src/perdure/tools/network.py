"""How requests of tools leave the deployment: through which proxy, and whose certificates are trusted."""

import ssl
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    proxy: Callable[[str], str | None] = lambda _: None
    """The proxy for an address."""
    trusted: ssl.SSLContext | None = None
