"""Memory that lies in several folders: what is found, what a merge brings, and one undo for all of it."""

from pathlib import Path

import pytest

from memtui.memory.workspace import Workspace
from memtui.services import memory as services
from memtui.services import stores
from memtui.services.history import undo
from memtui.services.questions import Allow, NeedsConfirmation
from memtui.util.errors import Refused
from tests.support import digest_tree
from tests.tui.conftest import memory, workspace

__all__ = ["memory", "workspace"]


def note(name: str, body: str) -> str:
    return f"---\nname: {name}\ntype: project\n---\n\n{body}\n"


@pytest.fixture
def folders(memory: Path, home: Path) -> tuple[Path, Path]:
    """The memory of the agent `rev` in the user's and in the project's scope; the definition names the first."""
    user, project = home / ".claude/agent-memory/rev", home / "shop/.claude/agent-memory/rev"
    agents = home / ".claude/agents"
    for folder in (user, project, agents):
        folder.mkdir(parents=True)
    (agents / "rev.md").write_text("---\nname: rev\nmemory: user\n---\nReviews.\n", encoding="utf-8")
    (user / "MEMORY.md").write_text("- [A](a.md) — mine\n- [Same](same.md)\n", encoding="utf-8")
    (project / "MEMORY.md").write_text("- [A](a.md) — theirs\n- [B](b.md) — b\n", encoding="utf-8")
    (user / "a.md").write_text(note("a", "One."), encoding="utf-8")
    (project / "a.md").write_text(note("a", "Two."), encoding="utf-8")
    (project / "b.md").write_text(note("b", "See [a](a.md)."), encoding="utf-8")
    for folder in (user, project):
        (folder / "same.md").write_text(note("same", "Same."), encoding="utf-8")
    return user, project


def merged(workspace: Workspace, choice: stores.Collision, **more: bool) -> None:
    workspace.read(full=True)
    (fragments,) = stores.find_fragments(workspace)
    files = stores.fragment_files(workspace, fragments)
    assert [(file.name, file.state) for file in files] == [("a.md", "collides"), ("b.md", "copy"), ("same.md", "same")]
    with pytest.raises(Refused):
        stores.merge_fragments(workspace, fragments, files, {})
    choices = {(file.source, file.name): choice for file in files if file.state == "collides"}
    change = stores.merge_fragments(workspace, fragments, files, choices, **more)
    assert isinstance(services.apply(workspace, change), NeedsConfirmation)
    assert isinstance(services.apply(workspace, change, Allow(confirmed=True)), services.Applied)


@pytest.mark.parametrize(
    ("choice", "texts"),
    [("ours", {"a.md": "One.\n"}), ("theirs", {"a.md": "Two.\n"}), ("merge", {"a.md": "One.\n\nTwo.\n"}),
     ("both", {"a.md": "One.\n", "a.from-agent-memory.md": "Two.\n"})],
)  # fmt: skip
def test_every_topic_comes_and_one_undo_takes_all_back(
    workspace: Workspace, folders: tuple[Path, Path], choice: stores.Collision, texts: dict[str, str]
) -> None:
    user, project = folders
    workspace.read(full=True)
    before = [digest_tree(folder) for folder in folders]
    merged(workspace, choice)
    found = {path.name: path.read_text() for path in user.glob("a*.md")}
    assert {name: text.partition("---\n\n")[2] for name, text in found.items()} == texts
    assert (user / "b.md").exists() and not list(project.glob("*.md"))
    index = (user / "MEMORY.md").read_text()
    assert "[A](a.md) — mine" in index and "[B](b.md) — b" in index
    link = "a.from-agent-memory.md" if choice == "both" else "a.md"
    assert f"({link})" in (user / "b.md").read_text()
    undo(workspace)
    for folder, tree in zip(folders, before, strict=True):
        names = {name: entry[1] for name, entry in tree.items()}
        assert {name: entry[1] for name, entry in digest_tree(folder).items()}.keys() == names.keys()
        assert (folder / "a.md").read_text().endswith("One.\n" if folder == user else "Two.\n")


def test_the_other_folders_stay_if_asked(workspace: Workspace, folders: tuple[Path, Path]) -> None:
    merged(workspace, "ours", keep_sources=True)
    assert (folders[1] / "b.md").exists() and (folders[0] / "b.md").exists()
