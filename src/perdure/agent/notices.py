"""Rows that tell people something and models nothing."""

from perdure.core.message import Kind, NewMessage, Role, Visibility
from perdure.core.parts import NoticePart


def notice(kind: str, text: str) -> NewMessage:
    return NewMessage(
        role=Role.ASSISTANT, parts=(NoticePart(kind, text),), visibility=Visibility.USER, kind=Kind.NOTICE
    )
