"""Chat completions, with OpenAI's own client: one chat behind every conversation."""

from collections.abc import Iterable
from typing import Any

import pytest
from openai import APIStatusError, AsyncOpenAI, AuthenticationError, NotFoundError, PermissionDeniedError
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessageParam, ChatCompletionToolParam
from tests.faces.conftest import minted

from perdure.core.ids import ChatId
from perdure.sim.server import Simulator
from perdure.testing.polling import seen
from perdure.testing.replica import InProcessReplica

WEATHER: ChatCompletionToolParam = {
    "type": "function",
    "function": {"name": "weather", "description": "How it is outside.", "parameters": {"type": "object"}},
}


def user(text: str) -> ChatCompletionMessageParam:
    return {"role": "user", "content": text}


def assistant(text: str) -> ChatCompletionMessageParam:
    return {"role": "assistant", "content": text}


async def asks(openai: AsyncOpenAI, *messages: ChatCompletionMessageParam, **options: Any) -> str:
    # Its overloads do not know options that come as they are.
    create: Any = openai.chat.completions.create
    answer: ChatCompletion = await create(model="demo", messages=messages, **options)
    return answer.choices[0].message.content or ""


async def chats(replica: InProcessReplica) -> list[ChatId]:
    return [row["id"] for row in await replica.pool.fetch("SELECT id FROM chat_cards ORDER BY created_at")]


def texts(chunks: Iterable[ChatCompletionChunk], field: str = "content") -> str:
    deltas = (getattr(chunk.choices[0].delta, field, None) for chunk in chunks if chunk.choices)
    return "".join(delta or "" for delta in deltas)


async def test_models_and_templates_can_be_chosen(openai: AsyncOpenAI) -> None:
    names = [model.id async for model in openai.models.list()]
    assert names[0] == "demo"
    assert "agent/python" in names
    assert (await openai.models.retrieve("agent/python")).owned_by == "perdure"
    with pytest.raises(NotFoundError, match="no model 'gpt-9'"):
        await openai.models.retrieve("gpt-9")


async def test_a_stream_says_what_the_whole_answer_says(openai: AsyncOpenAI) -> None:
    said = user("[[think:Well, let me see.]] [[say:Good morning to all of you.]]")
    stream = await openai.chat.completions.create(
        model="demo", messages=[said], stream=True, stream_options={"include_usage": True}
    )
    chunks = [chunk async for chunk in stream]
    whole = await openai.chat.completions.create(model="demo", messages=[said])
    assert texts(chunks) == whole.choices[0].message.content == "Good morning to all of you."
    assert texts(chunks, "reasoning_content") == "Well, let me see."
    assert whole.choices[0].message.model_extra == {"reasoning_content": "Well, let me see."}
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage is not None
    assert whole.usage is not None
    assert chunks[-1].usage.completion_tokens == whole.usage.completion_tokens > 0


async def test_a_conversation_that_sends_its_history_each_time_is_one_chat(
    openai: AsyncOpenAI, replica: InProcessReplica
) -> None:
    history = [user("[[say:One.]]")]
    for number in ("Two", "Three"):
        history.append(assistant(await asks(openai, *history)))
        history.append(user(f"[[say:{number}.]]"))
    assert await asks(openai, *history) == "Three."
    (chat,) = await chats(replica)
    assert await replica.said(chat) == ["[[say:One.]]", "One.", "[[say:Two.]]", "Two.", "[[say:Three.]]", "Three."]


async def test_conversations_that_begin_alike_are_told_apart(openai: AsyncOpenAI, replica: InProcessReplica) -> None:
    first = await asks(openai, user("[[say:Hello.]]"))
    second = await asks(openai, user("[[say:Hello.]]"), assistant(first), user("[[say:Left.]]"))
    await asks(openai, user("[[say:Hello.]]"))
    third = await asks(
        openai, user("[[say:Hello.]]"), assistant(first), user("[[say:Left.]]"), assistant(second), user("[[say:Up.]]")
    )
    assert third == "Up."
    one, other = await chats(replica)
    assert (await replica.said(one))[-1] == "Up."
    assert await replica.said(other) == ["[[say:Hello.]]", "Hello."]


async def test_a_changed_tail_is_an_edit(openai: AsyncOpenAI, replica: InProcessReplica) -> None:
    one = await asks(openai, user("[[say:One.]]"))
    await asks(openai, user("[[say:One.]]"), assistant(one), user("[[say:Two.]]"))
    assert await asks(openai, user("[[say:One.]]"), assistant(one), user("[[say:Better.]]")) == "Better."
    (chat,) = await chats(replica)
    assert await replica.said(chat) == ["[[say:One.]]", "One.", "[[say:Better.]]", "Better."]


async def test_the_same_again_is_answered_again(openai: AsyncOpenAI, replica: InProcessReplica) -> None:
    one = await asks(openai, user("[[say:One.]]"))
    again = (user("[[say:One.]]"), assistant(one), user("[[count:2]]"))
    assert await asks(openai, *again)
    assert await asks(openai, *again)
    (chat,) = await chats(replica)
    assert len(await replica.said(chat)) == 4


async def test_a_history_from_elsewhere_becomes_a_chat(openai: AsyncOpenAI, replica: InProcessReplica) -> None:
    answer = await asks(openai, user("What is it?"), assistant("A bird."), user("[[say:A plane.]]"))
    assert answer == "A plane."
    (chat,) = await chats(replica)
    assert await replica.said(chat) == ["What is it?", "A bird.", "[[say:A plane.]]", "A plane."]


async def test_a_front_end_that_names_its_conversation_is_believed(
    openai: AsyncOpenAI, replica: InProcessReplica
) -> None:
    named = {"X-OpenWebUI-Chat-Id": "4c2f"}
    one = await asks(openai, user("[[say:One.]]"), extra_headers=named)
    await asks(openai, user("[[say:One.]]"), assistant(f" {one}\n"), user("[[say:Two.]]"), extra_headers=named)
    # It also asks for a title under the same name: that is another chat.
    await asks(openai, user("[[say:A title.]]"), extra_headers=named)
    chat, other = await chats(replica)
    assert (await replica.said(chat))[-1] == "Two."
    assert (await replica.said(other))[-1] == "A title."


async def test_what_a_front_end_wants_for_itself_leaves_no_chat(openai: AsyncOpenAI, replica: InProcessReplica) -> None:
    named = {"X-OpenWebUI-Chat-Id": "4c2f"}
    await asks(openai, user("[[say:One.]]"), extra_headers=named)
    title = await asks(
        openai, user("[[say:A title.]]"), extra_headers={**named, "X-OpenWebUI-Task": "title_generation"}
    )
    assert title == "A title."
    (chat,) = await chats(replica)
    assert (await replica.said(chat))[-1] == "One."


async def test_tools_of_the_client_are_run_by_the_client(openai: AsyncOpenAI, replica: InProcessReplica) -> None:
    said = user('[[call:weather {"city": "Ulm"}]] [[then]] [[say:It rains.]]')
    first = await openai.chat.completions.create(model="demo", messages=[said], tools=[WEATHER])
    choice = first.choices[0]
    assert choice.finish_reason == "tool_calls"
    (call,) = choice.message.tool_calls or []
    assert call.type == "function"
    assert (call.function.name, call.function.arguments) == ("weather", '{"city":"Ulm"}')
    brought: list[ChatCompletionMessageParam] = [
        said,
        {
            "role": "assistant",
            "tool_calls": [{"id": call.id, "type": "function", "function": {"name": "weather", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": call.id, "content": "rain"},
    ]
    stream = await openai.chat.completions.create(model="demo", messages=brought, tools=[WEATHER], stream=True)
    assert texts([chunk async for chunk in stream]) == "It rains."
    (chat,) = await chats(replica)
    assert len(await replica.said(chat)) == 4


async def test_whoever_leaves_stops_nothing(openai: AsyncOpenAI, replica: InProcessReplica, sim: Simulator) -> None:
    said = user("[[say:Once upon a time]] [[gate:open]] [[say: there was an end.]]")
    stream = await openai.chat.completions.create(model="demo", messages=[said], stream=True)
    async for chunk in stream:
        if texts([chunk]):
            break
    await stream.close()
    (chat,) = await chats(replica)
    await sim.gates["open"].set(open=True)
    await replica.comes_to_rest(chat)
    assert (await replica.said(chat))[1:] == ["Once upon a time", "there was an end."]


async def test_asking_again_for_what_is_being_answered_joins_it(
    openai: AsyncOpenAI, replica: InProcessReplica, sim: Simulator
) -> None:
    named = {"X-Conversation-Id": "one"}
    said = user("[[say:Once upon a time]] [[gate:open]] [[say: there was an end.]]")
    stream = await openai.chat.completions.create(model="demo", messages=[said], stream=True, extra_headers=named)
    async for chunk in stream:
        if texts([chunk]):
            break
    await stream.close()
    again = await openai.chat.completions.create(model="demo", messages=[said], stream=True, extra_headers=named)
    await sim.gates["open"].set(open=True)
    assert texts([chunk async for chunk in again]) == "Once upon a timethere was an end."
    (chat,) = await chats(replica)
    assert len(await replica.said(chat)) == 3


async def test_pictures_come_along(openai: AsyncOpenAI, replica: InProcessReplica) -> None:
    dot = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="  # noqa: E501
    message: ChatCompletionMessageParam = {
        "role": "user",
        "content": [{"type": "text", "text": "[[say:A dot.]]"}, {"type": "image_url", "image_url": {"url": dot}}],
    }
    assert await asks(openai, message) == "A dot."
    assert await replica.pool.fetchval("SELECT count(*) FROM file_links") == 1
    elsewhere: ChatCompletionMessageParam = {
        "role": "user",
        "content": [{"type": "image_url", "image_url": {"url": "http://127.0.0.1/secret"}}],
    }
    with pytest.raises(APIStatusError, match="Other URLs are not fetched"):
        await asks(openai, elsewhere)


async def test_what_goes_wrong_is_told_in_the_clients_words(openai: AsyncOpenAI, replica: InProcessReplica) -> None:
    with pytest.raises(NotFoundError) as missing:
        await openai.chat.completions.create(model="gpt-9", messages=[user("hi")])
    assert (missing.value.code, missing.value.param) == ("model_not_found", "model")
    with pytest.raises(APIStatusError, match="no message to answer"):
        await asks(openai, user("hi"), assistant("hello"))
    with pytest.raises(APIStatusError, match="Only one choice"):
        await asks(openai, user("hi"), n=2)
    with pytest.raises(APIStatusError, match="messages"):
        await asks(openai)
    with pytest.raises(APIStatusError) as failed:
        await asks(openai, user("[[fault:auth]]"))
    assert failed.value.status_code == 502
    assert await replica.pool.fetchval("SELECT count(*) FROM chats") == 1


async def test_tools_of_the_vendor_are_passed_over_and_results_that_nobody_waits_for_are_refused(
    openai: AsyncOpenAI, replica: InProcessReplica
) -> None:
    assert await asks(openai, user("[[say:One.]]"), tools=[{"type": "web_search"}]) == "One."
    unknown: Any = {"role": "tool", "tool_call_id": "call_nobody", "content": "rain"}
    with pytest.raises(APIStatusError) as refused:
        await asks(openai, user("[[say:One.]]"), assistant("One."), unknown)
    assert refused.value.status_code == 409
    (chat,) = await chats(replica)
    assert await replica.said(chat) == ["[[say:One.]]", "One."]


async def test_a_token_is_needed_that_may_chat(openai: AsyncOpenAI, replica: InProcessReplica) -> None:
    with pytest.raises(AuthenticationError):
        await asks(openai.with_options(api_key="wrong"), user("hi"))
    reading = await minted(replica.pool, replica.user, "read")
    with pytest.raises(PermissionDeniedError):
        await asks(openai.with_options(api_key=reading), user("hi"))
    assert await seen(openai.models.list)
