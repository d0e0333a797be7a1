"""A request in the words of Chat Completions."""

from msgspec import Raw

from perdure.core.message import Reasoning, Text, ToolCall, ToolResult
from perdure.providers.dialects.conversation import conversation
from perdure.providers.dialects.described import describing, tools_hash
from perdure.providers.dialects.dialect import PLAIN, Encoded, Json, Quirks, finished, path_for
from perdure.providers.dialects.openai_chat.details import DETAILS, told_again
from perdure.providers.dialects.wire import data_url, objects, to_json
from perdure.providers.model import Model, Thinking
from perdure.providers.projection.media import Attachment
from perdure.providers.projection.turns import AssistantTurn, Target, ToolTurn, Turn, UserTurn
from perdure.providers.prompt import block_hash
from perdure.providers.request import ModelRequest, ToolSpec, named

NAME = "openai_chat"
PATH = "/chat/completions"
CALL_ID_LENGTH = 40


def encode(request: ModelRequest, model: Model, quirks: Quirks = PLAIN) -> Encoded:
    target = Target(
        dialect=NAME,
        model=model.id,
        images=model.images,
        documents=model.documents,
        tools=bool(request.tools) and model.tools,
        call_id_length=CALL_ID_LENGTH,
        reasoning_as_text=quirks.replays_reasoning,
        sound=_sound,
    )
    spoken = conversation(
        request, target, lambda turns: [message for turn in turns for message in _messages(turn, target)]
    )
    system = [text for text in request.system if text.strip()]
    opening = [to_json({"role": "system", "content": "\n\n".join(system)})] if system else []
    tools = _described(request.tools) if model.tools else []
    hashes = (*([tools_hash(tools)] if tools else []), *map(block_hash, opening), *spoken.hashes)
    body = {
        "model": model.id,
        "messages": [*map(Raw, opening), *spoken.body()],
        "tools": tools or None,
        "stream": True,
        "stream_options": {"include_usage": True},
        "prompt_cache_key": request.cache_key,
        **_settings(request, model, quirks),
    }
    whole = finished(body, request.settings.options, quirks)
    return Encoded(path_for(model, PATH, quirks), {}, whole, hashes)


def _settings(request: ModelRequest, model: Model, quirks: Quirks) -> Json:
    settings = request.settings
    limit = settings.max_output_tokens
    chosen: Json = {quirks.max_tokens_field: min(limit, model.max_output) if model.max_output else limit}
    if settings.effort is not None and model.thinking is not Thinking.NONE:
        chosen["reasoning_effort"] = named(settings.effort, model)
    if model.sampling:
        chosen |= {
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "presence_penalty": settings.presence_penalty,
            "frequency_penalty": settings.frequency_penalty,
        }
    if request.output_schema is not None:
        schema = {"name": "answer", "schema": request.output_schema}
        chosen["response_format"] = {"type": "json_schema", "json_schema": schema}
    return chosen


def _tool(tool: ToolSpec) -> Json:
    described = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": described}


_described = describing(_tool)


def _messages(turn: Turn, target: Target) -> list[Json]:
    match turn:
        case UserTurn(parts=parts):
            return [_user(parts)]
        case AssistantTurn(parts=parts):
            texts = [part.text for part in parts if isinstance(part, Text)]
            thoughts = [part.text for part in parts if isinstance(part, Reasoning) and part.text.strip()]
            calls = [_call(part) for part in parts if isinstance(part, ToolCall)]
            message: Json = {"role": "assistant", "content": "\n\n".join(texts) or None}
            if thoughts and target.reasoning_as_text:
                message["reasoning_content"] = "\n\n".join(thoughts)
            if details := told_again(turn, target):
                message[DETAILS] = details
            if calls:
                message["tool_calls"] = calls
            return [message]
        case ToolTurn(answers=answers):
            spoken: list[Json] = [
                {"role": "tool", "tool_call_id": answer.call_id, "content": answer.text} for answer in answers
            ]
            shown = [item for answer in answers for item in answer.attachments]
            # A tool message holds only text; what a tool shows has to come from the user.
            return [*spoken, _user((Text("[What the tools above returned:]"), *shown))] if shown else spoken


def _sound(part: Reasoning | ToolResult, data: Json) -> bool:
    """A thought has details that prove it. Nothing that the provider ran by itself comes back."""
    return isinstance(part, Reasoning) and bool(objects(data.get(DETAILS)))


def _user(parts: tuple[Text | Attachment, ...]) -> Json:
    if all(isinstance(part, Text) for part in parts):
        return {"role": "user", "content": "\n\n".join(part.text for part in parts if isinstance(part, Text))}
    return {"role": "user", "content": [_part(part) for part in parts]}


def _part(part: Text | Attachment) -> Json:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if part.picture:
        return {"type": "image_url", "image_url": {"url": data_url(part)}}
    return {"type": "file", "file": {"filename": part.name, "file_data": data_url(part)}}


def _call(call: ToolCall) -> Json:
    return {"id": call.call_id, "type": "function", "function": {"name": call.tool, "arguments": call.args}}
