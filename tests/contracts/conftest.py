"""Options for suites that need something which an ordinary test run does not have."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--docker-engine", help="Hold the docker driver to its contract, with the engine at this URL.")
    parser.addoption("--docker-image", default="localhost/perdure-workspace", help="The image its workspaces run.")
