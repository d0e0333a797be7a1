"""A text cut into pieces at places that depend on the text alone, however it arrives."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
_PIECE = re.compile(rf"\s{{64}}|\s{{0,63}}(?:[{_CJK}]|[^\s{_CJK}]{{16}}|[^\s{_CJK}]{{1,15}}(?=[\s{_CJK}]))")
"""Blanks and the word after them, once it is known that the word is over. A long word is cut, and so are many blanks:
what is not told yet is looked at again with every token."""


def pieces(text: str, start: int, *, whole: bool) -> Iterator[str]:
    """The pieces of a text from a place on, as far as they are certain. The first letter is a piece of its own."""
    if start == 0 and text:
        yield text[0]
        start = 1
    for found in certain(text, start):
        yield found
        start += len(found)
    if whole and start < len(text):
        yield text[start:]


def certain(text: str, start: int = 0) -> list[str]:
    """The pieces of a text that was begun before, as far as they are certain. They follow each other without a gap:
    where no piece begins, none begins later, because all that is left is blanks and the beginning of a word."""
    return _PIECE.findall(text, start)


@dataclass(slots=True)
class Growing:
    """A text that more is added to. It is put together when somebody asks for all of it, which is seldom."""

    _texts: list[str] = field(default_factory=list[str], init=False)

    def add(self, texts: Iterable[str]) -> None:
        self._texts += texts

    @property
    def text(self) -> str:
        self._texts[:] = ["".join(self._texts)]
        return self._texts[0]
