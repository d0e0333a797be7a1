"""What was said earlier in a chat, in words for the model that a summary left without it."""

from perdure.core.ids import ChatId
from perdure.core.message import AnyPart, Text, ToolCall, ToolResult
from perdure.store.pool import Pool
from perdure.store.rows import parts_of
from perdure.store.tables.messages import recall
from perdure.tools.call import within

MESSAGE_BYTES = 4_000
NOTHING = "Nothing was said that fits. Try other words, or none."


class StoredArchive:
    """Reads the whole history, summarised or not."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def read(self, chat_id: ChatId, *, words: str, before: int | None, limit: int) -> str:
        pattern = words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        found = await recall(self._pool, chat_id, pattern, before, limit)
        said = [f"[{each.number}] {each.role}: {_words(parts_of(each.parts))}" for each in reversed(found)]
        return "\n\n".join(said) or NOTHING


def _words(parts: tuple[AnyPart, ...]) -> str:
    said: list[str] = []
    for part in parts:
        match part:
            case Text(text=text):
                said.append(text)
            case ToolCall(tool=tool, args=args):
                said.append(f"called {tool} with {args}")
            case ToolResult(tool=tool, result=result):
                said.append(f"{tool} answered {result}")
            case _:
                pass
    return within("\n".join(said), MESSAGE_BYTES)
