"""What a command loads before it does anything. By name: how long that takes is for a quiet machine to say."""

import subprocess
import sys

import pytest

HELP = """
import sys
from perdure.cli.main import dispatch
dispatch(["--help"])
"""
SERVE = """
import sys
import perdure.cli.serve
"""
LOADED = """
sys.stderr.write(" ".join(sys.modules))
"""

# Each is for some deployments alone, or for a command that is typed; and each is slow to load.
ONLY_WHEN_USED = {
    "aiodocker": "workspaces in containers",
    "asyncssh": "workspaces on other hosts",
    "botocore": "models at Amazon",
    "google.auth": "models at Google",
    "nats": "notices through NATS",
    "opentelemetry.sdk": "traces that somebody collects",
    "opentelemetry.exporter": "traces that somebody collects",
    "pywebpush": "browsers that subscribed",
    "jwt": "login services and browsers that subscribed",
    "PIL": "pictures",
    "mcp": "MCP servers",
    "pydantic": "MCP servers, and commands that are typed",
    "typer": "commands that are typed",
    "rich": "nobody",
    "perdure.sim.server": "the demo, in a process of its own",
    "perdure.testing": "tests",
    "perdure.proof": "proofs",
}


def loaded(program: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", program + LOADED], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_help_loads_no_command_and_no_library_but_the_one_that_errors_are_made_of() -> None:
    modules = loaded(HELP)
    ours = {name for name in modules if name.startswith("perdure.cli.")}
    foreign = (
        {name.split(".")[0] for name in modules} - sys.stdlib_module_names - {"__main__", "perdure", "sitecustomize"}
    )
    assert ours == {"perdure.cli.main"}
    assert {name for name in foreign if not name.startswith("_")} <= {"msgspec", "typing_extensions"}


@pytest.fixture(scope="module")
def served() -> set[str]:
    return loaded(SERVE)


@pytest.mark.parametrize("library", ONLY_WHEN_USED)
def test_a_replica_starts_without(library: str, served: set[str]) -> None:
    assert "uvicorn" in served
    assert sorted(name for name in served if f"{name}.".startswith(f"{library}.")) == []
