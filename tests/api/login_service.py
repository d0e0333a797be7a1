"""A real OpenID Connect provider in a process of its own, and a browser that signs in with it."""

import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp


class LoginService:
    """Where the provider is, and who has an account there."""

    def __init__(self, url: str) -> None:
        self.url = url

    async def knows(self, subject: str, claims: Mapping[str, Any]) -> None:
        async with aiohttp.ClientSession() as http, http.put(f"{self.url}/users/{subject}", json=claims) as answer:
            assert answer.status < 300, await answer.text()


class Browser:
    """Follows redirects by hand, with a cookie jar that also takes cookies of bare addresses."""

    def __init__(self) -> None:
        self._jar = aiohttp.CookieJar(unsafe=True)

    def forget(self) -> None:
        self._jar.clear()

    async def get(self, url: str, **headers: str) -> tuple[int, str, bytes]:
        return await self._ask("GET", url, None, headers)

    async def signs_in(self, start: str, subject: str) -> tuple[int, str, bytes]:
        """From our login to the service and back: the last answer, where it leads to, and what it says."""
        return await self.get(await self.comes_back(start, subject))

    async def comes_back(self, start: str, subject: str) -> str:
        """The address that the service sends the browser back to."""
        status, there, body = await self.get(start)
        assert status == 303, body
        status, back, body = await self._ask("POST", there, {"sub": subject}, {})
        assert status == 302, body
        return back

    async def _ask(
        self, method: str, url: str, form: Mapping[str, str] | None, headers: Mapping[str, str]
    ) -> tuple[int, str, bytes]:
        async with (
            aiohttp.ClientSession(cookie_jar=self._jar, connector_owner=True) as http,
            http.request(method, url, data=form, headers=headers, allow_redirects=False) as answer,
        ):
            return answer.status, answer.headers.get("location", ""), await answer.read()


@contextmanager
def login_service() -> Generator[LoginService]:
    program = Path(__file__).with_name("strict_provider.py")
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield LoginService(f"http://127.0.0.1:{int(process.stdout.readline())}")
        finally:
            process.kill()
