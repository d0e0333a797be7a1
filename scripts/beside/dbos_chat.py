"""The smallest honest chat on DBOS: a workflow of three steps, whose tokens go out as they come."""

import asyncio
import json
import os
import sys
import uuid

import httpx
import psycopg
import uvicorn
from dbos import DBOS, SetWorkflowID
from psycopg_pool import AsyncConnectionPool
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

URL = os.environ["BESIDE_DATABASE_URL"]
DBOS(config={"name": "beside", "system_database_url": URL, "log_level": "WARNING", "run_admin_server": False})
pool = AsyncConnectionPool(URL, open=False, min_size=2, max_size=10)
model = httpx.AsyncClient(base_url=os.environ["BESIDE_MODEL_URL"], timeout=None)
HEADERS = {"x-api-key": os.environ["BESIDE_KEY"], "anthropic-version": "2023-06-01"}
listening: dict[str, asyncio.Queue[str | None]] = {}


@DBOS.step()
async def save(chat: str, role: str, text: str) -> None:
    async with pool.connection() as connection:
        await connection.execute("INSERT INTO said (chat, role, text) VALUES (%s, %s, %s)", (chat, role, text))


@DBOS.step()
async def ask(chat: str, queue: str) -> str:
    async with pool.connection() as connection:
        rows = await (
            await connection.execute("SELECT role, text FROM said WHERE chat = %s ORDER BY id", (chat,))
        ).fetchall()
    body = {
        "model": os.environ["BESIDE_MODEL"],
        "max_tokens": 4096,
        "stream": True,
        "messages": [{"role": role, "content": text} for role, text in rows],
    }
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


@DBOS.step()
async def pay() -> None:
    async with httpx.AsyncClient(timeout=None) as till:
        await till.post(os.environ["BESIDE_TILL_URL"], json={})


@DBOS.workflow()
async def turn(chat: str, text: str, queue: str) -> None:
    await save(chat, "user", text)
    if text.startswith("pay"):
        await pay()
    await save(chat, "assistant", await ask(chat, queue))
    if queue in listening:
        listening[queue].put_nowait(None)


async def send(request: Request) -> Response:
    chat, text, queue = request.path_params["chat"], (await request.json())["text"], str(uuid.uuid4())
    listening[queue] = asyncio.Queue()
    with SetWorkflowID(queue):
        await DBOS.start_workflow_async(turn, chat, text, queue)

    async def tokens():
        while (piece := await listening[queue].get()) is not None:
            yield f"data: {json.dumps(piece)}\n\n"
        del listening[queue]

    return StreamingResponse(tokens(), media_type="text/event-stream")


async def history(request: Request) -> Response:
    async with pool.connection() as connection:
        found = await connection.execute(
            "SELECT role, text FROM said WHERE chat = %s ORDER BY id", (request.path_params["chat"],)
        )
        return JSONResponse([{"role": role, "text": text} for role, text in await found.fetchall()])


async def main() -> None:
    with psycopg.connect(URL, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS said (id bigserial PRIMARY KEY, chat text, role text, text text)"
        )
        connection.execute("CREATE INDEX IF NOT EXISTS said_chat ON said (chat, id)")
    await pool.open()
    DBOS.launch()
    app = Starlette(routes=[Route("/chats/{chat}", send, methods=["POST"]), Route("/chats/{chat}", history)])
    await uvicorn.Server(uvicorn.Config(app, port=int(sys.argv[1]), log_level="warning")).serve()


asyncio.run(main())
