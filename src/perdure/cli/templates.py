"""`perdure templates`: recipes for workspaces, for whoever has the machine."""

from pathlib import Path
from typing import Annotated

import typer

from perdure.access.signing_in import first_account
from perdure.cli.users import owners_rows, with_pool
from perdure.config.templates import TemplateConfiguration
from perdure.store.pool import Pool
from perdure.workspaces.templates.catalogue import TemplateCatalogue, read_directory

app = typer.Typer(no_args_is_help=True)


@app.command("list")
def list_templates() -> None:
    """List templates and where each comes from."""

    async def work(pool: Pool) -> list[str]:
        catalogue = TemplateCatalogue(pool)
        found = await catalogue.all((await first_account(pool)).organisation)
        whose = {template.name: "shipped" if catalogue.ships(template.name) else "yours" for template in found}
        return [f"{template.name}  {whose[template.name]}  {template.recipe.description}" for template in found]

    typer.echo("\n".join(with_pool(work)))


@app.command("import")
def import_template(
    directory: Annotated[Path, typer.Argument(help="A folder with template.toml, README.md and files/.")],
) -> None:
    """Import a template from a directory, or a new version of one."""
    texts = read_directory(directory)

    async def work(pool: Pool) -> None:
        await (await _configuration(pool)).put(texts)

    with_pool(work)
    typer.echo(f"{texts.name} can be used.")


@app.command()
def remove(name: Annotated[str, typer.Argument(help="The name that `list` shows.")]) -> None:
    """Remove a template. Workspaces created from it are kept."""

    async def work(pool: Pool) -> None:
        await (await _configuration(pool)).remove(name)

    with_pool(work)
    typer.echo(f"{name} is gone.")


async def _configuration(pool: Pool) -> TemplateConfiguration:
    return TemplateConfiguration(await owners_rows(pool), TemplateCatalogue(pool))
