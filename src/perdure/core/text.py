"""Text that can be stored and sent: what neither UTF-8 nor Postgres holds is replaced at the border.

Models, tools and clients may produce lone surrogates and NUL; a paid answer must never fail to commit.
Inside JSON a NUL travels as an escape and survives; a bare text column cannot hold it.
"""

import re

# Invisible and direction-changing code points: a prompt must say what it seems to say.
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_BLANK_RUN = re.compile(r"\n{3,}")
_SURROGATE = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\ufffd"
NUL_PICTURE = "\u2400"


def encodable(text: str) -> str:
    """The text with lone surrogates replaced, so that it has a UTF-8 form."""
    return text if text.isascii() else _SURROGATE.sub(REPLACEMENT, text)


def storable(text: str) -> str:
    """The text as a bare Postgres column can hold it."""
    return encodable(text).replace("\x00", NUL_PICTURE)


def normalised(text: str) -> str:
    """A prompt that a person wrote: plain line ends, nothing invisible, no runs of blank lines."""
    plain = _INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _BLANK_RUN.sub("\n\n", plain).strip()
