"""`perdure schedules`, used as intended and otherwise."""

import pytest
from tests.cli.conftest import Start


@pytest.fixture
def run(start: Start, database_url: str) -> "Run":
    return Run(start, database_url)


class Run:
    """A command that ends: its code, and what it said."""

    def __init__(self, start: Start, database_url: str) -> None:
        self._start = start
        self._url = database_url

    def __call__(self, *words: str) -> tuple[int, str]:
        process = self._start("schedules", *words, database_url=self._url)
        said, complained = process.communicate()
        return process.returncode, said or complained


def test_a_schedule_is_made_listed_paused_and_removed(run: Run) -> None:
    options = ("--zone", "Europe/Berlin", "--overlap", "skip", "--budget", "1.5", "--template", "shop")
    code, said = run("add", "Build", "0 9 * * 1-5", "Look at the build.", *options)
    assert (code, "  Build  0 9 * * 1-5  Europe/Berlin  next " in said) == (0, True), said
    assert run("run", "Build")[0] == 0
    assert "due" in run("history", "Build")[1]
    assert run("pause", said[:8])[1].endswith("  paused\n")
    assert "  next " in run("resume", "Build")[1]
    assert run("remove", "Build") == (0, "It is gone.\n")
    assert run("list") == (0, "There are no schedules.\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("Build", "0 0 30 2 *", "Look."), "never runs"),
        (("Build", "0 9 * *", "Look."), "has 5 fields"),
        (("Build", "@daily", "Look.", "--zone", "Europe/Berlni"), "no time zone"),
        (("Build", "@daily", "Look.", "--model", "nobody"), "no model 'nobody'"),
        (("Build", "@daily", "Look.", "--chat", "7e5adc40-2afd-4d5a-a9ad-8a2e35a5ffba"), "has no chat"),
        (("Build", "@daily", "   "), "is empty"),
    ],
)
def test_what_could_never_run_is_refused_in_words(run: Run, words: tuple[str, ...], said: str) -> None:
    code, told = run("add", *words)
    assert (code != 0, said in told, "Traceback" in told) == (True, True, False), told
