"""Google's way to authorize a request: a short-lived token, fetched by Google's own library."""

import asyncio
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import msgspec

from perdure.core.extras import require
from perdure.providers.credentials import Outgoing
from perdure.providers.errors.failures import CredentialsUnusable

SCOPES = ("https://www.googleapis.com/auth/cloud-platform",)


class GoogleCredentials:
    """A service account's key as JSON, or without one whatever the machine's own configuration offers."""

    def __init__(self, service_account: str | None = None) -> None:
        self._service_account = service_account
        self._credentials: Any = None
        self._refreshing = asyncio.Lock()

    def __repr__(self) -> str:
        return "GoogleCredentials()"

    async def authorize(self, _: Outgoing, /) -> Mapping[str, str]:
        async with self._refreshing:
            known = self._credentials
            if known is None or not known.valid:
                known = await asyncio.to_thread(self._refreshed)
                self._credentials = known
        return {"authorization": f"Bearer {known.token}"}

    def _refreshed(self) -> Any:
        # Google's library is slow to import and only few need it.
        require("google", CredentialsUnusable)
        auth: Any = import_module("google.auth")
        exceptions: Any = import_module("google.auth.exceptions")
        requests: Any = import_module("google.auth.transport.requests")
        service_account: Any = import_module("google.oauth2.service_account")
        try:
            found = self._credentials
            if found is None and self._service_account is not None:
                info = msgspec.json.decode(self._service_account, type=dict[str, Any])
                found = service_account.Credentials.from_service_account_info(info, scopes=SCOPES)
            elif found is None:
                found, _ = auth.default(scopes=SCOPES)
            found.refresh(requests.Request())
        except (exceptions.GoogleAuthError, ValueError) as error:
            raise CredentialsUnusable(f"cannot get a token: {type(error).__name__}") from error
        return found
