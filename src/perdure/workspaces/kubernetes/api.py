"""A cluster's API over HTTP: objects as plain JSON, watched where we wait for them, and sockets to ports of pods."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Generator, Mapping
from http import HTTPStatus
from typing import Any

import aiohttp

from perdure.core.errors import Misconfigured
from perdure.core.timing import CLUSTER_ANSWER, CLUSTER_HEARTBEAT
from perdure.workspaces.kubernetes.access import Access

Object = dict[str, Any]

CORE, NETWORKING, SANDBOXES = "api/v1", "apis/networking.k8s.io/v1", "apis/agents.x-k8s.io/v1beta1"
FORWARD = "v4.channel.k8s.io"
NO_WAY = "there is no way to the pod's port"
NO_NODE = "the node that the pod runs on does not answer"


class ClusterFault(Exception):
    """The API server refused: with which status, for which reason, in its own words."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.status, self.reason, self.message = status, reason, message


class ClusterAway(Exception):
    """Nobody answers as the API server."""


class Cluster:
    """Speaks to one API server until closed."""

    def __init__(self, access: Access) -> None:
        self.url = access.url
        self._access = access
        self._session: aiohttp.ClientSession | None = None

    async def get(self, group: str, kind: str, namespace: str, name: str) -> Object:
        return await self._ask("GET", _path(group, kind, namespace, name))

    async def find(self, group: str, kind: str, namespace: str, name: str) -> Object | None:
        """An object, where there is one."""
        try:
            return await self.get(group, kind, namespace, name)
        except ClusterFault as fault:
            if fault.status == HTTPStatus.NOT_FOUND:
                return None
            raise

    async def list(self, group: str, kind: str, namespace: str, **query: str) -> list[Object]:
        return (await self._ask("GET", _path(group, kind, namespace), query=query))["items"]

    async def create(self, group: str, kind: str, namespace: str, body: Object) -> Object | None:
        """The object as it is stored; nothing where one of its name is there."""
        try:
            return await self._ask("POST", _path(group, kind, namespace), body=body)
        except ClusterFault as fault:
            if fault.reason == "AlreadyExists":
                return None
            raise

    async def put(self, group: str, kind: str, namespace: str, body: Object) -> Object:
        """Make an object or replace it."""
        made = await self.create(group, kind, namespace, body)
        return made or await self._ask("PUT", _path(group, kind, namespace, body["metadata"]["name"]), body=body)

    async def merge(self, group: str, kind: str, namespace: str, name: str, body: Object) -> Object:
        kept = {"Content-Type": "application/merge-patch+json"}
        return await self._ask("PATCH", _path(group, kind, namespace, name), body=body, headers=kept)

    async def delete(self, group: str, kind: str, namespace: str, name: str, *, uid: str = "", grace: int = -1) -> bool:
        """Whether there was one. With a uid, only that very object."""
        body: Object = {"propagationPolicy": "Background"}
        if uid:
            body["preconditions"] = {"uid": uid}
        if grace >= 0:
            body["gracePeriodSeconds"] = grace
        try:
            await self._ask("DELETE", _path(group, kind, namespace, name), body=body)
        except ClusterFault as fault:
            if fault.status in (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT):
                return False
            raise
        return True

    async def ask(self, path: str) -> Object:
        return await self._ask("GET", path)

    async def allowed(self, attributes: Mapping[str, str]) -> bool:
        """Whether we may do something."""
        body = {"spec": {"resourceAttributes": dict(attributes)}}
        review = await self._ask("POST", "apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body=body)
        return bool(review["status"].get("allowed"))

    async def follow(self, group: str, kind: str, namespace: str, name: str) -> AsyncGenerator[Object | None]:
        """One object as it is now and whenever it changes; nothing where it is not there. Ends when the server says."""
        query = {"fieldSelector": f"metadata.name={name}"}
        listed = await self._ask("GET", _path(group, kind, namespace), query=query)
        yield listed["items"][0] if listed["items"] else None
        query |= {"watch": "1", "resourceVersion": listed["metadata"]["resourceVersion"], "timeoutSeconds": "300"}
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=CLUSTER_ANSWER.total_seconds())
        with _away(self.url):
            url, headers = f"{self.url}/{_path(group, kind, namespace)}", await self._headers()
            async with self._http().get(url, params=query, headers=headers, timeout=timeout) as response:
                await self._raise_for(response)
                async for line in _lines(response.content):
                    change: Object = json.loads(line)
                    if change["type"] == "ERROR":
                        return
                    yield None if change["type"] == "DELETED" else change["object"]

    async def forward(self, namespace: str, pod: str, port: int) -> aiohttp.ClientWebSocketResponse:
        """A socket to a port inside a pod. Messages begin with their channel: 0 is what flows, 1 what went wrong."""
        url = f"{self.url}/{_path(CORE, 'pods', namespace, pod)}/portforward?ports={port}"
        with _away(self.url):
            try:
                async with asyncio.timeout(CLUSTER_ANSWER.total_seconds()):
                    return await self._http().ws_connect(
                        url, protocols=(FORWARD,), headers=await self._headers(), max_msg_size=0, autoping=True,
                        heartbeat=CLUSTER_HEARTBEAT.total_seconds(),
                    )  # fmt: skip
            except aiohttp.WSServerHandshakeError as error:
                raise ClusterFault(error.status, "Forward", f"{NO_WAY} (HTTP {error.status})") from error
            except TimeoutError as error:
                # The API server waits for the node without an end.
                raise ClusterFault(HTTPStatus.GATEWAY_TIMEOUT, "Forward", NO_NODE) from error

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def _ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Object | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Object:
        content = None if body is None else json.dumps(body)
        kind = {} if body is None else {"Content-Type": "application/json"}
        timeout = aiohttp.ClientTimeout(total=CLUSTER_ANSWER.total_seconds())
        with _away(self.url):
            sent = {**kind, **await self._headers(), **(headers or {})}
            async with self._http().request(
                method, f"{self.url}/{path}", params=query, data=content, headers=sent, timeout=timeout
            ) as response:
                await self._raise_for(response)
                return await response.json()

    async def _raise_for(self, response: aiohttp.ClientResponse) -> None:
        if response.status < HTTPStatus.BAD_REQUEST:
            return
        if response.status == HTTPStatus.UNAUTHORIZED:
            self._access.token.forget()
        text = await response.text()
        told: Object = {}
        with contextlib.suppress(ValueError):
            told = json.loads(text)
        raise ClusterFault(response.status, str(told.get("reason") or ""), str(told.get("message") or text[:300]))

    async def _headers(self) -> dict[str, str]:
        token = await self._access.token.current()
        return {"Authorization": f"Bearer {token}"} if token else {}

    def _http(self) -> aiohttp.ClientSession:
        if self._session is None:
            # Every open stream of a workspace is a connection of its own.
            connector = aiohttp.TCPConnector(ssl=self._access.tls, limit=0)
            self._session = aiohttp.ClientSession(connector=connector)
        return self._session


@contextlib.contextmanager
def _away(url: str) -> Generator[None]:
    try:
        yield
    except aiohttp.ClientSSLError as error:
        # A clock that is off shows here first: certificates are not valid yet, or no longer.
        raise Misconfigured(
            f"The API server at {url} shows a certificate that is not accepted ({error}): "
            "check the kubeconfig's certificate-authority, and the clocks."
        ) from error
    except (aiohttp.ClientError, OSError, asyncio.IncompleteReadError) as error:
        raise ClusterAway(str(error) or type(error).__name__) from error


async def _lines(content: aiohttp.StreamReader) -> AsyncGenerator[bytes]:
    """Whole lines of any length: an object may be longer than what aiohttp takes for one."""
    begun = b""
    async for piece in content.iter_any():
        *whole, begun = (begun + piece).split(b"\n")
        for line in whole:
            yield line


def _path(group: str, kind: str, namespace: str, name: str = "") -> str:
    place = f"{group}/namespaces/{namespace}/{kind}" if namespace else f"{group}/{kind}"
    return f"{place}/{name}" if name else place
