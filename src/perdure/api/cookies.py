"""The cookie that carries a session."""

from datetime import timedelta

from perdure.access.presented import SESSION_COOKIE
from perdure.core.timing import SESSION_KEPT


def setting(secret: str, *, secure: bool) -> tuple[str, str]:
    """The header that gives a browser its session. Scripts cannot read it, other sites cannot post with it."""
    age = int(SESSION_KEPT.total_seconds())
    return "set-cookie", f"{SESSION_COOKIE}={secret}; Path=/; Max-Age={age}; HttpOnly; SameSite=Lax{_secure(secure)}"


def clearing(*, secure: bool) -> tuple[str, str]:
    return "set-cookie", f"{SESSION_COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax{_secure(secure)}"


def short_lived(name: str, value: str, kept: timedelta | None, *, path: str, secure: bool) -> tuple[str, str]:
    """A cookie for the way to somewhere and back; without a time it is taken away."""
    age = int(kept.total_seconds()) if kept else 0
    return "set-cookie", f"{name}={value}; Path={path}; Max-Age={age}; HttpOnly; SameSite=Lax{_secure(secure)}"


def _secure(secure: bool) -> str:
    return "; Secure" if secure else ""
