"""A stage: what is copied, what is not, and what the disk says changed in it."""

import os
from pathlib import Path

import pytest

from memtui.dream.run.stage import (
    STAGE_RETENTION_S,
    Stage,
    clear_stages,
    discard_stage,
    has_stage,
    make_stage,
    open_stage,
)
from memtui.dream.run.stage_changes import StageChanges, StagedChange, line_similarity, read_stage_changes
from memtui.history.snapshot import MAX_SIZE
from memtui.util.errors import NotFound
from tests.dream.scene import NOW, Scene, contents, edit, topic
from tests.support import digest_tree


@pytest.fixture
def stage(scene: Scene) -> Stage:
    return make_stage(scene.dirs, "one", scene.folder, NOW)


def found(ledger: StageChanges) -> dict[str, tuple[str, str | None, int, int]]:
    return {one.name: (one.kind, one.old, one.added, one.removed) for one in ledger.touched}


def test_it_is_the_folder_with_its_times_and_the_folder_is_untouched(scene: Scene) -> None:
    scene.write("logs/2026/11/2026-11-30.md", "a day\n")
    scene.put_lock(b"1", 60)
    before = digest_tree(scene.folder)
    stage = make_stage(scene.dirs, "one", scene.folder, NOW)
    assert digest_tree(scene.folder) == before
    assert contents(stage.root) == contents(scene.folder)
    for name, copied in stage.files.items():
        assert (stage.root / name).stat().st_mtime_ns == copied.mtime_ns == (scene.folder / name).stat().st_mtime_ns
        assert stage.base(name) == (scene.folder / name).read_bytes()
    assert not stage.left_out
    assert open_stage(scene.dirs, "one") == stage
    assert read_stage_changes(stage) == StageChanges((), {})


def test_the_text_of_a_link_to_a_memory_file_is_copied(scene: Scene, tmp_path: Path) -> None:
    """One that lies in the home or the project; not through it are written other files, and the folder's own."""
    vault = scene.workspace.env.home / "vault"
    vault.mkdir(parents=True)
    for name in ("index.md", "CLAUDE.md", ".bashrc"):
        (vault / name).write_text(f"{name}\n", encoding="utf-8")
    (scene.folder / "MEMORY.md").unlink()
    links = {
        "MEMORY.md": vault / "index.md", "again.md": vault / "index.md", "rules.md": vault / "CLAUDE.md",
        "shell.md": vault / ".bashrc", "alias.md": scene.folder / topic(1), "dead.md": vault / "gone.md",
    }  # fmt: skip
    for name, target in links.items():
        (scene.folder / name).symlink_to(target)
    stage = make_stage(scene.dirs, "one", scene.folder, NOW, scene.workspace.own)
    assert stage.base("MEMORY.md") == b"index.md\n" and not (stage.root / "MEMORY.md").is_symlink()
    assert stage.left_out == {
        "again.md": "a link to the same file as MEMORY.md",
        "rules.md": f"a link: its file {vault / 'CLAUDE.md'} is no memory file",
        "shell.md": f"a link: its file {vault / '.bashrc'} is no memory file",
        "alias.md": f"a link to {topic(1)}",
        "dead.md": f"a link to {vault / 'gone.md'}, which isn't there",
    }


def test_what_is_not_copied_is_said(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    (scene.folder / "link.md").symlink_to(tmp_path / "secret.md")
    (scene.folder / "folder").symlink_to(tmp_path)
    os.mkfifo(scene.folder / "pipe.md")
    (scene.folder / ".hidden.md").write_text("x", encoding="utf-8")
    (scene.folder / ".git").mkdir()
    (scene.folder / ".git" / "config.md").write_text("x", encoding="utf-8")
    (scene.folder / "notes.txt").write_text("x", encoding="utf-8")
    with (scene.folder / "huge.md").open("wb") as file:
        file.truncate(MAX_SIZE + 1)
    odd = os.fsdecode(b"bad\xff.md")
    (scene.folder / odd).write_text("x", encoding="utf-8")
    stage = make_stage(scene.dirs, "one", scene.folder, NOW)
    assert stage.left_out == {
        "link.md": f"a link: its file {tmp_path / 'secret.md'} lies outside the home and the project",
        "folder": "a link", "pipe.md": "not a regular file", ".hidden.md": "hidden",
        ".git": "hidden", "notes.txt": "not a .md file", "huge.md": "larger than 8 MiB",
    }  # fmt: skip
    assert odd in stage.files
    assert open_stage(scene.dirs, "one") == stage
    assert "secret.md" not in {path.name for path in stage.path.rglob("*")}


def test_a_folder_that_is_not_there_is_an_empty_stage(scene: Scene, tmp_path: Path) -> None:
    stage = make_stage(scene.dirs, "one", tmp_path / "absent", NOW)
    assert not stage.files and stage.root.is_dir()
    (stage.root / "new.md").write_text("a\n", encoding="utf-8")
    assert found(read_stage_changes(stage)) == {"new.md": ("added", None, 1, 0)}


def test_without_its_manifest_it_is_none(scene: Scene, stage: Stage) -> None:
    assert has_stage(scene.dirs, "one")
    (stage.path / "manifest.json").write_text("{", encoding="utf-8")
    with pytest.raises(NotFound):
        open_stage(scene.dirs, "one")
    with pytest.raises(NotFound):
        open_stage(scene.dirs, "none")


def test_old_stages_go_and_others_stay(scene: Scene, stage: Stage, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine").write_text("", encoding="utf-8")
    (stage.root / "way-out").symlink_to(outside)
    make_stage(scene.dirs, "two", scene.folder, NOW + STAGE_RETENTION_S)
    unfinished = scene.dirs.state / "stages" / "three"
    unfinished.mkdir()
    os.utime(unfinished, (NOW + STAGE_RETENTION_S, NOW + STAGE_RETENTION_S))
    assert clear_stages(scene.dirs, NOW + STAGE_RETENTION_S, ()) == ()
    assert clear_stages(scene.dirs, NOW + STAGE_RETENTION_S + 1, ("one",)) == ()
    assert clear_stages(scene.dirs, NOW + STAGE_RETENTION_S + 1, ()) == ("one",)
    assert clear_stages(scene.dirs, NOW + STAGE_RETENTION_S + 4000, ()) == ("three",)
    assert (outside / "mine").exists()
    discard_stage(scene.dirs, "two")
    assert not has_stage(scene.dirs, "two") and not (scene.dirs.state / "stages" / "two").exists()


def test_a_copy_that_a_power_cut_broke_is_no_base(stage: Stage) -> None:
    (stage.path / "base" / topic(1)).write_bytes(b"")
    assert stage.base(topic(1)) is None
    (stage.path / "base" / topic(2)).unlink()
    assert stage.base(topic(2)) is None
    assert stage.base("never.md") is None


def test_every_kind_of_change_is_seen_on_the_disk(stage: Stage) -> None:
    edit(stage, topic(1), "first\n", "first\nand more\n")
    (stage.root / topic(2)).unlink()
    (stage.root / "deep").mkdir()
    (stage.root / topic(3)).rename(stage.root / "deep" / "moved.md")
    (stage.root / "new.md").write_text("quite another text\n", encoding="utf-8")
    (stage.root / topic(4)).write_text("---\nname: Topic 4\n---\n\n", encoding="utf-8")
    ledger = read_stage_changes(stage)
    assert found(ledger) == {
        topic(1): ("changed", None, 1, 0),
        topic(2): ("removed", None, 0, 12),
        "deep/moved.md": ("renamed", topic(3), 0, 0),
        "new.md": ("added", None, 1, 0),
        topic(4): ("changed", None, 0, 8),
    }
    assert set(ledger.gone) == {topic(2), topic(4)}


def test_a_rename_with_an_edit_is_a_rename_if_most_of_it_stayed(stage: Stage) -> None:
    (stage.root / topic(3)).rename(stage.root / "moved.md")
    edit(stage, "moved.md", "third\n", "third\nfourth\n")
    (stage.root / topic(4)).unlink()
    ledger = read_stage_changes(stage)
    assert found(ledger)["moved.md"] == ("renamed", topic(3), 1, 0)
    assert ledger.gone == (topic(4),)


def test_same_size_and_time_don_t_hide_a_change(stage: Stage) -> None:
    path = stage.root / topic(1)
    info = path.stat()
    edit(stage, topic(1), "first", "FIRST")
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
    assert list(found(read_stage_changes(stage))) == [topic(1)]
    assert read_stage_changes(stage, quick=True).touched == ()


def test_what_does_not_belong_there_is_odd(stage: Stage, tmp_path: Path) -> None:
    (stage.root / topic(1)).unlink()
    (stage.root / topic(1)).symlink_to("/etc/passwd")
    (stage.root / "way-out").symlink_to(tmp_path)
    (stage.root / "run.sh").write_text("", encoding="utf-8")
    (stage.root / ".git").mkdir()
    ledger = read_stage_changes(stage)
    assert ledger.touched == ()
    assert ledger.odd == {topic(1): "a link", "way-out": "a link", "run.sh": "not a .md file", ".git": "hidden"}


@pytest.mark.parametrize(("one", "other", "share"), [(b"a\nb\n", b"a\nb\n", 1.0), (b"a\nb\n", b"a\nc\n", 0.5), (b"", b"a\n", 0.0)])  # fmt: skip # noqa: E501
def test_likeness(one: bytes, other: bytes, share: float) -> None:
    assert line_similarity(one, other) == share


def test_touched_names() -> None:
    assert StagedChange("b.md", "renamed", old="a.md").names == ("a.md", "b.md")


def test_an_emptied_file_is_a_removed_one(scene: Scene) -> None:
    scene.write("blank.md", "\n")
    stage = make_stage(scene.dirs, "one", scene.folder, NOW)
    (stage.root / topic(1)).write_text("", encoding="utf-8")
    (stage.root / topic(2)).write_text(" \n\n", encoding="utf-8")
    (stage.root / "blank.md").write_text("", encoding="utf-8")
    (stage.root / "never.md").write_text("", encoding="utf-8")
    for quick in (True, False):
        ledger = read_stage_changes(stage, quick=quick)
        assert [(one.name, one.kind) for one in ledger.touched] == [
            ("blank.md", "changed"), (topic(1), "removed"), (topic(2), "removed"),
        ]  # fmt: skip
    assert ledger.gone == (topic(1), topic(2))


def test_an_emptied_file_whose_text_is_elsewhere_is_renamed(scene: Scene) -> None:
    stage = make_stage(scene.dirs, "one", scene.folder, NOW)
    (stage.root / "better.md").write_bytes((stage.root / topic(1)).read_bytes())
    (stage.root / topic(1)).write_text("", encoding="utf-8")
    assert [(one.name, one.kind, one.old) for one in read_stage_changes(stage).touched] == [
        ("better.md", "renamed", topic(1))
    ]
