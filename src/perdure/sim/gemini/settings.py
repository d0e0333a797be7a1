"""The settings of a request besides its contents: tools, their schemas, and generation."""

import re

from perdure.sim.document import Json, Node, is_object, names, read
from perdure.sim.gemini.errors import GeminiErrors, invalid, violation

_LEVELS = ("THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH")
_BUDGETS = {
    "gemini-2.5-pro": (128, 32_768),
    "gemini-2.5-flash-lite": (512, 24_576),
    "gemini-2.5-flash": (1, 24_576),
}
"""By how a model's name begins; the first that fits counts."""
_DYNAMIC, _OFF = -1, 0
_FLASH = re.compile(r"gemini-(\d+)\.(\d+)-flash(?!-lite)")


def check_thinking(thinking: Node, model: str) -> None:
    """A level or a budget, whichever the model takes."""
    thinking.only(names("includeThoughts thinkingBudget thinkingLevel"))
    level, budget = thinking.get("thinkingLevel"), thinking.get("thinkingBudget")
    if level is not None and budget is not None:
        raise invalid("You can only set only one of thinking budget and thinking level.")
    if level is not None:
        _check_level(level, model)
    if budget is not None:
        _check_budget(budget.integer(), model)


def _check_level(node: Node, model: str) -> None:
    level = node.text().upper()
    if level not in _LEVELS:
        raise GeminiErrors().not_among(node.path, node.value, ())
    if model.startswith("gemini-2"):
        raise invalid("Thinking level is not supported for this model.")
    if level == "MINIMAL" and _always_thinks(model):
        message = f"Thinking level {level} is not supported for this model."
        raise invalid(f"{message} Please retry with other thinking level.")


def _always_thinks(model: str) -> bool:
    flash = _FLASH.match(model)
    return re.match(r"gemini-3(\.\d+)?-pro", model) is not None or (
        flash is not None and (int(flash[1]), int(flash[2])) >= (3, 7)
    )


def _check_budget(budget: int, model: str) -> None:
    low, high = next((bounds for name, bounds in _BUDGETS.items() if model.startswith(name)), (0, 1_000_000))
    if budget == _OFF and model.startswith("gemini-2.5-pro"):
        raise invalid("Budget 0 is invalid. This model only works in thinking mode.")
    if budget not in (_DYNAMIC, _OFF) and not low <= budget <= high:
        raise invalid(f"The thinking budget {budget} is invalid. Please choose a value between {low} and {high}.")


FIELDS = names("""
    cachedContent contents generationConfig labels model safetySettings serviceTier store systemInstruction toolConfig
    tools
""")
_GENERATION = names("""
    audioTimestamp candidateCount enableAffectiveDialog enableEnhancedCivicAnswers frequencyPenalty logprobs
    maxOutputTokens mediaResolution presencePenalty responseFormat responseJsonSchema responseLogprobs responseMimeType
    responseModalities responseSchema routingConfig seed speechConfig stopSequences temperature thinkingConfig topK topP
    _responseJsonSchema imageConfig
""")
_SCHEMA = names("""
    anyOf default description enum example format items maxItems maxLength maxProperties maximum minItems minLength
    minProperties minimum nullable pattern properties propertyOrdering required title type
""")
_TOOLS = names(
    "functionDeclarations googleSearch googleSearchRetrieval codeExecution urlContext computerUse googleMaps fileSearch"
)
_DECLARATION = names("name description behavior parameters parametersJsonSchema response responseJsonSchema")
_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}")
_BAD_NAME = (
    "[FIELD_INVALID]: Invalid function name. Must start with a letter or an underscore. Must be alphameric "
    "(a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64."
)
_RANGES = {"temperature": (0.0, 2.0), "topP": (0.0, 1.0)}


def check_settings(body: Node, model: str) -> None:
    """Every field but the contents."""
    body.only(FIELDS)
    read(body.get("systemInstruction"), _check_system)
    read(body.get("generationConfig"), lambda node: _check_generation(node, model))
    declared = _check_tools(body.get("tools"), model)
    read(body.get("toolConfig"), lambda node: _check_choice(node, declared))
    _check_company(body, declared)


def _check_system(node: Node) -> None:
    for part in node.only(names("role parts"))["parts"].items():
        part["text"].text()


def _check_generation(node: Node, model: str) -> None:
    node.only(_GENERATION)
    for name, (low, high) in _RANGES.items():
        value = node.get(name)
        if value is not None and not low <= value.number() <= high:
            raise value.refuse(f"{name} must be in the range [{low}, {high}].")
    limit = node.get("maxOutputTokens")
    if limit is not None and limit.integer() < 1:
        raise limit.refuse("max_output_tokens must be positive.")
    read(node.get("thinkingConfig"), lambda thinking: check_thinking(thinking, model))
    if node.has("responseSchema"):
        _check_schema(node["responseSchema"])


def _check_tools(tools: Node | None, model: str) -> set[str]:
    declared: set[str] = set()
    searching = False
    for tool in tools.items() if tools is not None else ():
        tool.only(_TOOLS)
        searching = searching or "googleSearch" in tool.fields()
        functions = tool.get("functionDeclarations")
        for function in functions.items() if functions is not None else ():
            name = _check_function(function)
            if name in declared:
                raise invalid(f"Duplicate function declaration found: {name}")
            declared.add(name)
    if searching and declared and model.startswith(("gemini-1", "gemini-2")):
        raise invalid("Built-in tools ({google_search}) and Function Calling cannot be combined in the same request.")
    return declared


def _check_company(body: Node, declared: set[str]) -> None:
    """Search and functions in one request come with a word that both are meant."""
    config, tools = body.get("toolConfig"), body.get("tools")
    asked = config is not None and config.fields().get("includeServerSideToolInvocations") is True
    searching = tools is not None and any("googleSearch" in tool.fields() for tool in tools.items())
    if searching and declared and not asked:
        raise invalid(
            "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function "
            "calling."
        )


def _check_function(function: Node) -> str:
    function.only(_DECLARATION)
    name = function.get("name")
    if name is None or not _NAME.fullmatch(name.text()):
        raise violation((*function.path, "name"), _BAD_NAME)
    parameters = function.get("parameters")
    if parameters is not None:
        _check_schema(parameters)
        if str(parameters.fields().get("type", "")).upper() == "OBJECT" and not parameters.has("properties"):
            raise violation((*parameters.path, "properties"), "should be non-empty for OBJECT type")
    return name.text()


def _check_schema(schema: Node) -> None:
    """The part of OpenAPI's schemas that Google knows."""
    schema.only(_SCHEMA)
    if str(schema.fields().get("type", "")).upper() == "ARRAY" and not schema.has("items"):
        raise violation((*schema.path, "items"), "missing field.")
    read(schema.get("items"), _check_schema)
    for inner in _properties(schema):
        _check_schema(inner)
    for one in choices.items() if (choices := schema.get("anyOf")) is not None else ():
        _check_schema(one)


def _properties(schema: Node) -> list[Node]:
    properties = schema.get("properties")
    return [properties[name] for name in properties.fields()] if properties is not None else []


def _check_choice(node: Node, declared: set[str]) -> None:
    config = node.only(names("functionCallingConfig retrievalConfig includeServerSideToolInvocations")).get(
        "functionCallingConfig"
    )
    if config is None:
        return
    mode = config.get("mode")
    if mode is not None and mode.text().upper() not in ("MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"):
        raise GeminiErrors().not_among(mode.path, mode.value, ())
    allowed = config.get("allowedFunctionNames")
    for name in allowed.items() if allowed is not None else ():
        if name.text() not in declared:
            raise invalid(
                f"For controlled generation of function calls, allowed_function_names must be a subset of the declared "
                f"functions: {name.text()}"
            )


def forced(body: dict[str, Json]) -> str | None:
    """The function that must be called."""
    match body.get("toolConfig"):
        case {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [str(name), *_]}}:
            return name
        case {"functionCallingConfig": {"mode": "ANY"}}:
            return next((name for name, _ in functions(body)), None)
        case _:
            return None


def functions(body: dict[str, Json]) -> list[tuple[str, dict[str, Json]]]:
    """The declared functions with their schemas."""
    found: list[tuple[str, dict[str, Json]]] = []
    tools = body.get("tools")
    for tool in tools if isinstance(tools, list) else []:
        declared = tool.get("functionDeclarations") if is_object(tool) else None
        for one in declared if isinstance(declared, list) else []:
            if is_object(one):
                schema = one.get("parametersJsonSchema") or one.get("parameters")
                found.append((str(one["name"]), schema if is_object(schema) else {}))
    return found
