"""The cookie that carries a session."""

from perdure.access.presented import SESSION_COOKIE
from perdure.core.timing import SESSION_KEPT


def setting(secret: str, *, secure: bool) -> tuple[str, str]:
    """The header that gives a browser its session. Scripts cannot read it, other sites cannot post with it."""
    age = int(SESSION_KEPT.total_seconds())
    return "set-cookie", f"{SESSION_COOKIE}={secret}; Path=/; Max-Age={age}; HttpOnly; SameSite=Lax{_secure(secure)}"


def clearing(*, secure: bool) -> tuple[str, str]:
    return "set-cookie", f"{SESSION_COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax{_secure(secure)}"


def _secure(secure: bool) -> str:
    return "; Secure" if secure else ""
