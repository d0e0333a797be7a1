"""The same prompt in each wire format."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

import aiohttp

from perdure.sim.document import Json

HEADERS = {
    "authorization": "Bearer key",
    "x-api-key": "key",
    "x-goog-api-key": "key",
    "anthropic-version": "2023-06-01",
}


@dataclass(frozen=True, slots=True)
class Format:
    """Where a request goes and what it looks like."""

    name: str
    path: str
    body: Callable[[str], dict[str, Json]]

    def __str__(self) -> str:
        return self.name

    def ask(
        self, client: aiohttp.ClientSession, url: str, prompt: str
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        return client.post(url + self.path, json=self.body(prompt), headers=HEADERS)


def _messages(prompt: str) -> list[Json]:
    return [{"role": "user", "content": prompt}]


ANTHROPIC = Format(
    "anthropic",
    "/v1/messages",
    lambda prompt: {"model": "m", "max_tokens": 2000, "stream": True, "messages": _messages(prompt)},
)
CHAT = Format(
    "openai_chat",
    "/v1/chat/completions",
    lambda prompt: {"model": "m", "stream": True, "messages": _messages(prompt)},
)
RESPONSES = Format(
    "openai_responses", "/v1/responses", lambda prompt: {"model": "m", "stream": True, "input": _messages(prompt)}
)
GEMINI = Format(
    "gemini",
    "/v1beta/models/m:streamGenerateContent?alt=sse",
    lambda prompt: {"contents": [{"role": "user", "parts": [{"text": prompt}]}]},
)
FORMATS = [ANTHROPIC, CHAT, RESPONSES, GEMINI]
