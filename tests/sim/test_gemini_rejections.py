"""What Gemini refuses, the simulator refuses: status, canonical code and wording."""

import pytest
from tests.sim.rejection import Body, Refused, post

from perdure.sim.document import Json
from perdure.sim.gemini.parts import SKIPPED, THOUGHT
from perdure.sim.server import Simulator
from perdure.sim.signatures import seal

HEADERS = {"x-goog-api-key": "key"}
CALL: Body = {"functionCall": {"name": "read", "args": {}}, "thoughtSignature": seal(THOUGHT, "x")}
RESPONSE: Body = {"functionResponse": {"name": "read", "response": {"output": "x"}}}


def user(*parts: Json) -> Body:
    return {"role": "user", "parts": list(parts)}


def model(*parts: Json) -> Body:
    return {"role": "model", "parts": list(parts)}


HELLO = user({"text": "hi"})


def body(*contents: Json, **more: Json) -> Body:
    return {"contents": list(contents) or [HELLO], **more}


def declared(**function: Json) -> Body:
    return body(tools=[{"functionDeclarations": [{"name": "read", **function}]}])


def config(**settings: Json) -> Body:
    return body(generationConfig=settings)


ROWS = [
    Refused("no contents", {}, "contents is not specified"),
    Refused("empty contents", {"contents": []}, "contents is not specified"),
    Refused("a field nobody knows", body(foo=1), 'Unknown name "foo": Cannot find field.'),
    Refused(
        "a strange role", body({"role": "assistant", "parts": [{"text": "x"}]}), "Please use a valid role: user, model."
    ),
    Refused("no parts", body(user()), "contents[0].parts: contents.parts must not be empty."),
    Refused("a part of nothing", body(user({})), "required oneof field 'data' must have one initialized field"),
    Refused(
        "a part nobody knows",
        body(user({"sound": "x"})),
        "Unknown name \"sound\" at 'contents[0].parts[0]': Cannot find field.",
    ),
    Refused(
        "text that is a number",
        body(user({"text": 1})),
        "Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), 1",
    ),
    Refused(
        "a call first", body(model(CALL), user(RESPONSE)), "function call turn comes immediately after a user turn"
    ),
    Refused(
        "a call after the model", body(HELLO, model({"text": "x"}), model(CALL), user(RESPONSE)), "function call turn"
    ),
    Refused("a response without a call", body(HELLO, user(RESPONSE)), "function response turn comes immediately after"),
    Refused(
        "a call without a response", body(HELLO, model(CALL), HELLO), "the number of function response parts is equal"
    ),
    Refused(
        "one response for two calls",
        body(HELLO, model(CALL, CALL), user(RESPONSE)),
        "number of function response parts",
    ),
    Refused("the model last", body(HELLO, model({"text": "x"})), "end with a user role or a function response"),
    Refused(
        "a call without its signature",
        body(HELLO, model({"functionCall": {"name": "read", "args": {}}}), user(RESPONSE)),
        "Function call is missing a thought_signature in functionCall parts.",
    ),
    Refused(
        "a signature of another vendor",
        body(HELLO, model({**CALL, "thoughtSignature": "c2lnbmF0dXJl"}), user(RESPONSE)),
        "Corrupted thought signature.",
    ),
    Refused(
        "a call without a name",
        body(HELLO, model({**CALL, "functionCall": {"args": {}}}), user(RESPONSE)),
        "function_call.name: Name cannot be empty.",
    ),
    Refused(
        "a response that is text",
        body(HELLO, model(CALL), user({"functionResponse": {"name": "read", "response": "x"}})),
        "Invalid JSON payload received.",
    ),
    Refused("a name with a blank", declared(name="read file"), "Invalid function name."),
    Refused("a long name", declared(name="r" * 65), "with a maximum length of 64."),
    Refused(
        "functions of one name",
        body(tools=[{"functionDeclarations": [{"name": "read"}, {"name": "read"}]}]),
        "Duplicate function declaration found: read",
    ),
    Refused(
        "a schema with additional properties",
        declared(parameters={"type": "OBJECT", "properties": {"a": {"type": "STRING"}}, "additionalProperties": False}),
        'Unknown name "additionalProperties"',
    ),
    Refused(
        "a list of anything",
        declared(parameters={"type": "OBJECT", "properties": {"a": {"type": "ARRAY"}}}),
        "properties.a.items: missing field.",
    ),
    Refused("an object of nothing", declared(parameters={"type": "OBJECT"}), "should be non-empty for OBJECT type"),
    Refused("too hot", config(temperature=3), "temperature must be in the range [0.0, 2.0]."),
    Refused("no output allowed", config(maxOutputTokens=0), "max_output_tokens must be positive."),
    Refused(
        "thinking measured twice",
        config(thinkingConfig={"thinkingBudget": 1, "thinkingLevel": "LOW"}),
        "only one of thinking budget and thinking level",
    ),
    Refused(
        "search and functions without a word about it",
        body(tools=[{"functionDeclarations": [{"name": "read"}]}, {"googleSearch": {}}]),
        "Please enable tool_config.include_server_side_tool_invocations",
    ),
    Refused(
        "a choice that is not declared",
        body(toolConfig={"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["write"]}}),
        "must be a subset of the declared functions: write",
    ),
    Refused(
        "an image that is not base64",
        body(user({"inlineData": {"mimeType": "image/png", "data": "§"}})),
        "Base64 decoding failed",
    ),
    Refused(
        "an image that is none",
        body(user({"inlineData": {"mimeType": "image/png", "data": "aGVsbG8="}})),
        "Unable to process input image.",
    ),
    Refused(
        "a file of a strange kind",
        body(user({"inlineData": {"mimeType": "application/x-tar", "data": "aGVsbG8="}})),
        "Unsupported MIME type: application/x-tar",
    ),
    Refused(
        "a wrong key",
        body(),
        "API key not valid. Please pass a valid API key.",
        headers={"x-goog-api-key": "bad-1"},
    ),
    Refused("no key", body(), "unregistered callers", 403, "PERMISSION_DENIED", headers={"x-goog-api-key": ""}),
]


@pytest.mark.parametrize("row", ROWS, ids=str)
async def test_gemini_refuses(sim: Simulator, row: Refused) -> None:
    url = f"{sim.url}/v1beta/models/m:streamGenerateContent?alt=sse"
    status, answer = await post(url, row.body, {**HEADERS, **row.headers})
    error = answer["error"]
    assert isinstance(error, dict)
    assert row.says in str(error["message"])
    assert (status, error["code"], error["status"]) == (row.status, row.status, row.kind or "INVALID_ARGUMENT")


@pytest.mark.parametrize(
    ("name", "status", "says"),
    [
        ("unknown-x:generateContent", 404, "models/unknown-x is not found"),
        ("m:dream", 404, "is not supported for dream"),
    ],
)
async def test_gemini_does_not_find(sim: Simulator, name: str, status: int, says: str) -> None:
    answered, answer = await post(f"{sim.url}/v1beta/models/{name}", body(), HEADERS)
    assert (answered, says in str(answer)) == (status, True)


@pytest.mark.parametrize(
    ("name", "thinking", "says"),
    [
        ("gemini-2.5-pro", {"thinkingLevel": "LOW"}, "Thinking level is not supported for this model."),
        ("gemini-2.5-pro", {"thinkingBudget": 0}, "This model only works in thinking mode."),
        ("gemini-2.5-flash", {"thinkingBudget": 65_536}, "Please choose a value between 1 and 24576."),
        ("gemini-3.8-flash", {"thinkingLevel": "MINIMAL"}, "Thinking level MINIMAL is not supported for this model."),
        ("gemini-3.1-pro-preview", {"thinkingLevel": "minimal"}, "Thinking level MINIMAL is not supported"),
    ],
)
async def test_a_model_refuses_to_think_otherwise(sim: Simulator, name: str, thinking: Body, says: str) -> None:
    url = f"{sim.url}/v1beta/models/{name}:generateContent"
    status, answer = await post(url, config(thinkingConfig=thinking), HEADERS)
    assert (status, says in str(answer)) == (400, True)


async def test_a_prompt_too_long_is_counted(sim: Simulator) -> None:
    url = f"{sim.url}/v1beta/models/small-window-8k:generateContent"
    status, answer = await post(url, body(user({"text": "word " * 8_000})), HEADERS)
    assert status == 400
    assert "exceeds the maximum number of tokens allowed (8000)." in str(answer)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("gemini-2.5-pro", {"functionCall": {"name": "read", "args": {}}}),
        ("m", {"functionCall": {"name": "read", "args": {}}, "thoughtSignature": SKIPPED[0]}),
        ("m", {"function_call": {"name": "read", "args": {}}, "thought_signature": seal(THOUGHT, "x")}),
    ],
    ids=["an old model", "a call by another model", "snake case"],
)
async def test_gemini_takes(sim: Simulator, name: str, call: Body) -> None:
    url = f"{sim.url}/v1beta/models/{name}:generateContent"
    status, _ = await post(url, body(HELLO, model(call), user(RESPONSE)), HEADERS)
    assert status == 200
