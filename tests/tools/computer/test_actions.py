"""What models ask of a screen, whoever made them, in one vocabulary."""

from typing import Any

import msgspec
import pytest

from perdure.core.screen import Screen
from perdure.tools.call import ToolFailed
from perdure.tools.computer.actions import actions_of

SCREEN = Screen(1000, 500)
ANTHROPIC: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"action": "screenshot"}, {"type": "screenshot"}),
    ({"action": "cursor_position"}, {"type": "pointer"}),
    ({"action": "left_click", "coordinate": [10, 20]}, {"type": "click", "x": 10, "y": 20}),
    ({"action": "left_click"}, {"type": "click"}),
    (
        {"action": "right_click", "coordinate": [1, 2], "text": "shift"},
        {"type": "click", "x": 1, "y": 2, "button": "right", "keys": ["shift"]},
    ),
    ({"action": "middle_click", "coordinate": [1, 2]}, {"type": "click", "x": 1, "y": 2, "button": "middle"}),
    ({"action": "triple_click", "coordinate": [1, 2]}, {"type": "click", "x": 1, "y": 2, "count": 3}),
    ({"action": "left_mouse_down"}, {"type": "press"}),
    ({"action": "left_mouse_up"}, {"type": "release"}),
    ({"action": "mouse_move", "coordinate": [999, 499]}, {"type": "move", "x": 999, "y": 499}),
    (
        {"action": "left_click_drag", "start_coordinate": [1, 2], "coordinate": [3, 4]},
        {"type": "drag", "path": [[1, 2], [3, 4]]},
    ),
    (
        {"action": "scroll", "coordinate": [5, 6], "scroll_direction": "up", "scroll_amount": 2},
        {"type": "scroll", "x": 5, "y": 6, "down": -2},
    ),
    ({"action": "type", "text": "a+b"}, {"type": "type", "text": "a+b"}),
    ({"action": "key", "text": "ctrl+s"}, {"type": "key", "keys": ["ctrl", "s"]}),
    ({"action": "key", "text": "+"}, {"type": "key", "keys": ["plus"]}),
    ({"action": "hold_key", "text": "a", "duration": 2}, {"type": "key", "keys": ["a"], "seconds": 2.0}),
    ({"action": "wait", "duration": 9000}, {"type": "wait", "seconds": 30.0}),
]
OPENAI: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"type": "screenshot"}, {"type": "screenshot"}),
    ({"type": "click", "button": "left", "x": 10, "y": 20}, {"type": "click", "x": 10, "y": 20}),
    (
        {"type": "click", "button": "wheel", "x": 1, "y": 2, "keys": ["CTRL"]},
        {"type": "click", "x": 1, "y": 2, "button": "middle", "keys": ["CTRL"]},
    ),
    ({"type": "double_click", "x": 1, "y": 2, "keys": None}, {"type": "click", "x": 1, "y": 2, "count": 2}),
    ({"type": "move", "x": 1, "y": 2}, {"type": "move", "x": 1, "y": 2}),
    (
        {"type": "drag", "path": [{"x": 1, "y": 2}, {"x": 3, "y": 4}]},
        {"type": "drag", "path": [[1, 2], [3, 4]]},
    ),
    (
        {"type": "scroll", "x": 1, "y": 2, "scroll_x": 0, "scroll_y": 300},
        {"type": "scroll", "x": 1, "y": 2, "down": 300, "unit": "pixels"},
    ),
    ({"type": "type", "text": "hello"}, {"type": "type", "text": "hello"}),
    ({"type": "keypress", "keys": ["CTRL", "L"]}, {"type": "key", "keys": ["CTRL", "L"]}),
    ({"type": "wait"}, {"type": "wait"}),
]


def said(arguments: dict[str, Any]) -> list[Any]:
    return msgspec.json.decode(msgspec.json.encode(actions_of(arguments, SCREEN)))


@pytest.mark.parametrize(("asked", "meant"), ANTHROPIC)
def test_the_words_of_anthropic(asked: dict[str, Any], meant: dict[str, Any]) -> None:
    assert said(asked) == [meant]


def test_the_words_of_openai_several_at_once() -> None:
    assert said({"actions": [asked for asked, _ in OPENAI]}) == [meant for _, meant in OPENAI]


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({}, "not something that can be done"),
        ({"action": "dance"}, "not something that can be done"),
        ({"action": "zoom", "region": [0, 0, 1, 1]}, "not something that can be done"),
        ({"action": "scroll", "coordinate": [1, 2]}, "not something that can be done"),
        ({"action": "mouse_move", "coordinate": "here"}, "not something that can be done"),
        ({"actions": []}, "not something that can be done"),
        ({"actions": [{"type": "click", "x": 1}]}, "not something that can be done"),
        ({"actions": ["click"]}, "not something that can be done"),
        ({"actions": [{"type": "wait"}] * 101}, "not something that can be done"),
        ({"action": "left_click", "coordinate": [1000, 0]}, "is not on the screen, which has 1000 by 500"),
        ({"actions": [{"type": "drag", "path": [{"x": 0, "y": 0}, {"x": 0, "y": -1}]}]}, "is not on the screen"),
        ({"action": "key", "text": ""}, "No key is named"),
    ],
)
def test_what_makes_no_sense_is_told_to_the_model(asked: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ToolFailed, match=complaint):
        actions_of(asked, SCREEN)
