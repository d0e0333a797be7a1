"""Requests to S3, signed. Amazon's own library signs and finds credentials; it is loaded by those who store objects."""

from dataclasses import dataclass, field
from datetime import timedelta
from importlib import import_module
from typing import Any

from perdure.core.errors import Misconfigured
from perdure.core.extras import require
from perdure.objects.failures import StorageAway

EMPTY_KEY = "PERDURE_S3_KEY is not usable: it must be `id:secret` or `id:secret:token`."


@dataclass(frozen=True, slots=True)
class Keys:
    """A pair of keys, with a token where they are temporary."""

    access_key_id: str
    secret_access_key: str = field(repr=False)
    token: str | None = field(default=None, repr=False)

    @classmethod
    def parse(cls, text: str) -> "Keys":
        match text.split(":", 2):
            case [access_key_id, secret] if access_key_id and secret:
                return cls(access_key_id, secret)
            case [access_key_id, secret, token] if access_key_id and secret and token:
                return cls(access_key_id, secret, token)
            case _:
                raise Misconfigured(EMPTY_KEY)


class Signer:
    """Signs with a pair of keys, or without one with whatever the machine's own configuration offers."""

    def __init__(self, region: str, keys: Keys | None) -> None:
        require("s3")
        self._region = region
        self._keys = keys
        self._found: Any = None

    def headers(self, method: str, url: str, body: bytes) -> dict[str, str]:
        """What proves a request. It covers the body, so that what arrives otherwise is refused."""
        request = self._request(method, url, body)
        self._signed(request, "S3SigV4Auth")
        return {name: str(value) for name, value in request.headers.items()}

    def url(self, url: str, kept: timedelta) -> str:
        """An address that reads by itself for some time."""
        request = self._request("GET", url, b"")
        self._signed(request, "S3SigV4QueryAuth", expires=round(kept.total_seconds()))
        return str(request.url)

    def _request(self, method: str, url: str, body: bytes) -> Any:
        awsrequest: Any = import_module("botocore.awsrequest")
        return awsrequest.AWSRequest(method=method, url=url, data=body)

    def _signed(self, request: Any, how: str, **options: Any) -> None:
        auth: Any = import_module("botocore.auth")
        exceptions: Any = import_module("botocore.exceptions")
        try:
            getattr(auth, how)(self._credentials(), "s3", self._region, **options).add_auth(request)
        except exceptions.BotoCoreError as error:
            raise StorageAway(
                f"The machine's credentials for S3 cannot be used ({type(error).__name__}). "
                "Renew them, or set PERDURE_S3_KEY.",
                lasting=True,
            ) from error

    def _credentials(self) -> Any:
        if self._found is None and self._keys is not None:
            credentials: Any = import_module("botocore.credentials")
            keys = self._keys
            self._found = credentials.Credentials(keys.access_key_id, keys.secret_access_key, keys.token)
        elif self._found is None:
            # What a role lends is renewed by itself, whenever it is asked for.
            session: Any = import_module("botocore.session")
            self._found = session.get_session().get_credentials()
        if self._found is None:
            raise StorageAway(
                "No credentials for S3 are found on this machine. Set PERDURE_S3_KEY, or give the machine a role.",
                lasting=True,
            )
        return self._found
