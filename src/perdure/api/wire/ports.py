"""Ports of workspaces, on the wire."""

from msgspec import Struct


class OpenPort(Struct, frozen=True):
    """A port on which something listens, and the command that does."""

    port: int
    command: str


class PortsView(Struct, frozen=True):
    """What listens in a chat's workspace. Nothing is told of one that does not run."""

    running: bool
    ports: tuple[OpenPort, ...]


class PreviewUrl(Struct, frozen=True):
    """Where to look at it. `isolated` where that is an origin of its own; else it is shown without one."""

    url: str
    isolated: bool
    expires_in_s: int
