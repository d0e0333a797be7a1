"""What models ask of a screen, in one vocabulary: each vendor has its own words for the same few things."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from perdure.core.screen import Screen
from perdure.tools.call import ToolFailed

Button = Literal["left", "middle", "right", "back", "forward"]
Point = tuple[int, int]


class Action(Struct, frozen=True, tag_field="type", omit_defaults=True):
    """One thing to do."""


class Screenshot(Action, frozen=True, tag="screenshot"):
    """Nothing but the picture, which follows every list of actions anyway."""


class Click(Action, frozen=True, tag="click"):
    x: int | None = None
    """Where; without it, where the pointer is."""
    y: int | None = None
    button: Button = "left"
    count: int = 1
    keys: tuple[str, ...] = ()
    """Held meanwhile."""


class Press(Action, frozen=True, tag="press"):
    """The left button goes down and stays."""


class Release(Action, frozen=True, tag="release"):
    """The left button goes up."""


class Move(Action, frozen=True, tag="move"):
    x: int
    y: int


class Drag(Action, frozen=True, tag="drag"):
    path: tuple[Point, ...]
    keys: tuple[str, ...] = ()


class Scroll(Action, frozen=True, tag="scroll"):
    """By so many notches of the wheel, or pixels; the runner decides what a step is."""

    x: int
    y: int
    right: int = 0
    down: int = 0
    unit: Literal["notches", "pixels"] = "notches"
    keys: tuple[str, ...] = ()


class Type(Action, frozen=True, tag="type"):
    text: str


class Key(Action, frozen=True, tag="key"):
    """Keys that go down together, for a moment or for so long."""

    keys: tuple[str, ...]
    seconds: float = 0


class Wait(Action, frozen=True, tag="wait"):
    seconds: float = 1


class Pointer(Action, frozen=True, tag="pointer"):
    """Say where the pointer is."""


AnyAction = Screenshot | Click | Press | Release | Move | Drag | Scroll | Type | Key | Wait | Pointer

LONGEST_WAIT = 30.0
MOST_ACTIONS = 100
UNKNOWN = "This is not something that can be done with the screen: {}. Take a screenshot and try something else."


def actions_of(arguments: Mapping[str, Any], screen: Screen) -> tuple[AnyAction, ...]:
    """What a call asks for. Raises ToolFailed with one instruction for the model."""
    try:
        match arguments:
            case {"actions": [*several]} if 0 < len(several) <= MOST_ACTIONS:
                actions = tuple(_listed(one) for one in several)
            case {"action": str(name)}:
                actions = (_named(name, arguments),)
            case _:
                raise ToolFailed(UNKNOWN.format(_shown(arguments)))
    except (LookupError, TypeError, ValueError, msgspec.ValidationError) as error:
        raise ToolFailed(UNKNOWN.format(_shown(arguments))) from error
    for action in actions:
        _check(action, screen)
    return actions


def _named(name: str, given: Mapping[str, Any]) -> AnyAction:
    """In the words of Anthropic's tool: one action with its coordinate."""
    if name in _CLICKS:
        button, count = _CLICKS[name]
        x, y = _point(given["coordinate"]) if given.get("coordinate") else (None, None)
        return Click(x, y, button, count, _combination(given.get("text")))
    return _NAMED[name](given)


def _listed(given: Mapping[str, Any]) -> AnyAction:
    """In the words of OpenAI's tool: an object with its type."""
    return _LISTED[given["type"]](given)


def _point(value: Any) -> Point:
    return msgspec.convert(value, Point)


def _place(given: Mapping[str, Any]) -> Point:
    return msgspec.convert((given["x"], given["y"]), Point)


def _keys(given: Mapping[str, Any]) -> tuple[str, ...]:
    return msgspec.convert(given.get("keys") or (), tuple[str, ...])


def _combination(text: str | None) -> tuple[str, ...]:
    """`ctrl+s` as its keys. A plus sign alone is the key of that name."""
    return tuple(key for key in text.split("+") if key) or ("plus",) if text else ()


def _drag(given: Mapping[str, Any]) -> Drag:
    start = (_point(given["start_coordinate"]),) if given.get("start_coordinate") else ()
    return Drag((*start, _point(given["coordinate"])))


def _scroll(given: Mapping[str, Any]) -> Scroll:
    x, y = _point(given["coordinate"])
    amount = msgspec.convert(given.get("scroll_amount", 3), int)
    right, down = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}[given["scroll_direction"]]
    return Scroll(x, y, right * amount, down * amount, keys=_combination(given.get("text")))


def _seconds(given: Mapping[str, Any]) -> float:
    return min(msgspec.convert(given.get("duration", 1), float), LONGEST_WAIT)


def _button(given: Mapping[str, Any]) -> Button:
    return _BUTTONS[given.get("button", "left")]


_BUTTONS: dict[str, Button] = {
    "left": "left", "right": "right", "wheel": "middle", "middle": "middle", "back": "back", "forward": "forward",
}  # fmt: skip
_CLICKS: dict[str, tuple[Button, int]] = {
    "left_click": ("left", 1),
    "right_click": ("right", 1),
    "middle_click": ("middle", 1),
    "double_click": ("left", 2),
    "triple_click": ("left", 3),
}
_NAMED: dict[str, Callable[[Mapping[str, Any]], AnyAction]] = {
    "screenshot": lambda _: Screenshot(),
    "cursor_position": lambda _: Pointer(),
    "left_mouse_down": lambda _: Press(),
    "left_mouse_up": lambda _: Release(),
    "mouse_move": lambda given: Move(*_point(given["coordinate"])),
    "left_click_drag": _drag,
    "scroll": _scroll,
    "type": lambda given: Type(msgspec.convert(given["text"], str)),
    "key": lambda given: Key(_combination(given["text"])),
    "hold_key": lambda given: Key(_combination(given["text"]), _seconds(given)),
    "wait": lambda given: Wait(_seconds(given)),
}
_LISTED: dict[str, Callable[[Mapping[str, Any]], AnyAction]] = {
    "screenshot": lambda _: Screenshot(),
    "click": lambda given: Click(*_place(given), _button(given), keys=_keys(given)),
    "double_click": lambda given: Click(*_place(given), count=2, keys=_keys(given)),
    "move": lambda given: Move(*_place(given)),
    "drag": lambda given: Drag(tuple(_place(step) for step in given["path"]), _keys(given)),
    "scroll": lambda given: Scroll(
        *_place(given), int(given.get("scroll_x", 0)), int(given.get("scroll_y", 0)), "pixels", _keys(given)
    ),
    "type": lambda given: Type(msgspec.convert(given["text"], str)),
    "keypress": lambda given: Key(_keys(given)),
    "wait": lambda _: Wait(),
}


def _check(action: AnyAction, screen: Screen) -> None:
    """Nothing is done beside the screen."""
    for x, y in _places(action):
        if not (0 <= x < screen.width and 0 <= y < screen.height):
            raise ToolFailed(
                f"({x}, {y}) is not on the screen, which has {screen.width} by {screen.height} pixels. Look again."
            )
    if isinstance(action, Key) and not action.keys:
        raise ToolFailed("No key is named. Name one.")


def _places(action: AnyAction) -> Sequence[Point]:
    match action:
        case Move(x=x, y=y) | Scroll(x=x, y=y):
            return [(x, y)]
        case Click(x=int(x), y=int(y)):
            return [(x, y)]
        case Drag(path=path):
            return path
        case _:
            return []


def _shown(arguments: Mapping[str, Any]) -> str:
    return msgspec.json.encode(dict(arguments)).decode()[:200]
