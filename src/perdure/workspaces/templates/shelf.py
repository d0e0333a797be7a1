"""Where templates come from: the ones we ship, and directories to be imported."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from perdure.core.errors import InvalidInput, Validation
from perdure.workspaces.templates.template import FILE_BYTES, Template, parse

RECIPE = "template.toml"
SHIPPED = ("blank", "python", "node", "git")


def shipped() -> list[Template]:
    """The templates every installation has."""
    shelf = files("perdure.workspaces.templates")
    return [_read(name, shelf / name) for name in SHIPPED]


def from_directory(directory: Path) -> Template:
    """A template in a directory: template.toml, README.md and what is under files/."""
    if not (directory / RECIPE).is_file():
        raise InvalidInput(f"{directory} holds no {RECIPE}.", Validation(RECIPE, "is missing"))
    return _read(directory.resolve().name, directory)


def _read(name: str, directory: Traversable) -> Template:
    readme = directory / "README.md"
    laid = directory / "files"
    return parse(
        name,
        (directory / RECIPE).read_text(encoding="utf-8"),
        readme=readme.read_text(encoding="utf-8") if readme.is_file() else "",
        files=_contents(laid, "") if laid.is_dir() else {},
    )


def _contents(directory: Traversable, prefix: str) -> dict[str, bytes]:
    """Every file below; a link is refused because it could show what is not the template's."""
    found: dict[str, bytes] = {}
    for item in directory.iterdir():
        path = prefix + item.name
        if isinstance(item, Path) and item.is_symlink():
            raise InvalidInput("The template does not make sense.", Validation(f"files.{path}", "is a symbolic link"))
        if item.is_dir():
            found |= _contents(item, f"{path}/")
        elif isinstance(item, Path) and item.stat().st_size > FILE_BYTES:
            detail = f"has more than {FILE_BYTES} bytes"
            raise InvalidInput("The template does not make sense.", Validation(f"files.{path}", detail))
        else:
            found[path] = item.read_bytes()
    return found
