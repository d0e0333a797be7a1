"""An error as a page: for people whose browser was led to the API by a link, and who would see bare JSON."""

from base64 import b64encode
from hashlib import sha256
from html import escape

import msgspec

from perdure.api.errors import Problem
from perdure.api.http import Answer

_STYLE = """
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 15px/1.5 Inter, system-ui, sans-serif;
  background: #f5f4f0; color: #1e1d1a; }
main { max-width: 400px; margin: 16px; padding: 32px; background: #fff; border: 1px solid #e3e0d8;
  border-radius: 16px; }
svg { color: #0b6b62; }
h1 { margin: 12px 0 8px; font-size: 20px; }
p { margin: 0 0 20px; }
a { display: inline-block; padding: 10px 16px; border-radius: 8px; background: #0b6b62; color: #fff;
  text-decoration: none; }
@media (prefers-color-scheme: dark) {
  body { background: #121315; color: #e9e8e4; }
  main { background: #1f2125; border-color: #2a2c31; }
  svg { color: #5cc9ba; }
  a { background: #5cc9ba; color: #08201d; }
}
"""
# Nothing of the page may load or run anything; it has words, one link, and this one style.
_STYLE_HASH = b64encode(sha256(_STYLE.encode()).digest()).decode()
_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
_HEADERS = (("content-type", "text/html; charset=utf-8"), ("content-security-policy", _POLICY))
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Sign-in failed · Perdure</title>
<style>{style}</style>
<main>
<svg width="36" height="36" viewBox="5 0 26 30" fill="none" aria-hidden="true"><path
d="M11 27V9.5A8 8 0 1 1 19 17.5h-3" stroke="currentColor" stroke-width="3.4" stroke-linecap="round"/><circle
cx="19" cy="9.5" r="1.9" fill="currentColor"/></svg>
<h1>Sign-in failed</h1>
<p>{message}</p>
<a href="/login">Go to sign-in</a>
</main>
</html>
"""


def wants_page(accept: str) -> bool:
    """Whether whoever asks is a browser that shows what it gets."""
    return "text/html" in accept


def page_of(answer: Answer) -> Answer:
    """An error's answer, for people."""
    problem = msgspec.json.decode(answer.body, type=Problem)
    others = tuple((name, value) for name, value in answer.headers if name != "content-type")
    return Answer(
        answer.status, _PAGE.format(message=escape(problem.message), style=_STYLE).encode(), (*_HEADERS, *others)
    )
