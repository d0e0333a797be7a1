"""What all local workspaces see, made once for each version of it."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from perdure.workspaces.bundle import bundle, sources
from perdure.workspaces.local.bubblewrap import ACCOUNTS
from perdure.workspaces.local.python import interpreter


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


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _open_to_all(directory: Path) -> None:
    for place, _, names in os.walk(directory):
        Path(place).chmod(0o755)
        for name in names:
            Path(place, name).chmod(0o644)
