"""Rows that tell people something and models nothing."""

from perdure.core.message import Kind, NewMessage, Role, Visibility
from perdure.core.parts import Notice


def notice(kind: str, text: str) -> NewMessage:
    return NewMessage(role=Role.ASSISTANT, parts=(Notice(kind, text),), visibility=Visibility.USER, kind=Kind.NOTICE)
