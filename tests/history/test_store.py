"""The save protocol, undo and redo, and what others did."""

import errno
import os
import stat
import unicodedata
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from memtui.fs.atomic import digest
from memtui.fs.filesystem import FileSystem
from memtui.fs.lock import file_lock
from memtui.history.database import HistoryDatabase
from memtui.history.store import Change, Stale, Store
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict, MemtuiError, NotFound, Refused, Unsupported, UsageError
from tests.fs.faults import FaultFS, ShortFS
from tests.support import digest_tree, run_python

ONE = b"".join(b"line %d\n" % number for number in range(30))


class Scene:
    """A memory folder, its store, and shorthands."""

    def __init__(self, base: Path) -> None:
        self.root = base / "memory"
        self.dirs = Dirs(base / "config", base / "state", base / "cache")
        self.trashed: list[str] = []
        self.root.mkdir()
        self.store = self.open()

    def open(self, **more: object) -> Store:
        def trash(name: str, data: bytes, folder: Path) -> bool:
            self.trashed.append(name)
            return True

        return Store(self.root, self.dirs, **{"trash": trash, "now": lambda: 1000.5, **more})  # type: ignore[arg-type]

    def put(self, name: str, data: bytes, *, old: bool = True) -> None:
        """Somebody else writes a file."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        if old:  # so that reading it needs no second look
            os.utime(path, (1000, 1000))

    def get(self, name: str) -> bytes | None:
        path = self.root / name
        return path.read_bytes() if path.exists() else None

    def save(self, name: str, data: bytes | None, base: bytes | None, **more: object) -> tuple[str, ...]:
        change = Change(name, data, None if base is None else digest(base))
        return self.store.apply([change], why=f"edit {name}", **more).merged  # type: ignore[arg-type]

    def kinds(self) -> list[str]:
        return [version.kind for version in self.store.log(limit=None)]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def edit(data: bytes, line: int, text: str) -> bytes:
    lines = data.splitlines(keepends=True)
    lines[line] = text.encode() + b"\n"
    return b"".join(lines)


def test_importing_the_store_loads_nothing_slow() -> None:
    code = "import sys, memtui.history.store; print([m for m in sys.modules if 'send2' in m or 'git' in m])"
    run = run_python(code)
    assert run.stdout.strip() == "[]", run.stderr


def test_opening_a_store_and_looking_writes_nothing(scene: Scene, tmp_path: Path) -> None:
    before = digest_tree(tmp_path)
    assert scene.store.log() == ()
    assert scene.store.read("a.md") is None
    assert scene.store.recover() == ()
    assert scene.store.note_outside() is None
    assert scene.store.unseen() == {}
    with pytest.raises(NotFound):
        scene.store.history.operation("12345678")
    assert digest_tree(tmp_path) == before


def test_a_new_file_an_edit_and_a_removal(scene: Scene) -> None:
    scene.save("a/b.md", b"one\n", None)
    scene.save("a/b.md", b"two\nthree\n", b"one\n")
    assert scene.get("a/b.md") == b"two\nthree\n"
    scene.save("a/b.md", None, b"two\nthree\n")
    assert scene.get("a/b.md") is None
    assert scene.trashed == ["b.md"]
    log = scene.store.log()
    assert [(one.kind, one.files[0].kind, one.files[0].added, one.files[0].removed) for one in log] == [
        ("delete", "removed", 0, 2), ("edit", "changed", 2, 1), ("new", "added", 1, 0),
    ]  # fmt: skip
    assert {(one.who, one.why, one.when) for one in log} == {("you", "edit a/b.md", 1000.5)}


def test_nothing_to_do_makes_no_version(scene: Scene) -> None:
    scene.save("a.md", ONE, None)
    assert scene.store.apply([Change("a.md", ONE, digest(ONE))], why="x").operation is None
    assert scene.store.apply([Change("b.md", None, None)], why="x").operation is None
    assert scene.store.apply([], why="x").operation is None
    assert len(scene.kinds()) == 1


def test_what_was_there_is_in_the_history_before_it_is_replaced(scene: Scene) -> None:
    scene.put("a.md", b"as found\n")
    scene.save("a.md", b"mine\n", b"as found\n")
    newest, first = scene.store.log()
    assert (first.kind, first.why) == ("found", "as found")
    assert scene.store.history.before(newest.id, "a.md") == b"as found\n"
    assert scene.store.history.read(newest.id, "a.md") == b"mine\n"


def test_two_edits_of_different_places_are_merged(scene: Scene) -> None:
    scene.put("a.md", ONE)
    scene.store.note_outside()
    scene.put("a.md", edit(ONE, 2, "theirs"))
    assert scene.save("a.md", edit(ONE, 25, "mine"), ONE) == ("a.md",)
    assert scene.get("a.md") == edit(edit(ONE, 2, "theirs"), 25, "mine")
    assert scene.kinds() == ["edit", "outside", "found"]


def test_a_merge_needs_the_base_from_the_history_or_the_caller(scene: Scene) -> None:
    scene.put("a.md", edit(ONE, 2, "theirs"))
    mine = edit(ONE, 25, "mine")
    with pytest.raises(Stale) as caught:
        scene.save("a.md", mine, ONE)
    assert caught.value.base is None
    change = Change("a.md", mine, digest(ONE), base_data=ONE)
    assert scene.store.apply([change], why="x").merged == ("a.md",)
    with pytest.raises(Stale):
        scene.store.apply([Change("a.md", ONE, digest(b"other"), base_data=ONE)], why="x")


def test_edits_of_the_same_place_are_stale_with_all_texts(scene: Scene) -> None:
    scene.put("a.md", ONE)
    scene.store.note_outside()
    theirs, mine = edit(ONE, 5, "theirs"), edit(ONE, 5, "mine")
    scene.put("a.md", theirs)
    with pytest.raises(Stale) as caught:
        scene.save("a.md", mine, ONE)
    stale = caught.value
    assert (stale.name, stale.mine, stale.base, stale.disk) == ("a.md", mine, ONE, theirs)
    assert stale.merged is not None
    assert b"<<<<<<< mine\nmine\n" in stale.merged
    assert stale.exit_code == 4
    assert scene.get("a.md") == theirs


@pytest.mark.parametrize(
    ("base", "disk", "mine"),
    [(None, b"theirs\n", b"mine\n"), (ONE, None, b"mine\n"), (ONE, b"theirs\n", None), (b"", b"theirs\n", b"mine\n")],
    ids=["both new", "they removed it", "I remove it", "it was empty"],
)
def test_what_has_no_merge_is_stale(scene: Scene, base: bytes | None, disk: bytes | None, mine: bytes | None) -> None:
    if base is not None:
        scene.put("a.md", base)
        scene.store.note_outside()
        (scene.root / "a.md").unlink()
    if disk is not None:
        scene.put("a.md", disk)
    with pytest.raises(Stale) as caught:
        scene.save("a.md", mine, base)
    assert (caught.value.mine, caught.value.disk) == (mine, disk)
    assert scene.get("a.md") == disk
    scene.save("a.md", mine, disk)  # having seen it, the same is fine
    assert scene.get("a.md") == mine


def test_without_merging_any_difference_is_stale(scene: Scene) -> None:
    scene.put("a.md", ONE)
    scene.store.note_outside()
    scene.put("a.md", edit(ONE, 2, "theirs"))
    with pytest.raises(Stale):
        scene.save("a.md", edit(ONE, 25, "mine"), ONE, merge=False)


def test_the_same_edit_by_two_is_no_conflict(scene: Scene) -> None:
    scene.put("a.md", ONE)
    scene.store.note_outside()
    scene.put("a.md", b"same\n")
    assert scene.save("a.md", b"same\n", ONE) == ()
    assert scene.kinds() == ["outside", "found"]


def test_same_size_and_time_with_other_bytes_is_seen(scene: Scene) -> None:
    scene.put("a.md", b"aaaa\n")
    scene.store.note_outside()
    scene.put("a.md", b"bbbb\n")
    with pytest.raises(Stale):
        scene.save("a.md", b"mine\n", b"aaaa\n")
    assert scene.store.note_outside() is not None
    assert scene.store.history.head("a.md") == b"bbbb\n"


def test_several_files_change_together_or_not_at_all(scene: Scene) -> None:
    scene.put("a.md", b"a\n")
    scene.put("b.md", b"b\n")
    changes = [
        Change("a.md", b"a2\n", digest(b"a\n")),
        Change("b.md", b"b2\n", digest(b"not b\n")),
        Change("c.md", b"c\n", None),
    ]
    with pytest.raises(Stale):
        scene.store.apply(changes, why="x")
    assert (scene.get("a.md"), scene.get("b.md"), scene.get("c.md")) == (b"a\n", b"b\n", None)
    changes[1] = Change("b.md", None, digest(b"b\n"))
    saved = scene.store.apply(changes, why="x", kind="adopt", extra={"run": "7"})
    assert saved.operation is not None
    assert saved.operation.kind == "adopt"
    assert scene.store.log()[0].extra == {"run": "7"}
    assert (scene.get("a.md"), scene.get("b.md"), scene.get("c.md")) == (b"a2\n", None, b"c\n")
    scene.store.undo()
    assert (scene.get("a.md"), scene.get("b.md"), scene.get("c.md")) == (b"a\n", b"b\n", None)


def test_a_rename_is_one_version_and_one_undo(scene: Scene) -> None:
    scene.save("old.md", ONE, None)
    scene.store.apply([Change("old.md", None, digest(ONE)), Change("new.md", ONE, None)], why="rename")
    assert (scene.get("old.md"), scene.get("new.md")) == (None, ONE)
    assert scene.kinds() == ["rename", "new"]
    assert scene.trashed == []
    scene.store.undo()
    assert (scene.get("old.md"), scene.get("new.md")) == (ONE, None)
    scene.store.redo()
    assert (scene.get("old.md"), scene.get("new.md")) == (None, ONE)


@pytest.mark.parametrize(("old", "new"), [("note.md", "Note.md"), ("caf\u00e9.md", "cafe\u0301.md")])
def test_a_rename_may_change_case_or_accents_only(scene: Scene, old: str, new: str) -> None:
    scene.save(old, ONE, None)
    scene.store.apply([Change(old, None, digest(ONE)), Change(new, ONE, None)], why="rename")
    assert [path.name for path in scene.root.iterdir()] == [new]
    scene.store.undo()
    assert [path.name for path in scene.root.iterdir()] == [old]


def test_one_file_twice_in_one_step_is_a_mistake(scene: Scene) -> None:
    composed, decomposed = (unicodedata.normalize(form, "메모.md") for form in ("NFC", "NFD"))
    scene.put(composed, b"x\n")
    for pair, base in ((("a.md", "a.md"), None), (("a.md", "./a.md"), None), ((composed, decomposed), digest(b"x\n"))):
        with pytest.raises(UsageError):
            scene.store.apply([Change(name, b"y\n", base) for name in pair], why="x")


def test_a_twin_spelling_updates_the_file_that_is_there(scene: Scene) -> None:
    composed, decomposed = (unicodedata.normalize(form, "메모.md") for form in ("NFC", "NFD"))
    scene.put(composed, b"x\n")
    scene.save(decomposed, b"y\n", b"x\n")
    assert [path.name for path in scene.root.iterdir()] == [composed]
    assert scene.get(composed) == b"y\n"


def test_undo_and_redo_walk_back_and_forth(scene: Scene) -> None:
    texts = [b"0\n", b"0\n1\n", b"0\n1\n2\n", b"0\n1\n2\n3\n"]
    scene.save("a.md", texts[0], None)
    for before, after in pairwise(texts):
        scene.save("a.md", after, before)
    for text in (*reversed(texts[:-1]), None):
        scene.store.undo()
        assert scene.get("a.md") == text
    with pytest.raises(NotFound):
        scene.store.undo()
    for text in texts:
        scene.store.redo()
        assert scene.get("a.md") == text
    with pytest.raises(NotFound):
        scene.store.redo()
    scene.store.undo()
    assert scene.get("a.md") == texts[2]
    assert [version.why for version in scene.store.log(limit=2)] == ["undo: edit a.md", "redo: edit a.md"]


def test_after_something_new_there_is_nothing_to_redo(scene: Scene) -> None:
    scene.save("a.md", b"1\n", None)
    scene.store.undo()
    scene.save("b.md", b"2\n", None)
    with pytest.raises(NotFound):
        scene.store.redo()
    scene.store.undo()
    assert scene.get("b.md") is None
    scene.store.redo()
    assert scene.get("b.md") == b"2\n"


def test_any_version_is_undone_by_its_id_also_after_later_edits(scene: Scene) -> None:
    scene.put("a.md", ONE)
    second, third = edit(ONE, 3, "early"), edit(edit(ONE, 3, "early"), 20, "late")
    scene.save("a.md", second, ONE)
    scene.save("a.md", third, second)
    early = scene.store.log()[1]
    assert scene.store.undo(early.id[:8]).merged == ("a.md",)
    assert scene.get("a.md") == edit(ONE, 20, "late")
    assert [version.undone for version in scene.store.log(limit=3)] == [False, False, True]
    with pytest.raises(Conflict):
        scene.store.undo(early.id)
    undo = scene.store.log()[0]
    assert undo.undoes == early.id
    scene.store.undo(undo.id)  # the undo of an undo is a redo
    assert scene.get("a.md") == third
    assert scene.kinds()[0] == "redo"


def test_an_undo_that_later_edits_overlap_lists_them(scene: Scene) -> None:
    scene.save("a.md", ONE, None)
    second, third = edit(ONE, 3, "mine"), edit(ONE, 3, "mine again")
    scene.save("a.md", second, ONE)
    scene.save("a.md", third, second)
    saved = scene.store.undo(scene.store.log()[1].id)
    (left,) = saved.left
    assert saved.operation is None and left.overridable and (left.wanted, left.disk) == (ONE, third)
    making = scene.store.log()[2].id  # to undo it would be to throw the edits away
    assert [one.name for one in scene.store.undo(making).left] == ["a.md"]
    assert scene.get("a.md") == third and len(scene.store.log()) == 3
    with pytest.raises(Stale):
        scene.store.undo(making, whole=True)
    scene.store.undo(making, over=["a.md"])
    assert scene.get("a.md") is None


def test_undo_keeps_what_others_did_since(scene: Scene) -> None:
    scene.save("a.md", ONE, None)
    scene.save("a.md", edit(ONE, 3, "mine"), ONE)
    scene.put("a.md", edit(edit(ONE, 3, "mine"), 20, "theirs"))
    scene.store.undo()
    assert scene.get("a.md") == edit(ONE, 20, "theirs")
    assert scene.kinds()[:2] == ["undo", "outside"]
    assert "a.md" in scene.store.unseen()


def test_undo_brings_a_removed_file_back_and_removes_a_new_one(scene: Scene) -> None:
    odd = b"\xef\xbb\xbfa\r\nb\x00\xff no end"
    scene.put("x/odd.md", odd)
    scene.save("x/odd.md", None, odd)
    scene.store.undo()
    assert scene.get("x/odd.md") == odd
    scene.save("y/z/new.md", b"n\n", None)
    scene.store.undo()
    assert not (scene.root / "y").exists(), "folders that were made for it go with it"
    scene.store.redo()
    assert scene.get("y/z/new.md") == b"n\n"


def test_undo_of_what_somebody_did_already_counts(scene: Scene) -> None:
    scene.save("a.md", b"1\n", None)
    scene.save("a.md", b"2\n", b"1\n")
    scene.put("a.md", b"1\n")
    scene.store.undo()
    assert scene.get("a.md") == b"1\n"
    scene.store.undo()
    assert scene.get("a.md") is None


def test_what_others_did_can_be_undone_by_id_but_not_by_the_plain_key(scene: Scene) -> None:
    scene.put("a.md", b"theirs\n")
    scene.store.note_outside()
    with pytest.raises(NotFound):
        scene.store.undo()
    with pytest.raises(Refused):
        scene.store.undo(scene.store.log()[0].id)  # before memtui came there was no state to go back to
    scene.put("a.md", b"theirs, changed\n")
    version = scene.store.note_outside()
    assert version is not None
    scene.store.undo(version.id)
    assert scene.get("a.md") == b"theirs\n"


def test_restore_brings_back_any_version_of_a_file(scene: Scene) -> None:
    scene.save("a.md", b"1\n", None)
    scene.save("a.md", b"2\n", b"1\n")
    scene.save("a.md", None, b"2\n")
    gone, second, first = scene.store.log()
    scene.store.restore(first.id, "a.md")
    assert scene.get("a.md") == b"1\n"
    scene.store.restore(second.id, "a.md")
    assert scene.get("a.md") == b"2\n"
    scene.put("a.md", b"foreign\n")
    scene.store.restore(gone.id, "a.md")  # the version that removed it stands for what it removed
    assert scene.get("a.md") == b"2\n"
    assert scene.kinds()[:2] == ["restore", "outside"]
    scene.store.undo()
    assert scene.get("a.md") == b"foreign\n"
    with pytest.raises(NotFound):
        scene.store.restore(first.id, "b.md")


def test_a_text_that_lost_a_conflict_is_kept(scene: Scene) -> None:
    scene.save("a.md", b"theirs\n", None)
    kept = scene.store.keep("a.md", b"mine\n", why="used what is on the disk")
    assert scene.get("a.md") == b"theirs\n"
    assert scene.store.history.read(kept.id, "a.md") == b"mine\n"
    assert scene.store.history.head("a.md") == b"theirs\n"
    with pytest.raises(Refused):
        scene.store.undo(kept.id)
    scene.store.restore(kept.id, "a.md")
    assert scene.get("a.md") == b"mine\n"


def test_what_others_changed_is_recorded_once(scene: Scene) -> None:
    scene.put("a.md", b"a\n")
    scene.put("logs/2026/x.md", b"x\n")
    scene.put("notes.txt", b"not ours\n")
    scene.put(".hidden.md", b"not ours\n")
    first = scene.store.note_outside()
    assert first is not None
    assert (first.kind, sorted(file.name for file in first.files)) == ("found", ["a.md", "logs/2026/x.md"])
    assert scene.store.unseen() == {}
    assert scene.store.note_outside() is None
    scene.put("a.md", b"a2\n")
    scene.put("b.md", b"b\n")
    (scene.root / "logs/2026/x.md").unlink()
    second = scene.store.note_outside()
    assert second is not None
    assert {file.name: file.kind for file in second.files} == {
        "a.md": "changed", "b.md": "added", "logs/2026/x.md": "removed",
    }  # fmt: skip
    assert (second.kind, second.who) == ("outside", "outside")
    assert scene.store.unseen() == {"a.md": digest(b"a2\n"), "b.md": digest(b"b\n")}
    assert scene.store.note_outside() is None
    scene.store.mark_seen("a.md")
    assert set(scene.store.unseen()) == {"b.md"}
    scene.save("b.md", b"mine\n", b"b\n")  # who writes it has looked at it
    assert scene.store.unseen() == {}
    assert scene.store.note_outside() is None


def test_a_quiet_folder_costs_no_read_and_no_git(scene: Scene) -> None:
    for number in range(20):
        scene.put(f"{number}.md", b"x\n")

    class Later(FileSystem):
        reads = 0

        def now(self) -> float:
            return 4e9

        def read(self, fd: int, size: int) -> bytes:
            self.reads += 1
            return os.read(fd, size)

    fs = Later()
    store = scene.open(fs=fs)
    store.note_outside()
    store.note_outside()
    fs.reads = 0
    assert scene.open(fs=fs).note_outside() is None
    assert fs.reads == 0
    scene.put("7.md", b"y\n")
    version = scene.open(fs=fs).note_outside()
    assert version is not None
    assert [file.name for file in version.files] == ["7.md"]


def test_looking_never_touches_the_folder(scene: Scene) -> None:
    scene.put("a.md", ONE)
    scene.put("b/c.md", ONE)
    before = digest_tree(scene.root)
    for _ in range(3):
        scene.store.note_outside()
        scene.store.read("a.md")
        scene.store.log("a.md")
        scene.store.recover()
    assert digest_tree(scene.root) == before


def test_what_may_not_be_written_is_refused(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "out.md").write_bytes(b"out\n")
    (scene.root / "link.md").symlink_to(tmp_path / "out.md")
    before = digest_tree(tmp_path / "memory")
    for name in ("../out.md", "link.md", "x.txt", "CLAUDE.md", ".consolidate-lock", str(tmp_path / "out.md")):
        for data in (b"x\n", None):
            with pytest.raises(Refused):
                scene.save(name, data, None)
    with pytest.raises(Refused):
        scene.open(actor="dream").apply([Change("team/x.md", b"x\n", None)], why="x", who="dream")
    assert digest_tree(tmp_path / "memory") == before
    assert (tmp_path / "out.md").read_bytes() == b"out\n"


def test_a_store_of_exact_names(scene: Scene) -> None:
    scene.put("a.md", b"a\n")
    store = scene.open(allow=frozenset({"CLAUDE.md", ".claude/settings.json"}))
    assert store.note_outside() is None
    store.apply([Change("CLAUDE.md", b"rules\n", None), Change(".claude/settings.json", b"{}", None)], why="x")
    with pytest.raises(Refused):
        store.apply([Change("a.md", b"x\n", digest(b"a\n"))], why="x")
    scene.put(".claude/settings.json", b'{"a": 1}')
    version = store.note_outside()
    assert version is not None
    assert [file.name for file in version.files] == [".claude/settings.json"]
    store.undo(version.id)
    store.undo()
    assert (scene.get("CLAUDE.md"), scene.get(".claude/settings.json")) == (None, None)
    # The store of the memory files in the same folder has its own look, its own log and its own undo.
    version = scene.store.note_outside()
    assert version is not None
    assert [file.name for file in version.files] == ["a.md"]
    scene.save("a.md", b"a2\n", b"a\n")
    with pytest.raises(NotFound):
        store.undo()
    assert [one.kind for one in store.log()] == ["undo", "undo", "outside", "new"]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664])
def test_modes_are_kept_and_new_files_are_as_open_as_their_folder(scene: Scene, mode: int) -> None:
    scene.put("a.md", ONE)
    (scene.root / "a.md").chmod(mode)
    scene.save("a.md", b"x\n", ONE)
    assert stat.S_IMODE((scene.root / "a.md").stat().st_mode) == mode
    scene.root.chmod(0o700 if mode == 0o600 else 0o755)
    scene.save("b.md", b"x\n", None)
    assert stat.S_IMODE((scene.root / "b.md").stat().st_mode) == (0o600 if mode == 0o600 else 0o644)


def test_a_hard_link_elsewhere_keeps_its_bytes(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.md").write_bytes(ONE)
    os.link(tmp_path / "elsewhere.md", scene.root / "a.md")
    scene.save("a.md", b"x\n", ONE)
    assert (tmp_path / "elsewhere.md").read_bytes() == ONE


def test_a_folder_that_is_gone_is_made_again_for_a_new_file(scene: Scene) -> None:
    scene.save("a.md", b"1\n", None)
    (scene.root / "a.md").unlink()
    scene.root.rmdir()
    with pytest.raises(Stale) as caught:
        scene.save("a.md", b"2\n", b"1\n")
    assert caught.value.disk is None
    scene.save("a.md", b"2\n", None)
    assert scene.get("a.md") == b"2\n"


def test_what_stops_the_write_at_the_last_moment_stops_it(scene: Scene) -> None:
    scene.put("a.md", b"1\n")

    def lost() -> None:
        raise Conflict("the lock is no longer ours")

    with pytest.raises(Conflict, match="no longer ours"):
        scene.save("a.md", b"2\n", b"1\n", before_write=lost)
    assert scene.get("a.md") == b"1\n"
    assert scene.store.recover() == ()
    assert scene.get("a.md") == b"1\n"
    assert sorted(path.name for path in scene.root.iterdir()) == ["a.md"]


def test_a_foreign_write_at_the_last_moment_is_merged_too(scene: Scene) -> None:
    scene.put("a.md", ONE)
    turns: list[bytes] = [edit(ONE, 2, "theirs"), edit(edit(ONE, 2, "theirs"), 10, "theirs again")]

    def meanwhile() -> None:
        if turns:
            scene.put("a.md", turns.pop(0))

    assert scene.save("a.md", edit(ONE, 25, "mine"), ONE, before_write=meanwhile) == ("a.md",)
    assert scene.get("a.md") == edit(edit(edit(ONE, 2, "theirs"), 10, "theirs again"), 25, "mine")


def test_a_file_that_changes_all_the_time_is_a_conflict(scene: Scene) -> None:
    scene.put("a.md", ONE)
    number = 0

    def meanwhile() -> None:
        nonlocal number
        number += 1
        scene.put("a.md", edit(ONE, 2, f"theirs {number}"))

    with pytest.raises(Conflict, match="keeps changing"):
        scene.save("a.md", edit(ONE, 25, "mine"), ONE, before_write=meanwhile)
    assert scene.get("a.md") == edit(ONE, 2, f"theirs {number}")


def test_a_second_process_that_does_not_finish_is_named(scene: Scene) -> None:
    scene.save("a.md", b"1\n", None)
    [lock] = (scene.dirs.state / "locks").iterdir()
    with file_lock(lock), pytest.raises(Conflict, match="another memtui"):
        scene.open(patience=0).apply([Change("b.md", b"x\n", None)], why="x")


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        (errno.ENOSPC, Unsupported, "No room left on the disk: nothing was written"),
        (errno.EROFS, Refused, "read only, nothing was written"),
        (errno.EACCES, Refused, "permission denied, nothing was written"),
    ],
)
def test_a_refusal_of_the_system_is_said_in_words(scene: Scene, code: int, kind: type[MemtuiError], words: str) -> None:
    class Sick(FaultFS):
        def write(self, fd: int, data: bytes | memoryview) -> int:
            raise OSError(code, os.strerror(code))

        def commit(self, database: Path, commit: Callable[[], object], *, durable: bool) -> None:
            raise OSError(code, os.strerror(code))

    scene.put("a.md", b"1\n")
    store = scene.open(fs=Sick())
    with pytest.raises(kind) as caught:
        store.apply([Change("a.md", b"2\n", digest(b"1\n"))], why="x")
    assert words in str(caught.value)
    assert scene.get("a.md") == b"1\n"
    with pytest.raises(kind) as caught:
        store.apply([Change("a.md", None, digest(b"1\n"))], why="x")
    assert "draft" not in str(caught.value)


def test_short_and_interrupted_writes_lose_nothing(scene: Scene) -> None:
    store = scene.open(fs=ShortFS())
    store.apply([Change("a.md", ONE * 50, None)], why="x")
    assert scene.get("a.md") == ONE * 50
    assert scene.store.history.head("a.md") == ONE * 50


def test_failing_trash_is_no_failure(scene: Scene) -> None:
    scene.put("a.md", ONE)
    store = scene.open(trash=lambda name, data, folder: False)
    store.apply([Change("a.md", None, digest(ONE))], why="x")
    assert scene.get("a.md") is None
    store.undo()
    assert scene.get("a.md") == ONE


def test_the_real_trash_takes_a_copy(home: Path, scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: dict[str, bytes] = {}

    def send(path: str) -> None:
        taken[Path(path).name] = Path(path).read_bytes()
        raise OSError("no trash here")

    monkeypatch.setattr("send2trash.send2trash", send)
    scene.put("sub/a.md", ONE)
    store = Store(scene.root, scene.dirs)
    store.apply([Change("sub/a.md", None, digest(ONE))], why="x")
    assert taken == {"a.md": ONE}
    assert not list((scene.dirs.state / "trash").iterdir())


def test_a_damaged_history_is_said_and_the_file_stays(scene: Scene, tmp_path: Path) -> None:
    scene.save("a.md", b"1\n", None)
    database = HistoryDatabase.of(scene.dirs)
    database.close()
    database.path.write_bytes(b"\0" * 10_000)
    with pytest.raises(MemtuiError, match="is damaged: nothing was written"):
        scene.open().apply([Change("a.md", b"2\n", digest(b"1\n"))], why="x")
    with pytest.raises(MemtuiError, match="damaged"):
        scene.open().log()
    assert scene.open().recover() == ()
    assert scene.get("a.md") == b"1\n"
    assert database.path.read_bytes() == b"\0" * 10_000
    database.path.rename(tmp_path / "elsewhere.db")
    scene.open().apply([Change("a.md", b"2\n", digest(b"1\n"))], why="x")
    assert [one.kind for one in scene.open().log()] == ["edit", "found"]


def test_stores_of_one_folder_share_what_happened(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(scene.root)
    other = Store(tmp_path / "alias", scene.dirs, trash=None)
    other.apply([Change("a.md", b"1\n", None)], why="x")
    scene.save("a.md", b"2\n", b"1\n")
    assert [version.id for version in other.log()] == [version.id for version in scene.store.log()]
    other.undo()
    assert scene.get("a.md") == b"1\n"


@pytest.mark.parametrize("operation", ["apply", "undo", "restore", "note"])
def test_a_link_in_the_place_of_a_file_is_never_followed(scene: Scene, tmp_path: Path, operation: str) -> None:
    scene.save("a.md", b"1\n", None)
    scene.save("a.md", b"2\n", b"1\n")
    (tmp_path / "out.md").write_bytes(b"secret\n")
    (scene.root / "a.md").unlink()
    (scene.root / "a.md").symlink_to(tmp_path / "out.md")
    operations: dict[str, Callable[[], object]] = {
        "apply": lambda: scene.save("a.md", b"3\n", b"2\n"),
        "undo": scene.store.undo,
        "restore": lambda: scene.store.restore(scene.store.log()[1].id, "a.md"),
    }
    if operation == "note":
        scene.store.note_outside()
        assert scene.store.history.head("a.md") is None
    else:
        with pytest.raises(Refused):
            operations[operation]()
    assert (tmp_path / "out.md").read_bytes() == b"secret\n"
    assert scene.store.history.content(digest(b"secret\n")) is None


def test_a_twin_in_another_spelling_comes_back_beside_the_other(scene: Scene) -> None:
    composed, split = "caf\u00e9.md", "cafe\u0301.md"
    scene.save(composed, b"one\n", None)
    (scene.root / split).write_bytes(b"two\n")
    if len(list(scene.root.glob("caf*.md"))) < 2:
        pytest.skip("for this disk both are one name")
    scene.store.note_outside()
    scene.save(split, None, b"two\n")
    assert scene.get(split) is None
    scene.store.undo()
    assert (scene.get(composed), scene.get(split)) == (b"one\n", b"two\n")
    scene.store.redo()
    assert (scene.get(composed), scene.get(split)) == (b"one\n", None)
