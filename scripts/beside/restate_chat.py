"""The smallest honest chat on Restate: a virtual object whose turn is journalled step by step, and its server."""

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import uuid
from datetime import timedelta

import httpx
import hypercorn.asyncio
import hypercorn.config
import restate
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

HEADERS = {"x-api-key": os.environ["BESIDE_KEY"], "anthropic-version": "2023-06-01"}
model = httpx.AsyncClient(base_url=os.environ["BESIDE_MODEL_URL"], timeout=None)
listening: dict[str, asyncio.Queue[str | None]] = {}
chat_object = restate.VirtualObject("Chat")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


PORT, INGRESS, ADMIN, NODE = int(sys.argv[1]), free_port(), free_port(), free_port()
ingress = httpx.AsyncClient(base_url=f"http://127.0.0.1:{INGRESS}", timeout=None)


async def pay() -> str:
    async with httpx.AsyncClient(timeout=None) as till:
        return (await till.post(os.environ["BESIDE_TILL_URL"], json={})).text


async def ask(messages: list[dict[str, str]], queue: str) -> str:
    body = {"model": os.environ["BESIDE_MODEL"], "max_tokens": 4096, "stream": True, "messages": messages}
    said: list[str] = []
    async with model.stream("POST", "/v1/messages", json=body, headers=HEADERS) as answer:
        answer.raise_for_status()
        async for line in answer.aiter_lines():
            if line.startswith("data: "):
                text = json.loads(line[6:]).get("delta", {}).get("text")
                if text:
                    said.append(text)
                    if queue in listening:
                        listening[queue].put_nowait(text)
    return "".join(said)


@chat_object.handler()
async def turn(ctx: restate.ObjectContext, asked: dict[str, str]) -> None:
    said = [*(await ctx.get("said") or []), {"role": "user", "content": asked["text"]}]
    if asked["text"].startswith("pay"):
        await ctx.run_typed("pay", pay)
    answer = await ctx.run_typed("ask", ask, messages=said, queue=asked["queue"])
    ctx.set("said", [*said, {"role": "assistant", "content": answer}])
    if asked["queue"] in listening:
        listening[asked["queue"]].put_nowait(None)


@chat_object.handler(kind="shared")
async def history(ctx: restate.ObjectSharedContext) -> list[dict[str, str]]:
    return await ctx.get("said") or []


async def send(request: Request) -> Response:
    chat, text, queue = request.path_params["chat"], (await request.json())["text"], str(uuid.uuid4())
    listening[queue] = asyncio.Queue()
    begun = await ingress.post(f"/Chat/{chat}/turn/send", json={"text": text, "queue": queue})
    begun.raise_for_status()

    async def tokens():
        while (piece := await listening[queue].get()) is not None:
            yield f"data: {json.dumps(piece)}\n\n"
        del listening[queue]

    return StreamingResponse(tokens(), media_type="text/event-stream")


async def read(request: Request) -> Response:
    found = await ingress.post(f"/Chat/{request.path_params['chat']}/history")
    return JSONResponse([{"role": each["role"], "text": each["content"]} for each in found.json()])


def started_server() -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "RESTATE_BASE_DIR": os.environ["BESIDE_DATA"],
        "RESTATE_INGRESS__BIND_ADDRESS": f"127.0.0.1:{INGRESS}",
        "RESTATE_ADMIN__BIND_ADDRESS": f"127.0.0.1:{ADMIN}",
        "RESTATE_BIND_ADDRESS": f"127.0.0.1:{NODE}",
        "RESTATE_LISTEN_MODE": "tcp",
        "DO_NOT_TRACK": "1",
    }
    return subprocess.Popen(("restate-server", "--no-logo", "--node-name", "beside"), env=environment)


async def registered() -> None:
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{ADMIN}") as admin:
        while True:
            with contextlib.suppress(httpx.HTTPError):
                body = {"uri": f"http://127.0.0.1:{PORT}/restate", "force": True}
                if (await admin.post("/deployments", json=body, timeout=10)).is_success:
                    return
            await asyncio.sleep(timedelta(milliseconds=200).total_seconds())


async def main() -> None:
    server = started_server()
    app = Starlette(
        routes=[
            Mount("/restate", restate.app([chat_object])),
            Route("/chats/{chat}", send, methods=["POST"]),
            Route("/chats/{chat}", read),
        ]
    )
    config = hypercorn.config.Config()
    config.bind, config.loglevel, config.h2_max_concurrent_streams = [f"127.0.0.1:{PORT}"], "warning", 2**31 - 1
    serving = asyncio.create_task(hypercorn.asyncio.serve(app, config))
    try:
        await registered()
        await serving
    finally:
        server.kill()


asyncio.run(main())
