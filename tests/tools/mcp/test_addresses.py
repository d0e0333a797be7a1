"""Addresses that a server names for its sign-in: what is inside is not fetched for a stranger."""

import pytest

from perdure.tools.mcp.messages import Unreachable
from perdure.tools.mcp.protocol.discovery import check_named

OUTSIDE = "https://mcp.example.com/v1"


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:9000/token",
        "http://localhost/token",
        "http://[::1]/token",
        "http://[::ffff:127.0.0.1]/token",
        "http://[::127.0.0.1]/token",
        "http://[64:ff9b::7f00:1]/token",
        "http://[64:ff9b::a9fe:a9fe]/latest/meta-data/",
        "http://[2002:7f00:1::]/token",
        "http://2130706433/token",
        "http://[/token",
        "http://a..b/token",
        "http://0.0.0.0/token",
        "http://169.254.169.254/latest/meta-data/",
        "http://[fe80::1]/token",
        "http://[fd00:ec2::254]/latest/meta-data/",
        "http://metadata.google.internal/computeMetadata/v1/",
        "http://METADATA.google.internal./x",
        "ftp://auth.example.com/token",
        "file:///etc/passwd",
        "https:///nowhere",
    ],
)
async def test_an_address_inside_is_not_fetched(address: str) -> None:
    with pytest.raises(Unreachable):
        await check_named(address, OUTSIDE)


@pytest.mark.parametrize("address", ["https://93.184.216.34/token", "https://10.1.2.3/token"])
async def test_other_addresses_are(address: str) -> None:
    await check_named(address, OUTSIDE)


async def test_an_admin_who_set_a_server_up_on_this_machine_allowed_it() -> None:
    await check_named("http://127.0.0.1:9000/token", "http://127.0.0.1:8000/mcp")
    with pytest.raises(Unreachable):
        await check_named("http://169.254.169.254/token", "http://127.0.0.1:8000/mcp")
