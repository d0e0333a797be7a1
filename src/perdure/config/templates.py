"""Templates as an actor may bring them and take them away."""

from perdure.access.actor import ActorRows, Permission, record
from perdure.core.errors import NotFound, Refused
from perdure.store.tables import templates
from perdure.store.tables.templates import packed
from perdure.workspaces.templates.catalogue import TemplateCatalogue
from perdure.workspaces.templates.template import Template, Texts, accepted

_CONFIGURE = Permission.CONFIGURE


class TemplateConfiguration:
    """The templates of an organisation."""

    def __init__(self, rows: ActorRows, catalogue: TemplateCatalogue) -> None:
        self._rows = rows
        self._catalogue = catalogue

    async def put(self, texts: Texts) -> Template:
        """Bring a template, or another version of it. Workspaces made before stay as they are."""
        organisation = self._rows.organisation(_CONFIGURE)
        template = accepted(texts)
        if self._catalogue.ships(texts.name):
            raise Refused(f"{texts.name} is a built-in template. Choose another name.")
        await templates.put(organisation, texts.name, texts.recipe, texts.readme, packed(dict(texts.files)))
        await record(self._rows, "template.put", texts.name)
        return template

    async def remove(self, name: str) -> None:
        """Take a template away. Workspaces made from it stay."""
        if await templates.remove(self._rows.organisation(_CONFIGURE), name) is None:
            raise NotFound(f"There is no template {name!r} that was added here.")
        await record(self._rows, "template.remove", name)
