"""Finds the command that was asked for, runs it, and turns what goes wrong into a line and an exit code.

A command is a module of this package with one of
- `command`, a function whose parameters typer turns into options,
- `app`, a `typer.Typer` with commands of its own,
- `main`, a function from the remaining arguments to an exit code, for those that must start at once.
Its line in `COMMANDS` is all it takes to be found.
"""

import gc
import importlib
import sys
from collections.abc import Callable, Sequence
from types import ModuleType

from perdure.core.errors import InvalidInput, Misconfigured, PerdureError, in_one_line

COMMANDS = {
    "serve": "Run the server.",
    "chat": "Chat with an agent in the terminal.",
    "acp": "Serve an agent to an editor (ACP).",
    "faces": "Show the addresses for other programs, and create a token for them.",
    "mcp": "Serve chats as tools to another agent (MCP).",
    "sim": "Run a simulated model provider that needs no key.",
    "agent": "Run the helper inside a workspace.",
    "import": "Import chats from other programs.",
    "users": "Manage who can sign in.",
    "tokens": "Manage API tokens for programs.",
    "secrets": "Encrypt stored secrets with a new key.",
    "schedules": "Manage schedules, which start chats at certain times.",
    "triggers": "Manage triggers, by which other programs start chats.",
    "templates": "Manage workspace templates.",
    "workspaces": "List, stop and remove workspaces.",
    "migrate": "Migrate the database to the newest schema.",
    "migrate-files": "Move the bytes of files into object storage, or back.",
    "scaletest": "Measure the whole product under load against its bars.",
    "chaos": "Break a fleet of replicas at random and check that every promise holds.",
    "bench": "Measure parts of the product against their bars.",
    "doctor": "Check the environment and the database, and suggest fixes.",
}

_MODULES = {"import": "importing"}
"""Commands whose names no module can have."""

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
    name = next(iter(arguments), "--help")
    if name in _QUESTIONS:
        return _QUESTIONS[name]()
    if name not in COMMANDS:
        _complain(f"There is no command {name!r}. 'perdure --help' lists them.")
        return MISCONFIGURED
    module = _imported(name)
    rest = list(arguments[1:])
    return module.main(rest) if hasattr(module, "main") else _run_typer(name, module, rest)


def module_of(name: str) -> str:
    """Where a command is."""
    return f"perdure.cli.{_MODULES.get(name, name.replace('-', '_'))}"


def _imported(name: str) -> ModuleType:
    """The module of a command. What is imported stays: looking through it for garbage costs a sixth of the time."""
    gc.disable()
    try:
        return importlib.import_module(module_of(name))
    finally:
        gc.enable()


def _run_typer(name: str, module: ModuleType, arguments: Sequence[str]) -> int:
    # A command that must start at once does without it.
    import typer  # noqa: PLC0415

    app = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    # With one, a single command is still called by its name.
    app.callback()(lambda: None)
    if hasattr(module, "app"):
        app.add_typer(module.app, name=name, help=COMMANDS[name])
    else:
        app.command(name, help=COMMANDS[name])(module.command)
    return app([name, *arguments], prog_name="perdure") or 0


def _say_help() -> int:
    width = max(map(len, COMMANDS))
    listed = "".join(f"  {name:<{width}}  {about}\n" for name, about in COMMANDS.items())
    sys.stdout.write(f"{_USAGE}\nCommands:\n{listed}\n{_MORE}\n")
    return 0


def _say_version() -> int:
    from importlib import metadata  # noqa: PLC0415

    sys.stdout.write(f"perdure {metadata.version('perdure')}\n")
    return 0


_USAGE = "Usage: perdure COMMAND [ARGUMENTS]\n\nAgent chats that survive everything.\n"
_MORE = "Run 'perdure COMMAND --help' for details. 'perdure --version' shows the version."
_QUESTIONS: dict[str, Callable[[], int]] = {
    "--help": _say_help,
    "-h": _say_help,
    "--version": _say_version,
    "-V": _say_version,
}


def _complain(message: str) -> None:
    red, plain = ("\x1b[31m", "\x1b[0m") if sys.stderr.isatty() else ("", "")
    sys.stderr.write(f"{red}perdure:{plain} {message}\n")
