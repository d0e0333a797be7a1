"""Tools and efforts that a client of OpenAI's API asks for."""

from collections.abc import Iterable

import msgspec

from perdure.api.wire.chats import ClientTool, ClientTools
from perdure.core.errors import InvalidInput, Validation
from perdure.core.message import Effort
from perdure.faces.openai.wire import OfferedTool


def client_tools(tools: Iterable[OfferedTool] | None) -> ClientTools:
    """The functions that the client runs itself. Tools of OpenAI's own are not here."""
    return tuple(tool for offered in tools or () if (tool := _client_tool(offered)) is not None)


def _client_tool(offered: OfferedTool) -> ClientTool | None:
    if offered.type != "function":
        return None
    said = offered.function or offered
    tool = {"name": said.name, "description": said.description or "", "schema": said.parameters or {}}
    try:
        return msgspec.convert(tool, ClientTool)
    except msgspec.ValidationError as error:
        raise InvalidInput("A tool does not fit.", Validation("tools", str(error))) from None


def effort_of(text: str | None) -> Effort | None:
    if text is None:
        return None
    try:
        return Effort(text)
    except ValueError:
        known = ", ".join(Effort)
        raise InvalidInput(f"The effort is one of {known}.", Validation("reasoning_effort", "is not known")) from None
