"""A request of any protocol: what it says, what it wants besides, and what can be wrong with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from perdure.access.chats import Seen
from perdure.api.wire.chats import ClientTool, ClientTools
from perdure.core.errors import NotFound, Refused
from perdure.core.ids import ChatId
from perdure.core.message import Effort, Role
from perdure.faces.content import AnyContent, text_of
from perdure.faces.conversation import Entry, joined

_tools = msgspec.json.Decoder(tuple[ClientTool, ...])


class TurnId(NamedTuple):
    """The turn that answers one message of a chat, or the results that a client brought."""

    chat_id: ChatId
    number: int


@dataclass(frozen=True, slots=True)
class Given:
    """One thing that a request says, with what it holds."""

    entry: Entry
    content: AnyContent = None
    output: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request, in the words of either API."""

    given: Sequence[Given]
    system: str = ""
    model: str | None = None
    effort: Effort | None = None
    tools: ClientTools = ()
    user: str = ""
    key: ChatId | None = None
    """The chat that the front end means, whether it is there or not."""
    client_id: str | None = None
    joins: bool = False
    """Whether a first question goes on in the chat that it names, though nothing before it agrees: a page that was
    opened anew may know a thread's name and none of what was said."""

    @property
    def new(self) -> Sequence[Given]:
        """What follows the last thing that an agent said."""
        answers = [index for index, given in enumerate(self.given) if given.entry.role is Role.ASSISTANT]
        return self.given[answers[-1] + 1 if answers else 0 :]

    @property
    def entries(self) -> list[Entry]:
        return joined(given.entry for given in self.given)


def offered(seen: Seen) -> ClientTools:
    return _tools.decode(seen.row.client_tools) if seen.row.client_tools else ()


def own_tools(seen: Seen) -> frozenset[str]:
    """The names of the tools that the chat's client runs itself."""
    return frozenset(tool.name for tool in offered(seen))


def user_given(content: AnyContent) -> Given:
    return Given(Entry(Role.USER, text_of(content)), content)


def assistant_given(text: str, calls: tuple[str, ...] = ()) -> Given:
    return Given(Entry(Role.ASSISTANT, text, calls))


def result_given(call_id: str, output: str) -> Given:
    return Given(Entry(Role.TOOL, calls=(call_id,)), output=output)


class NoModel(NotFound):
    def __init__(self, name: str) -> None:
        super().__init__(f"There is no model {name!r} here.")


class StillAnswering(Refused):
    def __init__(self) -> None:
        super().__init__("This conversation is still being answered. Wait for it, or stop the answer that runs.")
