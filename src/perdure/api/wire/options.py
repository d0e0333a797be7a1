"""From bodies to the options that are stored of them: a body has every option, a patch those that change."""

from typing import TypeVar

from msgspec import UNSET, Struct

Options = TypeVar("Options", bound=Struct)


def options_of(body: Struct, kind: type[Options]) -> Options:
    """The body's options; the body has a field of the same name for each."""
    return kind(**{name: getattr(body, name) for name in kind.__struct_fields__})


def changes_of(patch: Struct, kind: type[Struct]) -> dict[str, object]:
    """What the patch sets of the options."""
    given = {name: getattr(patch, name) for name in kind.__struct_fields__}
    return {name: value for name, value in given.items() if value is not UNSET}
