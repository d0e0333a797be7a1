"""Amazon's way to authorize a request: SigV4, signed by Amazon's own library."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

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
