"""OpenID Connect as a client speaks it: discovery, a code with proof of a key, a token checked to the last claim."""

import base64
import hashlib
import secrets
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import aiohttp
import msgspec
from msgspec import Struct

from perdure.core.errors import Unauthenticated, Unavailable
from perdure.core.timing import OIDC_CACHED, OIDC_LEEWAY, OIDC_PATIENCE, Clock
from perdure.store.cache import Cache

if TYPE_CHECKING:
    import jwt

ALGORITHMS = ("RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "EdDSA")
SCOPES = "openid email profile"
_AWAY = (aiohttp.ClientError, TimeoutError, msgspec.MsgspecError, UnicodeDecodeError)


class Metadata(Struct, frozen=True):
    """What a provider says of itself."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)


@dataclass(frozen=True, slots=True)
class Client:
    """Who we are to a provider."""

    issuer: str
    client_id: str
    secret: str | None
    redirect_uri: str
    scopes: str = SCOPES


class Attempt(Struct, frozen=True):
    """Somebody on their way to a provider and back: what must come back with them, and what only we know."""

    state: str
    nonce: str
    verifier: str

    @classmethod
    def new(cls) -> "Attempt":
        return cls(secrets.token_urlsafe(24), secrets.token_urlsafe(24), secrets.token_urlsafe(48))

    @property
    def challenge(self) -> str:
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _basic(client: Client) -> str:
    return aiohttp.encode_basic_auth(quote(client.client_id, safe=""), quote(client.secret or "", safe=""))


class Oidc:
    """Talks to providers. What they say of themselves is kept for a while."""

    def __init__(
        self,
        clock: Clock,
        *,
        proxy: Callable[[str], str | None] = lambda _: None,
        trusted: ssl.SSLContext | None = None,
    ) -> None:
        self._proxy = proxy
        self._trusted = trusted
        self._metadata = Cache[str, Metadata](self._discover, kept=OIDC_CACHED, clock=clock)
        self._keys = Cache[str, "jwt.PyJWKSet"](self._load_keys, kept=OIDC_CACHED, clock=clock)

    async def url(self, client: Client, attempt: Attempt) -> str:
        """Where to send somebody's browser."""
        metadata = await self._metadata.get(client.issuer)
        asked = {
            "response_type": "code",
            "client_id": client.client_id,
            "redirect_uri": client.redirect_uri,
            "scope": client.scopes,
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": attempt.challenge,
            "code_challenge_method": "S256",
        }
        joint = "&" if "?" in metadata.authorization_endpoint else "?"
        return f"{metadata.authorization_endpoint}{joint}{urlencode(asked)}"

    async def claims(self, client: Client, attempt: Attempt, code: str) -> Mapping[str, Any]:
        """What the provider says of whoever came back with this code."""
        metadata = await self._metadata.get(client.issuer)
        answer = await self._exchange(metadata, client, attempt, code)
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise Unauthenticated("The login service did not say who you are.")
        claims = await self._checked(metadata, client, token)
        if not secrets.compare_digest(str(claims.get("nonce", "")), attempt.nonce):
            raise Unauthenticated("The login service's answer was meant for somebody else.")
        return claims

    async def _exchange(self, metadata: Metadata, client: Client, attempt: Attempt, code: str) -> dict[str, Any]:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": client.redirect_uri,
            "code_verifier": attempt.verifier,
        }
        methods = metadata.token_endpoint_auth_methods_supported
        basic = client.secret is not None and ("client_secret_basic" in methods or "client_secret_post" not in methods)
        if not basic:
            form |= {"client_id": client.client_id, **({"client_secret": client.secret} if client.secret else {})}
        headers = {"authorization": _basic(client)} if basic else {}
        url = metadata.token_endpoint
        try:
            async with self._http(url) as http, http.post(url, data=form, headers=headers) as response:
                answer = msgspec.json.decode(await response.read(), type=dict[str, Any])
        except _AWAY as error:
            raise Unavailable("The login service did not answer. Try again.") from error
        if response.status != 200:
            raise Unauthenticated(f"The login service refused: {answer.get('error', response.status)}.")
        return answer

    async def _checked(self, metadata: Metadata, client: Client, token: str) -> Mapping[str, Any]:
        # Slow to load, and only for those who have a login service.
        import jwt  # noqa: PLC0415

        try:
            key = await self._key(metadata, jwt.get_unverified_header(token).get("kid"))
            return jwt.decode(
                token,
                key,
                algorithms=list(ALGORITHMS),
                audience=client.client_id,
                issuer=metadata.issuer,
                leeway=OIDC_LEEWAY,
                options={"require": ["exp", "iat", "iss", "aud", "sub"]},
            )
        except jwt.PyJWTError as error:
            raise Unauthenticated("The login service's answer is not valid.") from error

    async def _key(self, metadata: Metadata, name: str | None) -> "jwt.PyJWK":
        """The key of this name; asked for again where it is not known, as providers rotate them."""
        for fresh in (False, True):
            if fresh:
                self._keys.forget(lambda uri: uri == metadata.jwks_uri)
            keys = (await self._keys.get(metadata.jwks_uri)).keys
            found = [key for key in keys if name is None or key.key_id == name]
            if found:
                return found[0]
        raise Unauthenticated("The login service signed with a key that it does not publish.")

    async def _discover(self, issuer: str) -> Metadata:
        content = await self._get(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        try:
            metadata = msgspec.json.decode(content, type=Metadata)
        except msgspec.MsgspecError as error:
            raise Unavailable("The login service publishes no OpenID configuration.") from error
        if metadata.issuer.rstrip("/") != issuer.rstrip("/"):
            raise Unavailable(f"The login service calls itself {metadata.issuer}, not {issuer}.")
        return metadata

    async def _load_keys(self, uri: str) -> "jwt.PyJWKSet":
        import jwt  # noqa: PLC0415

        try:
            return jwt.PyJWKSet.from_dict(msgspec.json.decode(await self._get(uri), type=dict[str, Any]))
        except (jwt.PyJWTError, msgspec.MsgspecError) as error:
            raise Unavailable("The login service's keys cannot be read.") from error

    async def _get(self, url: str) -> bytes:
        try:
            async with self._http(url) as http, http.get(url) as response:
                response.raise_for_status()
                return await response.read()
        except _AWAY as error:
            raise Unavailable("The login service did not answer. Try again.") from error

    def _http(self, url: str) -> aiohttp.ClientSession:
        timeout = aiohttp.ClientTimeout(OIDC_PATIENCE.total_seconds())
        connector = aiohttp.TCPConnector(ssl=self._trusted or True)
        return aiohttp.ClientSession(connector=connector, timeout=timeout, proxy=self._proxy(url))
