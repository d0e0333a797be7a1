"""The place for what is different between two states of the tree, as people read it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Callable

from perdure.workspaces.agent.diff import unified
from perdure.workspaces.agent.kept import Kept, shown
from perdure.workspaces.agent.rewinding import Step

SHOWN_FILES = 1_000
DIFF_BYTES = 1024 * 1024
FILE_BYTES = 512 * 1024

Content = Callable[[str, Kept], bytes]
"""At most so many bytes of what a file holds."""


def told(steps: Iterable[Step], was: Content, wanted: Content) -> dict[str, object]:
    """Each path with its lines, and a diff in Git's form. Git's own records are counted, not shown."""
    files: list[dict[str, object]] = []
    texts: list[str] = []
    room, count, records = DIFF_BYTES, 0, 0
    for step in sorted(steps):
        if ".git" in step.path.split("/"):
            records += 1
            continue
        step = Step(step.path, _no_folder(step.was), _no_folder(step.wanted))  # noqa: PLW2901
        if step.was is None and step.wanted is None:
            continue
        count += 1
        if count > SHOWN_FILES or room <= 0:
            continue
        text, binary = _text(step, was, wanted)
        room -= len(text)
        texts.append(text)
        files.append({"path": shown(step.path), "status": _status(step), "binary": binary, **_counts(text)})
    return {"count": count, "records": records, "files": files, "diff": "".join(texts), "complete": count == len(files)}


def _no_folder(entry: Kept | None) -> Kept | None:
    return None if entry is None or entry.is_folder else entry


def _status(step: Step) -> str:
    if step.was is None:
        return "new"
    return "deleted" if step.wanted is None else "changed"


def _counts(text: str) -> dict[str, object]:
    lines = text.split("\n")
    added = sum(line.startswith("+") and not line.startswith("+++ ") for line in lines)
    return {"added": added, "removed": sum(line.startswith("-") and not line.startswith("--- ") for line in lines)}


def _text(step: Step, was: Content, wanted: Content) -> tuple[str, bool]:
    before = _content(step.path, step.was, was)
    after = _content(step.path, step.wanted, wanted)
    path = shown(step.path).replace("\n", "\\n")
    head = f"diff --git a/{path} b/{path}\n"
    if step.was is None and step.wanted is not None:
        head += f"new file mode {step.wanted.mode:o}\n"
    elif step.wanted is None and step.was is not None:
        head += f"deleted file mode {step.was.mode:o}\n"
    elif step.was is not None and step.wanted is not None and step.was.mode != step.wanted.mode:
        head += f"old mode {step.was.mode:o}\nnew mode {step.wanted.mode:o}\n"
    if before is None or after is None or b"\0" in before or b"\0" in after:
        return f"{head}Binary files a/{path} and b/{path} differ\n", True
    body = unified(path, before, after)
    if step.was is None:
        body = body.replace(f"--- a/{path}\n", "--- /dev/null\n", 1)
    if step.wanted is None:
        body = body.replace(f"+++ b/{path}\n", "+++ /dev/null\n", 1)
    return head + body, False


def _content(path: str, entry: Kept | None, read: Content) -> bytes | None:
    """Nothing for what cannot be shown as lines."""
    if entry is None:
        return b""
    if entry.is_link:
        return entry.id.encode("utf-8", "surrogateescape")
    if not entry.is_file or entry.size > FILE_BYTES:
        return None
    return read(path, entry)
