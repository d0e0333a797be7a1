"""What only some deployments need is declared once, and its absence is said in words that help."""

import re
import sys
import tomllib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest

from perdure.api.routes.inbox import push_key
from perdure.cli.checks.environment import extras
from perdure.cli.checks.notices import notices
from perdure.core.errors import Misconfigured
from perdure.core.extras import EXTRAS, installed, require
from perdure.observe.tracing import Tracing
from perdure.providers.clouds import AwsCredentials, GoogleCredentials
from perdure.providers.credentials import Outgoing
from perdure.providers.errors.classification import classify
from perdure.providers.errors.failures import CredentialsUnusable
from perdure.settings import Settings
from perdure.workspaces.drivers import Drivers
from perdure.workspaces.local.driver import LocalDriver

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
REQUEST = Outgoing("POST", "https://models.invalid/", {}, b"{}")


async def containers() -> None:
    Drivers(Path("/nowhere"), LocalDriver(Path("/nowhere"))).of("docker", {"image": "any"})


async def pods() -> None:
    Drivers(Path("/nowhere"), LocalDriver(Path("/nowhere"))).of("kubernetes", {"image": "any"})


async def traces() -> None:
    Tracing("http://127.0.0.1:1")


USES: dict[str, Callable[[], Awaitable[Any]]] = {
    "aws": lambda: AwsCredentials("a-region", "key", "secret").authorize(REQUEST),
    "docker": containers,
    "google": lambda: GoogleCredentials("{}").authorize(REQUEST),
    "kubernetes": pods,
    "push": lambda: push_key(cast("Any", None)),
    "traces": traces,
}


@pytest.fixture
def absent(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(sys.modules, EXTRAS[request.param].library, None)
    return request.param


def test_the_package_offers_these_extras_and_all_of_them_together() -> None:
    offered = PROJECT["optional-dependencies"]
    assert offered.pop("all") == [f"perdure[{','.join(EXTRAS)}]"]
    assert set(offered) == set(EXTRAS)


def test_whoever_develops_has_every_extra() -> None:
    assert [name for name in EXTRAS if not installed(name)] == []


@pytest.mark.parametrize("absent", EXTRAS, indirect=True)
def test_an_extra_that_is_missing_is_named(absent: str) -> None:
    assert not installed(absent)
    with pytest.raises(Misconfigured, match=rf"not installed: pip install 'perdure\[{absent}\]'"):
        require(absent)
    # Extras may share a library; then they are missing together.
    named = re.search(r"pip install 'perdure\[(.*)\]'$", extras().remedy)
    assert named
    assert absent in named[1].split(",")


@pytest.mark.parametrize("absent", USES, indirect=True)
async def test_what_needs_it_says_so_where_it_is_used(absent: str) -> None:
    with pytest.raises((Misconfigured, CredentialsUnusable), match=rf"pip install 'perdure\[{absent}\]'"):
        await USES[absent]()


@pytest.mark.parametrize("absent", ["nats"], indirect=True)
async def test_the_doctor_says_that_notices_cannot_travel(absent: str, tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, nats_url="nats://127.0.0.1:1")
    assert (await notices(settings)).remedy == f"pip install 'perdure[{absent}]'"


@pytest.mark.parametrize("absent", ["aws"], indirect=True)
async def test_a_chat_whose_model_needs_it_ends_with_words_that_help(absent: str) -> None:
    with pytest.raises(CredentialsUnusable) as caught:
        await USES[absent]()
    told = classify(caught.value)
    assert (told.kind, told.retryable) == ("config", False)
    assert "perdure[aws]" in (told.detail or "")
