"""Ports for servers that cannot choose one themselves, or that must come back where they were."""

import socket
from random import SystemRandom

# Below those that the kernel gives to whoever asks for any: nobody else takes one of these before its server does.
_RANGE = range(20_000, 32_000)


def free_port() -> int:
    """A port of the loopback that nobody listens at."""
    while True:
        port = SystemRandom().choice(_RANGE)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
