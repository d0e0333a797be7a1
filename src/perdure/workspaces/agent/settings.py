"""The place for what the driver tells the agent program: one JSON document, read once."""

from __future__ import annotations

import resource
from typing import NamedTuple

from perdure.workspaces.agent.fields import Fields
from perdure.workspaces.agent.limits import DELETED_CHECK_MILLISECONDS

QUIET_PROGRAMS = {
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "",
    "EDITOR": "true",
    "VISUAL": "true",
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "GIT_SSH_COMMAND": "ssh -o BatchMode=yes",
    "DEBIAN_FRONTEND": "noninteractive",
    "PIP_NO_INPUT": "1",
    "NPM_CONFIG_YES": "true",
    "NO_COLOR": "1",
    "TERM": "dumb",
}
DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Settings(NamedTuple):
    """Where the files are, who may connect, what commands may use."""

    tree: str
    home: str
    roots: tuple[str, ...]
    state: str
    state_descriptor: int | None
    socket: str
    socket_descriptor: int | None
    token: str
    user: int | None
    group: int | None
    read_only: bool
    environment: dict[str, str]
    limits: dict[int, int]
    disk_bytes: int
    oom_descriptor: int | None
    deleted_check_ms: int
    egress_descriptor: int | None
    egress: str
    egress_port: int

    @classmethod
    def read(cls, fields: Fields) -> Settings:
        home = fields.text("home")
        environment = {"HOME": home, "PATH": DEFAULT_PATH, "LANG": "C.UTF-8", "SHELL": "/bin/sh", "USER": "agent"}
        return cls(
            tree=fields.text("tree"),
            home=home,
            roots=tuple(fields.texts("roots")),
            state=fields.text("state", ""),
            state_descriptor=fields.maybe_integer("state_descriptor"),
            socket=fields.text("socket", ""),
            socket_descriptor=fields.maybe_integer("socket_descriptor"),
            token=fields.text("token", ""),
            user=fields.maybe_integer("user"),
            group=fields.maybe_integer("group"),
            read_only=fields.flag("read_only"),
            environment={**environment, **_filled(fields.text_map("environment"), home, fields.text("tree"))},
            limits=_limits(fields.object("limits")),
            disk_bytes=fields.object("limits").integer("disk_bytes", 0),
            oom_descriptor=fields.maybe_integer("oom_descriptor"),
            deleted_check_ms=fields.integer("deleted_check_ms", DELETED_CHECK_MILLISECONDS, 1),
            egress_descriptor=fields.maybe_integer("egress_descriptor"),
            egress=fields.text("egress", ""),
            egress_port=fields.integer("egress_port", 0),
        )

    def command_environment(self, more: dict[str, str]) -> dict[str, str]:
        """For commands: nobody is there to answer, so editors, pagers and prompts are off."""
        return {**self.environment, **QUIET_PROGRAMS, **more}


def _filled(environment: dict[str, str], home: str, tree: str) -> dict[str, str]:
    """Variables may name places that only the inside knows."""
    places = {"{home}": home, "{tree}": tree, "{path}": DEFAULT_PATH}
    filled: dict[str, str] = {}
    for name, value in environment.items():
        for place, path in places.items():
            value = value.replace(place, path)  # noqa: PLW2901
        filled[name] = value
    return filled


def _limits(fields: Fields) -> dict[int, int]:
    wanted = {
        resource.RLIMIT_NPROC: fields.integer("processes", 0),
        resource.RLIMIT_FSIZE: fields.integer("file_bytes", 0),
        resource.RLIMIT_DATA: fields.integer("process_memory_bytes", 0),
    }
    return {resource.RLIMIT_CORE: 0, **{limit: value for limit, value in wanted.items() if value}}
