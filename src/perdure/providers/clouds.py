"""How clouds authorize a request, each by its own library: Amazon by a signature, Google by a short-lived token."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import msgspec

from perdure.core.extras import require
from perdure.providers.credentials import Outgoing
from perdure.providers.errors.failures import CredentialsUnusable

SERVICE = "bedrock"


@dataclass(frozen=True, slots=True)
class AwsCredentials:
    """A pair of keys, or without one whatever the machine's own configuration offers."""

    region: str
    access_key_id: str | None = None
    secret_access_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)

    async def authorize(self, outgoing: Outgoing, /) -> Mapping[str, str]:
        # Looking for the machine's credentials reads files and may ask a metadata service.
        if self.access_key_id is None:
            return await asyncio.to_thread(self._signed, outgoing)
        return self._signed(outgoing)

    def _signed(self, outgoing: Outgoing) -> Mapping[str, str]:
        # Amazon's library has no types and is slow to import; only its signer is used, and only by those who need it.
        require("aws", CredentialsUnusable)
        auth: Any = import_module("botocore.auth")
        awsrequest: Any = import_module("botocore.awsrequest")
        exceptions: Any = import_module("botocore.exceptions")
        content_type = outgoing.headers.get("content-type", "application/json")
        try:
            request = awsrequest.AWSRequest(
                method=outgoing.method, url=outgoing.url, data=outgoing.body, headers={"content-type": content_type}
            )
            auth.SigV4Auth(self._found(), SERVICE, self.region).add_auth(request)
        except exceptions.BotoCoreError as error:
            raise CredentialsUnusable(f"cannot sign: {type(error).__name__}") from error
        return {name: str(value) for name, value in request.headers.items()}

    def _found(self) -> Any:
        if self.access_key_id is not None and self.secret_access_key is not None:
            credentials: Any = import_module("botocore.credentials")
            return credentials.Credentials(self.access_key_id, self.secret_access_key, self.session_token)
        session: Any = import_module("botocore.session")
        found = session.get_session().get_credentials()
        if found is None:
            raise CredentialsUnusable("unable to locate credentials")
        return found


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
