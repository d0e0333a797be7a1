"""What a template must be besides readable before it is taken in. One that was taken in before is only read."""

import tomllib
from dataclasses import fields

from perdure.core.errors import InvalidInput, Validation
from perdure.workspaces.driver import Limits
from perdure.workspaces.templates.template import Recipe, Template, Texts, parse

DRIVERS = ("local", "docker", "ssh")
LIMITS = tuple(limit.name for limit in fields(Limits))


def accepted(texts: Texts) -> Template:
    """A template that somebody brings, or everything that is wrong with it."""
    template = parse(texts)
    said = tomllib.loads(texts.recipe).get("limits", {})
    wrong = [*_driver_faults(template.recipe), *_limit_faults(template.recipe, said)]
    if wrong:
        raise InvalidInput("The template does not make sense.", *wrong)
    return template


def _driver_faults(recipe: Recipe) -> list[Validation]:
    known = recipe.driver in DRIVERS
    return [] if known else [Validation("driver", f"must be one of {', '.join(DRIVERS)}")]


def _limit_faults(recipe: Recipe, said: dict[str, object]) -> list[Validation]:
    """A limit that is misspelt would be none."""
    strange = [
        Validation(f"limits.{name}", f"there is no such limit: there are {', '.join(LIMITS)}")
        for name in said
        if name not in LIMITS
    ]
    low = [Validation(f"limits.{name}", "must be above 0") for name in LIMITS if getattr(recipe.limits, name) < 1]
    return strange + low
