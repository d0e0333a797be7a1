"""Text that can be stored and sent: what neither UTF-8 nor Postgres holds is replaced at the border.

Models, tools and clients may produce lone surrogates and NUL; a paid answer must never fail to commit.
Inside JSON a NUL travels as an escape and survives; a bare text column cannot hold it.
"""

import re

_SURROGATE = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\ufffd"
NUL_PICTURE = "\u2400"


def encodable(text: str) -> str:
    """The text with lone surrogates replaced, so that it has a UTF-8 form."""
    return text if text.isascii() else _SURROGATE.sub(REPLACEMENT, text)


def storable(text: str) -> str:
    """The text as a bare Postgres column can hold it."""
    return encodable(text).replace("\x00", NUL_PICTURE)
