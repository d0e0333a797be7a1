"""What a caller presents to prove who they are: a token, or the cookie of a session."""

from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie

SESSION_COOKIE = "perdure_session"
_BEARER = "bearer "


def secret_of(headers: Mapping[str, str]) -> str | None:
    """The token if one is sent, else the session's cookie. Header names are lower-case."""
    authorization = headers.get("authorization", "")
    if authorization[: len(_BEARER)].lower() == _BEARER:
        return authorization[len(_BEARER) :].strip()
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(SESSION_COOKIE)
    except CookieError:
        return None
    return morsel.value if morsel else None
