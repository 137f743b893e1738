"""One project's memory: chooses the store that a file belongs to, keeps drafts and pins, and says which operations of
the history concern the project.
"""

import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import islice
from pathlib import Path

from memtui.client.environment import Env
from memtui.client.memory_location import MemoryLocation, locate_memory
from memtui.fs.atomic import digest, make_folders, read_stable
from memtui.history import together
from memtui.history.database import HistoryDatabase
from memtui.history.log import OperationsLog
from memtui.history.store import Change, Store
from memtui.history.together import Part, whole_of
from memtui.history.trash import put_in_trash
from memtui.history.undo import Inverse, UndoOrder
from memtui.history.versions import FILES, FolderScope, Operation, Saved, Versions
from memtui.memory import dismissals, pin_operations
from memtui.memory.drafts import Drafts
from memtui.memory.pin_operations import RecordedPins
from memtui.memory.plans import Plan
from memtui.memory.snapshot import Snapshot, load_snapshot
from memtui.util.app_dirs import Dirs
from memtui.util.config import CONFIG_NAME
from memtui.util.errors import NotFound, Refused

INSTRUCTION_NAMES = frozenset({"CLAUDE.md", "CLAUDE.local.md"})


class Workspace:
    """What belongs to one working directory; `trash`: deleted files go to the system's trash as well."""

    def __init__(
        self,
        env: Env,
        dirs: Dirs,
        location: MemoryLocation,
        *,
        read_only: bool = False,
        trash: bool = True,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.env = env
        self.dirs = dirs
        self.location = location
        self.read_only = read_only
        self.trash = trash
        self.now = now
        self.drafts = Drafts(dirs, now=now)
        self.pins = RecordedPins(dirs, now=now)
        self.dismissals = dismissals.Dismissals(HistoryDatabase.of(dirs), now)
        # The history of the home, that of other projects too: `scopes` says what concerns this one.
        self.history = Versions(HistoryDatabase.of(dirs))
        self._stores: dict[Path, Store] = {}
        # The folders of the last reading, the memory folder first.
        self.roots: tuple[Path, ...] = (location.folder,)
        self._lone: tuple[Path, ...] = ()

    @property
    def own(self) -> tuple[Path, ...]:
        """Folders in which the targets of links are the person's own."""
        return self.env.home, self.location.root, self.location.cwd

    def use_trash(self, trash: bool) -> None:
        if trash != self.trash:
            self.trash = trash
            self._stores.clear()

    def read(self, *, full: bool, known: Snapshot | None = None) -> Snapshot:
        """Read the snapshot; what `known` holds unchanged is not read again."""
        snapshot = load_snapshot(self.location, self.env, full=full, known=known, now=self.now())
        roots = dict.fromkeys([self.location.folder, *(scope.root for scope in snapshot.scopes)])
        self.roots = tuple(r for r in roots if not any(r != other and r.is_relative_to(other) for other in roots))
        self._lone = tuple(item.path for item in snapshot.instructions if item.exists)
        return snapshot

    def text(self, path: Path) -> tuple[bytes, str]:
        """A file's bytes and their digest; raises `NotFound` if it is gone."""
        try:
            data = read_stable(path)
        except FileNotFoundError as error:
            raise NotFound(f"{path.name} is gone", hint="R reads the folder again") from error
        return data, digest(data)

    def home_of(self, path: Path) -> tuple[Store, str]:
        """The store that writes this file, and its name there; one outside the folders is alone in its store."""
        root = next((root for root in self.roots if path.is_relative_to(root)), None)
        if root is not None and path.suffix == ".md" and path.name not in INSTRUCTION_NAMES:
            return self.store(root), path.relative_to(root).as_posix()
        return self._lone_store(path), path.name

    def _lone_store(self, path: Path) -> Store:
        return self.store(path.parent, allow=frozenset({path.name}))

    def store(self, root: Path, *, allow: frozenset[str] | None = None) -> Store:
        """The store of a folder; one object a folder, so that its caches serve."""
        key = root / "&".join(sorted(allow)) if allow else root
        if key not in self._stores:
            self._stores[key] = Store(
                root, self.dirs, allow=allow, now=self.now, trash=put_in_trash if self.trash else None, own=self.own
            )
        return self._stores[key]

    def own_settings(self) -> tuple[Store, str]:
        """The store of memtui's config.toml, and the file's name in it. A link is followed: people link such files."""
        path = Path(os.path.realpath(self.dirs.config / CONFIG_NAME))
        return self._lone_store(path), path.name

    @property
    def pinned(self) -> frozenset[str]:
        """The names in the memory folder that nothing may touch by itself."""
        return self.pins.names(self.location.folder)

    def carry_out(self, plan: Plan) -> Saved:
        """Do what a plan says, as one version; pins and drafts go along with a renamed file. Raises `Stale`."""
        self.check_writable()
        saved = self.store(plan.root, allow=plan.allow).apply(plan.changes, why=plan.title)
        for old, new in plan.renamed:
            self.pins.rename(plan.root, old, new)
            draft = self.drafts.load(plan.root / old)
            if draft is not None:
                self.drafts.save(plan.root / new, draft.text, draft.base)
                self.drafts.drop(plan.root / old)
        return saved

    def carry_out_together(self, plans: Sequence[Plan], *, kind: str, why: str) -> Saved:
        """Do plans of several folders, as one operation. Raises as `carry_out`; nothing stays of it then."""
        self.check_writable()
        for plan in plans:
            make_folders(plan.root)
        parts = [Part(self.store(plan.root, allow=plan.allow), plan.changes, plan.title) for plan in plans]
        return self._together().apply(parts, kind=kind, why=why)

    def _together(self) -> together.Together:
        known = {store.scope.folder: store for store in self.stores() if store.scope.names is None}
        log = OperationsLog(HistoryDatabase.of(self.dirs))
        return together.Together(log, lambda folder: known.get(folder) or self.store(Path(folder)), self.now)

    def save(
        self,
        path: Path,
        data: bytes,
        base: str | None,
        *,
        base_data: bytes | None = None,
        why: str = "",
        who: str = "you",
    ) -> Saved:
        """Write one file, from the digest `base` that the writer saw; `base_data` helps a merge without history."""
        self.check_writable()
        store, name = self.home_of(path)
        return store.apply([Change(name, data, base, base_data)], why=why or f"edit {name}", who=who)

    def check_writable(self, to: str = "write") -> None:
        """Raise `Refused` if memtui is read-only; `to` is what a person wanted."""
        if self.read_only:
            raise Refused("memtui was started with --read-only", hint=f"start it without --read-only to {to}")

    def stores(self) -> tuple[Store, ...]:
        """Every store of the project, those of its instruction and settings files too."""
        for root in self.roots:
            self.store(root)
        # Settings files count also where there are none: an undo may have taken them away, and redo brings them back.
        settings = (layer.path for layer in self.location.layers if layer.path is not None)
        for path in (*self._lone, *settings):
            self._lone_store(path)
        self.own_settings()
        return tuple(self._stores.values())

    def scopes(self) -> tuple[FolderScope, ...]:
        """What the history has of this project: its files, its sessions, its pins."""
        own = FolderScope(os.path.realpath(self.location.transcripts))
        return tuple(dict.fromkeys([*(store.scope for store in self.stores()), own]))

    def operations(self, limit: int = 200) -> tuple[Operation, ...]:
        """The newest, each that was done in several folders once."""
        return tuple(islice((one for one in self.history.walk(self.scopes()) if not whole_of(one)), limit))

    def versions(self, path: Path) -> tuple[Operation, ...]:
        store, name = self.home_of(path)
        return store.log(name)

    def changed_by_dream(self) -> frozenset[Path]:
        """The files of the memory folder that the newest background run changed, if history knows of one."""
        operations = self.store(self.location.folder).operations()
        dream = next((one for one in operations if one.who.startswith("dream")), None)
        return frozenset(self.location.folder / change.name for change in dream.files) if dream else frozenset()

    def undo_order(
        self, others: Mapping[str, Inverse] | None = None, recover: Collection[Callable[[], object]] = ()
    ) -> UndoOrder:
        """Undo and redo of all that concerns the project; `others` take back, by subject, what isn't files or pins."""
        self.check_writable()
        inverses: dict[str, Inverse] = {
            FILES: self._undo_files, pin_operations.SUBJECT: self.pins.invert,
            dismissals.SUBJECT: self.dismissals.invert, together.SUBJECT: self._together().invert, **(others or {}),
        }  # fmt: skip
        return UndoOrder(self.history, self.scopes(), inverses, [self._end_writes, *recover])

    def _end_writes(self) -> None:
        """End the writes of the project's files that a crash stopped."""
        folders = {one.folder for one in self.history.interrupted()}
        for store in self.stores():
            if store.scope.folder in folders:
                store.recover()

    def _undo_files(self, operation: Operation, over: Collection[str]) -> Saved:
        """Take an operation on files back through the store that they belong to."""
        stores = [store for store in self.stores() if store.scope.folder == operation.folder]
        names = [change.name for change in operation.files]
        store = next((one for one in stores if all(map(one.scope.covers, names))), None)
        if store is None:  # one that looked after several files by name
            store = self.store(Path(operation.folder), allow=frozenset(names))
        return store.undo(operation.id, over=over)

    def restore(self, path: Path, operation_id: str) -> Saved:
        self.check_writable()
        store, name = self.home_of(path)
        return store.restore(operation_id, name)

    def known_text(self, wanted: str | None) -> bytes | None:
        """The bytes that had this digest, if history has them: the common ancestor of two texts."""
        return self.history.content(wanted) if wanted is not None else None

    def remember(self, path: Path, data: bytes, why: str) -> None:
        """Keep a text in the history of a file without writing the file: what was dropped can be had again."""
        self.check_writable()
        store, name = self.home_of(path)
        store.keep(name, data, why=why)

    def write_switch(self, path: Path, before: bytes | None, after: bytes, why: str) -> Saved:
        """Write a settings file of the client; refused if it changed since `before` was read."""
        self.check_writable()
        store = self._lone_store(path)
        return store.apply(
            [Change(path.name, after, digest(before) if before is not None else None)], why=why, merge=False
        )

    def decide_again(self) -> MemoryLocation:
        self.location = locate_memory(self.env, self.location.cwd)
        return self.location

    def note_outside(self) -> int:
        """Record what others changed, but for settings, which may hold keys; how many versions that took."""
        stores = [self.store(root) for root in self.roots]  # of a folder that is gone, the loss is recorded
        stores += [self._lone_store(path) for path in self._lone]
        return sum(store.note_outside() is not None for store in stores)

    def recover(self) -> None:
        """End what a crash left half done; called once at the start, before anything is shown."""
        for root in self.roots:
            self.store(root).recover()
