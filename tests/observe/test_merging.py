"""Numbers of several processes on one page."""

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from perdure.observe.metrics import Metrics, merged

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
COUNTS = st.dictionaries(TEXTS, st.integers(0, 1_000), max_size=4)


def page(counts: dict[str, int], plain: int) -> bytes:
    metrics = Metrics()
    counter = metrics.counter("things", "Things, by {kind} and # number.", "kind")
    for kind, count in counts.items():
        counter.labels(kind).inc(count)
    metrics.gauge("level", "How high it is.").set(plain)
    metrics.seconds("waits", "How long it takes.").observe(plain)
    return metrics.render()


def samples(text: bytes, **more: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    return {
        (sample.name, frozenset({**sample.labels, **more}.items())): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


@given(st.lists(st.tuples(COUNTS, st.integers(0, 100)), min_size=1, max_size=4))
def test_every_sample_of_every_process_is_there_with_its_process(given_pages: list[tuple[dict[str, int], int]]) -> None:
    pages = {str(number): page(counts, plain) for number, (counts, plain) in enumerate(given_pages)}
    expected = {key: value for name, text in pages.items() for key, value in samples(text, process=name).items()}
    assert samples(merged(pages)) == expected


def test_a_family_is_described_once_and_its_samples_stand_together() -> None:
    text = merged({"0": page({"a": 1}, 2), "1": page({"b": 3}, 4)}).decode()
    things = [line for line in text.splitlines() if "perdure_things" in line]
    assert things == [
        "# HELP perdure_things_total Things, by {kind} and # number.",
        "# TYPE perdure_things_total counter",
        'perdure_things_total{process="0",kind="a"} 1.0',
        'perdure_things_total{process="1",kind="b"} 3.0',
    ]
