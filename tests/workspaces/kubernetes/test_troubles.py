"""Why a pod does not run is told in words that name the thing and the remedy."""

import pytest

from perdure.workspaces.kubernetes import troubles
from perdure.workspaces.kubernetes.api import ClusterFault, Object


def container(name: str, **state: Object) -> Object:
    return {"name": name, "image": "registry.test/tools:1", "state": state}


def pod(phase: str = "Pending", *containers: Object, **status: object) -> Object:
    return {
        "metadata": {"name": "p", "uid": "u"},
        "spec": {"nodeName": "node-7"},
        "status": {"phase": phase, "containerStatuses": list(containers), **status},
    }


@pytest.mark.parametrize("reason", troubles.PULLING)
def test_an_image_that_cannot_be_pulled_is_named_with_its_settings(reason: str) -> None:
    said = troubles.of_pod(pod("Pending", container("agent", waiting={"reason": reason, "message": "not found"})))
    assert said == (
        "The image registry.test/tools:1 cannot be pulled (not found). "
        "Check the template's setting 'image' and its 'pull_secret'."
    )


def test_a_pod_that_is_on_its_way_has_no_trouble() -> None:
    waiting = pod("Pending", container("agent", waiting={"reason": "ContainerCreating"}))
    assert troubles.of_pod(waiting) is None
    assert not troubles.ready(waiting)


def test_the_neighbour_may_leave_and_the_agent_program_may_not() -> None:
    left, stays = container("neighbour", terminated={"exitCode": 0}), container("agent", running={})
    assert troubles.ready(pod("Running", left, stays))
    assert not troubles.ended(pod("Running", left, stays))
    assert troubles.ended(pod("Running", left, container("agent", terminated={"exitCode": 0})))


def test_a_traceback_is_told_by_its_last_line() -> None:
    ended = {"exitCode": 1, "message": "Traceback (most recent call last):\n  File\nModuleNotFoundError: No asyncio\n"}
    said = troubles.of_pod(pod("Failed", container("agent", terminated=ended)))
    assert said is not None
    assert "(ModuleNotFoundError: No asyncio)" in said
    assert "Traceback" not in said


def test_memory_eviction_and_a_volume_that_cannot_be_written_are_told_apart() -> None:
    memory = troubles.of_pod(pod("Failed", container("agent", terminated={"exitCode": 137, "reason": "OOMKilled"})))
    evicted = troubles.of_pod(pod("Failed", reason="Evicted", message="The node was low on resource: memory."))
    volume = troubles.of_pod(
        pod("Pending", initContainerStatuses=[container("prepare", terminated={"exitCode": 1, "message": "mkdir: no"})])
    )
    assert memory is not None
    assert "memory was used up" in memory
    assert evicted is not None
    assert "put the workspace out (The node was low on resource: memory.)" in evicted
    assert volume is not None
    assert "(mkdir: no). Its storage class must honour fsGroup" in volume


def test_a_node_that_does_not_answer_is_named() -> None:
    # As Kubernetes 1.36 leaves them 50 s after the last word of a node.
    conditions = [{"type": "Ready", "status": "False"}, {"type": "ContainersReady", "status": "True"}]
    said = troubles.of_node(pod("Running", container("agent", running={}), conditions=conditions))
    assert said is not None
    assert "The node node-7" in said
    begins = [
        {"type": name, "status": "False", "reason": "ContainersNotReady"} for name in ("Ready", "ContainersReady")
    ]
    assert troubles.of_node(pod("Running", conditions=begins)) is None
    assert troubles.of_node(pod("Pending", conditions=[{"type": "PodScheduled", "status": "True"}])) is None
    gated = [{"type": "Ready", "status": "False", "reason": "ReadinessGatesNotReady"}, conditions[1]]
    assert troubles.of_node(pod("Running", conditions=gated)) is None


def test_no_room_on_any_node_is_told_with_what_to_change() -> None:
    conditions = [
        {"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available: 3 Insufficient cpu."}
    ]
    said = troubles.of_scheduling(pod("Pending", conditions=conditions))
    assert said is not None
    assert "0/3 nodes are available" in said
    assert "'node_selector'" in said


def test_a_volume_that_takes_its_time_is_no_want_of_room() -> None:
    said = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found"
    waiting = pod("Pending", conditions=[{"type": "PodScheduled", "status": "False", "message": said}])
    assert troubles.of_scheduling(waiting, late=False) is None
    late = troubles.of_scheduling(waiting)
    assert late is not None
    assert late.startswith("The workspace's volume is not made in time (0/1 nodes")


def test_the_newest_complaint_of_the_volume_is_told() -> None:
    def event(reason: str, message: str, moment: str) -> Object:
        return {"reason": reason, "message": message, "lastTimestamp": moment, "metadata": {}}

    older = event("FailedMount", "no such disk", "2026-01-01T00:00:00Z")
    newer = event("ProvisioningFailed", 'storageclass "fast" not found', "2026-01-01T00:00:05Z")
    said = troubles.of_events([older, event("Scheduled", "ok", "2026-01-01T00:00:09Z"), newer])
    assert said is not None
    assert 'storageclass "fast" not found' in said
    assert "'storage_class'" in said
    assert troubles.of_events([]) is None
    assert troubles.of_events([older], late=False) is None


@pytest.mark.parametrize(
    ("status", "message", "told"),
    [
        (401, "Unauthorized", "renew the token or the kubeconfig"),
        (403, 'pods "p" is forbidden: exceeded quota: q', "quota is used up"),
        (403, "unable to create new content in namespace x because it is being terminated", "is being deleted"),
        (403, 'pods is forbidden: User "u" cannot create resource "pods"', "lacks a right"),
        (403, 'pods "p" is forbidden: violates PodSecurity "restricted"', "security level"),
        (404, 'namespaces "x" not found', "no such namespace"),
        (422, "spec.x: Invalid value", "The cluster refused (spec.x: Invalid value)"),
    ],
)
def test_what_the_api_server_refuses_is_told_with_its_remedy(status: int, message: str, told: str) -> None:
    assert told in troubles.of_fault(ClusterFault(status, "", message), "https://cluster")
