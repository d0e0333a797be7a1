"""Values of labels, bounded: every value is a series that somebody stores."""

OTHER = "other"
MODELS = 60
TOOLS = 80


class Bounded:
    """Lets so many values through, and calls the rest `other`."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._known = set[str]()

    def __call__(self, value: str) -> str:
        if value not in self._known:
            if len(self._known) >= self._limit:
                return OTHER
            self._known.add(value)
        return value
