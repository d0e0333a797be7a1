"""A replica for the chaos test: the server as it ships, with two tools that act on the ledger at the given address."""

import sys
from dataclasses import replace
from datetime import timedelta
from typing import Annotated

import aiohttp
import uvloop
from msgspec import Meta

from perdure.app.parts import Parts
from perdure.cli.serve import serve
from perdure.observe.logs import start_logging
from perdure.settings import Address, Settings
from perdure.tools.call import ToolFailed
from perdure.tools.tool import Effect, Tool, ToolContext, tool

_PATIENCE = aiohttp.ClientTimeout(total=20)
Named = Annotated[str, Meta(description="The name of the effect.")]


def ledger_tools(url: str) -> tuple[Tool, ...]:
    """One tool whose calls may be repeated under their key, and one whose calls may not."""

    async def performed(ctx: ToolContext, effect: str, *, keyed: bool) -> str:
        order = {"effect": effect, "call": str(ctx.key), "keyed": keyed}
        try:
            async with aiohttp.ClientSession(timeout=_PATIENCE) as http, http.post(url, json=order) as answer:
                answer.raise_for_status()
        except (aiohttp.ClientError, TimeoutError) as error:
            raise ToolFailed(f"The ledger does not answer: {error}") from error
        return f"performed {effect}"

    @tool(Effect.KEYED, timeout=timedelta(seconds=30))
    async def record_keyed(ctx: ToolContext, effect: Named) -> str:
        """Have an effect performed under the key of this call."""
        return await performed(ctx, effect, keyed=True)

    @tool(Effect.ONCE, timeout=timedelta(seconds=30))
    async def record_once(ctx: ToolContext, effect: Named) -> str:
        """Have an effect performed. Asked twice, it happens twice."""
        return await performed(ctx, effect, keyed=False)

    return record_keyed, record_once


def main() -> None:
    settings = replace(Settings.from_environment(), bind=Address.parse("127.0.0.1:0"))
    start_logging(level=settings.log_level, json=True)
    uvloop.run(serve(settings, parts=Parts(tools=ledger_tools(sys.argv[1]))))


if __name__ == "__main__":
    main()
