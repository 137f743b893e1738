"""Sessions put away and brought back: every byte and time."""

import errno
import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from memtui.client.session_files import session_files
from memtui.sessions.archive import ARCHIVED, DELETED, KEPT, TRASH_LIMIT, save_copy
from memtui.sessions.archive_files import ArchiveMove, ArchiveMover
from memtui.sessions.operations_log import SessionOperation
from memtui.sessions.rename import title_before
from memtui.transcripts.subagents import agent_files
from memtui.util.errors import Conflict, MemtuiError, NotFound, Refused, UsageError
from tests.fs.faults import FaultFS
from tests.sessions.archiving import DAY, OTHER, Scene, last, old
from tests.support import digest_tree
from tests.transcripts.rows import SESSION, Script


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


@pytest.mark.parametrize("what", ["archive", "delete"])
def test_away_and_back_is_every_byte_and_time(scene: Scene, what: str) -> None:
    done = getattr(scene.keeper(), what)([scene.path])
    assert scene.tree() == scene.others
    [kept] = scene.keeper().kept()
    assert (kept.place, kept.project, kept.file.id) == (
        ARCHIVED if what == "archive" else DELETED,
        scene.project,
        SESSION,
    )
    assert kept.file.modified == pytest.approx(scene.before[scene.path.name][2] / 1e9)
    assert kept.note.title == "Move to pnpm"
    assert [file.file_path for file in session_files(kept.box)] == [kept.file.file_path]
    assert len(agent_files(kept.file.path)) == 3
    scene.keeper().undo(done.operation)
    assert scene.tree() == scene.before
    assert scene.path.stat().st_mode & 0o777 == 0o600
    assert (scene.project / SESSION / "tool-results" / "toolu_1.txt").stat().st_mode & 0o777 == 0o640
    assert not scene.keeper().kept()
    ours = scene.dirs.state / "sessions"
    assert sorted(path.name for path in ours.rglob("*") if path.is_file()) == ["lock"]


def test_put_back_and_its_undo(scene: Scene) -> None:
    first = scene.keeper().delete([scene.path]).operation
    back = scene.keeper().put_back([scene.box()])
    assert scene.tree() == scene.before
    scene.keeper().undo(back)
    assert scene.tree() == scene.others
    assert scene.box().place == DELETED
    assert last(scene.keeper()) == first
    scene.keeper().undo(first)
    assert scene.tree() == scene.before
    words = [operation.words for operation in scene.keeper().operations.all()[::-1]]
    assert words == [
        "undo: delete session 'Move to pnpm'",
        "undo: put back session 'Move to pnpm'",
        "put back session 'Move to pnpm'",
        "delete session 'Move to pnpm'",
    ]


@pytest.mark.parametrize("what", ["archive", "delete", "put_back", "rename"])
def test_undone_and_done_again(scene: Scene, what: str) -> None:
    keeper = scene.keeper()
    if what == "put_back":
        keeper.archive([scene.path])
    before = scene.tree()
    operation = {
        "archive": lambda: keeper.archive([scene.path]).operation,
        "delete": lambda: keeper.delete([scene.path]).operation,
        "put_back": lambda: keeper.put_back([scene.box()]),
        "rename": lambda: keeper.rename(scene.path, "Another"),
    }[what]()
    after, titled = scene.tree(), title_of(scene)
    for _ in range(2):
        undone = keeper.undo(operation).operation
        assert title_of(scene) != titled if what == "rename" else scene.tree() == before
        assert keeper.operations.versions.operation(operation.id).undone
        again = keeper.redo(undone).operation
        assert title_of(scene) == titled if what == "rename" else scene.tree() == after
        assert again.told == f"done again: {operation.words}"
        assert last(keeper) == operation
        with pytest.raises(Conflict):
            keeper.redo(undone)
        with pytest.raises(UsageError):
            keeper.undo(again)
    with pytest.raises(UsageError):
        keeper.redo(operation)


def title_of(scene: Scene) -> str:
    return title_before(scene.path) if scene.path.exists() else ""


def test_what_the_clean_up_would_take_is_fresh_when_it_comes_back(scene: Scene) -> None:
    late = scene.project / SESSION / "tool-results" / "toolu_1.txt"
    old(late, 29)
    exact = scene.tree()
    done = scene.keeper().archive([scene.path])
    scene.now += 20 * DAY
    scene.keeper().put_back([scene.box()])
    after = scene.tree()
    assert after.pop(late.relative_to(scene.project).as_posix())[2] == int(scene.now * 1e9)
    assert after == {name: entry for name, entry in exact.items() if name in after}
    assert done.operation.words == "archive session 'Move to pnpm'"
    scene.keeper().archive([scene.path])
    scene.now += 100 * DAY
    scene.keeper(cleanup=365).put_back([scene.box()])
    assert scene.path.stat().st_mtime_ns == exact[scene.path.name][2]


def test_an_undo_leaves_alone_what_was_due_before(scene: Scene) -> None:
    old(scene.path, 50, 7)
    before = scene.tree()
    done = scene.keeper().delete([scene.path])
    scene.now += DAY
    scene.keeper().undo(done.operation)
    assert scene.tree() == before
    scene.keeper().delete([scene.path])
    scene.keeper().put_back([scene.box()])
    assert scene.path.stat().st_mtime == scene.now


def test_a_session_that_is_there_again_is_not_written_over(scene: Scene) -> None:
    done = scene.keeper().archive([scene.path])
    scene.path.write_bytes(b"another\n")
    now = scene.tree()
    box = digest_tree(scene.box().box)
    with pytest.raises(Conflict):
        scene.keeper().put_back([scene.box()])
    with pytest.raises(Conflict):
        scene.keeper().undo(done.operation)
    assert (scene.tree(), digest_tree(scene.box().box)) == (now, box)
    scene.path.unlink()
    stranger = scene.project / SESSION / "tool-results" / "toolu_1.txt"
    stranger.parent.mkdir(parents=True)
    stranger.write_bytes(b"theirs")
    with pytest.raises(Conflict):
        scene.keeper().undo(done.operation)
    assert stranger.read_bytes() == b"theirs"
    assert not scene.path.exists()


def test_a_project_folder_that_is_gone_comes_back(scene: Scene) -> None:
    scene.keeper().archive([scene.path])
    for name in sorted(scene.tree(), reverse=True):
        path = scene.project / name
        path.rmdir() if path.is_dir() else path.unlink()
    scene.project.rmdir()
    scene.keeper().put_back([scene.box()])
    assert scene.tree() == {name: entry for name, entry in scene.before.items() if name not in scene.others}


def test_who_is_refused(scene: Scene) -> None:
    keeper = scene.keeper()
    with pytest.raises(Refused, match="open in the agent client"):
        keeper.archive([scene.path], live=frozenset({SESSION}))
    with pytest.raises(NotFound):
        keeper.delete([scene.path, scene.path.with_name(OTHER.replace("9", "8") + ".jsonl")])
    with pytest.raises(UsageError):
        keeper.delete([scene.project / "agent-flat.jsonl"])
    with pytest.raises(UsageError):
        keeper.archive([])
    assert scene.tree() == scene.before
    assert not keeper.operations.all()
    keeper.rename(scene.path, "Live ones may be renamed")
    keeper.archive([scene.path])
    with pytest.raises(Refused, match="put away"):
        keeper.rename(scene.box().file.path, "no")
    back = keeper.put_back([scene.box()])
    with pytest.raises(Refused, match="open in the agent client"):
        keeper.undo(back, live=frozenset({SESSION}))
    with pytest.raises(UsageError):
        keeper.undo(keeper.undo(back).operation)


@pytest.mark.parametrize("where", [f"{SESSION}/tool-results/link", f"{SESSION}/subagents", f"{SESSION}.jsonl", SESSION])
def test_a_link_is_neither_followed_nor_moved(scene: Scene, tmp_path: Path, where: str) -> None:
    outside = tmp_path / "outside"
    (outside / "subagents").mkdir(parents=True)
    (outside / "precious").write_bytes(b"x")
    link = scene.project / where
    if link.is_dir():
        link.rename(tmp_path / "aside")
    link.unlink(missing_ok=True)
    link.symlink_to(outside)
    before = (digest_tree(outside), scene.tree())
    with pytest.raises(MemtuiError):
        scene.keeper().delete([scene.path])
    assert (digest_tree(outside), scene.tree()) == before
    assert not scene.keeper().kept()


def test_deleted_ones_go_for_good_after_a_month_at_the_next_delete(scene: Scene) -> None:
    first = scene.keeper().delete([scene.path]).operation
    scene.keeper().archive([scene.project / f"{OTHER}.jsonl"])
    scene.now += KEPT * DAY + 1
    scene.keeper().recover()
    assert len(scene.keeper().kept()) == 2
    again = Script().user("u", None, "x").write(scene.project)
    done = scene.keeper().delete([again])
    assert done.notes == ("1 deleted more than 30 days ago went for good",)
    assert [one.note.operation for one in scene.keeper().kept(DELETED)] == [done.operation.id]
    assert len(scene.keeper().kept(ARCHIVED)) == 1
    scene.keeper().undo(done.operation)
    with pytest.raises(NotFound, match="not among the kept"):
        scene.keeper().undo(first)


def test_the_trash_is_a_courtesy(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    got: list[tuple[str, bytes]] = []

    def trash(name: str, data: bytes, folder: Path) -> bool:
        got.append((name, data))
        raise OSError(errno.ENOSPC, "full")

    text = scene.path.read_bytes()
    done = scene.keeper(trash=trash).delete([scene.path])
    assert (got, done.notes) == ([(scene.path.name, text)], ())
    scene.keeper().undo(done.operation)
    monkeypatch.setattr("memtui.sessions.archive.TRASH_LIMIT", 10)
    assert "too large" in scene.keeper(trash=trash).delete([scene.path]).notes[0]
    assert len(got) == 1
    assert TRASH_LIMIT == 50_000_000


def test_several_at_once_are_one_deed(scene: Scene) -> None:
    other = scene.project / f"{OTHER}.jsonl"
    done = scene.keeper().delete([scene.path, other, scene.path])
    assert [one.id for one in done.operation.sessions] == [SESSION, OTHER]
    assert scene.keeper().operations.all()[::-1] == [done.operation]
    assert (done.operation.words, done.operation.told) == ("delete 2 sessions", "deleted 2 sessions")
    other.write_bytes(b"again\n")
    undone = scene.keeper().undo(done.operation)
    assert ([one.id for one in undone.operation.sessions], len(undone.left)) == ([SESSION], 1)
    assert "is there already" in undone.left[0].reason
    assert scene.path.exists()
    assert last(scene.keeper()) is None
    with pytest.raises(Conflict):
        scene.keeper().undo(done.operation)
    assert [one.id for one in scene.keeper().operations.rest(done.operation)] == [OTHER]
    other.unlink()
    scene.keeper().undo(done.operation)
    assert scene.tree() == scene.before
    assert last(scene.keeper()) is None


def test_save_as_copies_the_bytes(scene: Scene, tmp_path: Path) -> None:
    target = tmp_path / "copy.jsonl"
    assert save_copy(scene.path, target) == len(scene.path.read_bytes())
    assert target.read_bytes() == scene.path.read_bytes()
    assert scene.tree() == scene.before
    with pytest.raises(Refused):
        save_copy(scene.path, target)
    with pytest.raises(NotFound):
        save_copy(scene.path, tmp_path / "none" / "x")


def test_where_files_have_one_name_only(scene: Scene) -> None:
    class Lone(FaultFS):
        def link(self, source: str | Path, target: str | Path, *, dir_fd: int | None = None) -> None:
            raise OSError(errno.EPERM, "no links here")

    scene.keeper().archive([scene.path])
    scene.keeper(Lone()).put_back([scene.box()])
    assert scene.tree() == scene.before


def test_a_note_as_memtui_0_1_0_wrote_it_is_listed_and_comes_back(scene: Scene) -> None:
    """Its operation stands in a log that this version doesn't have."""
    scene.keeper().archive([scene.path])
    [kept] = scene.keeper().kept()
    note = kept.note
    parts = ("name", "modified", "mode", "size", "digest")
    written = {
        "id": note.id, "project": note.project, "at": note.at, "deed": "s123456789abc", "title": note.title,
        "files": [{part: getattr(item, part) for part in parts} for item in note.files],
        "folders": [{part: getattr(item, part) for part in parts} for item in note.folders],
    }  # fmt: skip
    (kept.box / "note.json").write_text(json.dumps(written, separators=(",", ":")), encoding="ascii")
    [listed] = scene.keeper().kept()
    assert listed.note == replace(note, operation="s123456789abc")
    scene.keeper().put_back([listed])
    assert scene.tree() == scene.before


@pytest.mark.parametrize("way", ["away", "back"])
def test_a_box_whose_note_is_broken_is_never_thrown_away(scene: Scene, way: str) -> None:
    operation = scene.keeper().archive([scene.path]).operation
    box = scene.box().box
    ArchiveMover(scene.dirs.state / "sessions", scene.keeper().operations)._begin(ArchiveMove(way, box, operation))
    note = (box / "note.json").read_bytes()
    (box / "note.json").write_bytes(note[:50])
    before = digest_tree(box)
    scene.keeper().recover()
    assert digest_tree(box) == before
    (box / "note.json").write_bytes(note)
    if way == "away":
        scene.keeper().undo(operation)
        assert scene.tree() == scene.before


def test_words_of_a_deed_without_titles() -> None:
    from memtui.sessions.operations_log import TouchedSession

    one = TouchedSession(SESSION, "/p", after="New")
    assert SessionOperation("s1", 0, "rename", (one,)).words == "rename session '11111111' to 'New'"
    assert SessionOperation("s1", 0, "archive", (one,)).words == "archive session '11111111'"
