"""Addresses that people type."""

import pytest

from perdure.core.addresses import inward, origin, reachable

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


INWARD = [
    *("127.0.0.1", "127.8.8.8", "0.0.0.0", "::1", "::", "169.254.169.254", "fe80::1%eth0", "224.0.0.1"),
    *("168.63.129.16", "192.0.0.192", "100.100.100.200", "fd00:ec2::254", "fd20:ce::254"),
    *("::ffff:127.0.0.1", "::127.0.0.1", "2002:7f00:1::", "64:ff9b::a9fe:a9fe", "64:ff9b:1::7f00:1"),
    "2001:0:4136:e378:8000:63bf:80ff:fffe",
]


@pytest.mark.parametrize("address", INWARD)
def test_what_is_on_this_machine_or_of_the_cloud_around_it_is_inward_however_it_is_written(address: str) -> None:
    assert inward(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "10.0.0.1", "192.168.1.1", "2606:4700::1", "64:ff9b::808:808", "a.test"]
)
def test_what_is_elsewhere_is_not(address: str) -> None:
    assert not inward(address)
