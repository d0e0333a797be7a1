"""The settings of a request besides its messages: tools, thinking, sampling, limits."""

import re

from perdure.sim.anthropic.blocks import check_cache_control, check_text
from perdure.sim.anthropic.errors import invalid
from perdure.sim.anthropic.models import check_model
from perdure.sim.document import Node, names, read

FIELDS = names("""
    cache_control container context_management diagnostics inference_geo max_tokens mcp_servers messages metadata model
    output_config output_format service_tier speed stop_sequences stream system temperature thinking tool_choice tools
    top_k top_p user_profile_id
""")
OUTPUT_LIMIT = 128_000

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_TOOL = names("""
    allowed_callers cache_control defer_loading description eager_input_streaming input_examples input_schema name
    strict type
""")
_COMPUTERS = {"computer_20250124": "computer-use-2025-01-24", "computer_20251124": "computer-use-2025-11-24"}
BINDING = "thinking-binding-controls-2026-08-01"
_THINKING = names("type display budget_tokens")
_BINDING = names("block_binding")
TOOLSET = "computer_toolset_20260801"
_SERVER_TOOLS = ("web_search_", "web_fetch_", "code_execution_", "bash_", "text_editor_", "memory_", "tool_search_")


def check_settings(body: Node, betas: str = "") -> None:
    """Every field but the messages. `betas` are the features that the request asks to be let into."""
    check_model(body)
    _check_limit(body["max_tokens"])
    _check_system(body.get("system"))
    _check_sampling(body)
    read(body.get("stream"), Node.flag)
    read(body.get("cache_control"), check_cache_control)
    read(body.get("metadata"), lambda node: node.only(frozenset({"user_id"})))
    read(body.get("service_tier"), lambda node: node.among("auto", "standard_only"))
    read(body.get("stop_sequences"), _check_stop_sequences)
    read(body.get("output_config"), _check_output)
    offered = _check_tools(body.get("tools"), betas)
    _check_thinking(body, betas)
    _check_choice(body, offered)


def thinks(body: Node) -> bool:
    """Whether thinking is on."""
    thinking = body.get("thinking")
    return thinking is not None and thinking["type"].value in ("enabled", "adaptive")


def _check_limit(limit: Node) -> None:
    value = limit.integer()
    if value < 0:
        raise limit.refuse("Input should be greater than or equal to 0")
    if value > OUTPUT_LIMIT:
        raise limit.refuse(
            f"{value} > {OUTPUT_LIMIT}, which is the maximum allowed number of output tokens for this model"
        )


def _check_system(system: Node | None) -> None:
    if system is None or isinstance(system.value, str):
        return
    for block in system.items():
        block["type"].among("text")
        if not block["text"].text():
            raise invalid("system: text content blocks must be non-empty")
        check_text(block)
        read(block.get("cache_control"), check_cache_control)


def _check_sampling(body: Node) -> None:
    for name in ("temperature", "top_p"):
        node = body.get(name)
        if node is None:
            continue
        value = node.number()
        if value < 0:
            raise node.refuse("Input should be greater than or equal to 0")
        if value > 1:
            raise node.refuse("Input should be less than or equal to 1")
    if body.has("temperature") and body.has("top_p"):
        raise invalid("`temperature` and `top_p` cannot both be specified for this model. Please use only one.")
    if (top_k := body.get("top_k")) is not None and top_k.integer() < 0:
        raise top_k.refuse("Input should be greater than or equal to 0")


def _check_stop_sequences(node: Node) -> None:
    for sequence in node.items():
        if not sequence.text().strip():
            raise node.refuse("each stop sequence must contain non-whitespace")


def _check_output(node: Node) -> None:
    node.only(frozenset({"effort", "format", "task_budget"}))
    read(node.get("effort"), lambda effort: effort.among("low", "medium", "high", "xhigh", "max"))
    if (shape := node.get("format")) is not None:
        shape["type"].among("json_schema")
        shape["schema"].fields()


def _check_tools(tools: Node | None, betas: str) -> set[str]:
    offered: set[str] = set()
    for tool in tools.items() if tools is not None else ():
        kind = tool.get("type")
        read(tool.get("cache_control"), check_cache_control)
        if kind is not None and kind.text().startswith(_SERVER_TOOLS):
            name = tool["name"].text()
        elif kind is not None and kind.text() == TOOLSET:
            tool.at(TOOLSET).only(names("cache_control configs type"))
            name = "computer"
        elif kind is not None and kind.text().startswith("computer_"):
            name = _check_computer(tool, betas)
        else:
            name = _check_custom(tool, kind)
        if name in offered:
            raise invalid("tools: Tool names must be unique.")
        offered.add(name)
    return offered


def _check_computer(tool: Node, betas: str) -> str:
    kind = tool["type"].among(*_COMPUTERS)
    if _COMPUTERS[kind] not in betas.split(","):
        known = "'bash_20250124', 'custom', 'text_editor_20250728', 'web_search_20250305'"
        raise invalid(f"tools: Input tag '{kind}' found using 'type' does not match any of the expected tags: {known}")
    tool = tool.at(kind).only(
        names("cache_control display_height_px display_number display_width_px enable_zoom name type")
    )
    for name in ("display_width_px", "display_height_px"):
        if tool[name].integer() < 1:
            raise tool[name].refuse("Input should be greater than or equal to 1")
    return tool["name"].among("computer")


def _check_custom(tool: Node, kind: Node | None) -> str:
    read(kind, lambda node: node.among("custom"))
    tool = tool.at("custom").only(_TOOL)
    name, schema = tool["name"].text(), tool["input_schema"]
    if not _NAME.fullmatch(name):
        raise tool["name"].refuse("String should match pattern '^[a-zA-Z0-9_-]{1,128}$'")
    schema["type"].among("object")
    for word in ("oneOf", "allOf", "anyOf"):
        if schema.has(word):
            raise schema.refuse("input_schema does not support oneOf, allOf, or anyOf at the top level")
    return name


def _check_thinking(body: Node, betas: str) -> None:
    thinking = body.get("thinking")
    if thinking is None:
        return
    kind = thinking["type"].among("enabled", "disabled", "adaptive", "between_tools")
    fields = _THINKING | _BINDING if BINDING in betas.split(",") else _THINKING
    thinking.at(kind).only(fields)
    if kind == "enabled":
        budget = thinking.at("enabled")["budget_tokens"]
        if budget.integer() < 1024:
            raise budget.refuse("Input should be greater than or equal to 1024")
        if budget.integer() >= body["max_tokens"].integer():
            raise invalid(
                "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation."
            )
    if kind in ("enabled", "adaptive"):
        _check_thinking_company(body)


def _check_thinking_company(body: Node) -> None:
    temperature, top_k, choice = body.get("temperature"), body.get("top_k"), body.get("tool_choice")
    if temperature is not None and temperature.value != 1:
        raise invalid("`temperature` may only be set to 1 when thinking is enabled. Please consult our documentation.")
    if top_k is not None:
        raise invalid("`top_k` must be unset when thinking is enabled. Please consult our documentation.")
    if choice is not None and choice["type"].value in ("any", "tool"):
        raise invalid("Thinking may not be enabled when tool_choice forces tool use.")


def _check_choice(body: Node, offered: set[str]) -> None:
    choice = body.get("tool_choice")
    if choice is None:
        return
    kind = choice["type"].among("auto", "any", "tool", "none")
    if not offered:
        raise invalid("tool_choice: may only be specified while providing tools")
    if kind == "tool" and choice["name"].text() not in offered:
        raise invalid(f"Tool '{choice['name'].text()}' not found in provided tools")
