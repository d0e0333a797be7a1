"""The agent program as one file that any Python 3.9 can run."""

import io
import zipfile
from functools import cache
from importlib.resources import files

MAIN = """import sys
sys.modules["ssl"] = None
from perdure.workspaces.agent.main import main
sys.exit(main())
"""
EPOCH = (1980, 1, 1, 0, 0, 0)


@cache
def bundle() -> bytes:
    """A zipapp with the same bytes for the same sources."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(_sources().items()):
            archive.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)
    return b"#!/usr/bin/env python3\n" + buffer.getvalue()


def _sources() -> dict[str, str]:
    package = files("perdure.workspaces.agent")
    modules = {item.name: item.read_text() for item in package.iterdir() if item.name.endswith(".py")}
    inside = {f"perdure/workspaces/agent/{name}": text for name, text in modules.items() if name != "__main__.py"}
    return {"__main__.py": MAIN, "perdure/__init__.py": "", "perdure/workspaces/__init__.py": "", **inside}
