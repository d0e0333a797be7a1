"""The client library: chats over HTTP, streams that resume, tools that run on your side.

    async with Client("http://127.0.0.1:8080", token="...") as client:
        chat = await client.chats.create("What is the weather in Oslo?", tools=[weather])
        turn = await chat.answer()
        print(turn.text)

`perdure.client.blocking` has the same for code without an event loop.
"""

from perdure.client.chats import Chat, Chats, Turn
from perdure.client.client import Client
from perdure.client.connection import ApiError
from perdure.client.stream import EventStream, Transport
from perdure.client.tools import ClientTool, tool
from perdure.client.transcript import Transcript
from perdure.core.chat import Busy, Status

__all__ = [
    "ApiError",
    "Busy",
    "Chat",
    "Chats",
    "Client",
    "ClientTool",
    "EventStream",
    "Status",
    "Transcript",
    "Transport",
    "Turn",
    "tool",
]
