"""The guard between the agent program and a command."""

import os

from perdure.workspaces.agent import guard


def test_a_guard_that_is_told_to_leave_before_its_command_runs_ends_the_command_all_the_same() -> None:
    directory = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    nothing = os.open(os.devnull, os.O_RDWR)
    launch = guard.Launch(["/bin/sleep", "600"], directory, {}, (nothing, nothing, nothing), False, {})
    try:
        for _ in range(10):
            pid, reports = guard.start(launch)
            with reports:
                # At once: the guard has hardly been forked.
                guard.dismiss(reports)
                assert os.waitpid(pid, 0) == (pid, 0)
                # Nobody is left who could still say something.
                assert reports.recv(64) in (b"", b"exit 9\n")
    finally:
        os.close(nothing)
        os.close(directory)
