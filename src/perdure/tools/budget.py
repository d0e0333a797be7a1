"""How much of a result a model gets to read."""

from perdure.core.text import encodable

KIB = 1024
BYTES_PER_TOKEN = 3
SMALLEST = 16 * KIB
UNKNOWN_WINDOW = 64 * KIB


def result_budget(context_window: int | None) -> int:
    """Bytes of one result: a third of the window, and never so little that it is useless."""
    if context_window is None:
        return UNKNOWN_WINDOW
    return max(SMALLEST, context_window * BYTES_PER_TOKEN // 3)


def within(text: str, budget: int) -> str:
    """The text, or its first two thirds and its last third around a note that says how much is missing."""
    data = encodable(text).encode()
    if len(data) <= budget:
        return text
    head, tail = budget * 2 // 3, budget // 3
    missing = len(data) - head - tail
    start = data[:head].decode("utf8", errors="ignore")
    end = data[-tail:].decode("utf8", errors="ignore")
    return f"{start}\n\n[… {missing} bytes left out: ask for less at a time …]\n\n{end}"
