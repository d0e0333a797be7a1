"""The place for what is different between two states of the tree, as people read it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Callable, NamedTuple

from perdure.workspaces.agent.diff import unified
from perdure.workspaces.agent.kept import Kept, shown
from perdure.workspaces.agent.renames import Text, renamed
from perdure.workspaces.agent.rewinding import Step

SHOWN_FILES = 1_000
DIFF_BYTES = 1024 * 1024
FILE_BYTES = 512 * 1024

Content = Callable[[str, Kept], bytes]
"""At most so many bytes of what a file holds."""


class Differing(NamedTuple):
    """One file that differs, and the name that it had before."""

    path: str
    before: str
    was: Kept | None
    wanted: Kept | None

    @property
    def status(self) -> str:
        if self.was is None:
            return "new"
        if self.wanted is None:
            return "deleted"
        return "changed" if self.path == self.before else "renamed"


def told(steps: Iterable[Step], was: Content, wanted: Content) -> dict[str, object]:
    """Each file with its lines, and a diff in Git's form. Git's own records are counted, not shown."""
    every = list(steps)
    shown_steps = [step for step in every if ".git" not in step.path.split("/")]
    changes = _changes(shown_steps, partial(_content, read=was), partial(_content, read=wanted))
    files: list[dict[str, object]] = []
    texts: list[str] = []
    room = DIFF_BYTES
    for change in changes[:SHOWN_FILES]:
        if room <= 0:
            break
        text, binary = _text(change, was, wanted)
        room -= len(text)
        texts.append(text)
        named = {"path": shown(change.path), "status": change.status, "binary": binary, **_counts(text)}
        files.append({**named, "was": shown(change.before)} if change.status == "renamed" else named)
    count, records = len(changes), len(every) - len(shown_steps)
    return {"count": count, "records": records, "files": files, "diff": "".join(texts), "complete": count == len(files)}


def _changes(steps: Iterable[Step], was: Text, wanted: Text) -> list[Differing]:
    """By path. Folders are not shown, and a file that was renamed is one change."""
    every = [Step(step.path, _no_folder(step.was), _no_folder(step.wanted)) for step in steps]
    pairs = renamed(every, was, wanted)
    paired = {step.path for pair in pairs for step in pair}
    changes = [Differing(pair.after.path, pair.before.path, pair.before.was, pair.after.wanted) for pair in pairs]
    changes += [
        Differing(step.path, step.path, step.was, step.wanted)
        for step in every
        if step.path not in paired and (step.was is not None or step.wanted is not None)
    ]
    return sorted(changes, key=lambda change: change.path)


def _no_folder(entry: Kept | None) -> Kept | None:
    return None if entry is None or entry.is_folder else entry


def _counts(text: str) -> dict[str, object]:
    """Of the lines below the head, whose own begin with the same signs."""
    lines = text.partition("\n@@ ")[2].split("\n")[1:]
    return {
        sign_of: sum(line.startswith(sign) for line in lines) for sign_of, sign in (("added", "+"), ("removed", "-"))
    }


def _text(change: Differing, was: Content, wanted: Content) -> tuple[str, bool]:
    before = _content(change.before, change.was, was)
    after = _content(change.path, change.wanted, wanted)
    old, new = (shown(path).replace("\n", "\\n") for path in (change.before, change.path))
    head = f"diff --git a/{old} b/{new}\n{_modes(change)}"
    if change.status == "renamed":
        head += f"rename from {old}\nrename to {new}\n"
    if before is None or after is None or b"\0" in before or b"\0" in after:
        same = change.was is not None and change.wanted is not None and change.was.id == change.wanted.id
        return head if same else f"{head}Binary files a/{old} and b/{new} differ\n", True
    body = unified(new, before, after)
    if change.was is None:
        body = body.replace(f"--- a/{new}\n", "--- /dev/null\n", 1)
    elif old != new:
        body = body.replace(f"--- a/{new}\n", f"--- a/{old}\n", 1)
    if change.wanted is None:
        body = body.replace(f"+++ b/{new}\n", "+++ /dev/null\n", 1)
    return head + body, False


def _modes(change: Differing) -> str:
    was, wanted = change.was, change.wanted
    if was is None:
        return "" if wanted is None else f"new file mode {wanted.mode:o}\n"
    if wanted is None:
        return f"deleted file mode {was.mode:o}\n"
    return "" if was.mode == wanted.mode else f"old mode {was.mode:o}\nnew mode {wanted.mode:o}\n"


def _content(path: str, entry: Kept | None, read: Content) -> bytes | None:
    """Nothing for what cannot be shown as lines."""
    if entry is None:
        return b""
    if entry.is_link:
        return entry.id.encode("utf-8", "surrogateescape")
    if not entry.is_file or entry.size > FILE_BYTES:
        return None
    return read(path, entry)
