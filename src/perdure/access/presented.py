"""What a caller presents to prove who they are: a token, or the cookie of a session."""

from collections.abc import Mapping

SESSION_COOKIE = "perdure_session"
_BEARER = "bearer "


def secret_of(headers: Mapping[str, str]) -> str | None:
    """The token if one is sent, else the session's cookie. Header names are lower-case."""
    token = token_of(headers)
    return token if token is not None else cookie_of(headers, SESSION_COOKIE) or None


def token_of(headers: Mapping[str, str]) -> str | None:
    """The token, if one is sent."""
    authorization = headers.get("authorization", "")
    if authorization[: len(_BEARER)].lower() == _BEARER:
        return authorization[len(_BEARER) :].strip()
    return None


def cookie_of(headers: Mapping[str, str], name: str) -> str:
    """The cookie of this name, empty where there is none.

    Cookies of other programs on the same host may look like anything: the standard library's parser gives up at the
    first that it does not understand, and with it the one that is asked for.
    """
    pairs = (pair.strip().partition("=") for pair in headers.get("cookie", "").split(";"))
    return next((value for found, _, value in pairs if found == name), "")
