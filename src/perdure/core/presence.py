"""Who is in a chat right now: what replicas tell each other about it. Nobody's truth, told again and again."""

import msgspec
from msgspec import Struct

from perdure.core.author import Author

MOST_TOLD = 50
"""So many people of one replica are told of; a notice has to fit into 8 kB."""


class Sign(Struct, frozen=True, array_like=True):
    """What one replica says about a chat: who follows it there, or that somebody types."""

    replica: str
    people: tuple[Author, ...] | None = None
    """Everybody who follows the chat there; None where only somebody types."""
    asks: bool = False
    """Whether the others are to say who is with them."""
    typist: Author | None = None
    typing: bool = False


_decoder = msgspec.json.Decoder(Sign)


def written(sign: Sign) -> str:
    return msgspec.json.encode(sign).decode()


def read(text: str) -> Sign | None:
    """The sign, or nothing where another version of this program says something else."""
    try:
        return _decoder.decode(text)
    except msgspec.DecodeError:
        return None
