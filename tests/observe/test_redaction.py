"""What is told of a call to a model: everything but what proves who pays."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.observe.calls import Sent
from perdure.observe.redaction import BODY_BYTES, bounded, redacted, told_request, told_response


def sent(body: bytes, **more: str) -> Sent:
    return Sent(
        provider="Somebody",
        model="some-model",
        dialect="openai_chat",
        vendor="somebody",
        method="POST",
        url="https://user:pass@api.example.com/v1/chat?key=canary-in-query",
        headers={"content-type": "application/json", "x-tenant": "canary-in-header", **more},
        body=body,
        secrets=("Bearer canary/with+signs", "canary-in-header"),
    )


def test_a_request_is_told_whole_but_for_its_secrets() -> None:
    body = msgspec.json.encode({"model": "m", "messages": [{"role": "user", "content": "hello"}], "n": 1})
    told = msgspec.json.decode(told_request(sent(body)))
    assert told["url"] == "https://api.example.com/v1/chat"
    assert told["headers"] == {"content-type": "application/json", "x-tenant": "[redacted]"}
    assert told["body"] == msgspec.json.decode(body)


@given(st.text(alphabet=st.characters(blacklist_categories=["Cs"]), min_size=8, max_size=60), st.text(max_size=30))
def test_a_secret_is_found_wherever_it_is_repeated(secret: str, around: str) -> None:
    text = f"{around}{secret}{around}"
    if secret not in around + "[redacted]" + around:
        assert secret not in redacted(text, [secret])
        assert secret not in redacted(msgspec.json.encode(text).decode(), [secret])


def test_an_answer_that_repeats_the_key_is_told_without_it() -> None:
    answer = b'{"error": "Incorrect API key provided: canary/with+signs"}'
    assert b"canary" not in told_response(answer, sent(b"").secrets)


def test_what_looks_like_a_key_is_not_told_either() -> None:
    keys = ["sk-ant-REDACTED", "AKIAIOSFODNN7EXAMPLE", "pdt_0123456789abcdef", "bearer abcdefgh.ijkl"]
    assert redacted(" | ".join(keys)) == "[redacted] | [redacted] | [redacted] | [redacted]"


@pytest.mark.parametrize("key", ["sk-ant-api03-abc1234567", "AKIA1234567890ABCDEF", "pdt_0123456789abcdef"])
def test_a_key_is_found_in_the_middle_of_letters(key: str) -> None:
    assert redacted(f"bad keyvalue{key} given") == "bad keyvalue[redacted] given"


def test_words_that_look_like_a_key_by_chance_stay() -> None:
    assert redacted("the task-management of this risk-assessment failed").count("[redacted]") == 0


@pytest.mark.parametrize("end", ["-----END RSA PRIVATE KEY-----", ""], ids=["whole", "cut"])
def test_a_private_key_is_not_told(end: str) -> None:
    key = f"-----BEGIN RSA PRIVATE KEY-----\\nProc-Type: 4,ENCRYPTED\\nMIIEow+/=\\n{end}"
    assert redacted(f'{{"key": "{key}", "a": 1}}') == '{"key": "[redacted]", "a": 1}'


def test_a_picture_is_cut_and_the_rest_stays_readable() -> None:
    body = msgspec.json.encode({"image": "A" * 5_000_000, "text": "look"})
    told = told_request(sent(body))
    assert len(told) < BODY_BYTES
    assert msgspec.json.decode(told)["body"]["text"] == "look"


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    cut = bounded("a" * 600 + "b" * 600, 300)
    assert cut.startswith("a" * 200)
    assert cut.endswith("b" * 100)
    assert "[900 characters left out]" in cut


def test_a_secret_across_a_cut_is_not_told_in_part() -> None:
    for before in range(13_320, 13_334):
        text = "x" * before + "canary-in-header" + "x" * 20_000
        assert b"canary" not in told_request(sent(msgspec.json.encode({"text": text})))
    ending = "x" * 20_000 + "canary-in-header" + "y" * (6_666 - 8)
    assert b"header" not in told_request(sent(msgspec.json.encode({"text": ending}))).split(b'"body"')[1]


def test_what_is_kept_of_a_body_is_counted_in_bytes() -> None:
    told = told_response(("€" * BODY_BYTES).encode(), ())
    assert BODY_BYTES - 100 < len(told) <= BODY_BYTES
    assert set(told.decode().partition("\n")[0]) == {"€"}
