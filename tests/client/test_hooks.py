"""A program that hooks ask takes only what the server signed."""

import pytest

from perdure.client.hooks import Forged, HookReceiver
from perdure.core.signature import DISPATCH, SIGNATURE, TIMESTAMP, signature

SECRET = "a secret of sixteen and more"


def test_a_request_that_the_server_signed_is_taken_once() -> None:
    receiver, signed = HookReceiver(SECRET), signature(SECRET, "1000", "d", b"{}")
    headers = {TIMESTAMP: "1000", DISPATCH: "d", SIGNATURE: signed}
    receiver.check(headers, b"{}", now=1)
    with pytest.raises(Forged, match="received before"):
        receiver.check(headers, b"{}", now=1)


@pytest.mark.parametrize("name", [TIMESTAMP, DISPATCH, SIGNATURE])
@pytest.mark.parametrize("value", ["", "x", "gr\xfc\xdfe", "\udcff"])
def test_whatever_else_comes_is_forged(name: str, value: str) -> None:
    headers = {TIMESTAMP: "1000", DISPATCH: "d", SIGNATURE: signature(SECRET, "1000", "d", b"{}")}
    with pytest.raises(Forged):
        HookReceiver(SECRET).check({**headers, name: value}, b"{}", now=1)
