"""A template with its parameters said: values checked, places filled, a plan for the driver. No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass

from perdure.core.errors import InvalidInput, Validation
from perdure.core.ids import WorkspaceId
from perdure.workspaces.driver import Plan
from perdure.workspaces.templates.template import GitSource, Template, Value, value_faults


@dataclass(frozen=True, slots=True)
class Bound:
    """All that building a workspace needs to know."""

    template: Template
    values: Mapping[str, str]

    @property
    def git(self) -> GitSource | None:
        source = self.template.recipe.git
        return source and GitSource(self._filled(source.url), self._filled(source.branch))

    def plan(self, workspace: WorkspaceId) -> Plan:
        """Parameters reach commands as variables, never as pieces of a script."""
        recipe = self.template.recipe
        variables = {f"TEMPLATE_{name.upper()}": value for name, value in self.values.items()}
        return Plan(
            id=workspace,
            network=recipe.network,
            limits=recipe.limits,
            environment={**recipe.environment, **variables},
            settings=recipe.settings,
            computer=recipe.computer,
        )

    def _filled(self, text: str) -> str:
        for name, value in self.values.items():
            text = text.replace("{" + name + "}", value)
        return text


def bind(template: Template, values: Mapping[str, Value]) -> Bound:
    """Say a template's parameters, or everything that is wrong with what was said."""
    known = {parameter.name: parameter for parameter in template.recipe.parameters}
    faults = [Validation(f"parameters.{name}", "there is no such parameter") for name in values if name not in known]
    said: dict[str, str] = {}
    for name, parameter in known.items():
        value = values.get(name, parameter.default)
        if value is None:
            faults.append(Validation(f"parameters.{name}", "is required"))
            continue
        faults += value_faults(parameter, value)
        said[name] = str(value).lower() if isinstance(value, bool) else str(value)
    if faults:
        raise InvalidInput("The template's parameters do not make sense.", *faults)
    return Bound(template, said)
