"""The table of routes: what a path and a method lead to, and what a handler wants to be given."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar, get_args, get_origin, get_type_hints
from uuid import UUID

from perdure.core.errors import NotFound

Handler: TypeAlias = Callable[..., Awaitable[Any]]
H = TypeVar("H", bound=Handler)
A = TypeVar("A")

BODY_LIMIT = 256 * 1024
READING = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One line of the table."""

    method: str
    path: str
    handler: Handler
    status: int = 200
    public: bool = False
    """Whether it answers callers that have not signed in."""
    secret: bool = False
    """Whether its answer holds a secret, so that a kept answer is encrypted."""
    by_machine: bool = False
    """Whether the machine writes the Idempotency-Key together with its change."""
    apart: bool = False
    """Whether its work is done elsewhere than in rows, and may be done again: its key is kept when it is done."""
    visited: bool = False
    """Whether links lead browsers here, so that people see its errors as pages."""
    raw: tuple[str, ...] = ()
    """The media types of an answer that is not JSON."""
    body_limit: int = BODY_LIMIT
    reads_itself: bool = False
    """Whether the handler reads the body, once it knows that somebody waits for it."""
    tag: str = ""
    wants: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The handler's parameters and their types."""
    answers: Any = None

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def reads(self) -> bool:
        return self.method in READING

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names in the path."""
        return tuple(piece[1:-1] for piece in self.path.split("/") if piece.startswith("{"))


class WithHeaders(Generic[A]):
    """What a handler answers, with headers of its own."""

    def __init__(self, value: A, *headers: tuple[str, str]) -> None:
        self.value: object = value
        self.headers = headers


class Routes:
    """Collects routes. `@routes.get("/chats/{chat_id}")` adds the function below it."""

    def __init__(self, tag: str) -> None:
        self._tag = tag
        self.table: list[Route] = []

    def _add(self, method: str, path: str, **options: Any) -> Callable[[H], H]:
        def adding(handler: H) -> H:
            hints = get_type_hints(handler, include_extras=True)
            answers = hints.pop("return", None)
            answers = get_args(answers)[0] if get_origin(answers) is WithHeaders else answers
            wants = {name: hints[name] for name in inspect.signature(handler).parameters}
            self.table.append(
                Route(method=method, path=path, handler=handler, tag=self._tag, wants=wants, answers=answers, **options)
            )
            return handler

        return adding

    def get(self, path: str, **options: Any) -> Callable[[H], H]:
        return self._add("GET", path, **options)

    def post(self, path: str, **options: Any) -> Callable[[H], H]:
        return self._add("POST", path, **options)

    def put(self, path: str, **options: Any) -> Callable[[H], H]:
        return self._add("PUT", path, **options)

    def patch(self, path: str, **options: Any) -> Callable[[H], H]:
        return self._add("PATCH", path, **options)

    def delete(self, path: str, **options: Any) -> Callable[[H], H]:
        return self._add("DELETE", path, status=204, **options)


@dataclass(slots=True)
class _Node:
    routes: dict[str, Route] = field(default_factory=dict[str, Route])
    fixed: dict[str, "_Node"] = field(default_factory=dict[str, "_Node"])
    variable: "_Node | None" = None


class Table:
    """All routes, as a tree over the pieces of their paths."""

    def __init__(self, *groups: Routes) -> None:
        self.routes = tuple(route for group in groups for route in group.table)
        self._root = _Node()
        for route in self.routes:
            self._plant(route)

    def _plant(self, route: Route) -> None:
        node = self._root
        for piece in route.path.strip("/").split("/"):
            if piece.startswith("{"):
                node.variable = node.variable or _Node()
                node = node.variable
            else:
                node = node.fixed.setdefault(piece, _Node())
        assert route.method not in node.routes, f"{route.name} is there twice"
        node.routes[route.method] = route

    def find(self, path: str) -> tuple[Mapping[str, Route], list[str]]:
        """The routes of a path by method, and the texts that stand where the path has names."""
        node, texts = self._root, list[str]()
        for piece in path.strip("/").split("/"):
            following = node.fixed.get(piece)
            if following is None:
                following = node.variable
                texts.append(piece)
            if following is None:
                raise NotFound("There is nothing at this address.")
            node = following
        return node.routes, texts


def place(route: Route, texts: list[str]) -> dict[str, object]:
    """The values of the names in a path. A text that cannot be one names nothing that exists."""
    values: dict[str, object] = {}
    for name, text in zip(route.parameters, texts, strict=True):
        kind = route.wants[name]
        kind = getattr(kind, "__supertype__", kind)
        try:
            if "\0" in text:
                raise ValueError
            values[name] = UUID(text) if kind is UUID else _number(text) if kind is int else text
        except ValueError:
            raise NotFound("Not found.") from None
    return values


def _number(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() else -1
    if not 0 <= number <= 2**31 - 1:
        raise ValueError
    return number
