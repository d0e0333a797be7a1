"""Every error is understood once, and told without a status, an address or a key."""

import asyncio
import re
from datetime import timedelta

import aiohttp
import msgspec
import pytest
from tests.providers.errors.cases import CASES, Case

from perdure.core.errors import ProviderFailure
from perdure.core.failure import ChatError, ErrorKind
from perdure.providers.errors.classification import chat_error, classify, refusal
from perdure.providers.errors.failures import ApiError, Filtered, StreamEnded
from perdure.providers.errors.rows import ROWS
from perdure.providers.errors.signals import signals
from perdure.providers.errors.words import SOMEBODY


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_an_error_is_understood(case: Case) -> None:
    seen = classify(case.raised(), case.hint)
    assert (seen.kind, seen.retryable, seen.status_code, seen.provider) == (
        case.kind,
        case.retryable,
        case.status,
        case.provider,
    )
    assert seen.message
    assert not re.search(r"\b[1-5]\d\d\b", seen.message)
    if seen.provider and seen.kind not in (ErrorKind.CONTEXT_OVERFLOW, ErrorKind.HOOK_DENIED):
        assert seen.provider in seen.message or "interrupted" in seen.message or seen.message == "Busy."
    assert "://" not in (seen.detail or "")
    assert len(seen.detail or "") <= 500


def test_every_row_of_the_table_is_reached() -> None:
    seen = [signals(case.raised()) for case in CASES]
    reached = {next(row.says for row in ROWS if row.matches(each)) for each in seen}
    assert [row.says for row in ROWS if row.says not in reached] == []


def test_there_are_enough_cases() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 150


def test_half_a_surrogate_pair_in_an_object_leaves_the_rest_of_what_it_says() -> None:
    body = rb'{"error": {"message": "half \ud800 of it, and \ud83d\ude00"}}'
    assert classify(refusal(400, {}, body)).detail == "half \ufffd of it, and \U0001f600"


def test_no_error_has_no_payload() -> None:
    assert chat_error(None) is None


def test_an_explicit_provider_rebuilds_the_message() -> None:
    first = classify(StreamEnded())
    assert first.message == "The answer from the provider was cut off."
    known = ProviderFailure(first.chat_error())
    assert classify(known, "Anthropic").message == "The answer from Anthropic was cut off."
    assert classify(known).message == first.message


def test_a_message_of_a_hook_is_not_rebuilt() -> None:
    said = ProviderFailure(ChatError("Not on Fridays.", ErrorKind.HOOK_DENIED))
    assert classify(said, "Anthropic").message == "Not on Fridays."


def test_nobody_in_particular_is_named_in_lower_case_within_a_sentence() -> None:
    assert classify(RuntimeError("x")).message == "The request to the provider failed."
    assert classify(ApiError("overloaded")).message.startswith(SOMEBODY)


@pytest.mark.parametrize(
    "secret",
    [
        "sk-ant-api03-abcdefghijklmnop",
        "sk-proj-12345678*****wxyz",
        "AIzaSyA-1234567890abcdefghij",
        "Bearer abcdef123456",
    ],
)
def test_keys_and_addresses_are_redacted(secret: str) -> None:
    body = f'{{"error": {{"message": "Incorrect API key provided: {secret}. See https://x.test/keys?k={secret}"}}}}'
    seen = classify(refusal(401, {}, body.encode()))
    assert seen.detail is not None
    assert secret not in seen.detail
    assert seen.detail.startswith("Incorrect API key provided: [redacted]")


@pytest.mark.parametrize(
    "secret",
    [
        "api_key=abcdefgh12345",
        "password: hunter22",
        "postgres://me:hunter22@db.test/x",
        "ghp_abcdefghijkl1234",
        "hf_abcde12345",
    ],
)
def test_secrets_of_others_are_redacted(secret: str) -> None:
    seen = classify(refusal(400, {}, f'{{"error": {{"message": "this {secret} is bad"}}}}'.encode()))
    assert seen.detail is not None
    assert not any(word in seen.detail for word in ("12345", "1234", "hunter22"))
    assert seen.detail.startswith("this ")
    assert seen.detail.endswith(" is bad")


@pytest.mark.parametrize(
    "said",
    [
        "Use task-internationalization-of-the-day tools",
        "Set max_tokens: 1024 or less",
        "the password is wrong",
        "Unexpected token: end of line 7",
    ],
)
def test_words_about_secrets_stay(said: str) -> None:
    assert classify(refusal(400, {}, msgspec.json.encode({"error": {"message": said}}))).detail == said


@pytest.mark.parametrize(
    "secret",
    [
        "sk-ant-api03-abc1234567",
        "AIzaSyA1234567890abc",
        "AKIA1234567890ABCDEF",
        "gsk_12345678",
        "sk-proj-abcdefghijklmnopqrstuvwxyz",
        "gsk_abcdefghijklmnopqrstuvwxyz",
        "sk-proj-aaaaBBBBccccDDDD",
        "sk-ant-oat-abcdefgh",
        "AKIAABCDEFGHIJKLMNOP",
    ],
)
def test_a_key_is_found_in_the_middle_of_letters(secret: str) -> None:
    seen = classify(refusal(400, {}, f'{{"error": {{"message": "bad keyvalue{secret} given"}}}}'.encode()))
    assert seen.detail is not None
    assert secret not in seen.detail
    assert seen.detail.endswith("[redacted] given")


def test_words_that_look_like_a_key_by_chance_stay() -> None:
    seen = classify(
        refusal(400, {}, b'{"error": {"message": "the task-management of this risk-or-memory-assessment failed"}}')
    )
    assert seen.detail == "the task-management of this risk-or-memory-assessment failed"


def test_half_a_key_at_the_end_of_a_long_text_is_left_out() -> None:
    text = "word " * 396 + "https://x.test/" + "p" * 3 + " sk-abcdefghijklmnopqrstuvwxyz"
    assert "sk-" not in (classify(ApiError(text)).detail or "")


def test_a_plain_text_reaches_the_detail() -> None:
    assert classify(refusal(503, {}, b"no healthy upstream\n")).detail == "no healthy upstream"
    assert classify(refusal(503, {"content-type": "text/html"}, b"no healthy upstream")).detail == "status 503"
    assert classify(refusal(401, {}, b"the key my-own-key is bad")).detail is None


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        (
            aiohttp.ServerDisconnectedError("<RawResponseMessage(version=HttpVersion(1, 1), code=200)>"),
            "The server closed the connection before it had answered.",
        ),
        (aiohttp.ClientConnectionResetError("Cannot write to closing transport"), "The connection was reset."),
        (aiohttp.ClientOSError(104, "Connection reset by peer"), "Connection reset by peer"),
        (asyncio.IncompleteReadError(b"abc", 10), "The connection was closed before the answer was complete."),
        (
            aiohttp.ClientOSError(1, "[SSL: BAD_LENGTH] bad length (_ssl.c:2706)"),
            "bad length",
        ),
    ],
)
def test_nothing_of_the_client_library_is_told(error: Exception, detail: str) -> None:
    assert classify(error).detail == detail


@pytest.mark.parametrize(
    "error", [ApiError("half \ud83d"), RuntimeError("\udfff"), refusal(400, {}, b'{"message": "\\ud83d"}')]
)
def test_half_a_surrogate_makes_a_payload_all_the_same(error: Exception) -> None:
    told = chat_error(error, "Prov\ud800ider")
    assert msgspec.json.encode(told)


@pytest.mark.parametrize(
    ("raised", "detail"),
    [
        (Filtered("cyber: it helps an attack"), "cyber: it helps an attack"),
        (Filtered(""), None),
    ],
)
def test_a_refusal_is_told_with_its_reason_and_the_provider(raised: Exception, detail: str | None) -> None:
    seen = classify(raised, "Anthropic")
    assert seen.kind is ErrorKind.CONTENT_FILTER
    assert seen.message == "Anthropic withheld the answer under its content policy."
    assert seen.detail == detail


def test_a_refused_key_tells_no_raw_text() -> None:
    assert classify(ApiError("unauthorized: my-secret-key", status=401)).detail is None
    assert classify(RuntimeError("unauthorized my-secret-key")).detail is None


async def test_our_own_cancellation_is_not_retried() -> None:
    async def told() -> ErrorKind | None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError as error:
            seen = classify(error)
            assert not seen.retryable
            return seen.kind
        return None

    task = asyncio.create_task(told())
    await asyncio.sleep(0)
    task.cancel()
    assert await task is ErrorKind.GENERIC


def test_a_lost_chain_is_marked() -> None:
    lost = refusal(400, {}, b'{"error": {"message": "Previous response with id \'resp_1\' not found."}}')
    assert classify(lost).chain_broken
    assert not classify(StreamEnded()).chain_broken


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"Retry-After": "2"}, 2),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e400"}, None),
        ({}, None),
    ],
)
def test_the_hint_is_read(headers: dict[str, str], seconds: float | None) -> None:
    seen = classify(ApiError("busy", status=429, headers=headers))
    assert seen.retry_after == (None if seconds is None else timedelta(seconds=seconds))


def test_what_cannot_be_retried_has_no_hint() -> None:
    assert classify(ApiError("no", status=401, headers={"retry-after": "5"})).retry_after is None
