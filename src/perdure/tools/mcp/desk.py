"""What people ask about MCP servers outside of chats: whether one answers, what it has, and signing in to it."""

import time
from dataclasses import dataclass

from perdure.config.mcp import McpServer, Transport
from perdure.core.errors import Refused
from perdure.core.ids import ChatId, McpServerId, UserId
from perdure.tools.mcp.lines import Lines
from perdure.tools.mcp.names import full_name
from perdure.tools.mcp.schemas import UnusableSchema, usable
from perdure.tools.mcp.sign_ins import SignIns
from perdure.tools.mcp.speech import Listed, Refusal, Unreachable
from perdure.tools.mcp.way import Way
from perdure.tools.mcp.ways import Ways


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """A tool of a server, and why chats do not get it, if they do not."""

    name: str
    full_name: str
    description: str
    left_out: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Whether a server answers, and with what."""

    ok: bool
    message: str
    latency_ms: int
    tools: tuple[Offered, ...] = ()


class McpDesk:
    """Speaks to servers on behalf of people."""

    def __init__(self, lines: Lines, ways: Ways, sign_ins: SignIns) -> None:
        self._lines = lines
        self._ways = ways
        self.sign_ins = sign_ins

    async def try_out(self, server: McpServer, user_id: UserId, chat_id: ChatId | None) -> Answer:
        """Connect anew and ask for the tools."""
        row = None if chat_id is None else await self._ways.workspace(chat_id)
        if server.options.transport is Transport.STDIO and row is None:
            raise Refused("Its command runs inside a workspace. Name a chat that has one.")

        async def way() -> Way:
            return self._ways.way(server, user_id, row, view=False)

        begun = time.monotonic()
        line = self._lines.fresh(server, way)
        try:
            listed = await line.tools()
            tools = _described(server, listed)
            message = f"It answers and has {len(tools)} tools."
            return Answer(ok=True, message=message, latency_ms=_since(begun), tools=tools)
        except (Unreachable, Refusal) as error:
            return Answer(ok=False, message=f"It cannot be used: {error}.", latency_ms=_since(begun))
        finally:
            await line.close()

    async def begin_sign_in(self, server: McpServer, user_id: UserId, redirect_uri: str) -> str:
        return await self.sign_ins.begin(server, self._ways.secrets(server), user_id, redirect_uri)

    async def finish_sign_in(self, user_id: UserId, *, state: str, code: str, issuer: str) -> McpServerId:
        return await self.sign_ins.finish(user_id, state=state, code=code, issuer=issuer)

    def trouble(self, server: McpServer) -> str | None:
        """Why this replica leaves a server alone just now."""
        return next((trouble for line in self._lines.of(server.id) if (trouble := line.trouble)), None)


def _described(server: McpServer, listed: tuple[Listed, ...]) -> tuple[Offered, ...]:
    seen: set[str] = set()
    tools: list[Offered] = []
    for one in listed:
        name = full_name(server.slug, one.name)
        why = _left_out(server, one, twice=name in seen)
        tools.append(Offered(name=one.name, full_name=name, description=one.description[:500], left_out=why))
        seen.add(name)
    return tuple(tools)


def _left_out(server: McpServer, listed: Listed, *, twice: bool) -> str:
    if not server.allows(listed.name):
        return "the settings leave it out"
    if twice:
        return "another tool of the server has the same name"
    try:
        usable(listed.schema)
    except UnusableSchema as error:
        return f"its schema: {error}"
    return ""


def _since(begun: float) -> int:
    return round((time.monotonic() - begun) * 1000)
