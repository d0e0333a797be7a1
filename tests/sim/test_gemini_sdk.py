"""Google's own SDK drives the simulator."""

import base64

import pytest
from google.genai import Client, errors, types

pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning")

CALLS = '[[think:so be it]][[call:read_file {"path": "a"}]][[call:read_file {"path": "b"}]][[say:both read]]'
TOOLS: types.ToolListUnion = [
    types.Tool(
        function_declarations=[
            types.FunctionDeclaration(
                name="read_file",
                parameters_json_schema={"type": "object", "properties": {"path": {"type": "string"}}},
            )
        ]
    )
]
THOUGHTFUL = types.GenerateContentConfig(
    tools=TOOLS,
    thinking_config=types.ThinkingConfig(include_thoughts=True),
    automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
)


def parts_of(response: types.GenerateContentResponse) -> list[types.Part]:
    assert response.candidates
    content = response.candidates[0].content
    return (content.parts or []) if content is not None else []


async def test_text_is_streamed_in_pieces(gemini: Client) -> None:
    stream = await gemini.aio.models.generate_content_stream(model="m", contents="[[say:20 tokens]]")
    chunks = [chunk async for chunk in stream]
    assert sum(bool(chunk.text) for chunk in chunks) == 20
    assert chunks[-1].candidates
    assert chunks[-1].candidates[0].finish_reason == types.FinishReason.STOP
    assert chunks[-1].usage_metadata is not None
    assert chunks[-1].usage_metadata.candidates_token_count == 20


async def test_thoughts_and_parallel_calls_go_round(gemini: Client) -> None:
    first = await gemini.aio.models.generate_content(model="m", contents=CALLS, config=THOUGHTFUL)
    parts = parts_of(first)
    assert [bool(part.thought) for part in parts] == [True, False, False]
    assert [part.thought_signature is not None for part in parts] == [False, True, False]
    answers = [types.Part.from_function_response(name="read_file", response={"output": "x"}) for _ in range(2)]
    second = await gemini.aio.models.generate_content(
        model="m",
        contents=[
            types.Content(role="user", parts=[types.Part(text=CALLS)]),
            types.Content(role="model", parts=parts),
            types.Content(role="user", parts=answers),
        ],
        config=THOUGHTFUL,
    )
    assert second.text == "both read"


async def test_a_search_is_grounded(gemini: Client) -> None:
    response = await gemini.aio.models.generate_content(
        model="m",
        contents="[[search:perdure]][[cite:it is durable]]",
        config=types.GenerateContentConfig(tools=[types.Tool(google_search=types.GoogleSearch())]),
    )
    assert response.candidates
    grounding = response.candidates[0].grounding_metadata
    assert grounding is not None
    assert grounding.web_search_queries == ["perdure"]
    assert grounding.grounding_chunks is not None
    assert len(grounding.grounding_chunks) == 2


async def test_an_image_is_taken(gemini: Client, png: str) -> None:
    image = types.Part.from_bytes(data=base64.b64decode(png), mime_type="image/png")
    response = await gemini.aio.models.generate_content(model="m", contents=["[[say:seen]]", image])
    assert response.text == "seen"


async def test_a_refusal_and_a_limit_have_their_reasons(gemini: Client) -> None:
    refused = await gemini.aio.models.generate_content(model="m", contents="[[finish:refusal]]")
    assert refused.candidates
    assert refused.candidates[0].finish_reason == types.FinishReason.SAFETY
    short = await gemini.aio.models.generate_content(
        model="m", contents="[[say:9 tokens]]", config=types.GenerateContentConfig(max_output_tokens=3)
    )
    assert short.candidates
    assert short.candidates[0].finish_reason == types.FinishReason.MAX_TOKENS


@pytest.mark.parametrize(
    ("prompt", "code", "status"),
    [
        ("[[fault:rate_limit]]", 429, "RESOURCE_EXHAUSTED"),
        ("[[fault:auth]]", 400, "INVALID_ARGUMENT"),
        ("[[fault:forbidden]]", 403, "PERMISSION_DENIED"),
    ],
)
async def test_errors_of_the_caller_are_client_errors(gemini: Client, prompt: str, code: int, status: str) -> None:
    with pytest.raises(errors.ClientError) as caught:
        await gemini.aio.models.generate_content(model="m", contents=prompt)
    assert (caught.value.code, caught.value.status) == (code, status)


async def test_errors_of_the_service_are_server_errors(gemini: Client) -> None:
    with pytest.raises(errors.ServerError) as caught:
        await gemini.aio.models.generate_content(model="m", contents="[[fault:overloaded]]")
    assert (caught.value.code, caught.value.status) == (503, "UNAVAILABLE")


async def test_an_unknown_model_is_not_found(gemini: Client) -> None:
    with pytest.raises(errors.ClientError) as caught:
        await gemini.aio.models.generate_content(model="unknown-model", contents="hi")
    assert caught.value.code == 404
