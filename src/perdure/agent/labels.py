"""The label of a turn: a phrase of a few words for what it did, whatever a model makes of that."""

import re

LENGTH = 60
WORDS = 7
FALLBACK_WORDS = 5
# Also with the full-width marks of East Asian scripts.
_SENTENCE = re.compile(r"[.!?](?=\s|$)|[\u3002\uff01\uff1f\n]")
_LEAD = re.compile(
    r"^(?:label\s*:|(?:the\s+)?(?:user|assistant|agent|i|we)(?:'ve|\s+have|\s+has)?\s)\s*", re.IGNORECASE
)
_AROUND = " \t\"'`*_#-\u2022\u201c\u201d\u2018\u2019\u00ab\u00bb:;,."


def checked(said: str) -> str:
    """The label that a model gave, without who did it and what follows the first sentence; nothing if it is none."""
    text = _SENTENCE.split(said.strip(), maxsplit=1)[0].strip(_AROUND)
    while (shorter := _LEAD.sub("", text).strip(_AROUND)) != text:
        text = shorter
    words = text.split()
    fits = 0 < len(words) <= WORDS and len(text) <= LENGTH
    return f"{text[:1].upper()}{' '.join(words)[1:]}" if fits else ""


def fallback(asked: str) -> str:
    """A label from what was asked: its first words."""
    kept = ""
    for word in asked.split()[:FALLBACK_WORDS]:
        longer = f"{kept} {word}".strip()
        if len(longer) > LENGTH:
            break
        kept = longer
    return (kept or asked.strip()[:LENGTH]).strip(_AROUND)
