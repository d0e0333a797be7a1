"""The parts of our message that a Responses stream is filling, found by whatever a server names them."""

from perdure.providers.dialects.openai_responses.events import Item, ResponseEvent
from perdure.providers.projection.calls import is_object

TEXT, THOUGHT, CALL, SEARCH = "text", "thought", "call", "search"
KINDS = {
    "message": TEXT,
    "reasoning": THOUGHT,
    "function_call": CALL,
    "computer_call": CALL,
    "web_search_call": SEARCH,
}


class Place:
    """An output item while it is open: what it is, and where its part stands in our message."""

    __slots__ = ("given", "index", "kind", "written")

    def __init__(self, index: int, kind: str) -> None:
        self.index = index
        self.kind = kind
        self.written = False
        self.given = ""
        """Arguments that came whole with the call's beginning: they count where no others follow."""

    def begun_with(self, arguments: str) -> str:
        """What is written of a call that begins so. Pieces that some servers send of whole arguments say them again."""
        if is_object(arguments):
            self.given, arguments = arguments, ""
        self.written = bool(arguments)
        return arguments


class Places:
    """The open items by kind and by every name that a server has for them: position, id of the item, id of the call.

    The textbook names the position in every event. Some servers leave it out, some always say 0, and some change the
    item's id from event to event.
    """

    def __init__(self) -> None:
        self._named: dict[tuple[str, int | str], Place] = {}
        self._open: list[Place] = []
        self._count = 0

    def next(self) -> int:
        """The index of the next part."""
        self._count += 1
        return self._count - 1

    def opened(self, event: ResponseEvent, item: Item, kind: str) -> Place:
        """The place of an item that begins, whatever else had its names before."""
        return self._new(kind, event.output_index, event.item_id, item.id, item.call_id)

    def of(self, event: ResponseEvent, kind: str) -> Place:
        """Where a piece belongs. What names nothing known goes on with the newest of its kind, or begins one.

        A call is begun by its item alone: a piece of one under a name that nobody knows belongs to the newest.
        """
        place = self.known(event, kind) or (self.last(kind) if kind == CALL else None)
        return place or self._new(kind, event.output_index, event.item_id)

    def known(self, event: ResponseEvent, kind: str) -> Place | None:
        """The open item that the event names; the newest of its kind where it names none."""
        names = (event.item_id, event.output_index)
        return self._found(kind, *names) if any(map(_names, names)) else self.last(kind)

    def closed(self, event: ResponseEvent, item: Item, kind: str) -> Place | None:
        """The place of an item that is complete. It is open no more."""
        # The id of a call is the one name that has to be its own: results are told apart by it.
        names = (item.call_id, item.id, event.item_id, event.output_index)
        place = self._found(kind, *names)
        if place is None and not any(map(_names, names)):
            place = self.last(kind)
        if place is not None:
            self._open.remove(place)
            self._named = {name: other for name, other in self._named.items() if other is not place}
        return place

    def unwritten_calls(self) -> list[Place]:
        """Calls that are still open, of which nothing but the beginning has come."""
        return [place for place in self._open if place.kind == CALL and not place.written]

    def last(self, kind: str) -> Place | None:
        return next((place for place in reversed(self._open) if place.kind == kind), None)

    def _found(self, kind: str, *names: int | str | None) -> Place | None:
        named = (self._named.get((kind, name)) for name in names if name is not None and name != "")
        return next((place for place in named if place is not None), None)

    def _new(self, kind: str, *names: int | str | None) -> Place:
        place = Place(self.next(), kind)
        self._open.append(place)
        self._named.update({(kind, name): place for name in names if name is not None and name != ""})
        return place


def _names(name: int | str | None) -> bool:
    """Whether this tells anything apart. Some servers fill in ids that they do not have with nothing."""
    return name is not None and name != ""
