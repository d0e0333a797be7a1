"""Finds the command that was asked for, runs it, and turns what goes wrong into a line and an exit code.

A command is a module of this package with one of
- `command`, a function whose parameters typer turns into options,
- `app`, a `typer.Typer` with commands of its own,
- `main`, a function from the remaining arguments to an exit code, for those that must start at once.
Its line in `COMMANDS` is all it takes to be found.
"""

import importlib
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType

from perdure.core.errors import InvalidInput, Misconfigured, PerdureError, in_one_line

COMMANDS = {
    "serve": "Run the server.",
    "chat": "Talk to an agent from here.",
    "sim": "Run a provider that needs no key.",
    "agent": "Run the program inside a workspace.",
    "users": "Say who may sign in.",
    "tokens": "Make secrets for programs.",
    "secrets": "Encrypt stored secrets with a new key.",
    "templates": "Bring recipes for workspaces.",
    "workspaces": "See, stop and remove workspaces.",
    "migrate": "Bring the database to the newest schema.",
    "scaletest": "Measure the whole product under load against its bars.",
    "chaos": "Break a fleet of replicas at random and check that every promise holds.",
    "bench": "Measure parts of the product against their bars.",
    "doctor": "Check the environment and the database, and say what to do.",
}

FAILED = 1
MISCONFIGURED = 2
INTERRUPTED = 130


def run() -> None:
    """The entry point."""
    try:
        code = dispatch(sys.argv[1:])
    except KeyboardInterrupt:
        code = INTERRUPTED
    except PerdureError as error:
        _complain(in_one_line(str(error), error.validations if isinstance(error, InvalidInput) else ()))
        code = MISCONFIGURED if isinstance(error, Misconfigured) else FAILED
    sys.exit(code)


def dispatch(arguments: Sequence[str]) -> int:
    """Run the command that the first argument names. Only its module is imported."""
    name = next(iter(arguments), "")
    if name not in COMMANDS:
        return _run_typer(arguments, {})
    module = importlib.import_module(f"perdure.cli.{name}")
    return module.main(list(arguments[1:])) if hasattr(module, "main") else _run_typer(arguments, {name: module})


def _run_typer(arguments: Sequence[str], modules: Mapping[str, ModuleType]) -> int:
    # A command that must start at once does without both.
    from importlib import metadata  # noqa: PLC0415

    import typer  # noqa: PLC0415

    def say_version(asked: bool) -> None:
        if asked:
            typer.echo(f"perdure {metadata.version('perdure')}")
            raise typer.Exit

    option = typer.Option(
        False, "--version", "-V", is_eager=True, callback=say_version, help="Say which version this is."
    )

    def root(version: bool = option) -> None:
        """What stands before every command."""

    app = typer.Typer(
        help="Agent chats that survive everything.",
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(root)
    for name, about in COMMANDS.items():
        module = modules.get(name)
        if module is not None and hasattr(module, "app"):
            app.add_typer(module.app, name=name, help=about)
        else:
            app.command(name, help=about)(_nothing if module is None else module.command)
    return app(list(arguments)) or 0


def _nothing() -> None:
    """Stands in for a command that was not asked for."""


def _complain(message: str) -> None:
    red, plain = ("\x1b[31m", "\x1b[0m") if sys.stderr.isatty() else ("", "")
    sys.stderr.write(f"{red}perdure:{plain} {message}\n")
