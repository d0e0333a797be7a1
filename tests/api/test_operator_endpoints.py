"""What operators and their machines are told."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from perdure.api.operator_endpoints import OperatorEndpoints
from perdure.observe.metrics import Metrics


async def get(path: str, obstacles: Mapping[str, str]) -> tuple[int, bytes]:
    async def readiness() -> Mapping[str, str]:
        return obstacles

    async def metrics(_: str) -> bytes:
        return Metrics().render()

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request"}

    await OperatorEndpoints(readiness=readiness, metrics=metrics)({"type": "http", "path": path}, receive, send)
    return sent[0]["status"], sent[1]["body"]


@pytest.mark.parametrize(
    ("path", "obstacles", "status", "answer"),
    [
        ("/healthz", {"database": "away"}, 200, {"status": "alive"}),
        ("/readyz", {}, 200, {"status": "ready"}),
        ("/readyz", {"database": "away"}, 503, {"status": "not ready", "because": {"database": "away"}}),
        ("/elsewhere", {}, 404, {"message": "There is nothing here."}),
    ],
)
async def test_an_answer(path: str, obstacles: Mapping[str, str], status: int, answer: object) -> None:
    code, body = await get(path, obstacles)
    assert (code, msgspec.json.decode(body)) == (status, answer)


async def test_metrics_are_text() -> None:
    code, body = await get("/metrics", {})
    assert code == 200
    assert b"process_cpu_seconds_total" in body
