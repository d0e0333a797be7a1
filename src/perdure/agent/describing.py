"""What a list of chats says of one: its title, the label of its last turn, its summary. A model finds them."""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from perdure.agent.models import ResolvedModel
from perdure.core.message import AnyPart, Effort, Kind, Message, NewMessage, Role, Text, Usage
from perdure.core.public import shown_text
from perdure.core.text import encodable, storable
from perdure.providers.client import ProviderClient
from perdure.providers.estimate import estimate
from perdure.providers.model import Thinking, cost
from perdure.providers.request import ModelRequest

TITLE_LENGTH = 80
LABEL_LENGTH = 60
LABEL_WORDS = 7
FALLBACK_WORDS = 5
SUMMARY_LENGTH = 600
SHOWN_BYTES = 6_000
OUTPUT_TOKENS = 400
THOUGHT_TOKENS = 2_000
"""What a model may think first that cannot be told not to."""

ASKED = (
    "Describe the conversation below for a list of chats. Give a title of at most six words, a label of two to five "
    "words that begins with a verb for what the last turn did, and a summary of at most three sentences. Use the "
    "language of the user."
)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "label": {"type": "string"}, "summary": {"type": "string"}},
    "required": ["title", "label", "summary"],
    "additionalProperties": False,
}
# Also with the full-width marks of East Asian scripts.
_SENTENCE = re.compile(r"[.!?](?=\s|$)|[\u3002\uff01\uff1f\n]")
_LEAD = re.compile(
    r"^(?:label\s*:|(?:the\s+)?(?:user|assistant|agent|i|we)(?:'ve|\s+have|\s+has)?\s)\s*", re.IGNORECASE
)
_AROUND = " \t\"'`*_#-\u2022\u201c\u201d\u2018\u2019\u00ab\u00bb:;,."


class Description(Struct, frozen=True):
    title: str = ""
    label: str = ""
    summary: str = ""


class PaidDescription(Struct, frozen=True):
    """A description, and what a model took for it: None where it has no price."""

    description: Description
    cost: int | None


def worst_case(model: ResolvedModel, messages: Sequence[Message]) -> int:
    """What a description may cost at list price."""
    price, request = model.route.model.price, _request(model, messages)
    if price is None:
        return 0
    return cost(Usage(input=estimate(request.messages, system=request.system), output=_room(model)), price)


async def describe(client: ProviderClient, model: ResolvedModel, messages: Sequence[Message]) -> PaidDescription:
    """A title, a label and a summary. What cannot be read comes back empty, but for the label."""
    completion = await client.complete(model.route, _request(model, messages))
    usage, price = completion.finish.usage, model.route.model.price
    said = _description(completion.parts)
    description = msgspec.structs.replace(said, label=checked_label(said.label) or fallback_label(messages))
    return PaidDescription(description, None if usage is None or price is None else cost(usage, price))


def _request(model: ResolvedModel, messages: Sequence[Message]) -> ModelRequest:
    shown = _shown(messages)
    return ModelRequest(
        system=(ASKED,),
        messages=(NewMessage(role=Role.USER, parts=(Text(f"<conversation>\n{shown}\n</conversation>"),)),),
        settings=msgspec.structs.replace(model.settings, max_output_tokens=_room(model), effort=Effort.NONE),
        output_schema=SCHEMA,
    )


def _room(model: ResolvedModel) -> int:
    known = model.route.model
    thinks = known.thinking is not Thinking.NONE and known.min_effort is not Effort.NONE
    return OUTPUT_TOKENS + (THOUGHT_TOKENS if thinks else 0)


def fallback_label(messages: Sequence[Message]) -> str:
    """A label for the last turn that no model is asked for."""
    return label_of(next((said for role, said in _said(reversed(messages)) if role is Role.USER), ""))


def checked_label(said: str) -> str:
    """The label that a model gave, without who did it and what follows the first sentence; nothing if it is none."""
    text = _SENTENCE.split(said.strip(), maxsplit=1)[0].strip(_AROUND)
    while (shorter := _LEAD.sub("", text).strip(_AROUND)) != text:
        text = shorter
    words = text.split()
    fits = 0 < len(words) <= LABEL_WORDS and len(text) <= LABEL_LENGTH
    return f"{text[:1].upper()}{' '.join(words)[1:]}" if fits else ""


def label_of(asked: str) -> str:
    """A label from what was asked: its first words."""
    kept = ""
    for word in asked.split(maxsplit=FALLBACK_WORDS)[:FALLBACK_WORDS]:
        longer = f"{kept} {word}".strip()
        if len(longer) > LABEL_LENGTH:
            break
        kept = longer
    return (kept or asked.strip()[:LABEL_LENGTH]).strip(_AROUND)


def report_summary(messages: Sequence[Message]) -> str:
    """The first paragraph of the last answer that is more than a heading."""
    said = next((said for role, said in _said(reversed(messages)) if role is Role.ASSISTANT), "")
    bodies = ["\n".join(itertools.dropwhile(_heading, part.strip().splitlines())) for part in said.split("\n\n")]
    return _line(next(filter(None, bodies), said), SUMMARY_LENGTH)


def _heading(line: str) -> bool:
    """Whether a line only says what follows."""
    text = line.strip()
    emphasised = text.startswith(("**", "__")) and text.rstrip(":").endswith(("**", "__"))
    ruled = not text.strip("=-*_ ")
    return text.startswith("#") or emphasised or ruled or (text.endswith(":") and len(text) <= LABEL_LENGTH)


def _shown(messages: Sequence[Message]) -> str:
    """The conversation, or of a long one its beginning and its end. What lies between is not even looked at."""
    whole = b"\n\n".join(_lines(messages, SHOWN_BYTES))
    if len(whole) <= SHOWN_BYTES:
        return whole.decode()
    head, tail = SHOWN_BYTES * 2 // 3, SHOWN_BYTES // 3
    end = b"\n\n".join(_lines(reversed(messages), tail)[::-1])
    start = whole[:head].decode(errors="ignore")
    return f"{start}\n\n[…]\n\n{end[-tail:].decode(errors='ignore')}"


def _lines(messages: Iterable[Message], most: int) -> list[bytes]:
    """What was said, until it is more than so many bytes."""
    lines: list[bytes] = []
    size = 0
    for role, said in _said(messages):
        lines.append(encodable(f"{role.value}: {said}").encode())
        size += len(lines[-1])
        if size > most:
            break
    return lines


def _said(messages: Iterable[Message]) -> Iterator[tuple[Role, str]]:
    for message in messages:
        if message.kind is Kind.ORDINARY and message.role in (Role.USER, Role.ASSISTANT):
            text = shown_text(message.parts)
            if text:
                yield message.role, text


def _description(parts: Sequence[AnyPart]) -> Description:
    text = "".join(part.text for part in parts if isinstance(part, Text))
    # Some models put their object between marks for code, or a sentence before it.
    found = text[max(0, text.find("{")) : text.rfind("}") + 1]
    try:
        said = msgspec.json.decode(found, type=Description)
    except (msgspec.DecodeError, RecursionError):
        return Description()
    return Description(
        _line(said.title, TITLE_LENGTH), _line(said.label, LABEL_LENGTH), _line(said.summary, SUMMARY_LENGTH)
    )


def _line(text: str, most: int) -> str:
    return storable(" ".join(text.split()))[:most].strip(" \"'")
