"""What a Chat Completions request must look like: fields, messages, and the order of calls and results."""

from collections.abc import Callable

from perdure.sim.document import Node, names, read
from perdure.sim.openai.content import (
    check_effort,
    check_file,
    check_image_url,
    check_length,
    check_name,
    check_parameters,
    check_sampling,
)
from perdure.sim.openai.errors import invalid
from perdure.sim.openai_chat.openrouter import check_details

FIELDS = names("""
    audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages
    metadata model modalities n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options
    prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream
    stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options
""")
COMPATIBLE = names("""
    reasoning thinking enable_thinking chat_template_kwargs provider usage include_reasoning top_k min_p
""")
"""Fields of compatible servers; taken unless the model's name is one of OpenAI's."""

_NAMED = ("gpt-", "o1", "o3", "o4", "chatgpt-")
_SAMPLING = {
    "temperature": (0.0, 2.0),
    "top_p": (0.0, 1.0),
    "frequency_penalty": (-2.0, 2.0),
    "presence_penalty": (-2.0, 2.0),
}
_REASONERS = ("o1", "o3", "o4", "gpt-5", "gpt-6")
_ID_LIMIT = 40


def check(body: Node) -> None:
    """Every rule."""
    model = body["model"].text()
    strict = model.startswith(_NAMED)
    body.only(FIELDS if strict else FIELDS | COMPATIBLE)
    check_sampling(body, _SAMPLING)
    _check_limits(body, model)
    _check_tools(body)
    _check_messages(body["messages"], model, strict=strict)
    _check_order(body["messages"])
    read(body.get("stream"), Node.flag)
    if body.has("stream_options") and body.fields().get("stream") is not True:
        raise invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options")
    read(body.get("reasoning_effort"), lambda effort: check_effort(effort, model))
    _check_format(body.get("response_format"))


def _check_limits(body: Node, model: str) -> None:
    if body.has("max_tokens") and model.startswith(_REASONERS):
        message = (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        )
        raise invalid(message, "max_tokens", "unsupported_parameter")
    for name in ("max_tokens", "max_completion_tokens"):
        node = body.get(name)
        if node is not None and node.integer() < 1:
            message = f"integer below minimum value. Expected a value >= 1, but got {node.integer()} instead."
            raise invalid(f"Invalid '{name}': {message}", name, "integer_below_min_value")


def _check_tools(body: Node) -> None:
    tools = body.get("tools")
    if tools is None:
        for name in ("tool_choice", "parallel_tool_calls"):
            if body.has(name):
                raise invalid(f"Invalid value for '{name}': '{name}' is only allowed when 'tools' are specified.", name)
        return
    if tools.value == []:
        raise tools.refuse(_empty("tools"), "empty_array")
    offered: set[str] = set()
    for tool in tools.items():
        tool["type"].among("function", "custom")
        function = tool["function"].only(frozenset({"name", "description", "parameters", "strict"}))
        offered.add(check_name(function["name"]))
        check_parameters(function.get("parameters"), function["name"].text())
    choice = body.get("tool_choice")
    if choice is None or isinstance(choice.value, str):
        read(choice, lambda node: node.among("none", "auto", "required"))
    elif choice["function"]["name"].text() not in offered:
        message = f"Tool choice '{choice['function']['name'].text()}' not found in 'tools' parameter."
        raise invalid(message, "tool_choice")


def _check_format(shape: Node | None) -> None:
    if shape is not None and shape["type"].among("text", "json_object", "json_schema") == "json_schema":
        check_name(shape["json_schema"]["name"])


def _check_messages(messages: Node, model: str, *, strict: bool) -> None:
    if messages.value == []:
        raise messages.refuse(_empty("messages"), "empty_array")
    for message in messages.items():
        role = message["role"].among("system", "developer", "user", "assistant", "tool", "function")
        _ROLES[role](message)
        if strict and role == "assistant":
            message.only(_ASSISTANT)
        if role == "assistant":
            check_details(message, model)


_ASSISTANT = frozenset({"role", "content", "refusal", "name", "audio", "tool_calls", "function_call", "annotations"})


def _check_spoken(message: Node) -> None:
    content = message.fields().get("content")
    if content is None:
        raise message.at("content").refuse("Invalid value for 'content': expected a string, got null.")
    if not isinstance(content, str):
        _check_parts(message["content"], ("text", "image_url", "input_audio", "file"))


def _check_system(message: Node) -> None:
    if message["content"].value is None or not isinstance(message["content"].value, str):
        _check_parts(message["content"], ("text",))


def _check_assistant(message: Node) -> None:
    calls, content = message.get("tool_calls"), message.get("content")
    if content is None and calls is None and not message.has("function_call") and not message.has("refusal"):
        raise message.at("content").refuse("Invalid value for 'content': expected a string, got null.")
    if content is not None and not isinstance(content.value, str):
        _check_parts(content, ("text", "refusal"))
    if calls is None:
        return
    if calls.value == []:
        raise calls.refuse(_empty(f"messages[{message.path[-1]}].tool_calls"), "empty_array")
    for call in calls.items():
        check_length(call["id"], _ID_LIMIT)
        call["type"].among("function", "custom")
        check_name(call["function"]["name"])
        call["function"]["arguments"].text()


def _check_tool(message: Node) -> None:
    check_length(message["tool_call_id"], _ID_LIMIT)
    if not isinstance(message["content"].value, str):
        _check_parts(message["content"], ("text",))


def _check_parts(content: Node, kinds: tuple[str, ...]) -> None:
    if content.value == []:
        raise content.refuse(
            f"Invalid '{content.path[-1]}': empty array. Expected an array with minimum length 1.", "empty_array"
        )
    for part in content.items():
        match part["type"].among(*kinds):
            case "text":
                part["text"].text()
            case "image_url":
                check_image_url(part["image_url"]["url"])
            case "file":
                check_file(part["file"])
            case _:
                pass


def _check_order(messages: Node) -> None:
    """Results follow the message that called, all of them, before anyone else speaks."""
    open_calls: dict[str, int] = {}
    for index, message in enumerate(messages.items()):
        role = message["role"].text()
        if role == "tool":
            id_ = message["tool_call_id"].text()
            if id_ not in open_calls:
                raise invalid(_UNCALLED, f"messages.[{index}].role")
            open_calls.pop(id_)
            continue
        _check_answered(open_calls, index)
        calls = message.get("tool_calls") if role == "assistant" else None
        open_calls = {call["id"].text(): index for call in calls.items()} if calls is not None else {}
    _check_answered(open_calls, len(list(messages.items())))


def _check_answered(open_calls: dict[str, int], index: int) -> None:
    if open_calls:
        raise invalid(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(open_calls)}",
            f"messages.[{index}].role",
        )


_UNCALLED = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."

_ROLES: dict[str, Callable[[Node], None]] = {
    "system": _check_system,
    "developer": _check_system,
    "user": _check_spoken,
    "assistant": _check_assistant,
    "tool": _check_tool,
    "function": _check_spoken,
}


def _empty(name: str) -> str:
    return f"Invalid '{name}': empty array. Expected an array with minimum length 1, but got an empty array instead."
