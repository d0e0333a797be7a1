"""One class name means one thing on a floor."""

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "perdure"


def shared_names(source: Path) -> dict[str, frozenset[str]]:
    """Names of top-level classes that more than one module of a floor has, by floor."""
    modules: dict[tuple[str, str], set[Path]] = defaultdict(set)
    for path in source.rglob("*.py"):
        floor = path.relative_to(source).parts[0].removesuffix(".py")
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                modules[floor, node.name].add(path)
    shared: dict[str, set[str]] = defaultdict(set)
    for (floor, name), paths in modules.items():
        if len(paths) > 1:
            shared[floor].add(name)
    return {floor: frozenset(names) for floor, names in shared.items()}


def test_a_class_name_means_one_thing_on_a_floor() -> None:
    assert shared_names(SOURCE) == {}


def test_a_name_with_two_meanings_is_found(tmp_path: Path) -> None:
    for module in ("api/answers.py", "api/wire/answers.py", "cli/answers.py"):
        path = tmp_path / module
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("class Answer:\n    pass\n")
    assert shared_names(tmp_path) == {"api": frozenset({"Answer"})}
