"""What a template is, and what is wrong with one that makes no sense. No I/O."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Annotated, Literal

import jsonschema_rs
import msgspec
from jsonschema_rs import FancyRegexOptions

from perdure.core.errors import InvalidInput, Validation
from perdure.workspaces.driver import Computer, Limits, Network
from perdure.workspaces.egress.rules import Rule, faults

NAME = re.compile(r"[a-z][a-z0-9-]{0,62}")
PARAMETER_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
TEXT_CHARACTERS = 2000
BACKTRACKS = 10_000
"""How much a pattern of a recipe may try with one value: some milliseconds' worth."""
FILE_BYTES = 1024 * 1024
ALL_FILES_BYTES = 16 * 1024 * 1024

Value = str | int | bool


class Parameter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something to be said when a workspace is made."""

    name: str
    description: str = ""
    type: Literal["text", "integer", "boolean"] = "text"
    required: bool = False
    default: Value | None = None
    pattern: str = ""
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None


class GitSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A repository to clone into the tree. `{name}` stands for a parameter."""

    url: str
    branch: str = ""


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file template.toml."""

    description: str
    driver: str = "local"
    network: Network = Network.NONE
    rules: tuple[Rule, ...] = ()
    """What may leave a workspace whose network is `allow`."""
    limits: Limits = Limits()
    environment: dict[str, str] = {}
    settings: dict[str, str] = {}
    parameters: tuple[Parameter, ...] = ()
    git: GitSource | None = None
    computer: Computer | None = None
    """The screen that it brings along, if it does."""
    start_up: str = ""
    idle_minutes: Annotated[int, msgspec.Meta(ge=1, le=60 * 24 * 30)] = 120
    """How long a workspace stands unused before it is stopped."""
    warm: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0
    """How many workspaces stand ready ahead of their use."""


@dataclass(frozen=True, slots=True)
class Template:
    """A named recipe with its files, checked."""

    name: str
    recipe: Recipe
    readme: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


@dataclass(frozen=True, slots=True)
class Texts:
    """A template as somebody wrote it."""

    name: str
    recipe: str
    readme: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


def parse(texts: Texts) -> Template:
    """A template from its texts, or everything that is wrong with it."""
    if not NAME.fullmatch(texts.name):
        raise _invalid("name", "a template's name uses lowercase letters, digits and hyphens")
    try:
        read = msgspec.convert(tomllib.loads(texts.recipe), Recipe)
    except tomllib.TOMLDecodeError as error:
        raise _invalid("template.toml", str(error)) from error
    except msgspec.ValidationError as error:
        raise _invalid("template.toml", str(error)) from error
    template = Template(texts.name, read, texts.readme, texts.files)
    wrong = [*_parameter_faults(read), *_file_faults(template.files)]
    if wrong:
        raise InvalidInput("The template is not valid.", *wrong)
    return template


def _parameter_faults(recipe: Recipe) -> list[Validation]:
    faults: list[Validation] = []
    seen: set[str] = set()
    for parameter in recipe.parameters:
        place = f"parameters.{parameter.name}"
        if not PARAMETER_NAME.fullmatch(parameter.name) or parameter.name in seen:
            faults.append(Validation(place, "names must be unique and use lowercase letters, digits and underscores"))
        seen.add(parameter.name)
        faults += _pattern_faults(place, parameter.pattern)
        if not faults and parameter.default is not None:
            faults += value_faults(parameter, parameter.default)
        if parameter.default is None and not parameter.required:
            faults.append(Validation(place, "a parameter is required or has a default"))
    return faults


def _pattern_faults(place: str, pattern: str) -> list[Validation]:
    try:
        _matcher(pattern)
    except ValueError as error:
        return [Validation(place, f"the pattern is not a regular expression: {str(error).splitlines()[0]}")]
    return []


@lru_cache(maxsize=64)
def _matcher(pattern: str) -> jsonschema_rs.Validator:
    """What compares a whole text with a pattern that somebody wrote. It gives up where that would take long."""
    whole = {"pattern": f"^(?:{pattern})$"}
    return jsonschema_rs.validator_for(whole, pattern_options=FancyRegexOptions(backtrack_limit=BACKTRACKS))


def _file_faults(files: Mapping[str, bytes]) -> list[Validation]:
    faults = [
        Validation(f"files.{path}", f"a file has a path inside the workspace and at most {FILE_BYTES} bytes")
        for path, content in files.items()
        if path.startswith("/") or ".." in path.split("/") or len(content) > FILE_BYTES
    ]
    if sum(map(len, files.values())) > ALL_FILES_BYTES:
        faults.append(Validation("files", f"all files together have at most {ALL_FILES_BYTES} bytes"))
    return faults


def value_faults(parameter: Parameter, value: Value) -> list[Validation]:
    """What is wrong with a value for a parameter."""
    detail = ""
    match parameter.type, value:
        case "boolean", bool():
            pass
        case "integer", bool():
            detail = "must be a whole number"
        case "integer", int():
            low, high = parameter.minimum, parameter.maximum
            if (low is not None and value < low) or (high is not None and value > high):
                detail = f"must be between {low} and {high}"
        case "text", str():
            detail = _text_fault(parameter, value)
        case kind, _:
            detail = f"must be of type {kind}"
    return [Validation(f"parameters.{parameter.name}", detail)] if detail else []


def _text_fault(parameter: Parameter, value: str) -> str:
    if len(value) > TEXT_CHARACTERS or "\0" in value or "\n" in value:
        return f"must be one line of at most {TEXT_CHARACTERS} characters"
    if parameter.choices and value not in parameter.choices:
        return f"must be one of {', '.join(parameter.choices)}"
    if parameter.pattern and not _matcher(parameter.pattern).is_valid(value):
        return f"must match {parameter.pattern}"
    return ""


def _invalid(place: str, detail: str) -> InvalidInput:
    return InvalidInput("The template is not valid.", Validation(place, detail))


DRIVERS = ("local", "docker", "kubernetes", "ssh")
LIMITS = tuple(limit.name for limit in fields(Limits))


def accepted(texts: Texts) -> Template:
    """A template that somebody brings, or everything that is wrong with it."""
    template = parse(texts)
    said = tomllib.loads(texts.recipe).get("limits", {})
    wrong = [*_driver_faults(template.recipe), *_limit_faults(template.recipe, said), *_network_faults(template.recipe)]
    wrong += _warm_faults(template.recipe)
    if wrong:
        raise InvalidInput("The template is not valid.", *wrong)
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


def _network_faults(recipe: Recipe) -> list[Validation]:
    wrong = [fault for place, rule in enumerate(recipe.rules) for fault in faults(rule, f"rules[{place}]")]
    if recipe.rules and recipe.network is not Network.ALLOW:
        wrong.append(Validation("rules", 'hold only where network = "allow"'))
    if recipe.network is Network.ALLOW and recipe.driver == "ssh":
        wrong.append(Validation("network", "a host reached over SSH has its own network: use another driver"))
    return wrong


def _warm_faults(recipe: Recipe) -> list[Validation]:
    """What could never stand ready."""
    if not recipe.warm:
        return []
    told = [each.name for each in recipe.parameters if each.default is None]
    wrong = [Validation("warm", f"the parameter {name} has no default, so nothing can be made ahead") for name in told]
    if recipe.network is Network.ALLOW:
        wrong.append(Validation("warm", "a network by permission belongs to a chat: nothing can be made ahead"))
    return wrong
