"""The files of the web page: what is served where, and under which rules."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from perdure.api.page import Page

INDEX = b"<!doctype html><title>the page</title>"


@pytest.fixture
def page(tmp_path: Path) -> Page:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_bytes(INDEX)
    (tmp_path / "diagram.html").write_bytes(b"<!doctype html><title>the frame</title>")
    (tmp_path / "assets" / "main-abc123.js").write_bytes(b"export {};")
    return Page(tmp_path)


async def asked(
    page: Page, path: str, method: str = "GET", accept: str = "", *, browser: bool = False
) -> tuple[int, dict[str, str], bytes]:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    headers = [(b"accept-encoding", accept.encode()), (b"accept", b"text/html" if browser else b"*/*")]
    await page({"type": "http", "method": method, "path": path, "headers": headers}, receive, send)
    named = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], named, b"".join(message.get("body", b"") for message in sent[1:])


@pytest.mark.parametrize("path", ["/", "/chats/123", "/settings/profile", "/admin/providers", "/login"])
async def test_every_place_of_the_page_is_the_page(page: Page, path: str) -> None:
    status, headers, body = await asked(page, path)
    assert (status, body) == (200, INDEX)
    assert headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("path", ["/elsewhere", "/chatsandmore", "/../pyproject.toml", "/assets/none.js"])
async def test_nothing_else_is_there(page: Page, path: str) -> None:
    assert (await asked(page, path))[0] == 404


async def test_a_browser_that_asks_for_an_unknown_address_gets_the_page_which_says_so(page: Page) -> None:
    status, headers, body = await asked(page, "/elsewhere", browser=True)
    assert (status, headers["content-type"], body) == (404, "text/html; charset=utf-8", INDEX)
    assert (await asked(page, "/assets/none.js", browser=True))[1]["content-type"] == "application/json"


async def test_the_page_is_only_read(page: Page) -> None:
    assert (await asked(page, "/", method="POST"))[0] == 405


async def test_a_file_named_by_its_content_is_kept_for_good_and_squeezed_for_those_who_take_it(page: Page) -> None:
    _, headers, body = await asked(page, "/assets/main-abc123.js", accept="br, gzip")
    assert headers["cache-control"] == "public, max-age=31536000, immutable"
    assert gzip.decompress(body) == b"export {};"
    assert (await asked(page, "/assets/main-abc123.js"))[2] == b"export {};"


async def test_the_page_runs_and_styles_itself_with_its_own_files_only(page: Page) -> None:
    _, headers, _ = await asked(page, "/")
    rules = dict(rule.strip().split(" ", 1) for rule in headers["content-security-policy"].split(";"))
    assert (rules["default-src"], rules["script-src"], rules["style-src"]) == ("'none'", "'self'", "'self'")
    assert rules["frame-ancestors"] == "'none'"
    assert "access-control-allow-origin" not in headers


async def test_the_frame_that_draws_has_no_origin_and_asks_nobody(page: Page) -> None:
    _, headers, _ = await asked(page, "/diagram.html")
    rules = dict(rule.strip().split(" ", 1) for rule in headers["content-security-policy"].split(";"))
    assert (rules["sandbox"], rules["frame-ancestors"]) == ("allow-scripts", "'self'")
    assert (rules["default-src"], rules["script-src"]) == ("'none'", "'self'")
    assert "connect-src" not in rules
    assert (await asked(page, "/assets/main-abc123.js"))[1]["access-control-allow-origin"] == "*"
