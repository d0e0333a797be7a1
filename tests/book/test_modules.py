"""Modules that know many others do not become more."""

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"
MANY = 12
KNOWN = 80
"""How many there may be. Divide one before you raise it."""


def imports_of(path: Path, source: Path) -> set[Path]:
    """The modules of ours that a module imports."""
    found: set[Path] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                found |= {module for each in names if (module := located(each.name, source))}
            case ast.ImportFrom(module=str(module), names=names):
                found |= {
                    place
                    for each in names
                    if (place := located(f"{module}.{each.name}", source) or located(module, source))
                }
            case _:
                pass
    return found


def located(name: str, source: Path) -> Path | None:
    place = source.joinpath(*name.split("."))
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.exists()), None)


def knowing_many(source: Path) -> list[Path]:
    return [path for path in source.rglob("*.py") if len(imports_of(path, source)) > MANY]


def test_modules_that_import_many_of_ours_do_not_become_more() -> None:
    assert len(knowing_many(SOURCE)) <= KNOWN


def test_a_module_that_imports_many_is_found(tmp_path: Path) -> None:
    package = tmp_path / "perdure"
    package.mkdir()
    for number in range(MANY + 1):
        (package / f"part{number}.py").touch()
    names = ", ".join(f"part{number}" for number in range(MANY))
    (package / "few.py").write_text(f"import json\nfrom perdure import {names}\n")
    (package / "many.py").write_text(f"from perdure import {names}\nfrom perdure.part{MANY} import name\n")
    assert knowing_many(tmp_path) == [package / "many.py"]
