"""The order of contents: calls after the user, responses after calls, and signatures in the turn under way."""

from perdure.sim.document import Json, Node, is_object
from perdure.sim.gemini.errors import invalid, violation
from perdure.sim.gemini.parts import check_part

Part = dict[str, Json]
Content = tuple[str, list[Part]]

_UNSIGNED = ("gemini-1", "gemini-2", "gemma")
"""Models before signatures became a duty."""


def check_contents(contents: Node, model: str) -> None:
    """Every content, and every rule that looks at more than one."""
    if contents.value == []:
        raise violation(contents.path, "contents is not specified")
    for content in contents.items():
        content.only(frozenset({"role", "parts"}))
        role = content.get("role")
        if role is not None and role.value not in ("user", "model", "function"):
            raise invalid("Please use a valid role: user, model.")
        parts = content.get("parts")
        if parts is None or parts.value == []:
            raise violation((*content.path, "parts"), "contents.parts must not be empty.")
        for part in parts.items():
            check_part(part)
    spoken = read_contents(contents.value)
    _check_calls(spoken)
    if not model.startswith(_UNSIGNED):
        _check_signatures(spoken)


def read_contents(contents: Json) -> list[Content]:
    """Roles and parts."""
    found: list[Content] = []
    for content in contents if isinstance(contents, list) else []:
        if is_object(content):
            parts = content.get("parts")
            listed = [part for part in parts if is_object(part)] if isinstance(parts, list) else []
            found.append((str(content.get("role", "user")), listed))
    return found


def has(content: Content, name: str) -> bool:
    """Whether a content has a part of this kind."""
    return any(name in part for part in content[1])


def _count(content: Content, name: str) -> int:
    return sum(name in part for part in content[1])


def _check_calls(spoken: list[Content]) -> None:
    for before, content in zip([None, *spoken], spoken, strict=False):
        if has(content, "functionCall") and (before is None or before[0] == "model"):
            raise invalid(
                "Please ensure that function call turn comes immediately after a user turn or after a function "
                "response turn."
            )
        if has(content, "functionResponse") and (before is None or not has(before, "functionCall")):
            raise invalid("Please ensure that function response turn comes immediately after a function call turn.")
        if before is not None and _count(before, "functionCall") != _count(content, "functionResponse"):
            raise invalid(
                "Please ensure that the number of function response parts is equal to the number of function call "
                "parts of the function call turn."
            )
    if spoken[-1][0] == "model":
        raise invalid("Please ensure that multiturn requests end with a user role or a function response.")


def _check_signatures(spoken: list[Content]) -> None:
    """Since the user last spoke, the first call of every step carries the signature of the thought behind it."""
    at = max(i for i, content in enumerate(spoken) if content[0] != "model" and not has(content, "functionResponse"))
    for place, content in enumerate(spoken[at:], start=at):
        first = next((part for part in content[1] if "functionCall" in part), None)
        if first is not None and not first.get("thoughtSignature"):
            call = first["functionCall"]
            name = call.get("name") if is_object(call) else None
            raise invalid(
                "Function call is missing a thought_signature in functionCall parts. This is required for tools to "
                "work correctly, and missing thought_signature may lead to degraded model performance. "
                f"Additional data, function call `default_api:{name}` , position {place + 1}."
            )
