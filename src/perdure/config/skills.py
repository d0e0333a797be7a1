"""Skills as people keep them: a text with an optional header that says what it is for."""

from msgspec import Struct

from perdure.core.errors import InvalidInput, Validation

MOST = 100
FENCE = "---"


class Header(Struct, frozen=True):
    name: str = ""
    description: str = ""


def header_of(content: str) -> Header:
    """What the header of a skill says. Raises InvalidInput where it begins and makes no sense."""
    lines = content.replace("\r\n", "\n").split("\n")
    if lines[0].strip() != FENCE:
        return Header()
    try:
        end = next(number for number, line in enumerate(lines) if number and line.strip() == FENCE)
    except StopIteration:
        raise _broken(f"begins with {FENCE} and is never closed by another {FENCE}") from None
    fields: dict[str, str] = {}
    for number, line in enumerate(lines[1:end], start=2):
        name, colon, value = line.partition(":")
        if line.strip() and not line.startswith((" ", "#", "-")):
            if not colon:
                raise _broken(f"has a line that is no `name: value`: line {number}")
            fields[name.strip().lower()] = value.strip().strip("\"'")
    return Header(fields.get("name", ""), fields.get("description", ""))


def _broken(why: str) -> InvalidInput:
    return InvalidInput("The skill's header is broken.", Validation("content", f"its header {why}"))
