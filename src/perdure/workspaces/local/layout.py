"""Where a local workspace keeps what, on disk."""

import contextlib
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from perdure.core.ids import WorkspaceId

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


def user_of(workspace: WorkspaceId) -> int | None:
    """The unprivileged user of a workspace, where we may choose: one of a million, the same each time."""
    if os.geteuid() != 0:
        return None
    digest = hashlib.sha256(workspace.bytes).digest()
    return FIRST_USER + int.from_bytes(digest[:4], "big") % USERS
