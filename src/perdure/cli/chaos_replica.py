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
from perdure.cli.supervised import Assignment, serve_supervised
from perdure.cli.supervisor import supervise
from perdure.observe.logs import start_logging
from perdure.settings import Address, Settings
from perdure.tools.call import ToolFailed
from perdure.tools.tool import Effect, Tool, ToolContext, tool

MODULE = "perdure.cli.chaos_replica"
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
    """Serve with the ledger at the first argument; the second, if any, is how many processes there are."""
    ledger, *several = sys.argv[1:]
    settings = replace(Settings.from_environment(), bind=Address.parse("127.0.0.1:0"))
    start_logging(level=settings.log_level, json=True)
    parts = Parts(tools=ledger_tools(ledger))
    match several:
        case []:
            uvloop.run(serve(settings, parts=parts))
        case [count]:
            many = replace(settings, processes=int(count))
            uvloop.run(supervise(many, lambda given: ("-m", MODULE, ledger, count, given.written())))
        case _:
            uvloop.run(serve_supervised(settings, Assignment.read(several[-1]), parts=parts))


if __name__ == "__main__":
    main()
