"""OpenAI's own SDK drives the simulator through Responses."""

import openai as sdk
import pytest
from openai import AsyncOpenAI, AsyncStream
from openai.types.responses import FunctionToolParam, ResponseInputParam, ResponseStreamEvent

READ: FunctionToolParam = {
    "type": "function",
    "name": "read_file",
    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
    "strict": False,
}
PARALLEL = '[[think:so be it]][[call:read_file {"path": "a"}]][[call:read_file {"path": "b"}]][[say:both read]]'


async def test_text_is_streamed_in_pieces(openai: AsyncOpenAI) -> None:
    async with openai.responses.stream(model="m", input="[[say:20 tokens]]") as stream:
        pieces = [event.delta async for event in stream if event.type == "response.output_text.delta"]
        response = await stream.get_final_response()
    assert len(pieces) == 20
    assert response.output_text == "".join(pieces)
    assert response.usage is not None
    assert response.usage.output_tokens == 20


async def test_reasoning_and_parallel_calls_go_round_without_a_store(openai: AsyncOpenAI) -> None:
    first = await openai.responses.create(
        model="m",
        input=PARALLEL,
        tools=[READ],
        store=False,
        reasoning={"effort": "low", "summary": "auto"},
        include=["reasoning.encrypted_content"],
    )
    assert [item.type for item in first.output] == ["reasoning", "function_call", "function_call"]
    history: ResponseInputParam = [{"role": "user", "content": PARALLEL}]
    history.extend(item.to_dict() for item in first.output)  # pyright: ignore[reportArgumentType]
    for item in first.output:
        if item.type == "function_call":
            history.append({"type": "function_call_output", "call_id": item.call_id, "output": "text"})
    second = await openai.responses.create(model="m", input=history, tools=[READ], store=False)
    assert second.output_text == "both read"


async def test_a_chain_needs_only_what_is_new(openai: AsyncOpenAI) -> None:
    first = await openai.responses.create(model="m", input=PARALLEL, tools=[READ])
    outputs: ResponseInputParam = [
        {"type": "function_call_output", "call_id": item.call_id, "output": "text"}
        for item in first.output
        if item.type == "function_call"
    ]
    second = await openai.responses.create(model="m", input=outputs, tools=[READ], previous_response_id=first.id)
    assert second.output_text == "both read"
    with pytest.raises(sdk.BadRequestError) as caught:
        await openai.responses.create(model="m", input="and?", tools=[READ], previous_response_id=first.id)
    assert "No tool output found for function call" in caught.value.message


async def collect(stream: AsyncStream[ResponseStreamEvent], events: list[ResponseStreamEvent]) -> None:
    async for event in stream:
        events += [event]


async def test_a_background_response_survives_its_reader(openai: AsyncOpenAI) -> None:
    stream = await openai.responses.create(
        model="m", input="[[say:10 tokens]][[fault:cut]][[say:5 tokens]]", background=True, stream=True
    )
    events: list[ResponseStreamEvent] = []
    with pytest.raises(sdk.APIConnectionError):
        await collect(stream, events)
    assert events[0].type == "response.created"
    id_, seen = events[0].response.id, events[-1].sequence_number
    rest = [event async for event in await openai.responses.retrieve(id_, stream=True, starting_after=seen)]
    assert [event.sequence_number for event in rest] == list(range(seen + 1, seen + 1 + len(rest)))
    assert rest[-1].type == "response.completed"
    assert len((await openai.responses.retrieve(id_)).output_text) == 60


async def test_a_background_response_can_be_cancelled(openai: AsyncOpenAI) -> None:
    begun = await openai.responses.create(model="m", input="[[gate:never]][[say:late]]", background=True)
    assert begun.status == "queued"
    assert (await openai.responses.cancel(begun.id)).status == "cancelled"
    assert (await openai.responses.retrieve(begun.id)).status == "cancelled"


async def test_a_search_cites_its_sources(openai: AsyncOpenAI) -> None:
    response = await openai.responses.create(
        model="m",
        input="[[search:perdure]][[cite:it is durable]]",
        tools=[{"type": "web_search"}],
        include=["web_search_call.action.sources"],
    )
    search, message = response.output
    assert search.type == "web_search_call"
    assert search.action.type == "search"
    assert search.action.query == "perdure"
    assert message.type == "message"
    assert message.content[0].type == "output_text"
    assert [note.type for note in message.content[0].annotations] == ["url_citation", "url_citation"]


async def test_an_image_and_a_pdf_are_taken(openai: AsyncOpenAI, png: str, pdf: str) -> None:
    response = await openai.responses.create(
        model="m",
        input=[
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "[[say:seen]]"},
                    {"type": "input_image", "image_url": f"data:image/png;base64,{png}", "detail": "auto"},
                    {"type": "input_file", "filename": "a.pdf", "file_data": f"data:application/pdf;base64,{pdf}"},
                ],
            }
        ],
    )
    assert response.output_text == "seen"
    assert response.usage is not None
    assert response.usage.input_tokens > 1_600


async def test_a_refusal_and_a_limit_end_the_response(openai: AsyncOpenAI) -> None:
    refused = await openai.responses.create(model="m", input="[[say:I cannot]][[finish:refusal]]")
    assert refused.output[0].type == "message"
    assert refused.output[0].content[0].type == "refusal"
    short = await openai.responses.create(model="m", input="[[say:100 tokens]]", max_output_tokens=16)
    assert short.status == "incomplete"
    assert short.incomplete_details is not None
    assert short.incomplete_details.reason == "max_output_tokens"


async def test_errors_are_the_sdks_own(openai: AsyncOpenAI) -> None:
    with pytest.raises(sdk.RateLimitError) as limited:
        await openai.responses.create(model="m", input="[[fault:rate_limit retry_after=7]]")
    assert limited.value.response.headers["retry-after"] == "7"
    with pytest.raises(sdk.NotFoundError):
        await openai.responses.create(model="unknown-model", input="hi")
    with pytest.raises(sdk.AuthenticationError):
        await openai.with_options(api_key="bad-key").responses.create(model="m", input="hi")
    with pytest.raises(sdk.InternalServerError):
        await openai.responses.create(model="m", input="[[fault:overloaded]]")


async def test_a_prompt_too_long_fails_inside_the_stream(openai: AsyncOpenAI) -> None:
    stream = await openai.responses.create(model="small-window-1k", input="word " * 2_000, stream=True)
    last = [event async for event in stream][-1]
    assert last.type == "response.failed"
    assert last.response.error is not None
    assert last.response.error.code == "context_length_exceeded"
