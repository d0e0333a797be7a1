"""Templates as data: read, checked, and filled with what was said."""

import time
from pathlib import Path
from uuid import uuid4

import pytest

from perdure.core.errors import InvalidInput
from perdure.core.ids import WorkspaceId
from perdure.workspaces.driver import Limits, Network
from perdure.workspaces.templates.building import bind
from perdure.workspaces.templates.catalogue import read_directory, shipped
from perdure.workspaces.templates.template import Parameter, Texts, Value, parse, value_faults

RECIPE = """
description = "For tests"
network = "host"
[limits]
processes = 7
[environment]
MODE = "fast"
[git]
url = "https://forge.example/{project}.git"
[[parameters]]
name = "project"
required = true
pattern = "[a-z]+"
[[parameters]]
name = "level"
type = "integer"
default = 3
minimum = 1
maximum = 5
[[parameters]]
name = "colour"
choices = ["red", "blue"]
default = "red"
[[parameters]]
name = "loud"
type = "boolean"
default = false
"""


def details(error: InvalidInput) -> dict[str, str]:
    return {validation.field: validation.detail for validation in error.validations}


def test_the_shipped_templates_make_sense_and_only_blank_is_without_network() -> None:
    assert {template.name: template.recipe.network for template in shipped()} == {
        "blank": Network.NONE,
        "python": Network.HOST,
        "node": Network.HOST,
        "git": Network.HOST,
    }
    assert all(template.readme and template.recipe.description for template in shipped())


def test_parameters_fill_the_plan_and_the_clone() -> None:
    bound = bind(parse(Texts("mine", RECIPE)), {"project": "perdure", "loud": True})
    plan = bound.plan(WorkspaceId(uuid4()))
    assert bound.git is not None
    assert bound.git.url == "https://forge.example/perdure.git"
    assert (plan.network, plan.limits) == (Network.HOST, Limits(processes=7))
    assert plan.environment == {
        "MODE": "fast",
        "TEMPLATE_PROJECT": "perdure",
        "TEMPLATE_LEVEL": "3",
        "TEMPLATE_COLOUR": "red",
        "TEMPLATE_LOUD": "true",
    }


@pytest.mark.parametrize(
    ("values", "place", "detail"),
    [
        ({}, "project", "is required"),
        ({"project": "UPPER"}, "project", "must match [a-z]+"),
        ({"project": "a\nb"}, "project", "must be one line of at most 2000 characters"),
        ({"project": 1}, "project", "must be of type text"),
        ({"project": "a", "level": 9}, "level", "must be between 1 and 5"),
        ({"project": "a", "level": True}, "level", "must be a whole number"),
        ({"project": "a", "colour": "green"}, "colour", "must be one of red, blue"),
        ({"project": "a", "loud": "yes"}, "loud", "must be of type boolean"),
        ({"project": "a", "other": "x"}, "other", "is not a parameter"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_wrong(values: dict[str, Value], place: str, detail: str) -> None:
    with pytest.raises(InvalidInput) as error:
        bind(parse(Texts("mine", RECIPE)), values)
    assert details(error.value) == {f"parameters.{place}": detail}


@pytest.mark.parametrize(
    ("name", "recipe", "place"),
    [
        ("Bad Name", "description = ''", "name"),
        ("a", "description = ", "template.toml"),
        ("a", "network = 'none'", "template.toml"),
        ("a", "description = ''\nnetwork = 'wide'", "template.toml"),
        ("a", "description = ''\nsurprise = 1", "template.toml"),
        ("a", "description = ''\n[[parameters]]\nname = 'x'\ndefault = 'y'\npattern = '('", "parameters.x"),
        ("a", "description = ''\n[[parameters]]\nname = 'x'\ndefault = 'y'\npattern = '[0-9]'", "parameters.x"),
        ("a", "description = ''\n[[parameters]]\nname = 'x'", "parameters.x"),
    ],
)
def test_a_template_that_makes_no_sense_is_refused(name: str, recipe: str, place: str) -> None:
    with pytest.raises(InvalidInput) as error:
        parse(Texts(name, recipe))
    assert place in details(error.value)


def test_files_stay_inside_and_small() -> None:
    with pytest.raises(InvalidInput) as error:
        parse(
            Texts(
                "a",
                "description = ''",
                files={"../x": b"", "/y": b"", "z": b"0" * (1024 * 1024 + 1), "ok": b""},
            )
        )
    assert sorted(details(error.value)) == ["files.../x", "files./y", "files.z"]


def test_a_directory_is_imported_with_its_files(tmp_path: Path) -> None:
    directory = tmp_path / "service"
    (directory / "files/src").mkdir(parents=True)
    (directory / "template.toml").write_text("description = 'A service'")
    (directory / "README.md").write_text("# Service")
    (directory / "files/src/run.sh").write_text("#!/bin/sh\n")
    template = parse(read_directory(directory))
    assert (template.name, template.readme, dict(template.files)) == (
        "service",
        "# Service",
        {"src/run.sh": b"#!/bin/sh\n"},
    )


def test_a_directory_without_a_recipe_or_with_a_link_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"holds no template\.toml"):
        read_directory(tmp_path)
    (tmp_path / "files").mkdir()
    (tmp_path / "template.toml").write_text("description = ''")
    (tmp_path / "files/passwd").symlink_to("/etc/passwd")
    with pytest.raises(InvalidInput) as error:
        read_directory(tmp_path)
    assert details(error.value) == {"files.passwd": "is a symbolic link"}


@pytest.mark.parametrize("name", ["template.toml", "README.md"])
def test_a_text_in_another_encoding_is_refused_by_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "template.toml").write_text("description = 'A service'")
    (tmp_path / name).write_bytes("description = 'Für uns'".encode("latin-1"))
    with pytest.raises(InvalidInput) as error:
        read_directory(tmp_path)
    assert details(error.value) == {name: "is not UTF-8"}


@pytest.mark.parametrize("pattern", ["(a+)+", "(?=a)(a+)+", "(a|a)*", r"(a*)*\\1"])
def test_a_pattern_that_could_take_for_ever_does_not(pattern: str) -> None:
    parameter = Parameter("x", pattern=pattern)
    begun = time.process_time()
    assert value_faults(parameter, "a" * 1_990 + "b") != []
    assert time.process_time() - begun < 0.2
