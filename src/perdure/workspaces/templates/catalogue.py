"""Where templates come from: the ones we ship, those that an organisation brought, and directories to be imported."""

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from perdure.core.errors import InvalidInput, NotFound, Validation
from perdure.core.ids import OrganisationId
from perdure.store.pool import Pool
from perdure.store.tables import templates
from perdure.workspaces.templates.template import FILE_BYTES, Template, Texts, parse

RECIPE = "template.toml"
SHIPPED = ("blank", "python", "node", "git")


class TemplateCatalogue:
    """All templates of an organisation. The shipped ones are everybody's and cannot be replaced."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._shipped = {template.name: template for template in shipped()}

    async def all(self, organisation_id: OrganisationId) -> list[Template]:
        """Every template; those of the organisation without their files."""
        brought = await templates.listed(self._pool, organisation_id)
        return [*self._shipped.values(), *(parse(Texts(row.name, row.recipe, row.readme, {})) for row in brought)]

    async def find(self, organisation_id: OrganisationId, name: str) -> Template:
        found = self._shipped.get(name)
        if found is not None:
            return found
        row = await templates.load(self._pool, organisation_id, name)
        if row is None:
            names = ", ".join(template.name for template in await self.all(organisation_id))
            raise NotFound(f"There is no template {name!r}. There are: {names}.")
        return parse(Texts(row.name, row.recipe, row.readme, row.unpacked))

    def ships(self, name: str) -> bool:
        return name in self._shipped


@cache
def shipped() -> tuple[Template, ...]:
    """The templates every installation has."""
    folder = files("perdure.workspaces.templates")
    return tuple(parse(_read(name, folder / name)) for name in SHIPPED)


def read_directory(directory: Path) -> Texts:
    """A template in a directory: template.toml, README.md and what is under files/."""
    if not (directory / RECIPE).is_file():
        raise InvalidInput(f"{directory} holds no {RECIPE}.", Validation(RECIPE, "is missing"))
    return _read(directory.resolve().name, directory)


def _read(name: str, directory: Traversable) -> Texts:
    readme = directory / "README.md"
    laid = directory / "files"
    return Texts(
        name,
        _text(directory / RECIPE),
        _text(readme) if readme.is_file() else "",
        _contents(laid, "") if laid.is_dir() else {},
    )


def _text(file: Traversable) -> str:
    try:
        return file.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise InvalidInput("The template is not valid.", Validation(file.name, "is not UTF-8")) from error


def _contents(directory: Traversable, prefix: str) -> dict[str, bytes]:
    """Every file below; a link is refused because it could show what is not the template's."""
    found: dict[str, bytes] = {}
    for item in directory.iterdir():
        path = prefix + item.name
        if isinstance(item, Path) and item.is_symlink():
            raise InvalidInput("The template is not valid.", Validation(f"files.{path}", "is a symbolic link"))
        if item.is_dir():
            found |= _contents(item, f"{path}/")
        elif isinstance(item, Path) and item.stat().st_size > FILE_BYTES:
            detail = f"has more than {FILE_BYTES} bytes"
            raise InvalidInput("The template is not valid.", Validation(f"files.{path}", detail))
        else:
            found[path] = item.read_bytes()
    return found
