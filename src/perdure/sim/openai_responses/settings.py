"""The settings of a Responses request besides its input."""

from perdure.sim.document import Node, names, read
from perdure.sim.openai.content import check_effort, check_length, check_name, check_parameters, check_sampling
from perdure.sim.openai.errors import invalid

FIELDS = names("""
    access_programs background client_metadata context_management conversation image include input instructions
    max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt
    prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream
    stream_options temperature text tool_choice tools top_logprobs top_p truncation user
""")
OUTPUT_MINIMUM = 16
_TIERS = ("auto", "default", "flex", "priority", "scale", "fast", "ultrafast")
KEY_LIMIT = 64

_REASONERS = ("o1", "o3", "o4", "gpt-5", "gpt-6")
_INCLUDABLE = (
    "file_search_call.results",
    "web_search_call.results",
    "web_search_call.action.sources",
    "message.input_image.image_url",
    "computer_call_output.output.image_url",
    "code_interpreter_call.outputs",
    "reasoning.encrypted_content",
    "message.output_text.logprobs",
)
_TOOLS = (
    "function",
    "custom",
    "web_search",
    "web_search_2025_08_26",
    "web_search_preview",
    "file_search",
    "code_interpreter",
    "computer",
    "image_generation",
    "mcp",
    "local_shell",
    "shell",
    "apply_patch",
    "namespace",
    "tool_search",
)


def check_settings(body: Node) -> None:
    """Every field but the input."""
    _check_flags(body)
    _check_sampling(body)
    _check_reasoning(body.get("reasoning"), body["model"].text())
    _check_tools(body)
    read(body.get("instructions"), Node.text)
    read(body.get("truncation"), lambda node: node.among("auto", "disabled"))
    read(body.get("service_tier"), lambda node: node.among(*_TIERS))
    for name in ("prompt_cache_key", "safety_identifier", "user"):
        read(body.get(name), lambda node: check_length(node, KEY_LIMIT))
    for one in include.items() if (include := body.get("include")) is not None else ():
        one.among(*_INCLUDABLE)
    _check_format(body.get("text"))


def _check_flags(body: Node) -> None:
    for name in ("stream", "store", "background", "parallel_tool_calls"):
        read(body.get(name), Node.flag)
    if body.fields().get("background") is True and body.fields().get("store") is False:
        raise invalid("Background mode requires 'store' to be true.", "background", "invalid_value")
    if body.has("previous_response_id") and body.has("conversation"):
        raise invalid(
            "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. "
            "Ensure you are only providing one.",
            code="mutually_exclusive_parameters",
        )


def _check_sampling(body: Node) -> None:
    check_sampling(body, {"temperature": (0.0, 2.0), "top_p": (0.0, 1.0)})
    limit = body.get("max_output_tokens")
    if limit is not None and limit.integer() < OUTPUT_MINIMUM:
        message = f"Expected a value >= {OUTPUT_MINIMUM}, but got {limit.integer()} instead."
        raise limit.refuse(
            f"Invalid 'max_output_tokens': integer below minimum value. {message}", "integer_below_min_value"
        )
    for name in ("temperature", "top_p"):
        if body.has(name) and body["model"].text().startswith(_REASONERS):
            message = f"Unsupported parameter: '{name}' is not supported with this model."
            raise invalid(message, name, "unsupported_parameter")


def _check_reasoning(reasoning: Node | None, model: str) -> None:
    if reasoning is None:
        return
    reasoning.only(names("context effort generate_summary mode summary"))
    read(reasoning.get("effort"), lambda effort: check_effort(effort, model))
    read(reasoning.get("summary"), lambda summary: summary.among("auto", "concise", "detailed"))


def _check_tools(body: Node) -> None:
    offered: set[str] = set()
    for tool in tools.items() if (tools := body.get("tools")) is not None else ():
        kind = tool["type"].among(*_TOOLS)
        if kind != "function":
            offered.add(kind)
            continue
        tool.only(names("type name description parameters strict defer_loading output_schema allowed_callers async"))
        offered.add(check_name(tool["name"], 128))
        check_parameters(tool.get("parameters"), tool["name"].text())
    choice = body.get("tool_choice")
    if choice is None or isinstance(choice.value, str):
        read(choice, lambda node: node.among("none", "auto", "required"))
    elif choice["type"].value == "function" and choice["name"].text() not in offered:
        message = f"Tool choice '{choice['name'].text()}' not found in 'tools' parameter."
        raise invalid(message, "tool_choice")


def _check_format(text: Node | None) -> None:
    if text is None:
        return
    text.only(names("format verbosity"))
    read(text.get("verbosity"), lambda node: node.among("low", "medium", "high"))
    shape = text.get("format")
    if shape is not None and shape["type"].among("text", "json_object", "json_schema") == "json_schema":
        check_name(shape["name"])
        shape["schema"].fields()
