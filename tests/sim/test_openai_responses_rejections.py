"""What Responses refuses, the simulator refuses: status, code, parameter and wording."""

import pytest
from tests.sim.rejection import Body, Refused, post

from perdure.sim.document import Json
from perdure.sim.openai_responses.items import ENCRYPTED
from perdure.sim.server import Simulator
from perdure.sim.signatures import seal

HEADERS = {"authorization": "Bearer key"}
HELLO: Body = {"role": "user", "content": "hi"}
SAID: Body = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "yes"}]}
CALL: Body = {"type": "function_call", "call_id": "call_1", "name": "read", "arguments": "{}"}
OUTPUT: Body = {"type": "function_call_output", "call_id": "call_1", "output": "x"}
THOUGHT: Body = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": seal(ENCRYPTED, "hm")}
BARE: Body = {"type": "reasoning", "id": "rs_1", "summary": []}


def body(*items: Json, **more: Json) -> Body:
    return {"model": "m", "input": list(items) or "hi", **more}


ROWS = [
    Refused("no model", {"input": "hi"}, "Missing required parameter: 'model'.", code="missing_required_parameter"),
    Refused("no input", {"model": "m"}, "Missing required parameter: 'input'.", param="input"),
    Refused("a field nobody knows", body(foo=1), "Unknown parameter: 'foo'.", code="unknown_parameter"),
    Refused("an item nobody knows", body({"type": "dream"}), "Invalid value: 'dream'.", param="input[0].type"),
    Refused("a strange role", body({"role": "robot", "content": "x"}), "Invalid value: 'robot'.", code="invalid_value"),
    Refused(
        "the model's words from the user",
        body({"role": "user", "content": [{"type": "output_text", "text": "x"}]}),
        "Supported values are: 'input_text', 'input_image', and 'input_file'.",
    ),
    Refused(
        "the user's words from the model",
        body(HELLO, {"role": "assistant", "content": [{"type": "input_text", "text": "x"}]}),
        "Supported values are: 'output_text' and 'refusal'.",
    ),
    Refused(
        "a call without its output", body(HELLO, CALL), "No tool output found for function call call_1.", param="input"
    ),
    Refused(
        "an output without its call",
        body(HELLO, OUTPUT),
        "No tool call found for function call output with call_id call_1.",
        param="input",
    ),
    Refused("an output before its call", body(HELLO, OUTPUT, CALL), "No tool call found for function call output"),
    Refused(
        "a call under a foreign id",
        body(HELLO, {**CALL, "id": "toolu_1"}, OUTPUT),
        "Expected an ID that begins with 'fc'.",
        code="invalid_value",
        param="input[1].id",
    ),
    Refused(
        "an answer under a foreign id",
        body(HELLO, {**SAID, "id": "answer_1"}),
        "Expected an ID that begins with 'msg'.",
    ),
    Refused(
        "the same item twice",
        body(HELLO, {**SAID, "id": "msg_1"}, {**SAID, "id": "msg_1"}),
        "Duplicate item found with id msg_1.",
    ),
    Refused(
        "reasoning at the end",
        body(HELLO, THOUGHT),
        "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    ),
    Refused("reasoning before the user", body(HELLO, THOUGHT, HELLO), "without its required following item"),
    Refused(
        "a call whose reasoning was dropped",
        body(HELLO, {**CALL, "id": "fc_0123456789abcdef000001_after_00"}, OUTPUT),
        "was provided without its required 'reasoning' item: 'rs_0123456789abcdef000000'.",
    ),
    Refused(
        "reasoning that was not stored",
        body(HELLO, BARE, SAID, store=False),
        "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
        404,
    ),
    Refused(
        "reasoning of another vendor",
        body(HELLO, {**BARE, "encrypted_content": "c2ln"}, SAID),
        "could not be verified",
        code="invalid_encrypted_content",
    ),
    Refused("a reference to nothing", body(HELLO, {"type": "item_reference", "id": "msg_9"}), "'msg_9' not found", 404),
    Refused(
        "a chain that is not there",
        body(previous_response_id="resp_9"),
        "Previous response with id 'resp_9' not found.",
        code="previous_response_not_found",
        param="previous_response_id",
    ),
    Refused("in the background, unstored", body(background=True, store=False), "Background mode requires 'store'"),
    Refused("two memories at once", body(previous_response_id="a", conversation="b"), "Mutually exclusive parameters"),
    Refused("hardly any output", body(max_output_tokens=1), "Expected a value >= 16", code="integer_below_min_value"),
    Refused(
        "a temperature for a reasoner",
        {**body(temperature=1), "model": "gpt-5"},
        "'temperature' is not supported with this model",
        code="unsupported_parameter",
    ),
    Refused(
        "an effort nobody knows", body(reasoning={"effort": "huge"}), "Invalid value: 'huge'.", param="reasoning.effort"
    ),
    Refused(
        "an effort that the model lacks",
        {**body(reasoning={"effort": "minimal"}), "model": "gpt-5.2"},
        "Unsupported value: 'minimal' is not supported with the 'gpt-5.2' model. Supported values are: 'none', 'low', ",
        code="unsupported_value",
        param="reasoning.effort",
    ),
    Refused(
        "a screen's call without its id",
        body(HELLO, {"type": "computer_call", "call_id": "call_1", "status": "completed", "actions": []}),
        "Missing required parameter: 'input[1].id'.",
    ),
    Refused(
        "to include nothing known", body(include=["everything"]), "Invalid value: 'everything'.", param="include[0]"
    ),
    Refused("a long cache key", body(prompt_cache_key="k" * 65), "maximum length 64", code="string_above_max_length"),
    Refused(
        "a tool as Chat Completions writes it",
        body(tools=[{"type": "function", "function": {"name": "read"}}]),
        "Unknown parameter: 'tools[0].function'.",
    ),
    Refused(
        "a tool without a name", body(tools=[{"type": "function"}]), "Missing required parameter: 'tools[0].name'."
    ),
    Refused(
        "a choice that is not offered",
        body(tool_choice={"type": "function", "name": "write"}),
        "Tool choice 'write' not found in 'tools' parameter.",
    ),
    Refused(
        "an image that is none",
        body({"role": "user", "content": [{"type": "input_image", "image_url": "data:image/png;base64,aGVsbG8="}]}),
        "unsupported image",
        code="invalid_image_format",
    ),
    Refused("an unknown model", {**body(), "model": "unknown-x"}, "does not exist", 404, code="model_not_found"),
    Refused(
        "a wrong key",
        body(),
        "Incorrect API key",
        401,
        code="invalid_api_key",
        headers={"authorization": "Bearer bad-0123456789"},
    ),
    Refused(
        "a prompt too long",
        {**body({"role": "user", "content": "word " * 8_000}), "model": "small-window-8k"},
        "Your input exceeds the context window of this model.",
        code="context_length_exceeded",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=str)
async def test_responses_refuses(sim: Simulator, row: Refused) -> None:
    status, answer = await post(f"{sim.url}/v1/responses", row.body, {**HEADERS, **row.headers})
    error = answer["error"]
    assert isinstance(error, dict)
    assert row.says in str(error["message"])
    assert (status, error["type"]) == (row.status, "invalid_request_error")
    assert row.code is None or error["code"] == row.code
    assert row.param is None or error["param"] == row.param
