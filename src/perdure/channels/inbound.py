"""What a user of a channel writes: to the agent, about a call that waits for approval, or to link an account."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from perdure.api.wire.control import Choice

_DECISION = re.compile(r"^/(approve|deny)\s+(\d{1,9})\.(\d{1,4})\s*$", re.MULTILINE)
_CODE = re.compile(r"\blink\s+([A-Z2-7]{4}-[A-Z2-7]{4})\b")
_CHOICES = {"approve": Choice.APPROVE, "deny": Choice.DENY}


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody, as the channel knows them."""

    external: str
    name: str


@dataclass(frozen=True, slots=True)
class InboundMessage:
    """Something for the agent. `name` is that of the message in its channel: it may be delivered in several ways."""

    person: Person
    name: str
    text: str
    opening: str = ""
    """What a chat has to know that begins with it."""
    begins: bool = True
    """Whether a chat begins with it where there is none."""


@dataclass(frozen=True, slots=True)
class InboundDecision:
    """What somebody decides about calls of one message, each by its place there: no other call is ever meant."""

    person: Person
    name: str
    message: int
    calls: Mapping[int, Choice]


@dataclass(frozen=True, slots=True)
class AccountLink:
    """Somebody says who they are."""

    person: Person
    code: str


Inbound = InboundMessage | InboundDecision | AccountLink


def parsed(person: Person, name: str, text: str, opening: str = "", *, begins: bool = True) -> Inbound | None:
    """A text that is addressed to the agent. None where it is empty."""
    if code := _CODE.search(text):
        return AccountLink(person, code[1])
    if decisions := _DECISION.findall(text):
        message = int(decisions[0][1])
        calls = {int(call): _CHOICES[word] for word, of, call in decisions if int(of) == message}
        return InboundDecision(person, name, message, calls)
    return InboundMessage(person, name, text.strip(), opening, begins) if text.strip() else None


def mark(message: int, call: int) -> str:
    """What somebody types to name a call of a message."""
    return f"{message}.{call}"
