"""What proves to GitHub that we are an app: its number and its private key, as somebody pastes them."""

import re
from dataclasses import dataclass
from datetime import datetime

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from perdure.core.errors import InvalidInput, Validation
from perdure.core.timing import APP_PROOF_BEFORE, APP_PROOF_KEPT

_APP = re.compile(r"\s*([\w.]+)\s*:\s*-----BEGIN ((?:RSA )?PRIVATE KEY)-----([A-Za-z0-9+/=\s]+)-----END \2-----\s*")


@dataclass(frozen=True, slots=True)
class GitHubApp:
    """An app, which acts in every repository that it was installed in."""

    issuer: str
    key: RSAPrivateKey

    def proof(self, now: datetime) -> str:
        # Slow to load, and most deployments have no GitHub app.
        import jwt  # noqa: PLC0415

        claims = {"iss": self.issuer, "iat": now - APP_PROOF_BEFORE, "exp": now + APP_PROOF_KEPT}
        return jwt.encode(claims, self.key, algorithm="RS256")


def read_app(credential: str) -> GitHubApp | None:
    """The app of `123456:-----BEGIN RSA PRIVATE KEY-----…`, in one line or several; None where it is a plain token."""
    if "-----BEGIN" not in credential:
        return None
    found = _APP.fullmatch(credential)
    try:
        if found is None:
            raise ValueError("not of this form")
        issuer, kind, body = found.groups()
        lines = "\n".join(body.split())
        pem = f"-----BEGIN {kind}-----\n{lines}\n-----END {kind}-----\n"
        key = load_pem_private_key(pem.encode(), None)
        if not isinstance(key, RSAPrivateKey):
            raise ValueError("not an RSA key")
    except ValueError as error:
        wanted = "is the app's ID, a colon and its private key (PEM), or a token"
        raise InvalidInput("This is not the private key of a GitHub app.", Validation("credential", wanted)) from error
    return GitHubApp(issuer, key)
