"""Who Postgres runs as. It refuses to be root, so root hands it to somebody who may do nothing else."""

import os
import pwd
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# Enough for initdb and the server to find a shell; nothing of the caller's environment reaches them.
_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}


@dataclass(frozen=True, slots=True)
class Account:
    """A user of the machine, by number."""

    uid: int
    gid: int

    @property
    def ourselves(self) -> bool:
        return self.uid == os.geteuid()

    @property
    def name(self) -> str:
        try:
            return pwd.getpwuid(self.uid).pw_name
        except KeyError:
            return f"user {self.uid}"

    def start(self, command: Sequence[str | Path], *, stdout: int, stderr: int) -> subprocess.Popen[str]:
        """Start a program as this user."""
        return subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            text=True,
            cwd="/",
            env=_ENVIRONMENT,
            user=None if self.ourselves else self.uid,
            group=None if self.ourselves else self.gid,
            extra_groups=None if self.ourselves else [],
            umask=0o077,
            start_new_session=True,
        )

    def enters(self, directory: Path) -> bool:
        """Whether this user gets into the directory and all that lead there."""
        trial = self.start(["test", "-x", directory], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return trial.wait() == 0

    def own(self, path: Path) -> None:
        """Make a directory that is this user's alone."""
        path.mkdir(mode=0o700, exist_ok=True)
        if not self.ourselves and path.stat().st_uid != self.uid:
            os.chown(path, self.uid, self.gid)


def postgres_account(data: Path) -> Account:
    """Ourselves, or, for root, whoever owns the data already, or `nobody`."""
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid())
    if data.exists() and data.stat().st_uid != 0:
        return Account(data.stat().st_uid, data.stat().st_gid)
    nobody = pwd.getpwnam("nobody")
    return Account(nobody.pw_uid, nobody.pw_gid)
