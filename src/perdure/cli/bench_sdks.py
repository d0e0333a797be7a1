"""The vendors' own SDKs, used the way their manuals say: only to be measured beside ours."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

PATIENCE = 600.0
"""Seconds. Their default for a connection is shorter than they themselves keep a busy event loop."""

StreamAnswer = Callable[[str, str], Awaitable[int]]
"""Streams one answer of a model to a prompt, and counts what it hands out."""


@dataclass(frozen=True, slots=True)
class Sdk:
    package: str
    opened: Callable[[str, str], AbstractAsyncContextManager[StreamAnswer]]


@asynccontextmanager
async def _anthropic(url: str, key: str) -> AsyncGenerator[StreamAnswer]:
    sdk: Any = import_module("anthropic")
    client: Any = sdk.AsyncAnthropic(base_url=url, api_key=key, max_retries=0, timeout=PATIENCE)

    async def stream(model: str, prompt: str) -> int:
        count = 0
        messages = [{"role": "user", "content": prompt}]
        async with client.messages.stream(model=model, max_tokens=32_000, messages=messages) as events:
            async for _ in events:
                count += 1
        return count

    try:
        yield stream
    finally:
        await client.close()


def _openai(url: str, key: str) -> Any:
    return import_module("openai").AsyncOpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0, timeout=PATIENCE)


@asynccontextmanager
async def _responses(url: str, key: str) -> AsyncGenerator[StreamAnswer]:
    client = _openai(url, key)

    async def stream(model: str, prompt: str) -> int:
        count = 0
        async with client.responses.stream(model=model, input=prompt) as events:
            async for _ in events:
                count += 1
        return count

    try:
        yield stream
    finally:
        await client.close()


@asynccontextmanager
async def _chat(url: str, key: str) -> AsyncGenerator[StreamAnswer]:
    client = _openai(url, key)

    async def stream(model: str, prompt: str) -> int:
        count = 0
        messages = [{"role": "user", "content": prompt}]
        async with client.chat.completions.stream(model=model, messages=messages) as events:
            async for _ in events:
                count += 1
        return count

    try:
        yield stream
    finally:
        await client.close()


@asynccontextmanager
async def _gemini(url: str, key: str) -> AsyncGenerator[StreamAnswer]:
    genai: Any = import_module("google.genai")
    client: Any = genai.Client(api_key=key, http_options={"base_url": url})

    async def stream(model: str, prompt: str) -> int:
        count = 0
        async for _ in await client.aio.models.generate_content_stream(model=model, contents=prompt):
            count += 1
        return count

    try:
        yield stream
    finally:
        await client.aio.aclose()


SDKS = {
    "anthropic_messages": Sdk("anthropic", _anthropic),
    "openai_responses": Sdk("openai", _responses),
    "openai_chat": Sdk("openai", _chat),
    "gemini": Sdk("google.genai", _gemini),
}
