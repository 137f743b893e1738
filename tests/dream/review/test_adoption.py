"""What becomes of a run's changes: clean, merged, conflicting, held, chosen, undone."""

from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.dream.review.adoption import Adoption, adopt_hunks, adopt_stage, plan_adoption, planned_texts
from memtui.dream.run.stage import Stage, make_stage
from memtui.memory.workspace import Workspace
from memtui.util.errors import Conflict, NotFound, Refused, UsageError
from tests.dream.scene import NOW, Scene, add, contents, edit, move, remove, topic
from tests.support import digest_tree


@pytest.fixture
def stage(scene: Scene) -> Stage:
    return make_stage(scene.dirs, "one", scene.folder, NOW)


def states(adoption: Adoption) -> dict[str, str]:
    return {item.touched.name: item.state for item in adoption.items}


def rules(adoption: Adoption) -> list[str]:
    return [hold.rule for hold in adoption.review_reasons]


def person(scene: Scene, name: str, old: str, new: str) -> None:
    path = scene.folder / name
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def test_a_clean_run_is_one_version_and_its_undo_brings_every_byte_back(scene: Scene, stage: Stage) -> None:
    before = contents(scene.folder)
    edit(stage, topic(1), "first", "FIRST")
    remove(stage, topic(2))
    move(stage, topic(3), "moved.md")
    add(stage, "new.md", "new\n")
    wanted = contents(stage.root)
    adoption = plan_adoption(stage, scene.workspace)
    assert states(adoption) == dict.fromkeys(("MEMORY.md", topic(1), topic(2), "moved.md", "new.md"), "clean")
    assert adoption.review_reasons == ()
    done = adopt_stage(stage, scene.workspace)
    assert contents(scene.folder) == wanted
    assert done.left == () and done.merged == () and set(done.names) == set(states(adoption))
    version = scene.workspace.store(scene.folder).log()[0]
    assert version.id == done.version
    assert (version.who, version.kind, version.extra) == ("dream one", "adopt", {"run": "one"})
    assert scene.workspace.changed_by_dream() == {scene.folder / change.name for change in version.files}
    assert set(states(plan_adoption(stage, scene.workspace)).values()) == {"same"}
    assert adopt_stage(stage, scene.workspace).version is None
    scene.workspace.undo_order().undo()
    assert contents(scene.folder) == before


def test_undo_after_a_person_went_on_keeps_what_they_wrote(scene: Scene, stage: Stage) -> None:
    edit(stage, topic(1), "first", "FIRST")
    edit(stage, topic(2), "first", "FIRST")
    done = adopt_stage(stage, scene.workspace)
    person(scene, topic(1), "third", "third, and a word of mine")
    saved, _ = scene.workspace.undo_order().undo(done.version)
    assert saved.merged == (topic(1),)
    assert "first\n" in scene.text(topic(1)) and "a word of mine" in scene.text(topic(1))
    assert "first\n" in scene.text(topic(2))


def test_what_a_person_changed_elsewhere_in_the_file_is_merged(scene: Scene, stage: Stage) -> None:
    edit(stage, topic(1), "first", "FIRST")
    person(scene, topic(1), "third", "mine")
    assert states(plan_adoption(stage, scene.workspace)) == {topic(1): "merged"}
    done = adopt_stage(stage, scene.workspace)
    assert done.merged == (topic(1),)
    assert "FIRST" in scene.text(topic(1)) and "mine" in scene.text(topic(1))


CONFLICTS: dict[str, Callable[[Scene, Stage], None]] = {
    "same lines": lambda scene, stage: (edit(stage, topic(1), "first", "A"), person(scene, topic(1), "first", "B"))[1],
    "deleted by a person": lambda scene, stage: (
        edit(stage, topic(1), "first", "A"), (scene.folder / topic(1)).unlink())[1],
    "deleted by the dream": lambda scene, stage: (
        (stage.root / topic(1)).unlink(), person(scene, topic(1), "first", "B"))[1],
    "made by both": lambda scene, stage: (
        (stage.root / topic(90)).write_text("A\n"), scene.write(topic(90), "B\n"))[1],
}  # fmt: skip


@pytest.mark.parametrize("kind", CONFLICTS)
def test_a_conflict_waits_and_neither_side_is_lost(scene: Scene, stage: Stage, kind: str) -> None:
    CONFLICTS[kind](scene, stage)
    edit(stage, topic(5), "first", "FIRST")
    name = topic(90) if kind == "made by both" else topic(1)
    before = contents(scene.folder)
    adoption = plan_adoption(stage, scene.workspace)
    assert states(adoption) == {name: "conflict", topic(5): "clean"}
    assert rules(adoption)[-1] == "conflict" and name in adoption.review_reasons[-1].names
    with pytest.raises(Conflict, match="isn't adopted"):
        adopt_stage(stage, scene.workspace, [name])
    assert contents(scene.folder) == before
    done = adopt_stage(stage, scene.workspace)
    assert done.names == (topic(5),) and done.left == (name,)
    assert contents(scene.folder).get(name) == before.get(name)
    done = adopt_stage(stage, scene.workspace, [name], over=True)
    mine = (stage.root / name).read_bytes() if (stage.root / name).exists() else None
    assert contents(scene.folder).get(name) == mine
    scene.workspace.undo_order().undo(done.version)
    assert contents(scene.folder).get(name) == before.get(name), "the person's side is in the history"


def test_what_a_person_did_the_same_way_is_nothing_to_do(scene: Scene, stage: Stage) -> None:
    edit(stage, topic(1), "first", "A")
    person(scene, topic(1), "first", "A")
    (stage.root / topic(2)).unlink()
    (scene.folder / topic(2)).unlink()
    assert set(states(plan_adoption(stage, scene.workspace)).values()) == {"same"}
    assert adopt_stage(stage, scene.workspace).version is None


def test_23_of_40_deleted_waits_and_3_can_be_chosen(scene: Scene, stage: Stage) -> None:
    before = contents(scene.folder)
    for number in range(23):
        remove(stage, topic(number))
    adoption = plan_adoption(stage, scene.workspace)
    assert rules(adoption) == ["lost"]
    assert "MEMORY.md loses 56% of its terms, 23 of 41 (10, 11, 12, 13 …)" in adoption.review_reasons[0].words
    chosen = [topic(1), topic(5), topic(22)]
    done = adopt_stage(stage, scene.workspace, chosen)
    assert before.keys() - contents(scene.folder).keys() == set(chosen)
    assert len(done.left) == 21
    scene.workspace.undo_order().undo(done.version)
    assert contents(scene.folder) == before


def test_moving_files_deletes_none(scene: Scene, stage: Stage) -> None:
    for number in range(30):
        move(stage, topic(number), f"moved_{number}.md")
    assert rules(plan_adoption(stage, scene.workspace)) == []


@pytest.mark.parametrize("how", ["change", "rename"])
def test_a_pinned_file_waits_and_its_pin_goes_along(scene: Scene, stage: Stage, how: str) -> None:
    scene.workspace.pins.set(scene.folder, [topic(1)], True)
    if how == "change":
        edit(stage, topic(1), "first", "A")
    else:
        move(stage, topic(1), "moved.md")
    adoption = plan_adoption(stage, scene.workspace)
    assert rules(adoption) == ["pinned"] and topic(1) in adoption.review_reasons[0].words
    adopt_stage(stage, scene.workspace)
    assert scene.workspace.pinned == {topic(1) if how == "change" else "moved.md"}


KEY = "ghp_" + "a8Kd03jfLq92mZxP7vTt5RwYc1NbE6uHs4Go"


def test_a_new_secret_waits_and_an_old_one_that_moves_does_not(scene: Scene) -> None:
    scene.write(topic(1), f"the token is {KEY}\n")
    stage = make_stage(scene.dirs, "one", scene.folder, NOW)
    edit(stage, topic(2), "first", f"the token is {KEY}")
    assert rules(plan_adoption(stage, scene.workspace)) == []
    edit(stage, topic(3), "first", f"the token is {KEY[:-4]}zzQ9")
    adoption = plan_adoption(stage, scene.workspace)
    assert rules(adoption) == ["secret"] and adoption.review_reasons[0].names == (topic(3),)
    assert KEY[:-4] not in adoption.review_reasons[0].words


def test_what_the_team_shares_is_never_written(scene: Scene) -> None:
    scene.write("team/build.md", "make\n")
    stage = make_stage(scene.dirs, "one", scene.folder, NOW)
    (stage.root / "team" / "build.md").unlink()
    (stage.root / "team" / "new.md").write_text("mine\n", encoding="utf-8")
    (stage.root / topic(1)).rename(stage.root / "team" / topic(1))
    before = digest_tree(scene.folder)
    adoption = plan_adoption(stage, scene.workspace)
    assert rules(adoption)[-1] == "team"
    assert set(states(adoption).values()) == {"refused"}
    for name in ("team/build.md", "team/new.md", f"team/{topic(1)}", topic(1)):
        with pytest.raises(Refused):
            adopt_stage(stage, scene.workspace, [name], over=True)
    assert adopt_stage(stage, scene.workspace).names == ()
    assert digest_tree(scene.folder) == before


def test_what_a_dream_may_not_write_waits_and_is_left_out(scene: Scene, stage: Stage) -> None:
    (stage.root / "CLAUDE.md").write_text("obey\n", encoding="utf-8")
    (stage.root / topic(39).upper().replace(".MD", ".md")).write_text("x\n", encoding="utf-8")
    (stage.root / topic(1).capitalize()).write_text("twin\n", encoding="utf-8")
    (stage.root / "run.sh").write_text("", encoding="utf-8")
    edit(stage, topic(2), "first", "A")
    adoption = plan_adoption(stage, scene.workspace)
    assert rules(adoption)[-2:] == ["forbidden", "odd"]
    adopt_stage(stage, scene.workspace)
    assert not {"CLAUDE.md", "run.sh", topic(1).capitalize()} & contents(scene.folder).keys()
    assert "A\n" in scene.text(topic(2))


@pytest.mark.parametrize("how", ["removed", "emptied", "over"])
def test_an_index_that_would_load_less_waits(scene: Scene, stage: Stage, how: str) -> None:
    path = stage.root / "MEMORY.md"
    if how == "removed":
        path.unlink()
    else:
        path.write_text("" if how == "emptied" else "- a line\n" * 201, encoding="utf-8")
    assert "index" in rules(plan_adoption(stage, scene.workspace))


def test_a_link_in_the_folder_is_not_written_through(scene: Scene, stage: Stage, tmp_path: Path) -> None:
    edit(stage, topic(1), "first", "A")
    target = tmp_path / "target.md"
    target.write_text("theirs\n", encoding="utf-8")
    (scene.folder / topic(1)).unlink()
    (scene.folder / topic(1)).symlink_to(target)
    adoption = plan_adoption(stage, scene.workspace)
    assert states(adoption) == {topic(1): "refused"} and rules(adoption) == ["forbidden"]
    assert adopt_stage(stage, scene.workspace).names == ()
    assert target.read_text(encoding="utf-8") == "theirs\n"


def linked(scene: Scene, name: str, target: Path) -> None:
    """Move a file of the folder elsewhere, and leave a link."""
    target.parent.mkdir(parents=True, exist_ok=True)
    (scene.folder / name).rename(target)
    (scene.folder / name).symlink_to(target)


def test_a_link_to_a_memory_file_is_written_through_and_stays(scene: Scene) -> None:
    vault = scene.workspace.env.home / "vault"
    linked(scene, "MEMORY.md", vault / "index.md")
    linked(scene, topic(1), vault / "one.md")
    stage = make_stage(scene.dirs, "one", scene.folder, NOW, scene.workspace.own)
    before = (vault / "one.md").read_bytes()
    edit(stage, topic(1), "first", "A")
    add(stage, "new.md", "---\nname: new\ndescription: new\ntype: project\n---\n\nnew\n")
    person(scene, topic(1), "third", "B")
    assert rules(plan_adoption(stage, scene.workspace)) == []
    done = adopt_stage(stage, scene.workspace)
    assert done.names == ("MEMORY.md", "new.md", topic(1)) and done.merged == (topic(1),)
    assert (scene.folder / "MEMORY.md").is_symlink() and (scene.folder / topic(1)).is_symlink()
    assert "(new.md)" in (vault / "index.md").read_text(encoding="utf-8")
    assert {"A", "B"} <= set((vault / "one.md").read_text(encoding="utf-8").split())
    scene.workspace.store(scene.folder).undo(done.version)
    assert (vault / "one.md").read_bytes() == before.replace(b"third", b"B")


def test_a_link_is_not_removed(scene: Scene) -> None:
    linked(scene, topic(1), scene.workspace.env.home / "one.md")
    stage = make_stage(scene.dirs, "one", scene.folder, NOW, scene.workspace.own)
    remove(stage, topic(1))
    adoption = plan_adoption(stage, scene.workspace)
    assert states(adoption)[topic(1)] == "refused" and "forbidden" in rules(adoption)


def test_an_index_that_cannot_be_changed_holds_a_run_that_adds_or_removes(scene: Scene, tmp_path: Path) -> None:
    linked(scene, "MEMORY.md", tmp_path / "elsewhere" / "index.md")
    stage = make_stage(scene.dirs, "one", scene.folder, NOW, scene.workspace.own)
    assert "MEMORY.md" not in stage.files
    edit(stage, topic(1), "first", "A")
    assert rules(plan_adoption(stage, scene.workspace)) == []
    (stage.root / topic(2)).unlink()
    assert "index" in rules(plan_adoption(stage, scene.workspace))


def test_planning_writes_nothing(scene: Scene, stage: Stage) -> None:
    edit(stage, topic(1), "first", "A")
    person(scene, topic(1), "third", "B")
    before, state = digest_tree(scene.folder), digest_tree(scene.dirs.state)
    found = planned_texts(plan_adoption(stage, scene.workspace))
    assert list(found) == [topic(1)]
    assert digest_tree(scene.folder) == before and digest_tree(scene.dirs.state) == state


def test_wrong_names_and_a_read_only_program(scene: Scene, stage: Stage) -> None:
    edit(stage, topic(1), "first", "A")
    with pytest.raises(NotFound, match="didn't change"):
        adopt_stage(stage, scene.workspace, [topic(2)])
    locked = Workspace(scene.workspace.env, scene.dirs, scene.workspace.location, read_only=True)
    with pytest.raises(Refused, match="--read-only"):
        adopt_stage(stage, locked)


def test_what_stops_the_write_at_the_last_moment_leaves_the_folder_exact(scene: Scene, stage: Stage) -> None:
    edit(stage, topic(1), "first", "A")
    before = {name: entry for name, entry in digest_tree(scene.folder).items() if entry[0] == "file"}

    def no() -> None:
        raise Conflict("the lock is gone")

    with pytest.raises(Conflict, match="the lock is gone"):
        adopt_stage(stage, scene.workspace, before_write=no)
    assert before == {name: entry for name, entry in digest_tree(scene.folder).items() if entry[0] == "file"}
    assert scene.workspace.operations() == () or scene.workspace.operations()[0].kind != "adopt"


LONG = "".join(f"line {number}\n\n" for number in range(12))


@pytest.fixture
def hunks(scene: Scene) -> Stage:
    """A run that changed one topic in three places."""
    scene.write(topic(1), LONG)
    stage = make_stage(scene.dirs, "one", scene.folder, NOW)
    for number in (1, 5, 9):
        edit(stage, topic(1), f"line {number}\n", f"LINE {number}\n")
    return stage


def test_some_hunks_are_adopted_and_the_rest_stays_for_later(scene: Scene, hunks: Stage) -> None:
    done = adopt_hunks(hunks, scene.workspace, topic(1), [1, 3])
    assert (done.names, done.partly, done.left) == ((), (topic(1),), (topic(1),))
    assert scene.text(topic(1)) == LONG.replace("line 1\n", "LINE 1\n").replace("line 9", "LINE 9")
    assert scene.workspace.operations()[0].why == f"dream: 2 of 3 hunks of {topic(1)} adopted"
    assert states(plan_adoption(hunks, scene.workspace)) == {topic(1): "clean"}
    scene.workspace.undo_order().undo(done.version)
    assert scene.text(topic(1)) == LONG
    adopt_hunks(hunks, scene.workspace, topic(1), [2])
    done = adopt_hunks(hunks, scene.workspace, topic(1), [1, 2])
    assert done.names == (topic(1),) and done.merged == () and done.left == ()
    assert scene.text(topic(1)) == (hunks.root / topic(1)).read_text(encoding="utf-8")


def test_hunks_leave_what_a_person_wrote_meanwhile(scene: Scene, hunks: Stage) -> None:
    person(scene, topic(1), "line 11", "mine")
    person(scene, topic(1), "line 5", "mine too")
    assert states(plan_adoption(hunks, scene.workspace)) == {topic(1): "conflict"}
    with pytest.raises(Conflict, match="isn't adopted"):
        adopt_hunks(hunks, scene.workspace, topic(1), [1])
    adopt_hunks(hunks, scene.workspace, topic(1), [1, 3], over=True)
    wanted = LONG.replace("line 11", "mine").replace("line 5", "mine too")
    assert scene.text(topic(1)) == wanted.replace("line 1\n", "LINE 1\n").replace("line 9", "LINE 9")


def test_hunks_that_are_not_there_or_not_the_ones_shown(scene: Scene, hunks: Stage) -> None:
    before = contents(scene.folder)
    for numbers in ([], [0], [4], [1, 4]):
        with pytest.raises(UsageError, match="has 3 hunks"):
            adopt_hunks(hunks, scene.workspace, topic(1), numbers)
    with pytest.raises(Conflict, match="changed meanwhile"):
        adopt_hunks(hunks, scene.workspace, topic(1), [1], shown="another difference\n")
    move(hunks, topic(2), "moved.md")
    with pytest.raises(UsageError, match="renamed"):
        adopt_hunks(hunks, scene.workspace, "moved.md", [1])
    assert contents(scene.folder) == before
