"""The way to a login service: through the proxy for its address, with the certificates that the deployment trusts."""

import ssl
from pathlib import Path

import msgspec
import pytest
from tests.providers.certificates import self_signed
from tests.providers.servers import Canned, answer

from perdure.access.oidc import Attempt, Client, Oidc
from perdure.core.errors import Unavailable
from perdure.core.timing import SystemClock


def described(url: str) -> bytes:
    """What a login service says of itself."""
    places = {name: f"{url}/{name}" for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")}
    return answer(msgspec.json.encode({"issuer": url, **places}), content_type="application/json")


async def begun(oidc: Oidc, url: str) -> str:
    return await oidc.url(Client(url, "perdure", None, "http://127.0.0.1/back"), Attempt.new())


async def test_a_certificate_of_one_s_own_is_trusted_where_the_deployment_does(tmp_path: Path) -> None:
    ca_file = self_signed(tmp_path)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(ca_file)
    said: list[bytes] = []
    async with Canned(said, tls) as service:
        said.append(described(service.url))
        with pytest.raises(Unavailable):
            await begun(Oidc(SystemClock()), service.url)
        trusting = Oidc(SystemClock(), trusted=ssl.create_default_context(cafile=ca_file))
        assert (await begun(trusting, service.url)).startswith(f"{service.url}/authorization_endpoint?")


async def test_the_proxy_is_the_one_for_the_address() -> None:
    asked: list[str] = []
    said: list[bytes] = []
    async with Canned(said) as service:
        said.append(described(service.url))
        oidc = Oidc(SystemClock(), proxy=asked.append)
        await begun(oidc, service.url)
        assert asked == [f"{service.url}/.well-known/openid-configuration"]
