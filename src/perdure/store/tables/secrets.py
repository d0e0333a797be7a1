"""Encrypted secrets: those of the deployment, and all that are to be encrypted anew with another key."""

from perdure.store.query import query
from perdure.store.scopes import Database


@query
async def read(db: Database, name: str) -> bytes | None: ...


@query
async def keep(db: Database, name: str, secret: bytes) -> None: ...


@query
async def list_deployment_secrets(db: Database) -> list[bytes]: ...


@query
async def list_hooks(db: Database) -> list[bytes]: ...


@query
async def list_login_services(db: Database) -> list[bytes]: ...


@query
async def list_mcp_grants(db: Database) -> list[bytes]: ...


@query
async def list_mcp_registrations(db: Database) -> list[bytes]: ...


@query
async def list_mcp_servers(db: Database) -> list[bytes]: ...


@query
async def list_network_secrets(db: Database) -> list[bytes]: ...


@query
async def list_own_network_secrets(db: Database) -> list[bytes]: ...


@query
async def list_provider_keys(db: Database) -> list[bytes]: ...


@query
async def list_triggers(db: Database) -> list[bytes]: ...


@query
async def list_webhooks(db: Database) -> list[bytes]: ...


@query
async def seal_deployment_secrets(db: Database, secret: bytes, renewed: bytes) -> None: ...


@query
async def seal_hooks(db: Database, secret: bytes, renewed: bytes) -> None: ...


@query
async def seal_login_services(db: Database, secret: bytes, renewed: bytes) -> None: ...


@query
async def seal_mcp_grants(db: Database, secret: bytes, renewed: bytes) -> None: ...


@query
async def seal_mcp_registrations(db: Database, secret: bytes, renewed: bytes) -> None: ...


@query
async def seal_mcp_servers(db: Database, secret: bytes, renewed: bytes) -> None: ...


@query
async def seal_network_secrets(db: Database, secret: bytes, renewed: bytes) -> None: ...


@query
async def seal_own_network_secrets(db: Database, secret: bytes, renewed: bytes) -> None: ...


@query
async def seal_provider_keys(db: Database, secret: bytes, renewed: bytes) -> None: ...


@query
async def seal_triggers(db: Database, secret: bytes, renewed: bytes) -> None: ...


@query
async def seal_webhooks(db: Database, secret: bytes, renewed: bytes) -> None: ...
