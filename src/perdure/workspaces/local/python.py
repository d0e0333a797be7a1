"""Which Python runs the agent program inside a sandbox."""

import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

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
