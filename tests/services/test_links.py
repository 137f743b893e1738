"""Files that are links: shown as Claude Code reads them, written through where they are the person's own."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.fs.links import why_not_written
from memtui.history.store import Change, Store
from memtui.memory.workspace import Workspace
from memtui.services import memory as services
from memtui.services.access import require_writable_file
from memtui.services.memory import SavedFile
from memtui.services.questions import NOTHING_YET, Allow, NeedsConfirmation
from memtui.util.errors import Refused

Make = Callable[..., Workspace]


def link_to(path: Path, target: Path) -> Path:
    """Put the file elsewhere and a link in its place."""
    target.parent.mkdir(parents=True, exist_ok=True)
    path.rename(target)
    path.symlink_to(target)
    return target


def save(workspace: Workspace, path: Path, text: str, allow: Allow = NOTHING_YET) -> object:
    base = workspace.text(path)
    return services.save_file(workspace, path, text.encode(), base[1], base_data=base[0], allow=allow)


@pytest.mark.parametrize("name", ["MEMORY.md", "a.md"])
def test_a_change_goes_through_a_link_which_stays(make: Make, folder: Path, home: Path, name: str) -> None:
    target = link_to(folder / name, home.resolve() / "vault" / name)
    workspace = make()
    before = target.read_text()
    scope = workspace.read(full=True).auto
    assert scope is not None and scope.budget is not None and scope.budget.lines > 1
    file = scope.find(name)
    assert file is not None and (file.lies_at, file.readonly) == (target, None)
    assert isinstance(save(workspace, folder / name, before + "more\n"), SavedFile)
    assert (folder / name).is_symlink() and target.read_text() == before + "more\n"
    assert not list(target.parent.glob(".*"))
    workspace.note_outside()
    assert workspace.versions(folder / name)[0].kind == "edit"
    workspace.undo_order().undo()
    assert (folder / name).is_symlink() and target.read_text() == before


def test_a_step_over_several_files_with_a_link_among_them(make: Make, folder: Path, home: Path) -> None:
    target = link_to(folder / "MEMORY.md", home.resolve() / "vault" / "index.md")
    workspace = make()
    change = services.new_topic(workspace.read(full=True), "Paris trip", "project", "where we went")
    services.apply(workspace, change, Allow(confirmed=True))
    assert "paris_trip.md" in target.read_text() and (folder / "MEMORY.md").is_symlink()
    workspace.undo_order().undo()
    assert "paris_trip.md" not in target.read_text()


def test_no_link_is_removed(make: Make, folder: Path, home: Path) -> None:
    target = link_to(folder / "a.md", home.resolve() / "vault" / "a.md")
    workspace = make()
    snapshot = workspace.read(full=True)
    change = services.delete_files(snapshot, [snapshot.topic(folder / "a.md")])
    with pytest.raises(Refused, match="is a link"):
        services.apply(workspace, change, Allow(confirmed=True))
    assert target.exists() and (folder / "a.md").is_symlink()


def test_what_is_not_the_persons_own_is_read_only_from_the_start(make: Make, folder: Path, tmp_path: Path) -> None:
    target = link_to(folder / "a.md", tmp_path.resolve() / "elsewhere" / "a.md")
    before = target.read_bytes()
    workspace = make()
    file = workspace.read(full=True).topic(folder / "a.md")
    assert file.readonly is not None and str(target) in file.readonly and file.description == "about a"
    with pytest.raises(Refused, match=str(target)):
        require_writable_file(workspace, folder / "a.md")
    with pytest.raises(Refused, match=str(target)):
        save(workspace, folder / "a.md", "x\n")
    assert target.read_bytes() == before


@pytest.mark.parametrize("name", ["vault/CLAUDE.md", ".bashrc"])
def test_a_run_never_writes_through_a_link_to_what_is_no_note(make: Make, folder: Path, home: Path, name: str) -> None:
    target = link_to(folder / "a.md", home.resolve() / name)
    workspace = make()
    store = Store(folder, workspace.dirs, actor="dream", trash=None, own=workspace.own)
    with pytest.raises(Refused, match="is no memory file"):
        store.apply([Change("a.md", b"dreamt\n", None)], why="dream")
    store.note_outside()
    assert b"dreamt" not in target.read_bytes()
    assert all(change.kind != "removed" for one in workspace.versions(folder / "a.md") for change in one.files)


def test_links_that_lead_nowhere(make: Make, folder: Path, home: Path) -> None:
    for name in ("a.md", "b.md", "c.md"):
        (folder / name).unlink()
    (folder / "a.md").symlink_to("nowhere.md")
    (folder / "b.md").symlink_to("b.md")
    (folder / "c.md").symlink_to(home)
    (folder / "MEMORY.md").unlink()
    (folder / "MEMORY.md").symlink_to("gone.md")
    snapshot = make().read(full=True)
    words = {name: snapshot.topic(folder / name).readonly or "" for name in ("a.md", "b.md", "c.md")}
    assert "isn't there" in words["a.md"] and "itself" in words["b.md"] and "a folder" in words["c.md"]
    assert snapshot.auto is not None and snapshot.auto.budget is None
    assert any("gone.md" in notice for notice in snapshot.notices)


def test_a_chain_of_links_and_a_second_name_in_the_folder(make: Make, folder: Path, home: Path) -> None:
    target = link_to(folder / "a.md", home.resolve() / "vault" / "a.md")
    (home / "middle.md").symlink_to(target)
    (folder / "a.md").unlink()
    (folder / "a.md").symlink_to(home / "middle.md")
    (folder / "other_b.md").symlink_to("b.md")
    workspace = make()
    snapshot = workspace.read(full=True)
    assert snapshot.topic(folder / "a.md").lies_at == target
    assert isinstance(save(workspace, folder / "a.md", "new\n"), SavedFile)
    assert target.read_text() == "new\n" and (home / "middle.md").is_symlink()
    assert snapshot.topic(folder / "other_b.md").kind == "other"
    assert not [one for one in snapshot.problems if one.file == "other_b.md" and one.severity != "info"]


def test_instructions_and_settings_that_are_links(make: Make, folder: Path, home: Path) -> None:
    shop, dot = home.resolve() / "shop", home.resolve() / "dot"
    (shop / "AGENTS.md").write_text("rules\n")
    (shop / "CLAUDE.md").symlink_to("AGENTS.md")
    dot.mkdir()
    (dot / "settings.json").write_text("{}\n")
    settings = home.resolve() / ".claude" / "settings.json"
    settings.symlink_to(dot / "settings.json")
    workspace = make()
    item = next(one for one in workspace.read(full=True).instructions if one.path == shop / "CLAUDE.md")
    assert item.loaded and item.lies_at == shop / "AGENTS.md"
    assert isinstance(save(workspace, shop / "CLAUDE.md", "rules\nmore\n"), SavedFile)
    assert (shop / "CLAUDE.md").is_symlink() and (shop / "AGENTS.md").read_text() == "rules\nmore\n"
    workspace.write_switch(settings, b"{}\n", b'{"autoDreamEnabled": false}\n', "dreams off")
    assert settings.is_symlink() and "autoDreamEnabled" in (dot / "settings.json").read_text()


def test_what_may_hold_a_secret_is_not_read(make: Make, folder: Path, home: Path) -> None:
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id_rsa").write_text("key\n")
    (folder / "key.md").symlink_to(home / ".ssh" / "id_rsa")
    file = make().read(full=True).topic(folder / "key.md")
    assert file.is_unread and "secret" in (file.readonly or "")
    assert "secret" in why_not_written(folder / "key.md", [home])


def test_hard_links_are_told_before_they_are_cut_apart(make: Make, folder: Path, home: Path) -> None:
    os.link(folder / "a.md", home / "twin.md")
    workspace = make()
    asked = save(workspace, folder / "a.md", "new\n")
    assert isinstance(asked, NeedsConfirmation) and "hard link" in asked.lines[0]
    snapshot = workspace.read(full=True)
    change = services.set_fields(snapshot, [snapshot.topic(folder / "a.md")], {"description": "x"})
    assert isinstance(services.apply(workspace, change), NeedsConfirmation)
    assert isinstance(save(workspace, folder / "a.md", "new\n", Allow(confirmed=True)), SavedFile)
    assert (home / "twin.md").read_text() != "new\n"
    assert isinstance(save(workspace, folder / "a.md", "newer\n"), SavedFile)
