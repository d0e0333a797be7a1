"""A request in the words of the Gemini API."""

from base64 import b64encode
from typing import Any

from msgspec import Raw

from perdure.core.message import Effort, Reasoning, Text, ToolCall, ToolResult
from perdure.providers.dialects.conversation import conversation
from perdure.providers.dialects.described import describing
from perdure.providers.dialects.dialect import PLAIN, Encoded, Json, Quirks, Searches, finished, path_for
from perdure.providers.dialects.wire import objects, to_json
from perdure.providers.model import Model, Thinking
from perdure.providers.projection.media import Attachment
from perdure.providers.projection.provider_blocks import told
from perdure.providers.projection.turns import Answer, AssistantTurn, Target, ToolTurn, Turn, UserTurn
from perdure.providers.prompt import block_hash
from perdure.providers.request import BUDGETS, ModelRequest, clamped

NAME = "gemini"
PATH = "/v1beta/models/{model}:streamGenerateContent?alt=sse"
UNSIGNED = "skip_thought_signature_validator"
"""What Google documents for a call that another model made: there is no signature, and that is fine."""

LEVELS = {Effort.NONE: "MINIMAL", Effort.MINIMAL: "MINIMAL", Effort.LOW: "LOW", Effort.MEDIUM: "MEDIUM"}


def encode(request: ModelRequest, model: Model, quirks: Quirks = PLAIN) -> Encoded:
    target = Target(
        dialect=NAME,
        model=model.id,
        images=model.images,
        documents=model.documents,
        tools=bool(request.tools) and model.tools,
        sound=_sound,
    )
    signs = model.thinking is not Thinking.NONE
    whole = quirks.searches is Searches.ALWAYS
    spoken = conversation(
        request, target, lambda turns: _contents(turns, target, signs=signs, whole=whole), key=(signs, whole)
    )
    system = [{"text": text} for text in request.system if text.strip()]
    tools = _tools(request, model, quirks)
    mixed = len(tools) > 1
    body = {
        "contents": spoken.body(),
        "systemInstruction": {"parts": system} if system else None,
        "tools": tools or None,
        "toolConfig": {"includeServerSideToolInvocations": True} if mixed else None,
        "generationConfig": _settings(request, model),
    }
    blocks = [*([to_json(tools)] if tools else []), *map(to_json, system)]
    sent = finished(body, request.settings.options, quirks)
    return Encoded(path_for(model, PATH, quirks), {}, sent, (*map(block_hash, blocks), *spoken.hashes))


def _settings(request: ModelRequest, model: Model) -> Json:
    settings = request.settings
    limit = settings.max_output_tokens
    chosen: Json = {
        "maxOutputTokens": min(limit, model.max_output) if model.max_output else limit,
        "thinkingConfig": _thinking(settings.effort, model),
    }
    if model.sampling:
        chosen |= {
            "temperature": settings.temperature,
            "topP": settings.top_p,
            "topK": settings.top_k,
            "presencePenalty": settings.presence_penalty,
            "frequencyPenalty": settings.frequency_penalty,
        }
    if request.output_schema is not None:
        chosen |= {"responseMimeType": "application/json", "responseJsonSchema": request.output_schema}
    return {key: value for key, value in chosen.items() if value is not None}


def _thinking(effort: Effort | None, model: Model) -> Json | None:
    if model.thinking is Thinking.NONE:
        return None
    if effort is None:
        return {"includeThoughts": True}
    level = clamped(effort, model)
    if model.thinking is Thinking.BUDGET:
        return {"includeThoughts": level is not Effort.NONE, "thinkingBudget": BUDGETS.get(level, 0)}
    return {"includeThoughts": level is not Effort.NONE, "thinkingLevel": LEVELS.get(level, "HIGH")}


_declared = describing(
    lambda tool: {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.schema}
)


def _tools(request: ModelRequest, model: Model, quirks: Quirks) -> list[Json]:
    tools: list[Json] = []
    if request.tools and model.tools:
        tools.append({"functionDeclarations": _declared(request.tools)})
    # Models that take a thinking budget refuse to search and to call functions in one request, and so does Vertex. None
    # knows a list of domains: rather no search than one that leads where it must not.
    search = request.web_search
    alone = quirks.searches is Searches.ALONE or model.thinking is Thinking.BUDGET
    bounded = search is not None and bool(search.allowed_domains or search.blocked_domains)
    if search is not None and not bounded and not (tools and alone):
        tools.append({"googleSearch": {}})
    return tools


def _contents(turns: list[Turn], target: Target, *, signs: bool, whole: bool) -> list[Json]:
    contents: list[Json] = []
    for turn in turns:
        match turn:
            case UserTurn(parts=parts):
                role, spoken = "user", [_said(part) for part in parts]
            case ToolTurn(answers=answers):
                shown = [_said(item) for answer in answers for item in answer.attachments]
                role, spoken = "user", [*map(_answer, answers), *shown]
            case AssistantTurn():
                role, spoken = "model", _own_parts(turn, target, signs=signs, whole=whole)
        if contents and contents[-1]["role"] == role:
            contents[-1]["parts"] += spoken
        elif spoken:
            contents.append({"role": role, "parts": spoken})
    return contents


def _said(part: Text | Attachment) -> Json:
    if isinstance(part, Text):
        return {"text": part.text}
    return {"inlineData": {"mimeType": part.media_type, "data": b64encode(part.data).decode()}}


def _answer(answer: Answer) -> Json:
    response = {"error" if answer.error else "output": answer.text}
    return {"functionResponse": {"id": answer.call_id, "name": answer.tool, "response": response}}


def _sound(part: Reasoning | ToolResult, data: Json) -> bool:
    """A thought has its signature; what was searched is a list of whole parts, none where nothing is to come back."""
    match part, data:
        case Reasoning(), {"signature": str(signature)}:
            return bool(signature)
        case ToolResult(), {"parts": [*parts]}:
            return len(objects(parts)) == len(parts)
        case _:
            return False


def _own_parts(turn: AssistantTurn, target: Target, *, signs: bool, whole: bool) -> list[Json]:
    """The model's own parts. The first of parallel calls carries the signature for all of them.

    What it searched comes back as it was, or as text where an endpoint does not take it whole.
    """
    spoken: list[Json] = []
    called = False
    for part in turn.parts:
        data = target.data(part.provider_metadata)
        signature: Json = {"thoughtSignature": data["signature"]} if "signature" in data else {}
        match part:
            case Text(text=text):
                spoken.append({"text": text, **signature})
            case Reasoning(text=text):
                spoken.append({"text": text, "thought": True, **signature})
            case ToolCall(provider_executed=False):
                if signs and not called and not signature:
                    signature = {"thoughtSignature": UNSIGNED}
                called = True
                call = {"id": part.call_id, "name": part.tool, "args": Raw(part.args.encode())}
                spoken.append({"functionCall": call, **signature})
            case ToolResult():
                replayed: Any = data.get("parts", [])
                spoken.extend(replayed if whole or not replayed else [{"text": told(part).text}])
            case _:
                pass
    return spoken
