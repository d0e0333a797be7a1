"""An error as a page: for people whose browser was led to the API by a link, and who would see bare JSON."""

from html import escape

import msgspec

from perdure.api.errors import Problem
from perdure.api.http import Answer

# Nothing of the page may load or run anything; it has words and one link.
_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_HEADERS = (("content-type", "text/html; charset=utf-8"), ("content-security-policy", _POLICY))
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Perdure</title>
<h1>That did not work</h1>
<p>{message}</p>
<p><a href="/login">Back to signing in</a></p>
</html>
"""


def wants_page(accept: str) -> bool:
    """Whether whoever asks is a browser that shows what it gets."""
    return "text/html" in accept


def page_of(answer: Answer) -> Answer:
    """An error's answer, for people."""
    problem = msgspec.json.decode(answer.body, type=Problem)
    others = tuple((name, value) for name, value in answer.headers if name != "content-type")
    return Answer(answer.status, _PAGE.format(message=escape(problem.message)).encode(), (*_HEADERS, *others))
