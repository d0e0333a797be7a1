"""What rules decide, and which addresses and heads are taken for what they are."""

from ipaddress import ip_address

import pytest

from perdure.workspaces.egress.addresses import Resolve, public, reachable
from perdure.workspaces.egress.heads import Malformed, body_length, parsed
from perdure.workspaces.egress.rules import (
    ArmedRule,
    Credential,
    Origin,
    Rule,
    armed,
    decide,
    faults,
    host_of,
    opens,
    origin_of,
)  # fmt: skip

API = Origin("https", "api.example", 443)


def says(*addresses: str) -> Resolve:
    return lambda _host, _port: addresses


def allowed(rule: Rule, host: str, request: tuple[str, str] | None = None) -> bool:
    return decide([ArmedRule(rule)], Origin("https", host, 443), request).allowed


@pytest.mark.parametrize(
    ("pattern", "host", "fits"),
    [
        ("api.example", "api.example", True),
        ("api.example", "www.api.example", False),
        ("api.example", "api.example.evil", False),
        ("*.api.example", "www.api.example", True),
        ("*.api.example", "a.b.api.example", True),
        ("*.api.example", "api.example", False),
        ("*.api.example", "notapi.example", False),
    ],
)
def test_a_pattern_is_about_whole_labels(pattern: str, host: str, fits: bool) -> None:
    assert allowed(Rule(pattern), host) is fits


def test_a_rule_that_looks_inside_has_no_way_around_it() -> None:
    rules = [ArmedRule(Rule("api.example")), ArmedRule(Rule("api.example", paths=("/v1/*",)))]
    assert opens(rules, API)
    assert not opens(rules[:1], API)


@pytest.mark.parametrize("path", ["/v1/a", "/v1/?x=/../", "/v1/a%20b"])
def test_a_path_below_is_allowed(path: str) -> None:
    assert allowed(Rule("api.example", paths=("/v1/*",)), "api.example", ("GET", path))


def test_the_rule_with_a_credential_is_preferred_and_its_secret_must_be_there() -> None:
    rule = Rule("api.example", credential=Credential("token", kind="basic"))
    with_secret = [ArmedRule(Rule("api.example")), armed(rule, {"token": "t"})]
    found = decide(with_secret, API, ("GET", "/")).rule
    assert found is not None
    assert found.field == ("Authorization", "Basic eC1hY2Nlc3MtdG9rZW46dA==")
    assert "'token' of the rule for api.example is not stored" in decide([armed(rule)], API, ("GET", "/")).reason


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("API.Example.", "api.example"), ("127.0.0.1", "127.0.0.1"), ("[::0001]", "::1"), ("127.1", None),
        ("0x7f000001", None), ("2130706433", None), ("0177.0.0.1", None), ("a..b", None), ("-a.b", None),
        ("a b", None), ("\u0430pi.example", None), ("", None), ("[::1", None), ("a" * 64 + ".b", None),
    ],
)  # fmt: skip
def test_a_host_has_one_spelling(text: str, host: str | None) -> None:
    assert host_of(text) == host


@pytest.mark.parametrize("text", ["a.b:0", "a.b:65536", "a.b:", "a.b:80:80", "u@a.b:80", "a.b:080", "a.b/:80"])
def test_what_is_no_authority_is_none(text: str) -> None:
    assert origin_of("https", text, port_needed=True) is None


@pytest.mark.parametrize(
    "address",
    [
        "10.0.0.1", "127.0.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "::1",
        "::", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "::127.0.0.1", "168.63.129.16", "100.100.100.200", "192.0.0.192",
        "2001:db8::1", "203.0.113.1",
    ],
)  # fmt: skip
def test_an_address_that_is_not_the_open_internet_is_known(address: str) -> None:
    assert not public(ip_address(address))
    assert reachable(API, [Rule("api.example")], says(address)) == []


def test_named_networks_and_public_addresses_are_reached() -> None:
    rule = Rule("api.example", networks=("10.1.0.0/16",))
    found = reachable(API, [rule], says("10.1.2.3", "10.2.2.3", "93.184.215.14", "2606:2800:21f::1"))
    assert found == ["10.1.2.3", "93.184.215.14", "2606:2800:21f::1"]
    assert reachable(Origin("https", "10.9.9.9", 443), [Rule("10.9.9.9")], lambda host, _: [host]) == ["10.9.9.9"]


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        (Rule("*"), "host"), (Rule("*."), "host"), (Rule("**"), "host"), (Rule("*.com"), "host"), (Rule(""), "host"),
        (Rule("a b"), "host"), (Rule("a.*.b"), "host"), (Rule("A.b"), "host"), (Rule("https://a.b"), "host"),
        (Rule("a.b", port=70_000), "port"), (Rule("a.b", methods=("get",)), "methods"),
        (Rule("a.b", paths=("v1",)), "paths"), (Rule("a.b", paths=("/*/x",)), "paths"),
        (Rule("a.b", networks=("0.0.0.0/0",)), "networks"), (Rule("a.b", networks=("lan",)), "networks"),
        (Rule("a.b", credential=Credential("")), "credential"),
        (Rule("a.b", credential=Credential("t", kind="header")), "credential"),
    ],
)  # fmt: skip
def test_a_rule_that_makes_no_sense_is_told_where(rule: Rule, field: str) -> None:
    assert [fault.field for fault in faults(rule)] == [f"rule.{field}"]


def test_rules_that_make_sense_have_no_faults() -> None:
    good = Rule("*.a.b", methods=("GET",), paths=("/v1/*", "/x"), networks=("10.0.0.0/8",), credential=Credential("t"))
    assert [faults(good), faults(Rule("10.0.0.1")), faults(Rule("xn--pi-7kc.example"))] == [[], [], []]


@pytest.mark.parametrize(
    "fields",
    [
        "Content-Length: 1\r\nTransfer-Encoding: chunked",
        "Content-Length: 1\r\nContent-Length: 1",
        "Content-Length: 1_0",
    ],
)
def test_a_body_with_two_lengths_has_none(fields: str) -> None:
    with pytest.raises(Malformed):
        body_length(parsed(f"POST / HTTP/1.1\r\n{fields}\r\n\r\n".encode()))
