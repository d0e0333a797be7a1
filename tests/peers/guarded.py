"""An MCP server that lets in only those whom the identity provider knows.

usage: python guarded.py PORT ISSUER
"""

import sys

import httpx2
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer
from pydantic import AnyHttpUrl

PORT, ISSUER = int(sys.argv[1]), sys.argv[2]


class Introspected(TokenVerifier):
    """Asks the identity provider about every token."""

    async def verify_token(self, token: str) -> AccessToken | None:
        async with httpx2.AsyncClient(trust_env=False) as http:
            answer = await http.post(
                f"{ISSUER}/token/introspection", data={"token": token}, auth=("guard", "guard-secret")
            )
        claims = answer.json()
        if not claims.get("active"):
            return None
        return AccessToken(token=token, client_id=claims["client_id"], scopes=str(claims.get("scope", "")).split())


server = MCPServer(
    "guarded",
    token_verifier=Introspected(),
    auth=AuthSettings(
        issuer_url=AnyHttpUrl(ISSUER),
        resource_server_url=AnyHttpUrl(f"http://127.0.0.1:{PORT}/mcp"),
        required_scopes=["tools"],
    ),
)


@server.tool()
def secret() -> str:
    """Say what only those may hear who signed in."""
    return "the eagle has landed"


if __name__ == "__main__":
    server.run("streamable-http", host="127.0.0.1", port=PORT)
