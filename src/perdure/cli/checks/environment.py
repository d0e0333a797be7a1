"""The machine: Python, the data directory, the programs that workspaces use."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from perdure.cli.checks.finding import Finding, bad, good, off
from perdure.core.extras import EXTRAS, installed
from perdure.settings import Settings, misspelt
from perdure.workspaces.local import cgroups

_ROOMY = 1024**3
_PROGRAMS = {"rg": ("ripgrep", "fast searching in workspaces"), "git": ("git", "changes and diffs in workspaces")}


def environment_findings(settings: Settings) -> Iterator[Finding]:
    yield good("python", f"{platform.python_version()} at {sys.executable}")
    for given, meant in misspelt().items():
        yield off("settings", f"{given} is not a setting", f"Did you mean {meant}?")
    yield extras()
    yield data_dir(settings.data_dir)
    yield sandbox()
    yield limits()
    for program, (package, purpose) in _PROGRAMS.items():
        yield program_found(program, package, purpose)


def extras() -> Finding:
    """What of the package is here."""
    missing = [name for name in EXTRAS if not installed(name)]
    if not missing:
        return good("extras", "all are installed")
    return off(
        "extras", f"not installed: {', '.join(missing)}", f"To have them: pip install 'perdure[{','.join(missing)}]'"
    )


def data_dir(path: Path) -> Finding:
    existing = next(parent for parent in (path, *path.parents) if parent.exists())
    if not os.access(existing, os.W_OK | os.X_OK):
        return bad("data directory", f"{path} is not writable", "Set PERDURE_DATA_DIR to a directory of yours.")
    free = shutil.disk_usage(existing).free
    if free < _ROOMY:
        return off("data directory", f"{path} has {free // 2**20} MiB left", "Make room, or move PERDURE_DATA_DIR.")
    return good("data directory", f"{path}, {free // 2**30} GiB free")


def sandbox() -> Finding:
    if shutil.which("bwrap") is None:
        return off("sandbox", "workspaces cannot be sandboxed", "Install bubblewrap: apt-get install -y bubblewrap")
    trial = subprocess.run(
        ["bwrap", "--ro-bind", "/", "/", "--unshare-user", "--unshare-pid", "--unshare-net", "true"],
        capture_output=True,
        text=True,
        check=False,
    )
    if trial.returncode != 0:
        return off("sandbox", f"bubblewrap does not work here: {trial.stderr.strip()}", "Allow user namespaces.")
    return good("sandbox", "bubblewrap works")


def limits() -> Finding:
    """Whether a workspace's processes share one limit."""
    found = cgroups.available()
    if not found:
        advice = "Run the server as root: then it makes a control group for each workspace."
        return off("limits", "memory is limited for each process, not for a workspace", advice)
    return good("limits", f"control groups, {found}")


def program_found(program: str, package: str, purpose: str) -> Finding:
    found = shutil.which(program)
    return good(program, found) if found else off(program, f"{purpose} is off", f"apt-get install -y {package}")
