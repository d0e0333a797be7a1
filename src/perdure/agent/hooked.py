"""What hooks leave behind in a history: rows that they add, and results that they withhold."""

from perdure.agent.notices import notice
from perdure.core.message import Kind, NewMessage, Role, Visibility
from perdure.core.parts import Text
from perdure.tools.hooks.speech import Verdict

WITHHELD = "The result was withheld by a hook: {}"


def rows(verdict: Verdict, kind: Kind = Kind.HOOK) -> tuple[NewMessage, ...]:
    """What hooks add: texts for the model, and texts for people."""
    contexts = tuple(
        NewMessage(role=Role.USER, parts=(Text(text),), visibility=Visibility.MODEL, kind=kind)
        for text in verdict.contexts
    )
    return (*contexts, *(notice("hook", text) for text in verdict.messages))
