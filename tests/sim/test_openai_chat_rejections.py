"""What Chat Completions refuses, the simulator refuses: status, code, parameter and wording."""

import pytest
from tests.sim.rejection import Body, Refused, post

from perdure.sim.document import Json
from perdure.sim.server import Simulator

HEADERS = {"authorization": "Bearer key"}
HELLO: Body = {"role": "user", "content": "hi"}
FUNCTION: Body = {"name": "read", "parameters": {"type": "object", "properties": {}}}
TOOL: Body = {"type": "function", "function": FUNCTION}
CALL: Body = {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
CALLED: Body = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT: Body = {"role": "tool", "tool_call_id": "call_1", "content": "x"}


def body(*messages: Json, **more: Json) -> Body:
    return {"model": "m", "messages": list(messages) or [HELLO], **more}


def picture(url: str) -> Body:
    return {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}


ROWS = [
    Refused(
        "no model", {"messages": [HELLO]}, "Missing required parameter: 'model'.", code="missing_required_parameter"
    ),
    Refused("no messages", {"model": "m"}, "Missing required parameter: 'messages'.", param="messages"),
    Refused("an empty conversation", {"model": "m", "messages": []}, "empty array", code="empty_array"),
    Refused("a field nobody knows", body(foo=1), "Unknown parameter: 'foo'.", code="unknown_parameter", param="foo"),
    Refused("a strange role", body({"role": "robot", "content": "x"}), "Invalid value: 'robot'.", code="invalid_value"),
    Refused("nothing said", body({"role": "user", "content": None}), "expected a string, got null"),
    Refused(
        "an answer without anything", body(HELLO, {"role": "assistant", "content": None}), "expected a string, got null"
    ),
    Refused(
        "a part nobody knows",
        body({"role": "user", "content": [{"type": "smell"}]}),
        "Invalid value: 'smell'.",
        param="messages[0].content[0].type",
    ),
    Refused(
        "a call without a result",
        body(HELLO, CALLED, HELLO),
        "The following tool_call_ids did not have response messages: call_1",
        param="messages.[2].role",
    ),
    Refused(
        "a call at the end",
        body(HELLO, CALLED),
        "must be followed by tool messages responding to each 'tool_call_id'",
    ),
    Refused(
        "a result without a call",
        body(HELLO, RESULT),
        "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
        param="messages.[1].role",
    ),
    Refused(
        "two results for one call", body(HELLO, CALLED, RESULT, RESULT), "must be a response to a preceeding message"
    ),
    Refused(
        "a result after someone spoke",
        body(HELLO, CALLED, HELLO, RESULT),
        "did not have response messages: call_1",
    ),
    Refused("no calls in the list", body(HELLO, {**CALLED, "tool_calls": []}), "empty array", code="empty_array"),
    Refused(
        "a long call id",
        body(HELLO, {**CALLED, "tool_calls": [{**CALL, "id": "c" * 41}]}),
        "maximum length 40",
        code="string_above_max_length",
        param="messages[1].tool_calls[0].id",
    ),
    Refused(
        "arguments that are an object",
        body(HELLO, {**CALLED, "tool_calls": [{**CALL, "function": {"name": "read", "arguments": {}}}]}),
        "expected a string, but got an object instead",
        code="invalid_type",
    ),
    Refused("no tools in the list", body(tools=[]), "Invalid 'tools': empty array", code="empty_array"),
    Refused(
        "a tool with a blank in its name",
        body(tools=[{"type": "function", "function": {**FUNCTION, "name": "read file"}}]),
        "string does not match pattern",
        code="invalid_value",
        param="tools[0].function.name",
    ),
    Refused(
        "a tool with a long name",
        body(tools=[{"type": "function", "function": {**FUNCTION, "name": "r" * 65}}]),
        "maximum length 64",
        code="string_above_max_length",
    ),
    Refused(
        "parameters that are a list",
        body(tools=[{"type": "function", "function": {"name": "read", "parameters": {"type": "array"}}}]),
        "Invalid schema for function 'read'",
        code="invalid_function_parameters",
    ),
    Refused("a choice without tools", body(tool_choice="auto"), "only allowed when 'tools' are specified"),
    Refused(
        "a choice that is not offered",
        body(tools=[TOOL], tool_choice={"type": "function", "function": {"name": "write"}}),
        "Tool choice 'write' not found in 'tools' parameter.",
    ),
    Refused(
        "stream options without a stream", body(stream_options={"include_usage": True}), "only allowed when 'stream'"
    ),
    Refused("too hot", body(temperature=3), "less than or equal to 2", param="temperature"),
    Refused("no output allowed", body(max_tokens=0), "Expected a value >= 1", code="integer_below_min_value"),
    Refused(
        "an old limit for a new model",
        {**body(max_tokens=5), "model": "gpt-5"},
        "Use 'max_completion_tokens' instead.",
        code="unsupported_parameter",
    ),
    Refused(
        "an effort that the model lacks",
        {**body(reasoning_effort="none"), "model": "gpt-5-mini"},
        "'none' is not supported with the 'gpt-5-mini' model.",
        code="unsupported_value",
        param="reasoning_effort",
    ),
    Refused(
        "a call of Gemini's at OpenRouter without its seal",
        {**body(HELLO, CALLED, RESULT), "model": "google/gemini-3.8-flash"},
        "require OpenRouter reasoning details to be preserved",
    ),
    Refused("an image that is nowhere", body(picture("ftp://x")), "Expected a valid URL", code="invalid_value"),
    Refused(
        "an image that is not base64", body(picture("data:image/png;base64,§")), "Invalid base64", code="invalid_base64"
    ),
    Refused(
        "an image that is none",
        body(picture("data:image/png;base64,aGVsbG8=")),
        "unsupported image",
        code="invalid_image_format",
    ),
    Refused(
        "an unknown model",
        {**body(), "model": "unknown-x"},
        "The model `unknown-x` does not exist",
        404,
        code="model_not_found",
    ),
    Refused(
        "a wrong key",
        body(),
        "Incorrect API key provided",
        401,
        code="invalid_api_key",
        headers={"authorization": "Bearer bad-0123456789"},
    ),
    Refused("no key", body(), "You didn't provide an API key", 401, headers={"authorization": ""}),
    Refused(
        "a prompt too long",
        {**body({"role": "user", "content": "word " * 8_000}), "model": "small-window-8k"},
        "This model's maximum context length is 8000 tokens.",
        code="context_length_exceeded",
        param="messages",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=str)
async def test_chat_completions_refuses(sim: Simulator, row: Refused) -> None:
    status, answer = await post(f"{sim.url}/v1/chat/completions", row.body, {**HEADERS, **row.headers})
    error = answer["error"]
    assert isinstance(error, dict)
    assert row.says in str(error["message"])
    assert (status, error["type"]) == (row.status, "invalid_request_error")
    assert row.code is None or error["code"] == row.code
    assert row.param is None or error["param"] == row.param


async def test_a_wrong_key_is_not_repeated(sim: Simulator) -> None:
    _, answer = await post(f"{sim.url}/v1/chat/completions", body(), {"authorization": "Bearer bad-0123456789"})
    assert "bad-0123456789" not in str(answer)
