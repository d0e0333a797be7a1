"""The agent program as one file: old Pythons, no dependencies, a quick start."""

import ast
import sys
from pathlib import Path

import pytest

from perdure.workspaces import agent
from perdure.workspaces.bundle import bundle

SOURCES = sorted(Path(agent.__path__[0]).glob("*.py"))
NEWER_THAN_3_9 = {"tomllib", "graphlib", "zoneinfo"}


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_every_module_is_python_3_9_and_imports_the_standard_library_only(source: Path) -> None:
    tree = ast.parse(source.read_text(), feature_version=(3, 9))
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Match)]
    imported = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    imported += [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    roots = {name.split(".")[0] for name in imported if not name.startswith("perdure.workspaces.agent")}
    assert roots <= set(sys.stdlib_module_names) - NEWER_THAN_3_9


def test_the_same_sources_give_the_same_bytes() -> None:
    bundle.cache_clear()
    first = bundle()
    bundle.cache_clear()
    assert bundle() == first
    # It is copied to every host over SSH. With copies of files it takes 102 KiB.
    assert len(first) < 112 * 1024
