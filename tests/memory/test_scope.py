"""Which memory folders a directory has, and what one of them holds."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memtui.client.environment import Env
from memtui.client.memory_location import MemoryLocation, locate_memory
from memtui.memory import topic as files
from memtui.memory.scope import Scope, read_scope, scope_roots
from tests.support import REPO, digest_tree


def write(root: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = root / name.replace("__", "/").replace("_md", ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def read(root: Path, id: str = "auto", **more: object) -> Scope:
    return read_scope(root, id, "Auto memory", full=True, **more)  # type: ignore[arg-type]


def test_a_folder(tmp_path: Path) -> None:
    write(
        tmp_path, MEMORY_md="# I\n\n- [A](a.md) — x\n- [S](sub/s.md)\n", a_md="---\nname: A\n---\n", sub__s_md="# S\n"
    )
    scope = read(tmp_path)
    assert [file.name for file in scope.files] == ["MEMORY.md", "a.md", "sub/s.md"]
    assert [file.kind for file in scope.files] == ["index", "topic", "topic"]
    assert [file.name for file in scope.topics] == ["a.md", "sub/s.md"]
    assert [entry.target for entry in scope.entries] == ["a.md", "sub/s.md"]
    assert scope.index is scope.files[0]
    assert scope.budget is not None
    assert (scope.budget.lines, scope.problem, scope.id, scope.label) == (4, None, "auto", "Auto memory")
    found = scope.find("sub/s.md")
    assert found is not None
    assert found.title == "S"
    assert scope.find("none.md") is None


def test_what_is_not_listed(tmp_path: Path) -> None:
    write(tmp_path, a_md="", team__t_md="", logs__2026__l_md="", sub__team__x_md="")
    (tmp_path / ".hidden.md").write_text("")
    (tmp_path / ".consolidate-lock").write_text("1")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.md").write_text("")
    (tmp_path / "note.txt").write_text("")
    (tmp_path / "linked").symlink_to(tmp_path / "team")
    scope = read(tmp_path, skip=frozenset(("team", "logs")))
    assert [file.name for file in scope.files] == ["a.md", "sub/team/x.md"]
    assert [file.name for file in read(tmp_path).files] == ["a.md", "logs/2026/l.md", "sub/team/x.md", "team/t.md"]


def test_conflict_copies_and_further_indexes_are_no_topics(tmp_path: Path) -> None:
    write(tmp_path, a_md="", sub__MEMORY_md="")
    (tmp_path / "a.sync-conflict-20260101-120000-ABCDEF.md").write_text("")
    (tmp_path / "a (conflicted copy 2026-01-01).md").write_text("")
    assert [file.name for file in read(tmp_path).topics] == ["a.md"]
    assert {file.kind for file in read(tmp_path).files} == {"topic", "other"}


def test_logs_are_logs(tmp_path: Path) -> None:
    write(tmp_path, day_md="")
    assert read(tmp_path, "logs").files[0].kind == "log"


def test_the_newest_two_hundred_are_scanned(tmp_path: Path) -> None:
    for i in range(205):
        path = tmp_path / f"t{i:03}.md"
        path.write_text("")
        os.utime(path, ns=(i * 1_000_000_000 // 2, (i // 2) * 1_000_000_000))  # pairs of equal times
    write(tmp_path, MEMORY_md="")
    scope = read(tmp_path)
    scanned = [file.name for file in scope.files if file.scanned]
    assert len(scanned) == 200
    assert "MEMORY.md" not in scanned
    assert set(scanned) >= {f"t{i:03}.md" for i in range(6, 205)}


def test_no_folder_and_no_index(tmp_path: Path) -> None:
    for root in (tmp_path / "none", tmp_path):
        scope = read(root)
        assert (scope.files, scope.index, scope.index_text, scope.budget, scope.entries) == ((), None, "", None, ())
        assert scope.problem is None


def test_what_is_no_folder(tmp_path: Path) -> None:
    write(tmp_path, a_md="")
    assert read(tmp_path / "a.md").problem == "not a folder"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_folder_without_permission(tmp_path: Path) -> None:
    write(tmp_path, a_md="", sub__b_md="")
    (tmp_path / "sub").chmod(0)
    scope = read(tmp_path)
    (tmp_path / "sub").chmod(0o700)
    assert [file.name for file in scope.files] == ["a.md"]
    assert "can't be read" in (scope.problem or "")


def test_a_folder_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, a_md="", sub__b_md="")
    real = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("sub"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return real(path)

    monkeypatch.setattr("memtui.memory.scope.os.scandir", refuse)
    scope = read(tmp_path)
    assert [file.name for file in scope.files] == ["a.md"]
    assert scope.problem == "sub/ can't be read: Permission denied"


def test_an_index_that_is_no_text_is_measured_as_the_client_decodes_it(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_bytes(b"- [A](a.md) \xff\n")
    scope = read(tmp_path)
    assert scope.index is not None
    assert scope.index.readonly == "not UTF-8 (byte 12)"
    assert scope.budget is not None
    assert scope.budget.loaded == "- [A](a.md) \ufffd"


def test_an_index_that_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").mkdir()
    scope = read(tmp_path)
    assert scope.index is not None
    assert (scope.index.readonly, scope.index_text) == ("a folder, not a file", "")


def test_known_files_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, MEMORY_md="- [A](a.md)\n", a_md="---\nname: A\n---\n", b_md="x")
    first = read(tmp_path)
    (tmp_path / "b.md").write_text("longer")
    opened: list[str] = []
    real = files.read_bytes

    def count(path: str, limit: int) -> bytes:
        opened.append(Path(path).name)
        return real(path, limit)

    monkeypatch.setattr("memtui.memory.topic.read_bytes", count)
    monkeypatch.setattr("memtui.memory.scope.read_bytes", count)
    second = read(tmp_path, known={file.path: file for file in first.files})
    assert opened == ["MEMORY.md", "b.md"]
    assert second.find("a.md") is first.find("a.md")
    assert second.entries == first.entries
    again = read_scope(tmp_path, "auto", "", full=False, known={file.path: file for file in second.files})
    assert all(file.digest for file in again.files)  # what is known in full stays so


def test_the_short_read_becomes_the_full_one(tmp_path: Path) -> None:
    write(tmp_path, MEMORY_md="", a_md="[B](b.md)")
    short = read_scope(tmp_path, "auto", "", full=False)
    assert [file.digest is None for file in short.files] == [False, True]
    full = read(tmp_path, known={file.path: file for file in short.files})
    assert [file.digest is None for file in full.files] == [False, False]


def test_every_real_folder_is_read_and_not_touched(shared: Path) -> None:
    root = shared / "corpus" / "memory"
    before = digest_tree(root)
    total = 0
    for folder in sorted(root.iterdir()):
        if folder.is_dir():
            short, full = (read_scope(folder, "auto", folder.name, full=whole) for whole in (False, True))
            assert [file.name for file in short.files] == [file.name for file in full.files]
            assert [file.front for file in short.files] == [file.front for file in full.files]
            assert all(file.readonly is None for file in full.files)
            total += len(full.files)
    assert total > 200
    assert digest_tree(root) == before


def test_reading_needs_no_parser_and_no_screen() -> None:
    code = (
        "import sys; from memtui.memory.scope import read_scope; from pathlib import Path; "
        "read_scope(Path('.'), 'auto', '', full=True); "
        "print([m for m in ('yaml', 'markdown_it', 'textual', 'click', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=REPO, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def location(root: Path, cwd: str) -> MemoryLocation:
    env = Env(root / "home", {}, ())
    return locate_memory(env, root / cwd)


def folders(root: Path, *names: str) -> None:
    for name in names:
        (root / name).mkdir(parents=True)


def test_the_auto_memory_is_listed_whether_it_exists_or_not(tmp_path: Path) -> None:
    folders(tmp_path, "home", "repo")
    found = scope_roots(location(tmp_path, "repo"))
    assert [scope.id for scope in found] == ["auto"]
    assert not found[0].root.exists()


def test_all_scopes_in_their_order(tmp_path: Path) -> None:
    folders(tmp_path, "repo/.git", "home/.claude/agent-memory/reviewer", "home/.claude/agent-memory/.hidden")
    folders(tmp_path, "repo/.claude/agent-memory/tester", "repo/.claude/agent-memory-local/scratch")
    here = location(tmp_path, "repo")
    (here.folder / "team").mkdir(parents=True)
    (here.folder / "logs").mkdir()
    (tmp_path / "home/.claude/agent-memory/a-file").write_text("")
    found = scope_roots(here)
    assert [scope.id for scope in found] == [
        "auto",
        "team",
        "logs",
        "agent:user:reviewer",
        "agent:project:tester",
        "agent:local:scratch",
    ]
    assert found[4].root == tmp_path / "repo/.claude/agent-memory/tester"


def test_below_the_root_an_agents_memory_is_the_working_directorys(tmp_path: Path) -> None:
    folders(tmp_path, "home", "repo/.git", "repo/sub/.claude/agent-memory/rev")
    folders(tmp_path, "repo/.claude/agent-memory/rev", "repo/.claude/agent-memory/other")
    found = {scope.id: scope.root for scope in scope_roots(location(tmp_path, "repo/sub"))}
    assert found["agent:project:rev"] == tmp_path / "repo/sub/.claude/agent-memory/rev"
    assert found["agent:project:other"] == tmp_path / "repo/.claude/agent-memory/other"
