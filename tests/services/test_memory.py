"""Saving a file, and what is asked before: secrets, conflicts, an emptied index, open conflicts."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.fs.atomic import digest
from memtui.memory.workspace import Workspace
from memtui.services.memory import (
    Applied,
    SavedFile,
    apply,
    delete_files,
    keep_merged_draft,
    new_topic,
    pin_files,
    rename_topic,
    resolve_conflict,
    save_file,
    set_fields,
    tidy_index,
)
from memtui.services.questions import NOTHING_YET, Allow, NeedsConfirmation, SaveConflict, SecretFound
from memtui.util.errors import Conflict, Refused
from tests.memory.folders import FILES, carry_out, snapshot_of
from tests.memory.folders import text as topic_text
from tests.services.conftest import INDEX, TOKEN


def _text(folder: Path, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8")


def _save(workspace: Workspace, path: Path, text: str, allow: Allow = NOTHING_YET) -> object:
    data, base = workspace.text(path)
    return save_file(workspace, path, text.encode(), base, base_data=data, allow=allow)


def test_a_saved_file_has_no_draft_and_a_version(workspace: Workspace, folder: Path) -> None:
    workspace.drafts.save(folder / "a.md", "older", None)
    done = _save(workspace, folder / "a.md", "new text\n")
    assert isinstance(done, SavedFile)
    assert (done.data, done.merged) == (b"new text\n", False)
    assert workspace.drafts.list() == ()
    assert done.saved.operation is not None
    assert done.saved.operation.why == "edit a.md"


def test_a_new_secret_is_asked_about_and_kept_as_a_draft(workspace: Workspace, folder: Path) -> None:
    before = _text(folder, "a.md")
    found = _save(workspace, folder / "a.md", f"token {TOKEN}\n")
    assert isinstance(found, SecretFound)
    assert [(one.rule, one.line) for one in found.secrets] == [("github-token", 1)]
    assert TOKEN not in found.secrets[0].masked
    assert found.draft_kept
    draft = workspace.drafts.load(folder / "a.md")
    assert draft is not None
    assert TOKEN in draft.text
    assert _text(folder, "a.md") == before


@pytest.mark.parametrize(("choice", "written"), [("redact", "token [removed]\n"), ("keep", f"token {TOKEN}\n")])
def test_a_secret_is_taken_out_or_kept_once(workspace: Workspace, folder: Path, choice: str, written: str) -> None:
    done = _save(workspace, folder / "a.md", f"token {TOKEN}\n", Allow(secret=choice))  # type: ignore[arg-type]
    assert isinstance(done, SavedFile)
    assert _text(folder, "a.md") == written
    assert workspace.drafts.list() == ()
    again = _save(workspace, folder / "b.md", f"token {TOKEN}\n")
    assert isinstance(again, SecretFound)


def test_an_allowed_secret_is_never_asked_about_again(workspace: Workspace, folder: Path) -> None:
    assert isinstance(_save(workspace, folder / "a.md", f"token {TOKEN}\n", Allow(secret="always")), SavedFile)
    assert isinstance(_save(workspace, folder / "b.md", f"token {TOKEN}\n"), SavedFile)


def test_a_secret_that_stood_there_is_not_asked_about(workspace: Workspace, folder: Path) -> None:
    (folder / "a.md").write_text(f"token {TOKEN}\n", encoding="utf-8")
    assert isinstance(_save(workspace, folder / "a.md", f"more\ntoken {TOKEN}\n"), SavedFile)


def test_an_index_that_loses_most_of_its_entries_is_asked_about(workspace: Workspace, folder: Path) -> None:
    for text in ("", "# Memory\n\n- [a](a.md) — about a\n"):
        asked = _save(workspace, folder / "MEMORY.md", text)
        assert isinstance(asked, NeedsConfirmation)
        assert asked.draft_kept
        assert _text(folder, "MEMORY.md") == INDEX
    assert isinstance(_save(workspace, folder / "MEMORY.md", "", Allow(confirmed=True)), SavedFile)


def test_an_index_that_loses_one_entry_is_saved(workspace: Workspace, folder: Path) -> None:
    assert isinstance(_save(workspace, folder / "MEMORY.md", INDEX.replace("- [d](d.md) — about d\n", "")), SavedFile)


def test_conflict_markers_are_asked_about(workspace: Workspace, folder: Path) -> None:
    asked = _save(workspace, folder / "a.md", "x\n<<<<<<< mine\na\n=======\nb\n>>>>>>> disk\n")
    assert isinstance(asked, NeedsConfirmation)
    assert asked.lines == ("Conflict markers in lines 2, 4 and 6.",)


def test_what_others_changed_elsewhere_is_merged(workspace: Workspace, folder: Path) -> None:
    path = folder / "a.md"
    data, base = workspace.text(path)
    path.write_bytes(data.replace(b"name: a", b"name: other"))
    done = save_file(workspace, path, data + b"mine\n", base, base_data=data)
    assert isinstance(done, SavedFile)
    assert done.merged
    assert done.data == path.read_bytes() == data.replace(b"name: a", b"name: other") + b"mine\n"


def _conflict(workspace: Workspace, path: Path) -> SaveConflict:
    data, base = workspace.text(path)
    path.write_bytes(data.replace(b"Text of a", b"Theirs"))
    done = save_file(workspace, path, data.replace(b"Text of a", b"Mine"), base, base_data=data)
    assert isinstance(done, SaveConflict)
    return done


def test_texts_that_overlap_are_a_conflict_and_mine_is_a_draft(workspace: Workspace, folder: Path) -> None:
    conflict = _conflict(workspace, folder / "a.md")
    assert b"Mine." in conflict.mine
    assert conflict.disk == (folder / "a.md").read_bytes()
    draft = workspace.drafts.load(folder / "a.md")
    assert draft is not None
    assert (draft.text, conflict.draft_kept) == (conflict.mine.decode(), True)
    assert keep_merged_draft(workspace, conflict)
    draft = workspace.drafts.load(folder / "a.md")
    assert draft is not None
    assert conflict.disk is not None
    assert draft.base == digest(conflict.disk)
    assert "<<<<<<< mine" in draft.text


def test_a_conflict_is_dropped_copied_or_written(workspace: Workspace, folder: Path) -> None:
    path = folder / "a.md"
    conflict = _conflict(workspace, path)
    assert isinstance(resolve_conflict(workspace, conflict, "copy"), SavedFile)
    assert (folder / "a.local.md").read_bytes() == conflict.mine
    assert workspace.drafts.list() == ()
    assert isinstance(resolve_conflict(workspace, conflict, "drop"), SavedFile)
    assert path.read_bytes() == conflict.disk
    assert any(one.kind == "kept" for one in workspace.versions(path))
    done = resolve_conflict(workspace, conflict, "write", b"both\n")
    assert isinstance(done, SavedFile)
    assert path.read_bytes() == b"both\n"


def test_a_failed_save_says_what_became_of_the_text(workspace: Workspace, folder: Path) -> None:
    outside = folder / ".hidden.md"
    with pytest.raises(Refused) as refused:
        save_file(workspace, outside, b"x", None)
    assert "kept as a draft" in refused.value.hint
    assert workspace.drafts.load(outside) is not None
    drafts = workspace.dirs.state / "drafts"
    workspace.drafts.drop(outside)
    for path in sorted(drafts.iterdir()):
        path.unlink()
    drafts.rmdir()
    drafts.write_bytes(b"no folder")
    with pytest.raises(Refused) as refused:
        save_file(workspace, outside, b"x", None)
    assert "not kept anywhere" in refused.value.hint


def test_nothing_is_written_in_read_only_mode(make: Callable[..., Workspace], folder: Path) -> None:
    workspace = make(read_only=True)
    snapshot = workspace.read(full=True)
    data, base = workspace.text(folder / "a.md")
    for act in (
        lambda: save_file(workspace, folder / "a.md", b"x", base, base_data=data),
        lambda: apply(workspace, new_topic(snapshot, "x", "user")),
        lambda: pin_files(workspace, [folder / "a.md"]),
    ):
        with pytest.raises(Refused):
            act()
    assert not (workspace.dirs.state / "drafts").exists()


def test_a_new_topic_takes_its_type_from_its_name(workspace: Workspace, folder: Path) -> None:
    change = new_topic(workspace.read(full=False), "feedback_tests", description="Use real ones")
    assert isinstance(apply(workspace, change), Applied)
    assert change.focus == folder / "feedback_tests.md"
    assert "type: feedback" in _text(folder, "feedback_tests.md")
    assert "(feedback_tests.md)" in _text(folder, "MEMORY.md")


def test_a_typed_body_with_a_secret_is_kept(workspace: Workspace, folder: Path) -> None:
    change = new_topic(workspace.read(full=False), "keys", "reference", body=f"token {TOKEN}\n")
    found = apply(workspace, change)
    assert isinstance(found, SecretFound)
    assert found.draft_kept
    assert not (folder / "reference_keys.md").exists()
    assert isinstance(apply(workspace, change, Allow(secret="redact")), Applied)
    assert "token [removed]" in _text(folder, "reference_keys.md")
    assert workspace.drafts.list() == ()


def test_deleting_and_rewriting_are_asked_about_and_renaming_is_not(workspace: Workspace, folder: Path) -> None:
    snapshot = workspace.read(full=True)
    file = snapshot.topic(folder / "a.md")
    assert isinstance(apply(workspace, delete_files(snapshot, [file])), NeedsConfirmation)
    assert (folder / "a.md").exists()
    assert isinstance(tidy_index(workspace, snapshot).question, NeedsConfirmation)
    assert isinstance(apply(workspace, rename_topic(snapshot, file, "z")), Applied)
    assert (folder / "z.md").exists()
    snapshot = workspace.read(full=True)
    change = delete_files(snapshot, [snapshot.topic(folder / "z.md")])
    assert isinstance(apply(workspace, change, Allow(confirmed=True)), Applied)
    assert not (folder / "z.md").exists()


def test_a_change_of_a_file_that_moved_on_is_refused_whole(workspace: Workspace, folder: Path) -> None:
    snapshot = workspace.read(full=True)
    change = set_fields(snapshot, [snapshot.topic(folder / "a.md")], {"type": "user"})
    (folder / "a.md").write_text("---\ntype: feedback\n---\nother\n", encoding="utf-8")
    with pytest.raises(Conflict):
        apply(workspace, change)


def test_type_changes_one_word(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, FILES)
    file = snapshot.find("project_oncall.md")
    assert file is not None
    plan = set_fields(snapshot, [file], {"type": "reference"}).plan
    assert plan.notes == ("project_oncall.md still begins with project: rename it if that is wrong",)
    carry_out(tmp_path, plan)
    assert topic_text(tmp_path, "project_oncall.md") == FILES["project_oncall.md"].replace(
        "type: project", "type: reference"
    )


def test_type_of_bytes_that_are_no_text_elsewhere(tmp_path: Path) -> None:
    data = b"---\r\nname: x\r\nmetadata: \r\n  type: project # why\r\n---\r\nbad \xff\xfe\r\n"
    snapshot = snapshot_of(tmp_path, {"MEMORY.md": "", "x.md": data.replace(b"\xff\xfe", b"ok")})
    file = snapshot.find("x.md")
    assert file is not None
    (tmp_path / "memory/x.md").write_bytes(data)
    (change,) = set_fields(snapshot, [file], {"type": "user"}).plan.changes
    assert change.data is not None and change.data.endswith(b"bad \xff\xfe\r\n") and b"type: user" in change.data


def test_pins_toggle(workspace: Workspace, folder: Path) -> None:
    assert pin_files(workspace, [folder / "a.md", folder / "b.md"]).pinned
    assert not pin_files(workspace, [folder / "a.md"]).pinned
    assert pin_files(workspace, [folder / "a.md", folder / "b.md"]).listed == ("a.md", "b.md")
    assert pin_files(workspace, [folder / "a.md", folder / "b.md"]).listed == ()
    with pytest.raises(Refused):
        pin_files(workspace, [Path("/elsewhere.md")])


def test_the_loss_of_the_whole_folder_is_recorded_and_can_be_taken_back(workspace: Workspace, folder: Path) -> None:
    workspace.note_outside()
    before = {path.name: path.read_bytes() for path in folder.glob("*.md")}
    shutil.rmtree(folder)
    assert workspace.note_outside() == 1
    lost = workspace.operations(1)[0]
    assert {change.name for change in lost.files} == before.keys()
    workspace.store(folder).restore_as_of(before=lost.id)
    assert {path.name: path.read_bytes() for path in folder.glob("*.md")} == before
