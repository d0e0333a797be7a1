"""Chain mode: the provider keeps the conversation, and a new turn sends only what the user said since.

The first request of a turn hangs on the last stored response. Every other one (tool results, a summary in between)
leaves the chain and sends the whole history, which the provider stores anew. So does another model, and so does a
changed system text, which whoever asks knows of.
"""

from collections.abc import Sequence

from perdure.core.message import FinishReason, Kind, NewMessage, Role, Visibility

_WHOLE = (FinishReason.STOP, FinishReason.LENGTH)


def link(messages: Sequence[NewMessage], model: str) -> tuple[str, Sequence[NewMessage]] | None:
    """The response to hang on and the messages since. None where the chain has to be left."""
    shown = [message for message in messages if message.visibility is not Visibility.USER]
    since: list[NewMessage] = []
    for message in reversed(shown):
        if message.role is Role.ASSISTANT:
            whole = message.finish_reason in _WHOLE and message.kind is Kind.ORDINARY
            kept = message.provider_response_id
            return (kept, since[::-1]) if whole and kept and since and _by(message, model) else None
        if message.role is not Role.USER or message.kind is Kind.BOUNDARY:
            return None
        since.append(message)
    return None


def _by(message: NewMessage, model: str) -> bool:
    """Whether nothing in an answer says that another model gave it."""
    marks = (getattr(part, "provider_metadata", None) for part in message.parts)
    return all(mark is None or mark.model == model for mark in marks)
