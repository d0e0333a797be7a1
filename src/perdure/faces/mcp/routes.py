"""The one address of the protocol, `/mcp`."""

from collections.abc import Iterable

import msgspec
from msgspec import UNSET

from perdure.api.errors import Problem
from perdure.api.errors import answer_of as api_answer_of
from perdure.api.http import Answer
from perdure.api.routing import Routes, Table
from perdure.faces.face import Answered, Protocol, Request
from perdure.faces.mcp.envelope import message_of, rpc_of
from perdure.faces.mcp.exchange import Exchange
from perdure.faces.mcp.resource import challenge, check_page
from perdure.faces.mcp.tools import TOOLS, ChatTool
from perdure.faces.mcp.wire import INTERNAL, INVALID_REQUEST, UNAVAILABLE, RpcError, error_answer

BASE = "/mcp"
BODY_LIMIT = 4 * 1024 * 1024
_problem = msgspec.json.Decoder(Problem)


def mcp_protocol(tools: Iterable[ChatTool] = TOOLS) -> Protocol:
    """The protocol with these tools."""
    known = {tool.name: tool for tool in tools}
    routes = Routes("mcp")

    @routes.post("", body_limit=BODY_LIMIT)
    async def ask(request: Request) -> Answered:  # pyright: ignore[reportUnusedFunction]
        try:
            message = message_of(request.body)
        except RpcError as error:
            return error_answer(UNSET, error)
        try:
            rpc = rpc_of(message, request.call.headers)
        except RpcError as error:
            return error_answer(message.id, error)
        return await Exchange(request, rpc, known).answer()

    @routes.get("")
    async def listen(request: Request) -> Answered:  # pyright: ignore[reportUnusedFunction] # noqa: ARG001
        """What we have to tell comes with the answers: there is no stream beside them."""
        return _only_post()

    @routes.delete("")
    async def end(request: Request) -> Answered:  # pyright: ignore[reportUnusedFunction] # noqa: ARG001
        """There is no session that could be ended."""
        return _only_post()

    return Protocol(BASE, Table(routes), error_of, challenge=challenge, guard=check_page)


def _only_post() -> Answer:
    return error_answer(UNSET, RpcError(INVALID_REQUEST, "Send a POST.", status=405), ("allow", "POST"))


def error_of(error: Exception) -> Answer:
    """What went wrong before it was known what is asked."""
    answer = api_answer_of(error)
    code = {503: UNAVAILABLE}.get(answer.status, INTERNAL if answer.status >= 500 else INVALID_REQUEST)
    kept = tuple(header for header in answer.headers if header[0] == "retry-after")
    message = _problem.decode(answer.body).message
    return error_answer(UNSET, RpcError(code, message, status=answer.status), *kept)


MCP = mcp_protocol()
