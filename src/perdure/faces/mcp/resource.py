"""The server as a resource that OAuth knows: who may call it, and how they show that they may."""

from collections.abc import Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from perdure.access.actor import Scope
from perdure.api.http import Answer, Call, Receive, Send
from perdure.api.http import Scope as AsgiScope
from perdure.api.services import Services
from perdure.core.errors import NotAllowed

PATH = "/.well-known/oauth-protected-resource"
LOCAL_NAMES = frozenset({"localhost", "localhost.localdomain"})


class ProtectedResource:
    """Tells what a token is to be for, and that this deployment issues it: a person lets a program in on the page."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        call = Call.of(scope, receive)
        if call.method not in ("GET", "HEAD") or call.path.rstrip("/") not in (PATH, f"{PATH}/mcp"):
            await Answer.json(404, {"message": "There is nothing at this address."}).send(send)
            return
        address = self._services.address(call)
        told = {
            "resource": f"{address}/mcp",
            "resource_name": "Perdure",
            "authorization_servers": [address],
            "scopes_supported": [Scope.CHAT.value],
            "bearer_methods_supported": ["header"],
        }
        headers = (("cache-control", "no-store"), ("access-control-allow-origin", "*"))
        await Answer.json(200, told, *headers).send(send)


def challenge(status: int, address: str) -> tuple[tuple[str, str], ...]:
    """What a refused client reads: where it says what a token is to be for."""
    said = f'Bearer resource_metadata="{address}{PATH}/mcp", scope="{Scope.CHAT.value}"'
    match status:
        case 401:
            return (("www-authenticate", said),)
        case 403:
            return (("www-authenticate", said.replace("Bearer ", 'Bearer error="insufficient_scope", ')),)
        case _:
            return ()


def check_page(call: Call, public_url: str | None, origins: Sequence[str]) -> None:
    """Only pages that the deployment lets in; a page that calls this machine by another name is none of them."""
    origin = call.headers.get("origin")
    if origin is None or {origin, "*"} & set(origins):
        return
    if public_url is not None and urlsplit(public_url)[:2] == urlsplit(origin)[:2]:
        return
    if _local(origin) and _local(f"//{call.headers.get('host', '')}"):
        return
    raise NotAllowed("Pages of this origin may not use this server: see PERDURE_ALLOWED_ORIGINS.")


def _local(address: str) -> bool:
    try:
        host = urlsplit(address).hostname or ""
        return host in LOCAL_NAMES or ip_address(host).is_loopback
    except ValueError:
        return False
