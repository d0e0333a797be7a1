"""Addresses that people type."""

import pytest

from perdure.core.addresses import origin, reachable

PLACES = (
    "http://a",
    "https://api.example.com/v1",
    "http://127.0.0.1:9",
    "http://[::1]:80/x",
    "https://bücher.example",
    "http://a.",
)
NONE = (
    *("", "http://", "ftp://a", "//a", "http://a:0", "http://a:99999", "http://:80", "http://[", "http://a:x"),
    *(
        "http://\x80",
        "http://a\\b",
        "http://a..b",
        "http://.",
        "http://\u200b",
        f"http://{'a' * 64}",
        "http://\ufffe",
        "http://。",
    ),
)


@pytest.mark.parametrize("address", PLACES)
def test_a_request_can_be_sent_there(address: str) -> None:
    assert reachable(address) is not None


@pytest.mark.parametrize("address", NONE, ids=repr)
def test_there_is_no_such_place(address: str) -> None:
    assert reachable(address) is None


def test_an_origin_holds_no_secret() -> None:
    assert origin("https://user:pass@rules.example.org:8443/s3cret?token=x#y") == "https://rules.example.org:8443"
    assert origin("https://rules.example.org?token=a@b") == "https://rules.example.org"
    assert origin("https://rules.example.org") == "https://rules.example.org"
