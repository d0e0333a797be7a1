"""Where a local workspace keeps what on disk, and what all of them see: made once for each version of it."""

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from perdure.core.ids import WorkspaceId
from perdure.workspaces.bundle import bundle, sources
from perdure.workspaces.egress.control import EgressPlaces
from perdure.workspaces.local.bubblewrap import ACCOUNTS

FIRST_USER = 2_000_000
USERS = 1_000_000


@dataclass(frozen=True, slots=True)
class Layout:
    """The directories of one workspace. Only `tree` and `home` are visible inside."""

    root: Path

    @property
    def tree(self) -> Path:
        return self.root / "tree"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def lock(self) -> Path:
        return self.root / "lock"

    @property
    def egress(self) -> EgressPlaces:
        return EgressPlaces(self.root / "egress")

    def state(self, role: str) -> Path:
        return self.root / "state" / role

    def socket(self, role: str) -> Path:
        return self.root / "run" / f"{role}.sock"

    def information(self, role: str) -> Path:
        return self.root / "run" / f"{role}.json"

    def log(self, role: str) -> Path:
        return self.root / "run" / f"{role}.log"

    def size(self) -> int:
        """What its files take on disk. What goes away meanwhile, or may not be looked at, takes nothing."""
        folders = [self.tree, self.home]
        total = 0
        while folders:
            with contextlib.suppress(OSError), os.scandir(folders.pop()) as entries:
                for entry in entries:
                    with contextlib.suppress(OSError):
                        total += entry.stat(follow_symlinks=False).st_blocks * 512
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(Path(entry.path))
        return total

    def make(self, user: int | None) -> None:
        """Everything, empty; what commands write belongs to their own user."""
        for path in (self.tree, self.home, self.state("agent"), self.state("view"), self.root / "run"):
            path.mkdir(parents=True, exist_ok=True)
        self.root.chmod(0o700)
        if user is not None:
            for path in (self.tree, self.home, self.state("agent"), self.state("view")):
                os.chown(path, user, user)


def egress_user_of(workspace: WorkspaceId) -> int | None:
    """The user of its proxy: neither the server's nor one that commands have."""
    user = user_of(workspace)
    return None if user is None else user + USERS


def user_of(workspace: WorkspaceId) -> int | None:
    """The unprivileged user of a workspace, where we may choose: one of a million, the same each time."""
    if os.geteuid() != 0:
        return None
    digest = hashlib.sha256(workspace.bytes).digest()
    return FIRST_USER + int.from_bytes(digest[:4], "big") % USERS


SYSTEM = Path("/usr/bin/python3")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python and, where the sandbox does not show it anyway, the directory that must be bound for it."""

    program: Path
    prefix: Path | None


@cache
def interpreter() -> Interpreter:
    """The system's Python where it is new enough, else the one that runs the server."""
    if SYSTEM.exists():
        probe = "import sys; sys.exit(sys.version_info < (3, 9))"
        if subprocess.run([SYSTEM, "-I", "-c", probe], check=False).returncode == 0:
            return Interpreter(SYSTEM, None)
    own = Path(sys.base_prefix)
    program = own / "bin" / f"python3.{sys.version_info.minor}"
    return Interpreter(program, None if own.is_relative_to("/usr") else own)


def shared(root: Path) -> Path:
    """A directory with the agent program, compiled for the Python that runs it, and the accounts; read by everyone."""
    version = hashlib.sha256(bundle() + repr((ACCOUNTS, interpreter())).encode()).hexdigest()[:16]
    made = root / "shared" / version
    if made.is_dir():
        return made
    made.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=made.parent))
    for name, text in {f"agent/{name}": text for name, text in sources().items()}.items():
        _write(fresh / name, text)
    for name, text in ACCOUNTS.items():
        _write(fresh / "accounts" / name, text)
    subprocess.run([interpreter().program, "-I", "-m", "compileall", "-q", fresh / "agent"], check=True)
    _open_to_all(fresh)
    try:
        fresh.rename(made)
    except OSError:
        # Another replica was first.
        shutil.rmtree(fresh)
    return made


def delete_tree(root: Path) -> None:
    """Delete also what a command made unreadable."""
    for directory, names, _ in os.walk(root):
        for name in names:
            path = Path(directory, name)
            if not path.is_symlink():
                path.chmod(0o700)
    shutil.rmtree(root)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _open_to_all(directory: Path) -> None:
    for place, _, names in os.walk(directory):
        Path(place).chmod(0o755)
        for name in names:
            Path(place, name).chmod(0o644)
