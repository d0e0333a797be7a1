"""Responses and conversations, with OpenAI's own client: a turn that can be left and read again from any place."""

from typing import Any

import pytest
from openai import APIStatusError, AsyncOpenAI, BadRequestError, ConflictError, NotFoundError
from openai.resources.responses.responses import AsyncResponsesConnection
from openai.types.responses import FunctionToolParam
from tests.faces.conftest import minted
from websockets.exceptions import InvalidStatus

from perdure.core.ids import ChatId
from perdure.sim.server import Simulator
from perdure.testing.replica import InProcessReplica

WEATHER: FunctionToolParam = {
    "type": "function",
    "name": "weather",
    "description": "How it is outside.",
    "parameters": {"type": "object"},
    "strict": False,
}
LONG = '[[think:Let me see.]] [[say:I look first.]] [[call:web_fetch {"url": "nowhere"}]] [[then]] [[count:40]]'


async def chats(replica: InProcessReplica) -> list[ChatId]:
    return [row["id"] for row in await replica.pool.fetch("SELECT id FROM chat_cards ORDER BY created_at")]


async def events(stream: Any) -> list[str]:
    return [event.to_json(indent=None) async for event in stream]


async def test_a_response_has_what_its_stream_said(openai: AsyncOpenAI) -> None:
    stream = await openai.responses.create(model="demo", input=LONG, stream=True)
    told = [event async for event in stream]
    assert [event.sequence_number for event in told] == list(range(len(told)))
    assert told[0].type == "response.created"
    last = told[-1]
    assert last.type == "response.completed"
    assert [item.type for item in last.response.output] == ["reasoning", "message", "mcp_call", "message"]
    deltas = [event.delta for event in told if event.type == "response.output_text.delta"]
    assert "".join(deltas) == last.response.output_text
    assert last.response.output_text.endswith("end")
    kept = await openai.responses.retrieve(last.response.id)
    assert kept.to_json() == last.response.to_json()
    assert kept.usage is not None
    assert kept.usage.output_tokens > 0


ALWAYS = {
    "id": str,
    "object": str,
    "created_at": int,
    "completed_at": int,
    "status": str,
    "model": str,
    "output": list,
    "tools": list,
    "tool_choice": str,
    "truncation": str,
    "parallel_tool_calls": bool,
    "text": dict,
    "top_p": float,
    "presence_penalty": float,
    "frequency_penalty": float,
    "top_logprobs": int,
    "temperature": float,
    "reasoning": dict,
    "usage": dict,
    "store": bool,
    "background": bool,
    "service_tier": str,
    "metadata": dict,
}
"""What the open form of responses says that one has which is complete, and of which type."""
MAYBE = frozenset(
    {"incomplete_details", "previous_response_id", "instructions", "error", "max_output_tokens"}
    | {"max_tool_calls", "safety_identifier", "prompt_cache_key"}
)


async def test_a_response_has_all_that_the_open_form_asks_for(openai: AsyncOpenAI) -> None:
    raw = await openai.responses.with_raw_response.create(model="demo", input="[[say:Hello.]]")
    whole = raw.http_response.json()
    assert {name: type(whole[name]) for name in ALWAYS} == ALWAYS
    assert whole.keys() >= MAYBE
    stream = await openai.responses.create(model="demo", input="[[say:Hello.]]", stream=True)
    told = [event.to_dict() async for event in stream]
    nested: list[dict[str, Any]] = [event["response"] for event in told if "response" in event]  # pyright: ignore[reportAssignmentType]
    assert [response["completed_at"] is not None for response in nested] == [False, False, True]
    assert all(response.keys() >= {*ALWAYS, *MAYBE} for response in nested)


async def test_a_stream_can_be_read_again_after_any_of_its_events(openai: AsyncOpenAI) -> None:
    created = await openai.responses.create(model="demo", input=LONG, background=True)
    assert created.background
    told = await events(await openai.responses.retrieve(created.id, stream=True))
    for number in range(-1, len(told), 7):
        again = await openai.responses.retrieve(created.id, stream=True, starting_after=number)
        assert await events(again) == told[number + 1 :]
    with pytest.raises(BadRequestError) as missing:
        await openai.responses.retrieve(created.id, stream=True, starting_after=10_000)
    assert missing.value.param == "starting_after"


async def test_a_response_in_the_background_is_followed_while_it_is_given(openai: AsyncOpenAI, sim: Simulator) -> None:
    said = "[[say:First words.]] [[gate:open]] [[say:Last words.]]"
    created = await openai.responses.create(model="demo", input=said, background=True)
    assert created.status == "in_progress"
    stream = await openai.responses.retrieve(created.id, stream=True)
    seen: list[str] = []
    async for event in stream:
        seen.append(event.to_json(indent=None))
        if event.type == "response.output_text.delta":
            break
    await stream.close()
    await sim.gates["open"].set(open=True)
    rest = await events(await openai.responses.retrieve(created.id, stream=True, starting_after=len(seen) - 1))
    assert seen + rest == await events(await openai.responses.retrieve(created.id, stream=True))
    assert (await openai.responses.retrieve(created.id)).status == "completed"


async def test_a_response_follows_another(openai: AsyncOpenAI, replica: InProcessReplica) -> None:
    first = await openai.responses.create(model="demo", input="[[say:One.]]")
    second = await openai.responses.create(model="demo", input="[[say:Two.]]", previous_response_id=first.id)
    assert second.output_text == "Two."
    assert (await openai.responses.retrieve(second.id)).previous_response_id == first.id
    (chat,) = await chats(replica)
    # After the first one again: what came since stays where it is.
    other = await openai.responses.create(model="demo", input="[[say:Another.]]", previous_response_id=first.id)
    assert other.output_text == "Another."
    assert (await replica.said(chat))[-1] == "Two."
    assert len(await chats(replica)) == 2
    said = await openai.responses.input_items.list(second.id)
    assert said.data[0].to_dict()["content"] == [{"type": "input_text", "text": "[[say:Two.]]"}]


async def test_a_conversation_is_a_chat(openai: AsyncOpenAI, replica: InProcessReplica) -> None:
    conversation = await openai.conversations.create()
    assert (await openai.conversations.items.list(conversation.id)).data == []
    first = await openai.responses.create(model="demo", input="[[say:One.]]", conversation=conversation.id)
    assert first.conversation is not None
    await openai.responses.create(model="demo", input="[[say:Two.]]", conversation=first.conversation.id)
    await openai.responses.create(model="demo", input="[[say:Three.]]", conversation=conversation.id)
    (chat,) = await chats(replica)
    assert (await replica.said(chat))[1::2] == ["One.", "Two.", "Three."]
    assert len((await openai.conversations.items.list(conversation.id)).data) == 6
    assert (await openai.conversations.delete(conversation.id)).deleted
    assert await chats(replica) == []


async def test_metadata_is_kept(openai: AsyncOpenAI, replica: InProcessReplica) -> None:
    conversation = await openai.conversations.create(metadata={"topic": "rows"})
    assert conversation.metadata == {"topic": "rows"}
    said = await openai.responses.create(
        model="demo", input="[[say:One.]]", conversation=conversation.id, metadata={"run": "7"}
    )
    other = await openai.responses.create(model="demo", input="[[say:Two.]]", conversation=conversation.id)
    assert (said.metadata, other.metadata) == ({"run": "7"}, {})
    assert (await openai.responses.retrieve(said.id)).metadata == {"run": "7"}
    await openai.conversations.update(conversation.id, metadata={"topic": "columns"})
    assert (await openai.conversations.retrieve(conversation.id)).metadata == {"topic": "columns"}
    assert (await openai.conversations.retrieve(conversation.id)).created_at == conversation.created_at
    with pytest.raises(BadRequestError, match="512"):
        await openai.conversations.update(conversation.id, metadata={"topic": "x" * 513})
    await openai.conversations.delete(conversation.id)
    assert await replica.pool.fetchval("SELECT count(*) FROM face_notes") == 0


def item(role: str, text: str) -> Any:
    return {"type": "message", "role": role, "content": text}


async def test_items_that_are_added_are_said_with_the_next_response(
    openai: AsyncOpenAI, replica: InProcessReplica
) -> None:
    conversation = await openai.conversations.create(items=[item("user", "What is it?"), item("assistant", "A bird.")])
    added = await openai.conversations.items.create(conversation.id, items=[item("user", "Look"), item("user", "No.")])
    told: list[Any] = [each.to_dict() for each in added.data]
    assert [each["content"][0]["text"] for each in told] == ["Look", "No."]
    await openai.conversations.items.delete(told[1]["id"], conversation_id=conversation.id)
    await openai.responses.create(model="demo", input="[[say:A plane.]]", conversation=conversation.id)
    (chat,) = await chats(replica)
    assert await replica.said(chat) == ["What is it?", "A bird.", "Look", "[[say:A plane.]]", "A plane."]
    await openai.conversations.items.create(conversation.id, items=[item("user", "Further")])
    await openai.responses.create(model="demo", input="[[say:Up.]]", conversation=conversation.id)
    assert (await replica.said(chat))[-3:] == ["Further", "[[say:Up.]]", "Up."]
    with pytest.raises(BadRequestError, match="only what a user says"):
        await openai.conversations.items.create(conversation.id, items=[item("assistant", "I said so.")])


async def test_items_are_listed_in_pages_and_read_one_by_one(openai: AsyncOpenAI) -> None:
    conversation = await openai.conversations.create()
    for number in range(3):
        await openai.responses.create(model="demo", input=f"[[say:{number}.]]", conversation=conversation.id)
    newest = await openai.conversations.items.list(conversation.id, limit=2)
    assert (len(newest.data), newest.has_more) == (2, True)
    names = [
        each.to_dict()["id"] async for each in openai.conversations.items.list(conversation.id, order="asc", limit=2)
    ]
    assert len(names) == len(set(map(str, names))) == 6
    assert newest.data[0].to_dict()["id"] == names[-1]
    kept = await openai.conversations.items.retrieve(str(names[0]), conversation_id=conversation.id)
    assert kept.to_dict()["content"] == [{"type": "input_text", "text": "[[say:0.]]"}]
    with pytest.raises(ConflictError, match="has been answered"):
        await openai.conversations.items.delete(str(names[0]), conversation_id=conversation.id)
    with pytest.raises(NotFoundError):
        await openai.conversations.items.retrieve("msg_1", conversation_id=conversation.id)


async def test_results_of_the_clients_tools_go_on_with_the_turn(openai: AsyncOpenAI) -> None:
    said = '[[call:weather {"city": "Ulm"}]] [[then]] [[say:It rains.]]'
    first = await openai.responses.create(model="demo", input=said, tools=[WEATHER])
    (call,) = first.output
    assert call.type == "function_call"
    assert call.arguments == '{"city":"Ulm"}'
    second = await openai.responses.create(
        model="demo",
        previous_response_id=first.id,
        input=[{"type": "function_call_output", "call_id": call.call_id, "output": "rain"}],
        tools=[WEATHER],
    )
    assert second.output_text == "It rains."
    assert (await openai.responses.retrieve(first.id)).output == first.output
    assert (await openai.responses.retrieve(second.id)).output == second.output


async def test_a_history_of_items_is_one_chat(openai: AsyncOpenAI, replica: InProcessReplica) -> None:
    """As clients have it that keep nothing on the server."""
    items: list[Any] = [{"role": "user", "content": "[[call:weather {}]] [[then]] [[say:It rains.]]"}]
    first = await openai.responses.create(model="demo", input=items, tools=[WEATHER])
    items += [item.to_dict() for item in first.output]
    items.append({"type": "function_call_output", "call_id": items[-1]["call_id"], "output": "rain"})
    second = await openai.responses.create(model="demo", input=items, tools=[WEATHER])
    items += [item.to_dict() for item in second.output]
    items.append({"role": "user", "content": "[[say:Yes, still.]]"})
    third = await openai.responses.create(model="demo", input=items, tools=[WEATHER])
    assert (second.output_text, third.output_text) == ("It rains.", "Yes, still.")
    assert len(await chats(replica)) == 1


async def test_items_can_be_referred_to(openai: AsyncOpenAI, replica: InProcessReplica) -> None:
    """As clients have it that know that the server keeps them."""
    said: Any = {"role": "user", "content": "[[say:I look.]] [[call:weather {}]] [[then]] [[say:It rains.]]"}
    first = await openai.responses.create(model="demo", input=[said], tools=[WEATHER])
    references: list[Any] = [{"type": "item_reference", "id": item.id} for item in first.output]
    call = first.output[-1].to_dict()["call_id"]
    brought: Any = {"type": "function_call_output", "call_id": call, "output": "rain"}
    second = await openai.responses.create(model="demo", input=[said, *references, brought], tools=[WEATHER])
    assert second.output_text == "It rains."
    assert len(await chats(replica)) == 1
    with pytest.raises(NotFoundError):
        await openai.responses.create(model="demo", input=[{"type": "item_reference", "id": "msg_1"}, said])


async def test_a_response_can_be_cancelled(openai: AsyncOpenAI, sim: Simulator) -> None:
    created = await openai.responses.create(
        model="demo", input="[[say:Some words.]] [[gate:never]] [[say:Not these.]]", background=True
    )
    await sim.gates["never"].reached()
    cancelled = await openai.responses.cancel(created.id)
    assert (cancelled.status, cancelled.output_text) == ("cancelled", "Some words.")
    assert (await openai.responses.retrieve(created.id)).status == "cancelled"
    told = await events(await openai.responses.retrieve(created.id, stream=True))
    assert '"response.incomplete"' in told[-1]


async def test_cancelling_what_is_over_leaves_what_runs_alone(
    openai: AsyncOpenAI, replica: InProcessReplica, sim: Simulator
) -> None:
    first = await openai.responses.create(model="demo", input="[[say:One.]]")
    said = "[[say:Some words.]] [[gate:open]] [[say:The rest.]]"
    second = await openai.responses.create(model="demo", input=said, previous_response_id=first.id, background=True)
    await sim.gates["open"].reached()
    assert (await openai.responses.cancel(first.id)).status == "completed"
    await sim.gates["open"].set(open=True)
    (chat,) = await chats(replica)
    await replica.comes_to_rest(chat)
    assert (await openai.responses.retrieve(second.id)).status == "completed"


async def test_a_conversation_that_is_being_answered_takes_nothing_else(openai: AsyncOpenAI, sim: Simulator) -> None:
    created = await openai.responses.create(model="demo", input="[[gate:open]] [[say:One.]]", background=True)
    assert created.conversation is not None
    with pytest.raises(ConflictError) as locked:
        await openai.responses.create(model="demo", input="And?", conversation=created.conversation.id)
    assert locked.value.code == "conversation_locked"
    await sim.gates["open"].set(open=True)


async def test_a_response_can_be_deleted_that_is_a_chat_of_its_own(
    openai: AsyncOpenAI, replica: InProcessReplica
) -> None:
    first = await openai.responses.create(model="demo", input="[[say:One.]]")
    second = await openai.responses.create(model="demo", input="[[say:Two.]]", previous_response_id=first.id)
    with pytest.raises(ConflictError, match="part of a conversation"):
        await openai.responses.delete(second.id)
    alone = await openai.responses.create(model="demo", input="[[say:Alone.]]")
    await openai.responses.delete(alone.id)
    assert len(await chats(replica)) == 1
    with pytest.raises(NotFoundError):
        await openai.responses.retrieve(alone.id)


async def test_what_is_not_there_is_not_found(openai: AsyncOpenAI) -> None:
    for name in ("resp_unknown", f"resp_{0:032x}{1:08x}"):
        with pytest.raises(NotFoundError):
            await openai.responses.retrieve(name)
        with pytest.raises(NotFoundError):
            await openai.responses.create(model="demo", input="hi", previous_response_id=name)
    for name in ("conv_unknown", f"conv_{0:032x}"):
        with pytest.raises(NotFoundError):
            await openai.responses.create(model="demo", input="hi", conversation=name)
    with pytest.raises(BadRequestError, match="not both"):
        await openai.responses.create(
            model="demo", input="hi", conversation=f"conv_{0:032x}", previous_response_id=f"resp_{0:032x}{1:08x}"
        )
    with pytest.raises(APIStatusError, match="no message to answer"):
        await openai.responses.create(model="demo", input=[])


async def test_files_are_kept_and_named(openai: AsyncOpenAI, replica: InProcessReplica) -> None:
    kept = await openai.files.create(file=("notes.txt", b"Buy milk."), purpose="user_data")
    assert (await openai.files.retrieve(kept.id)).filename == "notes.txt"
    assert (await openai.files.content(kept.id)).content == b"Buy milk."
    answer = await openai.responses.create(
        model="demo",
        input=[
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "[[say:Milk.]]"},
                    {"type": "input_file", "file_id": kept.id},
                ],
            }
        ],
    )
    assert answer.output_text == "Milk."
    assert await replica.pool.fetchval("SELECT count(*) FROM file_links") == 1


async def test_files_are_listed_and_removed_where_no_chat_has_them(
    openai: AsyncOpenAI, replica: InProcessReplica
) -> None:
    kept = [await openai.files.create(file=(f"{n}.txt", b"x" * n), purpose="user_data") for n in (1, 2, 3)]
    listed = [file async for file in openai.files.list(limit=2, order="asc")]
    assert [(file.id, file.filename, file.bytes) for file in listed] == [
        (file.id, f"{number}.txt", number) for number, file in enumerate(kept, 1)
    ]
    for file in listed:
        assert file.created_at == (await openai.files.retrieve(file.id)).created_at > 0
    content: Any = [{"type": "input_text", "text": "[[say:Milk.]]"}, {"type": "input_file", "file_id": kept[0].id}]
    await openai.responses.create(model="demo", input=[{"role": "user", "content": content}])
    with pytest.raises(APIStatusError, match="A chat uses this file"):
        await openai.files.delete(kept[0].id)
    assert (await openai.files.delete(kept[1].id)).deleted
    with pytest.raises(NotFoundError):
        await openai.files.delete(kept[1].id)
    assert [file.id async for file in openai.files.list()] == [kept[2].id, kept[0].id]
    assert await replica.pool.fetchval("SELECT count(*) FROM files") == 2


async def test_responses_come_over_a_websocket_one_after_the_other(
    openai: AsyncOpenAI, replica: InProcessReplica
) -> None:
    async with openai.responses.connect() as connection:
        await connection.response.create(model="demo", input="[[think:Hm.]] [[say:First words.]]")
        first = await _until_over(connection)
        await connection.response.create(model="nobody", input="hi")
        (refused,) = await _until_over(connection)
        await connection.response.create(
            model="demo", input="[[say:Second.]]", previous_response_id=first[-1].response.id
        )
        second = await _until_over(connection)
    again = [event async for event in await openai.responses.retrieve(first[-1].response.id, stream=True)]
    assert [event.to_dict() for event in first] == [event.to_dict() for event in again]
    assert (refused.type, refused.code, refused.param) == ("error", "model_not_found", "model")
    assert second[-1].response.output_text == "Second."
    assert await replica.pool.fetchval("SELECT count(*) FROM chats") == 1


async def test_whoever_leaves_a_websocket_stops_nothing(openai: AsyncOpenAI, sim: Simulator) -> None:
    async with openai.responses.connect() as connection:
        await connection.response.create(model="demo", input="[[say:One,]] [[gate:on]] [[say:two.]]")
        created: Any = await connection.recv()
    await sim.gates["on"].set(open=True)
    events: list[Any] = [event async for event in await openai.responses.retrieve(created.response.id, stream=True)]
    assert events[-1].response.output_text == "One,two."


async def test_a_websocket_is_for_tokens_that_may_chat(openai: AsyncOpenAI, replica: InProcessReplica) -> None:
    reading = await minted(replica.pool, replica.user, "read")
    for token, status in (("pdt_wrong", 401), (reading, 403)):
        with pytest.raises(InvalidStatus) as refused:
            await openai.with_options(api_key=token).responses.connect().enter()
        assert refused.value.response.status_code == status
    with pytest.raises(InvalidStatus) as refused:
        await openai.with_options(base_url=f"{openai.base_url}/elsewhere").responses.connect().enter()
    assert refused.value.response.status_code == 404


async def _until_over(connection: AsyncResponsesConnection) -> list[Any]:
    events: list[Any] = []
    while not events or events[-1].type not in ("response.completed", "error"):
        events.append(await connection.recv())
    return events
