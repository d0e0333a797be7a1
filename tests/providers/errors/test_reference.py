"""The table in the docs is the table in the code."""

from pathlib import Path

from perdure.core.failure import ErrorKind
from perdure.providers.errors.rows import ROWS
from perdure.providers.errors.words import SENTENCES

PAGE = Path("docs/reference/errors.md").read_text()


def test_the_page_holds_every_row_in_order() -> None:
    rows = [
        f"| {number} | {row.says} | `{row.kind}` | {'yes' if row.retryable else 'no'} |"
        for number, row in enumerate(ROWS, start=1)
    ]
    assert "\n".join(rows) in PAGE


def test_the_page_explains_every_kind() -> None:
    kinds = [f"| `{kind}` | {SENTENCES[kind].replace('{provider}', 'Anthropic')} |" for kind in ErrorKind]
    assert all(line in PAGE for line in kinds)
