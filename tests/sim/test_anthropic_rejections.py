"""What Anthropic refuses, the simulator refuses: status, error type and wording."""

import pytest
from tests.sim.rejection import Body, Refused, post

from perdure.sim.anthropic.blocks import THINKING
from perdure.sim.document import Json
from perdure.sim.server import Simulator
from perdure.sim.signatures import sign

HEADERS = {"x-api-key": "key", "anthropic-version": "2023-06-01"}
TEXT: Body = {"type": "text", "text": "hi"}
HELLO: Body = {"role": "user", "content": "hi"}
TOOL: Body = {"name": "read", "input_schema": {"type": "object"}}
USE: Body = {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}
RESULT: Body = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}
SEARCHED: Body = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
THOUGHT: Body = {"type": "thinking", "thinking": "hm", "signature": sign(THINKING, "hm")}
MARK: Body = {"type": "ephemeral"}
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP6DwABBQECz6AuzQAAAABJRU5ErkJggg=="
SIZE: Body = {"display_width_px": 640, "display_height_px": 400}


def body(*messages: Json, **more: Json) -> Body:
    return {"model": "m", "max_tokens": 2000, "messages": list(messages) or [HELLO], **more}


def user(*blocks: Json) -> Body:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Json) -> Body:
    return {"role": "assistant", "content": list(blocks)}


def image(media_type: str, data: str) -> Body:
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def marked(text: str) -> Body:
    return {"type": "text", "text": text, "cache_control": MARK}


def without(name: str) -> Body:
    return {field: value for field, value in body().items() if field != name}


ROWS = [
    Refused("no model", without("model"), "model: Field required"),
    Refused("no limit", without("max_tokens"), "max_tokens: Field required"),
    Refused("no messages", without("messages"), "messages: Field required"),
    Refused("an empty conversation", {**body(), "messages": []}, "at least one message is required"),
    Refused("a field nobody knows", body(foo=1), "foo: Extra inputs are not permitted"),
    Refused("a limit that is text", body(max_tokens="many"), "max_tokens: Input should be a valid integer"),
    Refused("a limit out of reach", body(max_tokens=999_999), "maximum allowed number of output tokens"),
    Refused("too hot", body(temperature=1.5), "temperature: Input should be less than or equal to 1"),
    Refused("hot in two ways", body(temperature=0.5, top_p=0.9), "cannot both be specified for this model"),
    Refused(
        "a temperature for a newer model",
        {**body(temperature=0.5), "model": "claude-opus-5-5"},
        "`temperature` is deprecated for this model.",
    ),
    Refused(
        "no thoughts where there always are some",
        {**body(thinking={"type": "disabled"}), "model": "claude-sonnet-5-5"},
        '"thinking.type.disabled" is not supported for this model.',
    ),
    Refused(
        "adaptive thoughts before there were any",
        {**body(thinking={"type": "adaptive"}), "model": "claude-sonnet-4-5-20250929"},
        "adaptive thinking is not supported on this model",
    ),
    Refused(
        "an effort that the model lacks",
        {**body(output_config={"effort": "xhigh"}), "model": "claude-opus-4-6"},
        "does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
    ),
    Refused(
        "an older screen for a newer model",
        {
            **body(tools=[{"type": "computer_20251124", "name": "computer", **SIZE}]),
            "model": "claude-opus-5-5",
        },
        "tools.0: `computer_20251124` is not supported for this model.",
        headers={"anthropic-beta": "computer-use-2025-11-24"},
    ),
    Refused(
        "bound thoughts without being let in",
        body(thinking={"type": "adaptive", "block_binding": {}}),
        "block_binding: Extra inputs are not permitted",
    ),
    Refused("a strange role", body({"role": "tool", "content": "x"}), "messages.0.role: Input should be 'user', "),
    Refused("the model first", body(assistant(TEXT), HELLO), 'first message must use the "user" role'),
    Refused("nothing said", body(user()), "messages.0: all messages must have non-empty content"),
    Refused("an empty text", body(user({"type": "text", "text": ""})), "text content blocks must be non-empty"),
    Refused("a blank text", body(user({"type": "text", "text": " \n"})), "must contain non-whitespace text"),
    Refused("an empty system text", body(system=[{"type": "text", "text": ""}]), "system: text content blocks"),
    Refused("an unknown block", body(user({"type": "sound"})), "messages.0.content.0: Input tag 'sound' found"),
    Refused("a prefilled answer", body(HELLO, assistant(TEXT)), "does not support assistant message prefill"),
    Refused(
        "a call without a result",
        body(HELLO, assistant(USE), HELLO, tools=[TOOL]),
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.",
    ),
    Refused(
        "a result after words",
        body(HELLO, assistant(USE), user(TEXT, RESULT), tools=[TOOL]),
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.",
    ),
    Refused(
        "one of two calls unanswered",
        body(HELLO, assistant(USE, {**USE, "id": "toolu_2"}), user(RESULT), tools=[TOOL]),
        "immediately after: toolu_2.",
    ),
    Refused(
        "a result without a call",
        body(user(RESULT), tools=[TOOL]),
        "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1.",
    ),
    Refused(
        "two results for one call",
        body(HELLO, assistant(USE), user(RESULT, RESULT), tools=[TOOL]),
        "each tool_use must have a single result",
    ),
    Refused(
        "the same call twice",
        body(HELLO, assistant(USE), user(RESULT), assistant(USE), user(RESULT), tools=[TOOL]),
        "messages.3.content.0: `tool_use` ids must be unique",
    ),
    Refused(
        "a call by the user",
        body(user(USE), tools=[TOOL]),
        "messages.0: `tool_use` blocks can only be in `assistant` messages",
    ),
    Refused(
        "a result by the model",
        body(HELLO, assistant(RESULT), HELLO),
        "messages.1: `tool_result` blocks can only be in `user` messages",
    ),
    Refused(
        "a call id with a dot",
        body(HELLO, assistant({**USE, "id": "a.b"}), HELLO),
        "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ),
    Refused(
        "arguments that are text",
        body(HELLO, assistant({**USE, "input": "{}"}), user(RESULT)),
        "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
    ),
    Refused(
        "an image in an error result",
        body(HELLO, assistant(USE), user({**RESULT, "is_error": True, "content": [image("image/png", PNG)]})),
        "when `is_error` is true, all content must be type text",
    ),
    Refused(
        "thinking without its signature",
        body(HELLO, assistant({"type": "thinking", "thinking": "hm"}, TEXT), HELLO),
        "messages.1.content.0.thinking.signature: Field required",
    ),
    Refused(
        "thinking that was changed",
        body(HELLO, assistant({**THOUGHT, "thinking": "hmm"}, TEXT), HELLO),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
    ),
    Refused(
        "redacted thinking of another vendor",
        body(HELLO, assistant({"type": "redacted_thinking", "data": "gAAA"}, TEXT), HELLO),
        "messages.1.content.0: Invalid `data` in `redacted_thinking` block",
    ),
    Refused(
        "a call whose thinking was dropped",
        body(HELLO, assistant(USE), user(RESULT), tools=[TOOL], thinking={"type": "enabled", "budget_tokens": 1024}),
        "Expected `thinking` or `redacted_thinking`, but found `tool_use`",
    ),
    Refused(
        "a small thinking budget",
        body(thinking={"type": "enabled", "budget_tokens": 100}),
        "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    ),
    Refused(
        "more thinking than output",
        body(thinking={"type": "enabled", "budget_tokens": 2000}),
        "`max_tokens` must be greater than `thinking.budget_tokens`",
    ),
    Refused(
        "thinking and a temperature",
        body(thinking={"type": "adaptive"}, temperature=0.5),
        "`temperature` may only be set to 1 when thinking is enabled",
    ),
    Refused(
        "thinking and a forced tool",
        body(thinking={"type": "adaptive"}, tools=[TOOL], tool_choice={"type": "any"}),
        "Thinking may not be enabled when tool_choice forces tool use",
    ),
    Refused("tools of one name", body(tools=[TOOL, TOOL]), "tools: Tool names must be unique."),
    Refused(
        "a tool with a blank in its name",
        body(tools=[{**TOOL, "name": "read file"}]),
        "tools.0.custom.name: String should match pattern",
    ),
    Refused("a tool without a schema", body(tools=[{"name": "read"}]), "tools.0.custom.input_schema: Field required"),
    Refused(
        "a schema that is a choice",
        body(tools=[{"name": "read", "input_schema": {"type": "object", "anyOf": []}}]),
        "input_schema does not support oneOf, allOf, or anyOf at the top level",
    ),
    Refused(
        "a choice without tools", body(tool_choice={"type": "auto"}), "may only be specified while providing tools"
    ),
    Refused(
        "a choice that is not offered",
        body(tools=[TOOL], tool_choice={"type": "tool", "name": "write"}),
        "Tool 'write' not found in provided tools",
    ),
    Refused(
        "five breakpoints",
        body(user(*[marked(str(number)) for number in range(5)])),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    Refused(
        "a breakpoint of another kind",
        body(user({**TEXT, "cache_control": {"type": "eternal"}})),
        "messages.0.content.0.text.cache_control.type: Input should be 'ephemeral'",
    ),
    Refused(
        "a breakpoint on thinking",
        body(HELLO, assistant({**THOUGHT, "cache_control": MARK}, TEXT), HELLO),
        "Extra inputs are not permitted",
    ),
    Refused("an image of a strange kind", body(user(image("image/tiff", PNG))), "Input should be 'image/jpeg', "),
    Refused("an image that is not base64", body(user(image("image/png", "§"))), "invalid base64 data"),
    Refused("an image that is none", body(user(image("image/png", "aGVsbG8="))), "Could not process image"),
    Refused(
        "an image under another name",
        body(user(image("image/jpeg", PNG))),
        "specified using the image/jpeg media type, but the image appears to be a image/png image",
    ),
    Refused(
        "a document that is none",
        body(
            user(
                {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "aGVsbG8="}}
            )
        ),
        "The PDF specified was not valid.",
    ),
    Refused(
        "a search without what it found",
        body(HELLO, assistant(SEARCHED, TEXT), HELLO),
        "`web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block",
    ),
    Refused(
        "found without a search",
        body(
            HELLO,
            assistant({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_9", "content": []}, TEXT),
            HELLO,
        ),
        "unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_9.",
    ),
    Refused(
        "a search under a tool's id",
        body(HELLO, assistant({**SEARCHED, "id": "toolu_1"}, TEXT), HELLO),
        "String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
    ),
    Refused(
        "found content of another vendor",
        body(
            HELLO,
            assistant(
                SEARCHED,
                {
                    "type": "web_search_tool_result",
                    "tool_use_id": "srvtoolu_1",
                    "content": [
                        {"type": "web_search_result", "url": "u", "title": "t", "encrypted_content": "not ours"}
                    ],
                },
            ),
            HELLO,
        ),
        "Invalid `encrypted_content`",
    ),
    Refused("a stop sequence of blanks", body(stop_sequences=[" "]), "each stop sequence must contain non-whitespace"),
    Refused("an unknown model", {**body(), "model": "unknown-x"}, "model: unknown-x", 404, "not_found_error"),
    Refused("a wrong key", body(), "invalid x-api-key", 401, "authentication_error", headers={"x-api-key": "bad-1"}),
    Refused("no key", body(), "x-api-key header is required", 401, "authentication_error", headers={"x-api-key": ""}),
    Refused(
        "a prompt too long",
        {**body({"role": "user", "content": "word " * 8_000}), "model": "small-window-8k"},
        "tokens > 8000 maximum",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=str)
async def test_anthropic_refuses(sim: Simulator, row: Refused) -> None:
    status, answer = await post(f"{sim.url}/v1/messages", row.body, {**HEADERS, **row.headers})
    error = answer["error"]
    assert isinstance(error, dict)
    assert row.says in str(error["message"])
    assert (status, answer["type"], error["type"]) == (row.status, "error", row.kind or "invalid_request_error")


async def test_the_version_header_is_required(sim: Simulator) -> None:
    status, answer = await post(f"{sim.url}/v1/messages", body(), {"x-api-key": "key"})
    assert (status, answer["type"]) == (400, "error")


async def test_what_is_not_json_is_refused(sim: Simulator) -> None:
    status, answer = await post(f"{sim.url}/v1/messages", "just text", HEADERS)
    assert (status, answer["type"]) == (400, "error")
