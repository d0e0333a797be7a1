"""What is told of a body that does not fit."""

import pytest
from msgspec import Struct

from perdure.api.decoding import body_of
from perdure.core.errors import InvalidInput
from perdure.core.message import Effort


class Inner(Struct):
    effort: Effort | None = None


class Body(Struct):
    effort: Effort | None = None
    inner: Inner | None = None
    many: tuple[Inner, ...] = ()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b'{"effort": "wild"}', "effort"),
        (b'{"inner": {"effort": "wild"}}', "inner.effort"),
        (b'{"many": [{}, {"effort": "wild"}]}', "many[1].effort"),
    ],
)
def test_a_bad_effort_names_the_good_ones(body: bytes, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        body_of(Body, body)
    (wrong,) = refused.value.validations
    assert wrong.field == field
    assert wrong.detail == f"Invalid enum value 'wild'. It is one of: {', '.join(Effort)}"
