"""The place for snapshots of the tree: taken before and after turns, compared, and gone back to."""

from __future__ import annotations

import hashlib
import json
import time
from typing import NamedTuple

from perdure.workspaces.agent import differences
from perdure.workspaces.agent.chain import MOST_KEPT, OUTSIDE, Chain, Link, Snapshot
from perdure.workspaces.agent.contents import Contents, Hashing, Keeping, Quota
from perdure.workspaces.agent.durable import Folder
from perdure.workspaces.agent.fields import Fields
from perdure.workspaces.agent.ignoring import Ignoring
from perdure.workspaces.agent.kept import Changes, Index, Kept, alike, flat, shown
from perdure.workspaces.agent.kernel import sync_file_system
from perdure.workspaces.agent.problems import Problem, refused
from perdure.workspaces.agent.rewinding import Rewinding, Step, Tree
from perdure.workspaces.agent.scanning import Scan

INTENT = "going-back"
MISSED = "missed"
NAMED = 20
Found = dict[str, object]


class Terms(NamedTuple):
    """What a request says of every snapshot: how much they may take, what to leave out, who is at work."""

    quota: int
    ignore: tuple[str, ...]
    busy: frozenset[str]
    """The chats at work here. Of others, a turn that is still open was cut off."""
    chats: frozenset[str] | None
    """The chats that act here, where that is said. What belongs to others is let go of."""

    @classmethod
    def read(cls, fields: Fields) -> Terms:
        return cls(
            fields.integer("quota", 0),
            tuple(fields.texts("ignore")),
            frozenset(fields.texts("busy")),
            frozenset(fields.texts("chats")) if fields.has("chats") else None,
        )


class Mark(NamedTuple):
    """Whose snapshot it is to be."""

    kind: str
    chat: str
    turn: int


class Standing(NamedTuple):
    """The tree at a snapshot and now, and who changed what between."""

    point: Snapshot
    then: dict[str, Kept]
    now: dict[str, Kept]
    own: set[str]
    outside: set[str]
    live: bool
    """Whether `now` is what is there this moment, and not what a later snapshot has."""


class Snapshots:
    """All of it, in the order in which one process at a time does it."""

    def __init__(self, folder: Folder, tree: str) -> None:
        self._folder = folder
        self._root = tree
        self._chain = Chain(folder)
        self.contents = Contents(folder)
        self._known: list[Kept] = []
        """What is kept already and may be found in the tree, besides what the newest snapshot has."""

    @property
    def unsettled(self) -> bool:
        return self._folder.read(INTENT) is not None

    def take(self, mark: Mark, terms: Terms) -> Found:
        """A snapshot, unless the turn has it already or nothing was open that could end."""
        self._begin()
        head = self._chain.head()
        if terms.quota <= 0:
            if head is not None:
                self._chain.clear()
                self._sweep()
            raise Problem(507, "no_quota", "no room is set aside for earlier states of files (the setting snapshots)")
        opened = head.open if head else {}
        if mark.kind == "before" and opened.get(mark.chat) == mark.turn:
            return {"taken": False}
        if mark.kind == "after" and opened.get(mark.chat) != mark.turn:
            return {"taken": False}
        if terms.chats is not None and head is not None:
            self._forget(terms.chats)
        taken = self._take(mark, terms)
        return {"taken": True, "number": taken.number, "left_out": taken.left_out}

    def miss(self, mark: Mark) -> None:
        """Remember that a turn began without a snapshot: what it changes cannot be told from what was there."""
        if mark.kind == "before":
            known = self._missed()
            self._folder.put(MISSED, json.dumps({**known, mark.chat: max(mark.turn, known.get(mark.chat, 0))}).encode())

    def _missed(self) -> dict[str, int]:
        """By chat, the last turn that has no snapshot because none could be taken."""
        content = self._folder.read(MISSED)
        fields = Fields.parse(content or b"{}")
        return {chat: fields.integer(chat) for chat in fields}

    def _whole(self, chat: str, turn: int) -> None:
        """Refuse to go back over a turn that has no snapshot: some of what it did would stay."""
        if self._missed().get(chat, -1) >= turn:
            raise Problem(410, "gone", "the files as they were then could not be kept, so they cannot go back")

    def forget(self, terms: Terms) -> Found:
        """Let go of what belongs to chats that do not act here any more; of all of it where none does."""
        self._begin()
        there = terms.chats or frozenset()
        if not there:
            self._chain.clear()
            self._sweep()
        self._forget(there)
        return {}

    def difference(self, chat: str, turn: int, until: int | None, back: bool, terms: Terms) -> Found:
        """What a chat's turns changed since one of them; backwards, what going back would do, and what forbids it."""
        self._begin()
        if back:
            self._whole(chat, turn)
        standing = self._standing(chat, turn, until, self._looked(terms))
        if standing is None:
            return {"state": "", "conflicts": [], "conflict_count": 0, "left_out": {}, **differences.told([], _no, _no)}
        steps = self._steps(standing)
        conflicts = self._conflicts(standing, steps) if until is None else []
        whole = Tree(self._root)

        def kept(_: str, entry: Kept) -> bytes:
            return self.contents.beginning(entry, differences.FILE_BYTES)

        def there(path: str, entry: Kept) -> bytes:
            return _there(whole, path) if standing.live else kept(path, entry)

        told = (
            differences.told(steps, there, kept)
            if back
            else differences.told([step.reversed() for step in steps], kept, there)
        )
        names = [shown(path) for path in conflicts[:NAMED]]
        count = len(conflicts)
        left_out = standing.point.left_out
        return {"state": _state(steps), "conflicts": names, "conflict_count": count, "left_out": left_out, **told}

    def as_before(self, chat: str, turn: int, state: str | None, terms: Terms) -> dict[str, Kept | None]:
        """What is to be different in a copy, so that it is as the tree was before a turn. Nothing changes here."""
        self._begin()
        self._whole(chat, turn)
        standing = self._standing(chat, turn, None, self._looked(terms))
        if standing is None:
            return {}
        return {step.path: step.wanted for step in self._allowed(standing, state)}

    def go_back(self, chat: str, turn: int, number: int | None, state: str | None, run: str, terms: Terms) -> Found:
        """Put back what a chat's turns changed. Everything that is there now is kept first."""
        self._begin()
        if number is None:
            self._whole(chat, turn)
        if self._chain.head() is None:
            return {"files": 0, "held": None, "left": []}
        held = self._take(Mark("held", chat, turn), terms)
        self._chain.load()
        standing = self._standing(chat, turn, None, None, number)
        if standing is None:
            return {"files": 0, "held": None, "left": []}
        steps = self._allowed(standing, state)
        intent: Found = {"run": run, "chat": chat, "turn": turn, "point": standing.point.number, "held": held.number}
        intent["terms"] = {"quota": terms.quota, "ignore": list(terms.ignore)}
        self._folder.write(INTENT, json.dumps(intent).encode())
        return self._carry_out(steps, Fields(intent))

    def settle(self) -> Found | None:
        """Complete what a kill cut off. The run's name comes back with what it came to."""
        self._begin()
        content = self._folder.read(INTENT)
        if content is None:
            return None
        intent = Fields.parse(content)
        links = self._chain.load()
        held = intent.integer("held")
        # What was taken after the files went back is taken again: it may be of before they all had.
        self._chain.links = [link for link in links if link.snapshot.number <= held]
        standing = self._standing(intent.text("chat"), intent.integer("turn"), None, None, intent.integer("point"))
        self._chain.load()
        found = self._carry_out(self._steps(standing) if standing else [], intent)
        return {"run": intent.text("run"), **found}

    def _begin(self) -> None:
        """Alone from here on, and without what a kill left half-written."""
        self._folder.lock()
        for folder in (self._folder, self._chain.folder, self.contents.packs, self.contents.objects):
            folder.clear()

    def _carry_out(self, steps: list[Step], intent: Fields) -> Found:
        run, chat = intent.text("run"), intent.text("chat")
        rewinding = Rewinding(Tree(self._root), self.contents, run)
        try:
            rewinding.carry_out(steps)
        except (OSError, Problem) as error:
            Rewinding(Tree(self._root), self.contents, run).carry_out([step.reversed() for step in steps])
            self._folder.remove(INTENT)
            why = error.message if isinstance(error, Problem) else str(error.strerror)
            raise refused("not_back", f"files could not go back: {why}; everything is as it was") from error
        sync_file_system(self._folder.descriptor)
        terms = Terms.read(intent.object("terms"))
        self._known = [step.wanted for step in steps if step.wanted is not None]
        self._take(Mark("back", chat, intent.integer("turn")), terms, by=(chat,))
        self._folder.remove(INTENT)
        return {"files": len(steps), "held": intent.integer("held"), "left": [shown(path) for path in rewinding.left]}

    def _forget(self, there: frozenset[str]) -> None:
        """Let go of chats that are gone. Whose snapshots there are is in a file of its own, quick to read."""
        missed = self._missed()
        if missed.keys() - there:
            self._folder.put(MISSED, json.dumps({chat: missed[chat] for chat in missed.keys() & there}).encode())
        if self._chain.chats() - there:
            self._chain.load()
            self._chain.forget(there)
            self._sweep()

    def _sweep(self) -> None:
        entries = [entry for link in self._chain.load() for entry in link.changes.values()]
        self.contents.sweep(entry for entry in entries if entry is not None and entry.is_file)

    def _take(self, mark: Mark, terms: Terms, by: tuple[str, ...] | None = None) -> Snapshot:
        gone: dict[str, int] = {}
        while True:
            try:
                return self._taken(mark, terms, by, gone)
            except Quota:  # noqa: PERF203
                gone = self._make_room(gone)

    def _make_room(self, gone: dict[str, int]) -> dict[str, int]:
        """Let go of the older half; of the last one that is left; and then say that it does not fit."""
        links = self._chain.load()
        if not links:
            large = "the workspace's files take more than the room that is set aside for snapshots"
            raise Problem(507, "quota", f"{large}; name folders that need not go back in .gitignore")
        if len(links) > 1:
            self._chain.drop_oldest((len(links) + 1) // 2)
        else:
            gone = {**links[0].snapshot.gone}
            if links[0].snapshot.kind == "before":
                gone[links[0].snapshot.chat] = links[0].snapshot.turn
            self._chain.clear()
        self._sweep()
        return gone

    def _taken(self, mark: Mark, terms: Terms, by: tuple[str, ...] | None, gone: dict[str, int]) -> Snapshot:
        head = self._chain.head()
        number = head.number + 1 if head else int(time.time())
        index = self._chain.index(head.number) if head else {}
        room = terms.quota - self.contents.used() - self._chain.used()
        keeping = Keeping(self.contents, f"{number:010d}", room, self._known)
        same = head is not None and head.setting == terms.ignore
        scan = Scan(index, keeping, terms.ignore, same_setting=same, most=terms.quota // 2)
        try:
            scan.run(self._root)
            keeping.finish()
        except BaseException:
            keeping.abandon()
            raise
        snapshot = _snapshot(number, mark, head, terms, by)._replace(left_out=scan.left_out.told, gone=gone)
        self._chain.add(Link(snapshot, scan.changes))
        self._chain.save_index(number, scan.index)
        if number % 16 == 0 and len(self._chain.load()) > MOST_KEPT:
            self._chain.drop_oldest(MOST_KEPT // 4)
            self._sweep()
        return snapshot

    def _looked(self, terms: Terms) -> tuple[Changes, Index] | None:
        """The tree as it is now, beside the newest snapshot; nothing where there is none."""
        head = self._chain.head()
        if head is None:
            return None
        same = head.setting == terms.ignore
        scan = Scan(
            self._chain.index(head.number), Hashing(), terms.ignore, same_setting=same, most=max(1, terms.quota // 2)
        )
        scan.run(self._root)
        return scan.changes, scan.index

    def _standing(
        self,
        chat: str,
        turn: int,
        until: int | None,
        looked: tuple[Changes, Index] | None,
        number: int | None = None,
    ) -> Standing | None:
        links = self._chain.links or self._chain.load()
        if not links:
            return None
        if number is None and links[0].snapshot.gone.get(chat, -1) >= turn:
            raise Problem(410, "gone", "the snapshot of that message is not kept any more, so its files cannot go back")
        at = next((at for at, link in enumerate(links) if _begins(link.snapshot, chat, turn, number)), None)
        if at is None or (until is not None and links[at].snapshot.turn > until):
            return None
        later = links[at + 1 :]
        if until is not None:
            end = next((n for n, link in enumerate(later) if _ends(link.snapshot, chat, until)), None)
            later, looked = (later, looked) if end is None else (later[: end + 1], None)
        deltas = [(link.snapshot.by, link.changes) for link in later]
        last = later[-1].snapshot if later else links[at].snapshot
        if looked is not None:
            deltas.append((_at_work(links[-1].snapshot), looked[0]))
        now = flat(looked[1]) if looked is not None else self._chain.tree(last.number)
        own = {path for by, changes in deltas if chat in by for path in changes}
        outside = {path for by, changes in deltas if by != (chat,) for path in changes}
        then = self._chain.tree(links[at].snapshot.number)
        return Standing(links[at].snapshot, then, now, own, outside, looked is not None)

    def _steps(self, standing: Standing) -> list[Step]:
        """What has to be done so that what a chat changed is as it was. What was ignored then is none of it."""
        ignoring = Ignoring(lambda folder: self._gitignore(standing, folder), standing.point.setting)
        steps = [
            Step(path, standing.now.get(path), standing.then.get(path))
            for path in standing.own
            if not alike(standing.now.get(path), standing.then.get(path))
        ]
        return [
            step
            for step in steps
            if step.was is None or step.wanted or not ignoring.ignores_path(step.path, step.was.is_folder)
        ]

    def _allowed(self, standing: Standing, state: str | None) -> list[Step]:
        """The steps, unless they are not those that were shown, or somebody else changed the same files."""
        steps = self._steps(standing)
        if state is not None and state != _state(steps):
            raise Problem(409, "moved", "files changed since the difference was shown; look at it again")
        conflicts = self._conflicts(standing, steps)
        if conflicts:
            names = ", ".join(shown(path) for path in conflicts[:NAMED])
            raise Problem(
                409, "changed_outside", f"these changed outside of the chat since, so nothing goes back: {names}"
            )
        return steps

    def _gitignore(self, standing: Standing, folder: str) -> bytes | None:
        entry = standing.then.get(folder + ".gitignore")
        return self.contents.beginning(entry, differences.FILE_BYTES) if entry and entry.is_file else None

    def _conflicts(self, standing: Standing, steps: list[Step]) -> list[str]:
        """Paths that somebody else changed since, and those where something is that no snapshot has."""
        tree = Tree(self._root)
        return sorted(
            step.path
            for step in steps
            if step.path in standing.outside
            or (step.was is None and (there := tree.look(step.path)) is not None and not there.same(step.wanted))
        )


def _snapshot(number: int, mark: Mark, head: Snapshot | None, terms: Terms, by: tuple[str, ...] | None) -> Snapshot:
    opened = {**head.open} if head else {}
    who = by or (_at_work(head) if head else ())
    left = {chat: turn for chat, turn in opened.items() if chat in terms.busy and chat != mark.chat}
    after = {**left, mark.chat: mark.turn} if mark.kind == "before" else left
    now = int(time.time() * 1000)
    return Snapshot(number, mark.kind, mark.chat, mark.turn, now, who, after, {}, {}, terms.ignore, head is None)


def _at_work(snapshot: Snapshot) -> tuple[str, ...]:
    return tuple(sorted(snapshot.open)) or (OUTSIDE,)


def _begins(snapshot: Snapshot, chat: str, turn: int, number: int | None) -> bool:
    if number is not None:
        return snapshot.number == number
    return snapshot.kind == "before" and snapshot.chat == chat and snapshot.turn >= turn


def _ends(snapshot: Snapshot, chat: str, turn: int) -> bool:
    """Whether a turn's changes end there."""
    if snapshot.chat != chat:
        return False
    return snapshot.kind != "before" or snapshot.turn > turn


def _state(steps: list[Step]) -> str:
    """The same as long as going back would do the same to the same files."""
    rows = [[step.path, step.was and step.was[:3], step.wanted and step.wanted[:3]] for step in sorted(steps)]
    return hashlib.blake2b(json.dumps(rows).encode(), digest_size=16).hexdigest()


def _there(tree: Tree, path: str) -> bytes:
    try:
        return tree.content(path, differences.FILE_BYTES)
    except OSError:
        return b""


def _no(_path: str, _entry: Kept) -> bytes:
    return b""
