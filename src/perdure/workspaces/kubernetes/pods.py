"""A workspace's pod on its way: made once whoever asks, waited for until it runs, ended until it is gone."""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable
from datetime import timedelta
from http import HTTPStatus

from perdure.core.errors import Misconfigured, WorkspaceUnreachable
from perdure.core.timing import CLUSTER_LOOK, CLUSTER_SCHEDULE, CLUSTER_STOP
from perdure.workspaces.connection import UNREACHABLE
from perdure.workspaces.kubernetes import troubles
from perdure.workspaces.kubernetes.api import CORE, Cluster, ClusterAway, ClusterFault, Object
from perdure.workspaces.kubernetes.sandboxes import Sandboxes

NOT_ENDED = "The workspace's pod does not end. Try again; if it still does not, whoever runs the cluster has to look."
LATE = "The workspace's pod does not start in time. Call start_workspace and try again."
NO_CONTROLLER = (
    "Nobody makes a pod for the workspace's Sandbox: start the controller of agent-sandbox in the cluster, or set the "
    "template's 'resource' to 'pod'."
)


class Pods:
    """The pods of one namespace, by name. Who would make one anew by itself is asked not to, before a pod is ended."""

    def __init__(self, cluster: Cluster, namespace: str, *, sandboxes: bool = False) -> None:
        self._cluster, self._namespace = cluster, namespace
        self._sandboxes = Sandboxes(cluster, namespace) if sandboxes else None

    async def make(self, pod: Object, *, alone: bool = False) -> None:
        """Unless there is one. `alone` where no sandbox stands for it."""
        if self._sandboxes is not None and not alone:
            await self._sandboxes.resume(pod)
        else:
            await self._cluster.create(CORE, "pods", self._namespace, pod)

    async def forget(self, name: str) -> None:
        if self._sandboxes is not None:
            await self._sandboxes.remove(name)

    async def find(self, name: str) -> Object | None:
        return await self._cluster.find(CORE, "pods", self._namespace, name)

    async def running(self, name: str, make: Callable[[], Awaitable[object]], patience: timedelta) -> Object:
        """The pod once its agent program has begun. One that has ended, or is leaving, makes room for the next."""
        deadline = time.monotonic() + patience.total_seconds()
        while True:
            found = await self.find(name)
            if found is not None and (found["metadata"].get("deletionTimestamp") or troubles.ended(found)):
                await self.end(found)
                found = None
            if found is None:
                await make()
            if ready := await self._begun(name, deadline):
                return ready

    async def ended(self, name: str) -> Object:
        """The pod once its program has left."""
        async with contextlib.aclosing(self._changes(name)) as changes:
            async for pod in changes:
                if pod is None:
                    raise WorkspaceUnreachable("A pod was deleted before its program had left.")
                if troubles.ended(pod):
                    return pod
                if trouble := troubles.of_pod(pod):
                    raise WorkspaceUnreachable(trouble)
        raise AssertionError("a watch begins again")

    async def end(self, pod: Object) -> None:
        """Until it is gone: a name that is free is a pod that has left."""
        metadata = pod["metadata"]
        if not metadata.get("deletionTimestamp"):
            await self._delete(pod)
        try:
            async with asyncio.timeout(CLUSTER_STOP.total_seconds()):
                async with contextlib.aclosing(self._changes(metadata["name"])) as changes:
                    async for seen in changes:
                        if seen is None or seen["metadata"]["uid"] != metadata["uid"]:
                            return
        except TimeoutError:
            pass
        now = await self.find(metadata["name"])
        if now is not None and now["metadata"]["uid"] == metadata["uid"]:
            raise WorkspaceUnreachable(troubles.of_node(now) or NOT_ENDED)

    async def _delete(self, pod: Object, grace: int = -1) -> None:
        metadata = pod["metadata"]
        if self._sandboxes is not None:
            await self._sandboxes.suspend(metadata["name"])
        await self._cluster.delete(CORE, "pods", self._namespace, metadata["name"], uid=metadata["uid"], grace=grace)

    async def _begun(self, name: str, deadline: float) -> Object | None:
        """The pod when it runs; nothing where it went away meanwhile. Fails, and leaves no pod, where it never will."""
        watching = asyncio.ensure_future(self._watched(name))
        looking = asyncio.ensure_future(self._look(name, deadline))
        try:
            await asyncio.wait((watching, looking), return_when=asyncio.FIRST_COMPLETED)
            if looking.done():
                looking.result()
            return await watching
        except _Hopeless as found:
            await self._delete(found.pod, grace=0)
            raise WorkspaceUnreachable(str(found)) from None
        finally:
            watching.cancel()
            looking.cancel()
            await asyncio.gather(watching, looking, return_exceptions=True)

    async def _watched(self, name: str) -> Object | None:
        async with contextlib.aclosing(self._changes(name)) as changes:
            async for pod in changes:
                if pod is None and self._sandboxes is not None:
                    continue
                if pod is None or pod["metadata"].get("deletionTimestamp"):
                    return None
                if lost := troubles.of_node(pod):
                    raise WorkspaceUnreachable(lost)
                if troubles.ready(pod):
                    return pod
                if trouble := troubles.of_pod(pod):
                    raise _Hopeless(pod, trouble)
        return None

    async def _look(self, name: str, deadline: float) -> None:
        """What only events say, and what only time does."""
        begun = time.monotonic()
        while True:
            await asyncio.sleep(CLUSTER_LOOK.total_seconds())
            pod = await self.find(name)
            if pod is None and self._sandboxes is not None:
                if time.monotonic() - begun > CLUSTER_SCHEDULE.total_seconds():
                    raise WorkspaceUnreachable(NO_CONTROLLER)
                continue
            if pod is None or troubles.ready(pod):
                return
            events = await self.events(pod)
            late = time.monotonic() > deadline
            trouble = troubles.of_events(events, late=late)
            if time.monotonic() - begun > CLUSTER_SCHEDULE.total_seconds() and not _grows(events):
                trouble = trouble or troubles.of_scheduling(pod, late=late)
            if late:
                trouble = trouble or troubles.of_scheduling(pod) or LATE
            if trouble is not None:
                raise _Hopeless(pod, trouble)

    async def events(self, pod: Object) -> list[Object]:
        """What was said of the pod and of its claim."""
        claims = [
            volume["persistentVolumeClaim"]["claimName"]
            for volume in pod["spec"].get("volumes") or ()
            if "persistentVolumeClaim" in volume
        ]
        selectors = [f"involvedObject.uid={pod['metadata']['uid']}"]
        selectors += [f"involvedObject.kind=PersistentVolumeClaim,involvedObject.name={name}" for name in claims]
        found = [await self._cluster.list(CORE, "events", self._namespace, fieldSelector=text) for text in selectors]
        return [event for events in found for event in events]

    async def _changes(self, name: str) -> AsyncGenerator[Object | None]:
        while True:
            async with contextlib.aclosing(self._cluster.follow(CORE, "pods", self._namespace, name)) as changes:
                async for pod in changes:
                    yield pod


def ready(pod: Object) -> bool:
    return troubles.ready(pod)


@contextlib.contextmanager
def asking(url: str, kind: type[Misconfigured] | type[WorkspaceUnreachable]) -> Generator[None]:
    """Say in our own words that the cluster is away or refuses."""
    try:
        yield
    except ClusterFault as fault:
        if fault.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise WorkspaceUnreachable(f"{UNREACHABLE} The cluster says: {fault.message}") from fault
        raise kind(troubles.of_fault(fault, url)) from fault
    except ClusterAway as error:
        away = f"The cluster at {url} does not answer ({error})."
        raise WorkspaceUnreachable(f"{away} Try again; what runs there runs on.") from error


class _Hopeless(Exception):
    """This pod will not run."""

    def __init__(self, pod: Object, trouble: str) -> None:
        super().__init__(trouble)
        self.pod = pod


def _grows(events: Iterable[Object]) -> bool:
    """Whether the cluster makes room for the pod just now."""
    return any(event.get("reason") == "TriggeredScaleUp" for event in events)
