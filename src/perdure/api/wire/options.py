"""From bodies to the options that are stored of them: a body has every option, a patch those that change."""

from typing import TypeVar

from msgspec import UNSET, Struct, UnsetType

Options = TypeVar("Options", bound=Struct)
T = TypeVar("T")


def options_of(body: Struct, kind: type[Options]) -> Options:
    """The body's options; the body has a field of the same name for each."""
    return kind(**{name: getattr(body, name) for name in kind.__struct_fields__})


def changes_of(patch: Struct, kind: type[Struct]) -> dict[str, object]:
    """What the patch sets of the options."""
    given = {name: getattr(patch, name) for name in kind.__struct_fields__}
    return {name: value for name, value in given.items() if value is not UNSET}


def given(value: T | UnsetType) -> T | None:
    """What a patch says of a field, if it says anything."""
    return None if isinstance(value, UnsetType) else value
