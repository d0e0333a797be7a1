"""The agent program as it is shipped: one file that any Python 3.9 can run, or the same as a directory."""

import io
import zipfile
from functools import cache
from importlib.resources import files

EPOCH = (1980, 1, 1, 0, 0, 0)
PACKAGE = "perdure/workspaces/agent"


@cache
def sources() -> dict[str, str]:
    """Every file by its path: the package under its own name, and what starts it."""
    package = files("perdure.workspaces.agent")
    modules = {item.name: item.read_text() for item in package.iterdir() if item.name.endswith(".py")}
    inside = {f"{PACKAGE}/{name}": text for name, text in modules.items() if name != "__main__.py"}
    return {
        "__main__.py": modules["__main__.py"],
        "perdure/__init__.py": "",
        "perdure/workspaces/__init__.py": "",
        **inside,
    }


@cache
def bundle() -> bytes:
    """A zipapp with the same bytes for the same sources."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(sources().items()):
            archive.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)
    return b"#!/usr/bin/env python3\n" + buffer.getvalue()
