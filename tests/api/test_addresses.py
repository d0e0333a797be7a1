"""Addresses that admins set up: refused where nothing can be sent, and told to nobody who may not see them."""

from typing import Any

import pytest

from perdure.access.actor import Role
from perdure.testing.served_api import ServedApi

NOWHERE = ("http://\u0080", "http://a\\b", "http://a..b", "http://.", f"http://{'a' * 64}", "http://a:0", "http://[")
SECRET = "https://user:s3cret@rules.example.org/s3cret?key=s3cret"
BODIES: dict[str, tuple[str, Any]] = {
    "/hooks": ("url", {"events": ["pre_tool_use"]}),
    "/mcp-servers": ("url", {"slug": "s"}),
    "/providers": ("base_url", {"name": "P", "dialect": "openai_chat"}),
}


@pytest.mark.parametrize("path", BODIES)
async def test_an_address_that_leads_nowhere_is_refused_and_named(api: ServedApi, path: str) -> None:
    field, body = BODIES[path]
    async with await api.person("boss", Role.OWNER) as boss:
        made = await boss.post(path, {**body, field: "https://rules.example.org"})
        assert made.status == 201
        for address in NOWHERE:
            for refused in (
                await boss.post(path, {**body, field: address}),
                await boss.patch(f"{path}/{made.json['id']}", {field: address}),
            ):
                assert (refused.status, refused.json["validations"][0]["field"]) == (400, field), address


@pytest.mark.parametrize("path", BODIES)
async def test_of_an_address_the_audit_log_holds_only_whose_it_is(api: ServedApi, path: str) -> None:
    field, body = BODIES[path]
    address = SECRET if path != "/providers" else SECRET.partition("?")[0]
    async with await api.person("boss", Role.OWNER) as boss, await api.person("eve", Role.AUDITOR) as auditor:
        assert (await boss.post(path, {**body, field: address})).status == 201
        told = (await boss.get("/audit")).json["items"][0]
        assert told["detail"][field] == "https://rules.example.org"
        assert "s3cret" not in str(told)
        assert "rules.example.org" not in str((await auditor.get("/audit")).json)


async def test_of_a_command_the_audit_log_holds_only_its_program(api: ServedApi) -> None:
    async with await api.person("boss", Role.OWNER) as boss:
        body = {"slug": "s", "transport": "stdio", "command": "server --token=s3cret"}
        assert (await boss.post("/mcp-servers", body)).status == 201
        told = (await boss.get("/audit")).json["items"][0]
        assert told["detail"]["program"] == "server"
        assert "s3cret" not in str(told)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("header", "Content-Length"),
        ("header", "host"),
        ("secret", "a\nb"),
        ("secret", "a\x01"),
        ("secret", "schlüssel"),
    ],
)
async def test_what_no_request_to_a_server_can_carry_is_refused(api: ServedApi, field: str, value: str) -> None:
    body = {"slug": "s", "url": "http://127.0.0.1:9/mcp", "auth": "header", "header": "X-Key", "secret": "k\tk"}
    async with await api.person("boss", Role.OWNER) as boss:
        refused = await boss.post("/mcp-servers", {**body, field: value})
        assert (refused.status, refused.json["validations"][0]["field"]) == (400, field)
        assert (await boss.post("/mcp-servers", body)).status == 201
