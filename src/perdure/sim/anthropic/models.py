"""What only some of Anthropic's models take: ways to think, efforts, sampling."""

from perdure.sim.anthropic.errors import invalid
from perdure.sim.document import Node

_FAMILIES = ("claude-opus-", "claude-sonnet-", "claude-haiku-", "claude-fable-")
AMAZON = "anthropic."
"""How Amazon's names for these models begin, behind a region."""
_SAMPLING = ("temperature", "top_p", "top_k")


def check_model(body: Node) -> None:
    """What the model that a request names refuses of it. Of a name that is not Anthropic's nothing is known."""
    model = body["model"].text()
    version = _version(model)
    if version is None:
        return
    thinking, config = body.get("thinking"), body.get("output_config")
    effort = config.get("effort") if config is not None else None
    if thinking is not None:
        _check_thinking(thinking["type"].text(), version)
    if effort is not None:
        _check_effort(effort.text(), version)
    if version >= (5, 5) and AMAZON not in model:
        _check_screen(body)
    for name in _SAMPLING:
        if version >= (4, 7) and body.has(name):
            raise invalid(f"`{name}` is deprecated for this model.")


def _check_thinking(kind: str, version: tuple[int, int]) -> None:
    if kind == "adaptive" and version < (4, 6):
        raise invalid("adaptive thinking is not supported on this model")
    if kind in ("disabled", "enabled") and version >= (5, 5):
        raise invalid(
            f'"thinking.type.{kind}" is not supported for this model. Use "thinking.type.adaptive" and '
            '"output_config.effort" to control thinking behavior.'
        )


def _check_screen(body: Node) -> None:
    """The one tool for a screen, which only Amazon still takes."""
    for tool in body["tools"].items() if body.has("tools") else ():
        kind = tool.get("type")
        if kind is not None and kind.text().startswith("computer_20"):
            raise tool.refuse(f"`{kind.text()}` is not supported for this model. Use `computer_toolset_20260801`.")


def _check_effort(effort: str, version: tuple[int, int]) -> None:
    if version < (4, 5):
        raise invalid("This model does not support the effort parameter.")
    levels = {"low", "medium", "high"}
    levels |= {"max"} if version >= (4, 6) else set()
    levels |= {"xhigh"} if version >= (4, 7) else set()
    if effort not in levels:
        known = ", ".join(sorted(levels))
        raise invalid(f"This model does not support effort level '{effort}'. Supported levels: {known}.")


def _version(model: str) -> tuple[int, int] | None:
    """Such as (4, 6) of `claude-opus-4-6`, also behind the names that clouds put before it."""
    model = model.rpartition(AMAZON)[2]
    for family in _FAMILIES:
        major, _, rest = model.removeprefix(family).partition("-")
        if model.startswith(family) and major.isdecimal():
            minor = rest.partition("-")[0].partition("@")[0]
            return int(major), int(minor) if minor.isdecimal() and len(minor) < 3 else 0
    return None
