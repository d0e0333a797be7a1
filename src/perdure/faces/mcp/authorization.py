"""How a program gets a token without one: it registers, a person lets it in on the page, and it takes the token."""

from http import HTTPStatus
from urllib.parse import parse_qsl

import msgspec
from msgspec import Struct

from perdure.access import programs
from perdure.access.actor import Scope
from perdure.access.programs import Codes
from perdure.api.http import Answer, Call, Gone, Receive, Send
from perdure.api.http import Scope as AsgiScope
from perdure.api.services import Services
from perdure.core.errors import InvalidInput, PerdureError
from perdure.core.timing import PROGRAM_TOKEN_KEPT

METADATA = "/.well-known/oauth-authorization-server"
BASE = "/oauth"
PAGE = "/settings/connect"
"""Where a person lets programs in."""
BODY_LIMIT = 16 * 1024
_OPEN = (("cache-control", "no-store"), ("access-control-allow-origin", "*"))
_PREFLIGHT = (
    *_OPEN,
    ("access-control-allow-methods", "GET, POST"),
    ("access-control-allow-headers", "authorization, content-type, mcp-protocol-version"),
)


class Registration(Struct, frozen=True):
    redirect_uris: tuple[str, ...]
    client_name: str = ""


class AuthorizationServer:
    """Anybody may ask. Nothing is stored: the token is made when a person allows it, and taken with the code."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._codes = Codes(services.keyring)

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        call = Call.of(scope, receive)
        try:
            answer = await self._answer(call)
        except Gone:
            return
        except InvalidInput as error:
            answer = _refused("invalid_client_metadata", str(error))
        except PerdureError as error:
            answer = _refused("invalid_request", str(error))
        await answer.send(send)

    async def _answer(self, call: Call) -> Answer:
        match call.method, call.path:
            case "OPTIONS", _:
                return Answer(HTTPStatus.NO_CONTENT, b"", _PREFLIGHT)
            case "GET", path if path.startswith(METADATA):
                return Answer.json(HTTPStatus.OK, self._metadata(call), *_OPEN)
            case "POST", "/oauth/register":
                return self._registered(await call.body(BODY_LIMIT))
            case "POST", "/oauth/token":
                return await self._token(await call.body(BODY_LIMIT))
            case _:
                return Answer.json(HTTPStatus.NOT_FOUND, {"error": "not_found"}, *_OPEN)

    def _metadata(self, call: Call) -> dict[str, object]:
        address = self._services.address(call)
        return {
            "issuer": address,
            "authorization_endpoint": f"{address}{PAGE}",
            "token_endpoint": f"{address}{BASE}/token",
            "registration_endpoint": f"{address}{BASE}/register",
            "scopes_supported": [Scope.CHAT.value],
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
            "authorization_response_iss_parameter_supported": True,
        }

    def _registered(self, body: bytes) -> Answer:
        try:
            wish = msgspec.json.decode(body, type=Registration)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return _refused("invalid_client_metadata", "Send redirect_uris, as JSON.")
        told: dict[str, object] = {
            "client_id": programs.registered(wish.client_name, wish.redirect_uris),
            "client_name": wish.client_name,
            "redirect_uris": list(wish.redirect_uris),
            "grant_types": ["authorization_code"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        }
        return Answer.json(HTTPStatus.CREATED, told, *_OPEN)

    async def _token(self, body: bytes) -> Answer:
        form = dict(parse_qsl(body.decode("latin-1")))
        if form.get("grant_type") != "authorization_code":
            return _refused("unsupported_grant_type", "Only codes are exchanged here.")
        code, client_id, redirect, verifier = (
            form.get(name, "") for name in ("code", "client_id", "redirect_uri", "code_verifier")
        )
        secret = self._codes.redeemed(code, client_id, redirect, verifier, self._services.clock.now().timestamp())
        if secret is None or not await self._services.authentication.taken(secret):
            return _refused("invalid_grant", "The code is over, was used, or is not for this program.")
        told: dict[str, object] = {
            "access_token": secret,
            "token_type": "Bearer",
            "expires_in": int(PROGRAM_TOKEN_KEPT.total_seconds()),
            "scope": Scope.CHAT.value,
        }
        return Answer.json(HTTPStatus.OK, told, *_OPEN)


def _refused(error: str, description: str) -> Answer:
    return Answer.json(HTTPStatus.BAD_REQUEST, {"error": error, "error_description": description}, *_OPEN)
