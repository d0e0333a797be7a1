"""What a file holds: found out by its content, read in pieces, and told in a word where it cannot be."""

import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

from perdure.client.importing import chatgpt, claude_code, codex, exports, opencode
from perdure.client.importing.conversation import Attachment, Conversation, NotReadable, mapping
from perdure.client.importing.streams import MOST_ELEMENT, Elements, decoded, lines

HEAD = 64 * 1024
MOST_FILE = 10 * 1024 * 1024
"""Bytes of an attachment: what the server takes."""

MOST_ARCHIVED = 4 * 1024 * 1024 * 1024
MOST_MEMBERS = 200_000

_READERS: tuple[tuple[Callable[[Mapping[str, Any]], bool], Callable[[Mapping[str, Any]], Conversation]], ...] = (
    (chatgpt.is_chat, chatgpt.read),
    (exports.is_claude, exports.read_claude),
    (exports.is_open_webui, exports.read_open_webui),
    (exports.is_librechat, exports.read_librechat),
    (opencode.is_export, opencode.read_export),
)
_FOREIGN = "It holds no chats of a program that can be imported."


class Source:
    """A file with chats."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._archive: zipfile.ZipFile | None = None
        self._members = dict[str, str]()

    def conversations(self) -> Iterator[Conversation | NotReadable]:
        """Its chats, one by one; in place of each that cannot be read, why. Raises NotReadable for the whole file."""
        try:
            yield from self._opened()
        except (OSError, zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
            raise NotReadable(f"It cannot be read: {error}.") from error

    def attachment(self, file: Attachment, decode: Callable[[str], bytes]) -> bytes | None:
        """What a file of a message holds, if the export has it."""
        if file.data:
            return decode(file.data) if len(file.data) <= MOST_FILE * 4 // 3 else None
        name = self._member(file.reference) if file.reference and self._archive else None
        if name is None or self._archive is None:
            return None
        with self._archive.open(name) as stream:
            content = stream.read(MOST_FILE + 1)
        return content if 0 < len(content) <= MOST_FILE else None

    def _member(self, reference: str) -> str | None:
        if not self._members and self._archive:
            self._members = {name.rpartition("/")[2]: name for name in self._archive.namelist()}
        return next((name for base, name in self._members.items() if base.startswith(reference)), None)

    def _opened(self) -> Iterator[Conversation | NotReadable]:
        with self.path.open("rb") as stream:
            head = stream.read(HEAD)
            stream.seek(0)
            if head.startswith(b"SQLite format 3\0"):
                yield from opencode.read_database(self.path)
            elif head.startswith(b"PK"):
                with zipfile.ZipFile(stream) as self._archive:
                    yield from self._archived(self._archive)
                self._archive = None
            else:
                yield from _read(stream, head, self.path.stem)

    def _archived(self, archive: zipfile.ZipFile) -> Iterator[Conversation | NotReadable]:
        members = archive.infolist()
        if len(members) > MOST_MEMBERS:
            raise NotReadable(f"It holds {len(members)} files; at most {MOST_MEMBERS} can be read.")
        named = [each for each in members if _is_conversations(each.filename)]
        if not named:
            raise NotReadable(f"{_FOREIGN} There is no conversations.json in it.")
        for member in named:
            with archive.open(member) as stream:
                bounded = _Bounded(stream, MOST_ARCHIVED)
                head = bounded.read(HEAD)
                bounded.head = head
                yield from _read(cast("BinaryIO", bounded), head, Path(member.filename).stem)


def _is_conversations(name: str) -> bool:
    base = name.rpartition("/")[2]
    return base.startswith("conversations") and base.endswith(".json")


class _Bounded:
    """A stream that ends with an error when it gives more than anybody would have written."""

    def __init__(self, stream: Any, most: int, head: bytes = b"") -> None:
        self._stream = stream
        self._left = most
        self.head = head

    def read(self, size: int) -> bytes:
        given, self.head = self.head[:size], self.head[size:]
        if len(given) < size:
            given += self._stream.read(size - len(given))
        self._left -= len(given)
        if self._left < 0:
            raise NotReadable("It unpacks to more than 4 GiB, which no export does.")
        return given

    def readline(self, size: int) -> bytes:
        line = b""
        while len(line) < size and not line.endswith(b"\n") and (piece := self.read(1)):
            line += piece
        return line


def _read(stream: BinaryIO, head: bytes, name: str) -> Iterator[Conversation | NotReadable]:
    """The chats of a stream whose beginning is known."""
    begun = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not begun:
        raise NotReadable("It is empty.")
    if begun.startswith(b"["):
        yield from map(_element, Elements(stream))
    elif begun.startswith(b"{"):
        yield _of_lines(stream, begun, name) if _is_lines(begun) else _whole(stream)
    else:
        raise NotReadable(_FOREIGN)


def _is_lines(begun: bytes) -> bool:
    """Whether each line is an object of its own."""
    first = begun.partition(b"\n")[0]
    try:
        value = mapping(json.loads(first))
    except (ValueError, RecursionError):
        # The first line may be longer than what is looked at.
        return b"\n" not in begun and (b'"session_meta"' in first[:2_000] or b'"sessionId"' in first)
    return codex.is_session(value) or not any(fits(value) for fits, _ in _READERS)


def _whole(stream: BinaryIO) -> Conversation | NotReadable:
    data = stream.read(MOST_ELEMENT + 1)
    return _element(data if len(data) <= MOST_ELEMENT else None)


def _element(data: bytes | None) -> Conversation | NotReadable:
    if data is None:
        return NotReadable(f"A chat has more than {MOST_ELEMENT >> 20} MiB.")
    try:
        value = mapping(decoded(data.removeprefix(b"\xef\xbb\xbf")))
        reader = next((read for fits, read in _READERS if fits(value)), None)
        return NotReadable(_FOREIGN) if reader is None else _named(reader(value))
    except NotReadable as error:
        return error
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError) as error:
        return NotReadable(f"A chat is not as its program writes it: {error!r}.")


def _named(chat: Conversation) -> Conversation | NotReadable:
    return chat if chat.id else NotReadable("A chat has no ID.")


def _of_lines(stream: BinaryIO, begun: bytes, name: str) -> Conversation | NotReadable:
    """A session that was written line by line. Lines that are cut off or broken are left out, and counted."""
    broken = 0

    def objects() -> Iterator[Mapping[str, Any]]:
        nonlocal broken
        for line in lines(stream):
            try:
                broken += line is None
                yield mapping(decoded(line) if line and line.strip() else None)
            except NotReadable:
                broken += 1

    reader = codex if b'"session_meta"' in begun[:2_000] else claude_code
    chat = reader.read(objects(), name)
    if not chat.nodes:
        return NotReadable(_FOREIGN if not broken else f"Nothing in it can be read; {broken} lines are broken.")
    return Conversation(chat.source, chat.id, chat.title, chat.nodes, chat.current, chat.project, broken)
