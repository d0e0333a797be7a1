"""Templates that somebody brings: what would be read, and mean something else than it says."""

import pytest

from perdure.core.errors import InvalidInput
from perdure.workspaces.templates.template import Texts, accepted, parse


@pytest.mark.parametrize(
    ("recipe", "place", "detail"),
    [
        ("driver = 'dokcer'", "driver", "must be one of local, docker, kubernetes, ssh"),
        ("[limits]\nmemory = 1", "limits.memory", "there is no such limit: there are memory_bytes, processes,"),
        ("[limits]\nprocesses = 0", "limits.processes", "must be above 0"),
        ("network = 'allow'\n[[rules]]\nhost = '*'", "rules[0].host", "allows every host"),
        ("network = 'allow'\n[[rules]]\nhost = '*.com'", "rules[0].host", "must name two parts"),
        ("network = 'allow'\n[[rules]]\nhost = 'a b'", "rules[0].host", "must be a name"),
        ("network = 'allow'\n[[rules]]\nhost = 'a.b'\nmethods = ['get']", "rules[0].methods", "must be names as GET"),
        (
            "network = 'allow'\n[[rules]]\nhost = 'a.b'\nnetworks = ['0.0.0.0/0']",
            "rules[0].networks",
            "must be networks",
        ),
        ("network = 'host'\n[[rules]]\nhost = 'a.b'", "rules", "hold only where"),
        ("[limits]\ndisk_bytes = -1", "limits.disk_bytes", "must be above 0"),
    ],
)
def test_what_would_not_mean_what_it_says_is_refused(recipe: str, place: str, detail: str) -> None:
    texts = Texts("mine", f"description = ''\n{recipe}")
    with pytest.raises(InvalidInput) as error:
        accepted(texts)
    assert [validation.field for validation in error.value.validations] == [place]
    assert error.value.validations[0].detail.startswith(detail)
    assert parse(texts).name == "mine", "what was taken in before is still read"


@pytest.mark.parametrize("driver", ["local", "docker", "ssh"])
def test_what_makes_sense_is_taken_in(driver: str) -> None:
    recipe = f"description = ''\ndriver = '{driver}'\n[limits]\nprocesses = 3"
    assert accepted(Texts("mine", recipe)).recipe.limits.processes == 3
