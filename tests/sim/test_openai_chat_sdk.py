"""OpenAI's own SDK drives the simulator through Chat Completions."""

from openai import AsyncOpenAI


async def test_text_and_usage_are_streamed(openai: AsyncOpenAI) -> None:
    stream = await openai.chat.completions.create(
        model="m",
        stream=True,
        stream_options={"include_usage": True},
        messages=[{"role": "user", "content": "[[say:20 tokens]]"}],
    )
    chunks = [chunk async for chunk in stream]
    assert sum(bool(chunk.choices and chunk.choices[0].delta.content) for chunk in chunks) == 20
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == 20
    assert chunks[-2].choices[0].finish_reason == "stop"
