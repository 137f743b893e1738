"""Any changes of a run beside any changes of a person: nothing of the person's is lost, and undo is exact."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.dream.review.adoption import adopt_stage, plan_adoption
from memtui.dream.run.stage import make_stage
from tests.dream.scene import NOW, contents, make_scene, topic

NAMES = st.sampled_from([topic(0), topic(1), topic(2), topic(7), "MEMORY.md", "deep/new.md"])
LINES = st.lists(st.sampled_from(["a", "b", "first", "second", "third", "", "é"]), max_size=6)
DEEDS = st.dictionaries(NAMES, st.one_of(st.none(), LINES.map(lambda lines: "".join(f"{one}\n" for one in lines))))


def do(folder: Path, operations: Mapping[str, str | None]) -> None:
    for name, text in operations.items():
        path = folder / name
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")


@settings(max_examples=25)
@given(DEEDS, DEEDS)
def test_any_run_beside_any_person(run: Mapping[str, str | None], person: Mapping[str, str | None]) -> None:
    with TemporaryDirectory() as name:
        scene = make_scene(Path(name), files=5)
        start = contents(scene.folder)
        stage = make_stage(scene.dirs, "one", scene.folder, NOW)
        do(stage.root, run)
        do(scene.folder, person)
        wanted, theirs = contents(stage.root), contents(scene.folder)
        # A file that the run left without a text is one that it wants gone.
        wanted = {file: text for file, text in wanted.items() if text.strip() or start.get(file) == text}
        adoption = plan_adoption(stage, scene.workspace)
        conflicts = {piece.name for item in adoption.items if item.state == "conflict" for piece in item.files}
        done = adopt_stage(stage, scene.workspace)
        after = contents(scene.folder)
        for file in start.keys() | wanted.keys() | theirs.keys():
            before, mine, other, now = (texts.get(file) for texts in (start, wanted, theirs, after))
            if file in conflicts or mine == before:
                assert now == other, "a conflict, and what the run left alone, stay as the person has them"
            elif other == before:
                assert now == mine, "what only the run changed is as the run has it"
            elif now is not None and other is not None:
                assert set(other.split()) - set((before or b"").split()) <= set(now.split()), "merged: all is in it"
        assert set(done.left) <= {item.touched.name for item in adoption.items if item.state == "conflict"}
        if done.version is not None:
            scene.workspace.undo_order().undo(done.version)
        assert contents(scene.folder) == theirs, "undo brings every byte back"
