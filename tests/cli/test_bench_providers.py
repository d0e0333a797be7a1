"""The provider benchmark measures something real, and says which bar was missed."""

import asyncio

import pytest

from perdure.cli.bench_providers import MODELS, CallFigures, CallLoad, measured, missed, table


def test_a_missed_bar_is_named() -> None:
    rows = [
        CallFigures("good", 1.0, 2.0, 40.0),
        CallFigures("slow", 1.0, 3.5, 70.0),
        CallFigures("near", 2.0, 4.0, 20.0),
        CallFigures("bare", 1, 2, None),
    ]
    assert missed(rows) == ["slow: 3.50 times the floor", "near: SDK only 5.0 times ours"]
    assert "slow" in table(rows)


@pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning")
def test_every_dialect_is_measured_beside_its_sdk() -> None:
    rows = asyncio.run(measured(CallLoad(streams=1, tokens=40, rate=4000, rounds=1)))
    assert [row.dialect for row in rows] == list(MODELS)
    assert all(row.floor > 0 and row.ours > 0 and row.sdk is not None for row in rows)
