"""Has a replica use the MCP server of a conformance test: `python conformant.py URL TOKEN SCENARIO CONTEXT SERVER`.

An admin sets the server up, signs in where it wants that, and a chat calls each of its tools.
"""

import asyncio
import json
import sys
from typing import Any
from urllib.parse import urljoin
from uuid import uuid4

import aiohttp

from perdure.client import Client

URL, TOKEN, SCENARIO, CONTEXT, SERVER = sys.argv[1:6]
ARGUMENTS = {"add_numbers": {"a": 2, "b": 3}}
CALLBACK = "/api/v1/mcp-servers/callback"
HOPS = 10
SIGN_IN = "to sign in"


class Admin:
    """Somebody who sets servers up, and uses them."""

    def __init__(self, http: aiohttp.ClientSession) -> None:
        self._http = http

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        async with self._http.request(method, f"{URL}/api/v1{path}", json=body) as answer:
            told = await answer.text()
            if answer.status >= 400:
                raise SystemExit(f"{method} {path}: {answer.status} {told}")
            return json.loads(told) if told else None

    async def signs_in(self, server: str) -> None:
        """A person in a browser, who is sent from one place to another until they are back."""
        url = (await self.ask("POST", f"/mcp-servers/{server}/sign-in", {}))["url"]
        async with aiohttp.ClientSession() as browser:
            for _ in range(HOPS):
                if CALLBACK in url:
                    break
                async with browser.get(url, allow_redirects=False) as answer:
                    url = urljoin(url, answer.headers["location"])
        async with self._http.get(url, allow_redirects=False) as answer:
            if "sign_in=done" not in answer.headers.get("location", ""):
                raise SystemExit(f"the sign-in: {answer.status} {await answer.text()}")

    async def calls(self, tool: str, arguments: Any) -> str:
        """What a chat that calls the tool reads of it."""
        said = f"[[call:{tool} {json.dumps(arguments)}]] [[then]] [[say:Done.]]"
        async with Client(URL, token=TOKEN) as client:
            chat = await client.chats.create(said)
            await chat.answer()
            return str([part for message in await chat.messages() for part in message.parts])


async def main() -> None:
    known = json.loads(CONTEXT or "{}")
    client = {name: known[name] for name in ("client_id", "client_secret") if name in known}
    options = {"auth": "oauth", **client} if SCENARIO.startswith("auth/") else {"trusted": True}
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {TOKEN}"}) as http:
        admin, slug = Admin(http), f"s{uuid4().hex[:8]}"
        body = {"slug": slug, "url": SERVER, "availability": "forced_on", **options}
        server = (await admin.ask("POST", "/mcp-servers", body))["id"]
        try:
            if "auth" in options:
                await admin.signs_in(server)
            for tool in (await admin.ask("POST", f"/mcp-servers/{server}/test", {}))["tools"]:
                called = (f"{slug}__{tool['name']}", ARGUMENTS.get(tool["name"], {}))
                if SIGN_IN in await admin.calls(*called):
                    await admin.signs_in(server)
                    await admin.calls(*called)
        finally:
            await admin.ask("DELETE", f"/mcp-servers/{server}")


asyncio.run(main())
