"""Rows that tell people something and models nothing, and what hooks leave behind in a history."""

from perdure.core.errors import HookDispatchFailed
from perdure.core.failure import ChatError, ErrorKind
from perdure.core.message import Kind, NewMessage, NoticePart, Role, Text, Visibility
from perdure.tools.hooks.messages import Verdict


def notice(kind: str, text: str) -> NewMessage:
    return NewMessage(
        role=Role.ASSISTANT, parts=(NoticePart(kind, text),), visibility=Visibility.USER, kind=Kind.NOTICE
    )


WITHHELD = "The result was withheld by a hook: {}"


def rows(verdict: Verdict, kind: Kind = Kind.HOOK) -> tuple[NewMessage, ...]:
    """What hooks add: texts for the model, and texts for people."""
    contexts = tuple(
        NewMessage(role=Role.USER, parts=(Text(text),), visibility=Visibility.MODEL, kind=kind)
        for text in verdict.contexts
    )
    return (*contexts, *(notice("hook", text) for text in verdict.messages))


def unheard(error: HookDispatchFailed) -> ChatError:
    """A turn ends where a hook that must be heard cannot be. Trying again asks it again."""
    return ChatError(str(error), ErrorKind.HOOK_DISPATCH_FAILED, retryable=True)
