"""The shapes that travel between the server and the program inside a workspace."""

from enum import StrEnum

import msgspec


class ProcessState(StrEnum):
    RUNNING = "running"
    EXITED = "exited"
    LOST = "lost"


class Process(msgspec.Struct, frozen=True):
    """A command as it is now. `lost`: its agent program is gone, and nobody knows how it ended."""

    id: str
    state: ProcessState
    command: str = ""
    exit_code: int | None = None
    signal: str | None = None
    failure: str = ""
    out_of_memory: bool = False
    over_disk: bool = False
    started_at: float = 0.0
    duration_ms: int = 0
    quiet: bool = False
    time_to_quiet_ms: int | None = None
    head: str = ""
    tail: str = ""
    omitted_bytes: int = 0
    total_bytes: int = 0
    incarnation: str = ""


class ProcessList(msgspec.Struct, frozen=True):
    processes: list[Process]


class Port(msgspec.Struct, frozen=True):
    """A port on which something in the workspace listens."""

    port: int
    command: str = ""


class PortList(msgspec.Struct, frozen=True):
    ports: list[Port]


class Health(msgspec.Struct, frozen=True):
    """Who answers, and since when. Another incarnation means that everything running before is gone."""

    version: int
    incarnation: str
    read_only: bool
    tree: str
    home: str
    search: str
    uptime_ms: int
    running: int


class TextPage(msgspec.Struct, frozen=True, tag="text", tag_field="kind"):
    lines: list[str]
    offset: int
    total_lines: int
    bytes: int


class ImagePage(msgspec.Struct, frozen=True, tag="image", tag_field="kind"):
    media_type: str
    base64: str


class FileEdits(msgspec.Struct, frozen=True):
    """All edits asked for one path."""

    path: str
    edits: list["TextEdit"]


class TextEdit(msgspec.Struct, frozen=True):
    old_text: str
    new_text: str
    replace_all: bool = False


class ChangedFile(msgspec.Struct, frozen=True):
    path: str
    new: bool
    bytes: int
    diff: str


class Fault(msgspec.Struct, frozen=True):
    code: str
    message: str


class FaultBody(msgspec.Struct, frozen=True):
    error: Fault


class Written(msgspec.Struct, frozen=True):
    """What became of a write or an edit: done, undone after a crash, failed, or lost."""

    state: str
    files: list[ChangedFile] = []
    error: Fault | None = None
    incarnation: str = ""


class Match(msgspec.Struct, frozen=True):
    path: str
    line: int
    text: str


class Matches(msgspec.Struct, frozen=True):
    matches: list[Match]
    complete: bool


class Entry(msgspec.Struct, frozen=True):
    path: str
    kind: str
    bytes: int = 0
    target: str = ""


class Listing(msgspec.Struct, frozen=True):
    path: str
    entries: list[Entry]
    complete: bool


class Terminal(msgspec.Struct, frozen=True):
    id: str
    closed: bool
    total_bytes: int


class Pipe(msgspec.Struct, frozen=True):
    """A command that we talk with. `complaints` is the end of what it wrote to its standard error."""

    id: str
    closed: bool
    complaints: str


class TerminalList(msgspec.Struct, frozen=True):
    terminals: list[Terminal]


class RepositoryFile(msgspec.Struct, frozen=True):
    path: str
    status: str
    added: int
    removed: int
    binary: bool


class Repository(msgspec.Struct, frozen=True):
    path: str
    branch: str
    commit: str
    upstream: str
    origin: str
    ahead: int
    behind: int
    files: list[RepositoryFile]
    complete: bool


class GitState(msgspec.Struct, frozen=True):
    hash: str
    repositories: list[Repository]


class GitDiff(msgspec.Struct, frozen=True):
    path: str
    diff: str
    complete: bool


class ContextFile(msgspec.Struct, frozen=True):
    path: str
    content: str
    truncated: bool
    sha256: str


class Skill(msgspec.Struct, frozen=True):
    name: str
    description: str
    path: str
    sha256: str


class ContextSnapshot(msgspec.Struct, frozen=True):
    """What a workspace tells its agents, named by a hash so that drift is seen."""

    hash: str
    files: list[ContextFile]
    skills: list[Skill]
    mcp: list[ContextFile]


class Frame(msgspec.Struct, frozen=True):
    """A piece of output and where it belongs; a gap to the one before means that bytes were dropped."""

    offset: int
    content: bytes


class LeftOut(msgspec.Struct, frozen=True):
    """Files that are in no snapshot, for one reason: how many, and the first few."""

    count: int
    paths: list[str]


class TakenSnapshot(msgspec.Struct, frozen=True):
    """Whether there had to be a new snapshot, and what it leaves out by reason."""

    taken: bool
    number: int = 0
    left_out: dict[str, LeftOut] = {}


class DifferentFile(msgspec.Struct, frozen=True):
    path: str
    status: str
    """`new`, `changed`, `renamed` or `deleted`."""
    binary: bool
    added: int
    removed: int
    was: str = ""
    """The name that a renamed file had."""


class Difference(msgspec.Struct, frozen=True):
    """What is different between two states of the files, as lines; `conflicts` are files that others changed since."""

    state: str
    count: int
    files: list[DifferentFile]
    diff: str
    complete: bool
    records: int = 0
    conflicts: list[str] = []
    conflict_count: int = 0
    left_out: dict[str, LeftOut] = {}


class WentBack(msgspec.Struct, frozen=True):
    """How many files went back, and which could not because somebody changed them in that moment."""

    files: int
    held: int | None = None
    """The snapshot of how they were before."""
    left: list[str] = []


class CopiedFiles(msgspec.Struct, frozen=True):
    """What a copy of a workspace's files came to: how many entries, how many sockets and the like, or why none."""

    entries: int = 0
    left_out: int = 0
    error: Fault | None = None
