"""Whatever a model writes as arguments is either values that fit, or one instruction for it."""

from typing import cast

import pytest

from perdure.tools.arguments import is_json_object, parsed
from perdure.tools.call import ToolFailed
from perdure.tools.tool import Effect, ToolContext, tool

SCHEMA = {
    "type": "object",
    "properties": {"prompt": {"type": "string", "minLength": 1}, "deep": {"enum": [1]}, "number": {"type": "number"}},
}
DEPTH = 300


@pytest.mark.parametrize(
    "text",
    [
        '{"prompt": "\\ud83d"}',
        '{"\\udc00": 1}',
        '{"number": NaN}',
        '{"number": -Infinity}',
        f'{{"number": {"1" * 5000}}}',
        f'{{"deep": {"[" * 100_000}{"]" * 100_000}}}',
        '{"prompt": ',
        '{"prompt": "a", "prompt": "b"}',
        "[]",
        "null",
    ],
    ids=lambda text: text[:24],
)
def test_what_is_no_json_object_or_cannot_be_passed_on_is_refused(text: str) -> None:
    assert not is_json_object(text)
    with pytest.raises(ToolFailed, match="Call the tool again"):
        parsed(text, SCHEMA)


@tool(Effect.READS)
async def wait(_: ToolContext, seconds: int = 1) -> str:
    """Wait."""
    return str(seconds)


async def test_a_wrong_parameter_is_named() -> None:
    with pytest.raises(ToolFailed, match="seconds"):
        parsed('{"seconds": "many"}', wait.schema)
    arguments = parsed('{"seconds": 1.0}', wait.schema)
    with pytest.raises(ToolFailed, match=r"\$\.seconds"):
        await wait.run(cast(ToolContext, None), arguments)


def test_what_is_too_deep_to_be_checked_is_refused() -> None:
    with pytest.raises(ToolFailed, match="Call the tool again"):
        parsed(f'{{"deep": {"[" * DEPTH}{"]" * DEPTH}}}', SCHEMA)


@pytest.mark.parametrize(
    ("text", "values"),
    [("", {}), ('{"prompt": "\\ud83d\\ude00"}', {"prompt": "😀"}), (f'{{"number": {10**30}}}', {"number": 10**30})],
)
def test_what_fits_is_taken_as_it_was_written(text: str, values: dict[str, object]) -> None:
    assert parsed(text, SCHEMA) == values


def test_a_value_that_is_none_of_several_is_told_which_there_are() -> None:
    schema = {"properties": {"effort": {"anyOf": [{"enum": ["low", "high"]}, {"type": "null"}]}}}
    with pytest.raises(ToolFailed, match='effort: "huge" is none of: low, high, null'):
        parsed('{"effort": "huge"}', schema)
