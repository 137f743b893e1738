"""Projects by the `cwd` in their transcripts, never by decoding a folder name."""

import json
import os
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtui.client.environment import Env
from memtui.client.paths import project_name
from memtui.client.projects import Project, count_topics, find_project, list_projects
from memtui.util.errors import NotFound, Unsupported, UsageError
from tests.support import digest_tree

SNAPSHOT = {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}


def user(cwd: str, text: str = "hello", **more: Any) -> dict[str, Any]:
    return {"parentUuid": None, "isSidechain": False, "cwd": cwd, "sessionId": "s", "type": "user",
            "message": {"role": "user", "content": text}, "uuid": "u", **more}  # fmt: skip


class World:
    """Builds project folders with sessions in a home."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.projects = home / ".claude" / "projects"
        self.count = 0

    def session(self, folder: str, *records: dict[str, Any] | bytes, at: float = 1_700_000_000) -> Path:
        """One session file; `at` is its mtime."""
        self.count += 1
        path = self.projects / folder / f"{uuid.UUID(int=self.count)}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [
            record if isinstance(record, bytes) else json.dumps(record, ensure_ascii=False).encode()
            for record in records
        ]
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        os.utime(path, (at, at))
        return path

    def project(self, name: str, at: float = 1_700_000_000) -> Path:
        """A directory below the home with one session that began in it."""
        cwd = self.home / name
        cwd.mkdir(parents=True, exist_ok=True)
        self.session(project_name(str(cwd)), SNAPSHOT, user(str(cwd)), at=at)
        return cwd


@pytest.fixture
def snapshot(ana: Path) -> World:
    return World(ana)


def only(env: Env) -> Project:
    (project,) = list_projects(env)
    return project


def test_no_folder_no_projects(make_env: Callable[..., Env], snapshot: World) -> None:
    assert list_projects(make_env()) == ()
    snapshot.projects.mkdir(parents=True)
    (snapshot.projects / "-a-b").mkdir()
    (snapshot.projects / "file").touch()
    assert list_projects(make_env()) == ()


def test_a_project_is_known_by_the_directory_in_its_sessions(make_env: Callable[..., Env], snapshot: World) -> None:
    cwd = snapshot.project("code/my_app.v2", at=100)
    snapshot.session(project_name(str(cwd)), {"type": "queue-operation"}, user(str(cwd)), at=200)
    memory = snapshot.projects / project_name(str(cwd)) / "memory"
    memory.mkdir()
    for name in ("MEMORY.md", "a.md", "b.md", "note.txt", ".hidden.md"):
        (memory / name).touch()
    before = digest_tree(snapshot.home)

    project = only(make_env())

    assert (project.cwd, project.cwds, project.name) == (cwd, (cwd,), "my_app.v2")
    assert (project.sessions, project.newest, project.memory, project.topics) == (2, 200.0, memory, 2)
    assert not project.collision
    assert not project.gone
    assert digest_tree(snapshot.home) == before


def test_two_directories_that_share_a_name_are_a_collision(make_env: Callable[..., Env], snapshot: World) -> None:
    older, newer = snapshot.project("a-b", at=100), snapshot.project("a_b", at=200)
    project = only(make_env())
    assert project.collision
    assert (project.cwd, project.cwds) == (newer, (newer, older))


def test_a_change_of_directory_inside_a_project_is_no_collision(make_env: Callable[..., Env], snapshot: World) -> None:
    cwd = snapshot.project("app", at=100)
    (cwd / "sub").mkdir()
    snapshot.session(project_name(str(cwd)), user(str(cwd / "sub")), user(str(cwd)), at=300)
    project = only(make_env())
    assert (project.cwd, project.collision) == (cwd, False)
    assert project.cwds == (cwd, cwd / "sub")


def test_a_session_that_was_moved_here_tells_it_further_inside(make_env: Callable[..., Env], snapshot: World) -> None:
    cwd = snapshot.home / "new"
    padding = [user(str(snapshot.home / "old"), "x" * 9_000) for _ in range(20)]
    snapshot.session(project_name(str(cwd)), *padding, user(str(cwd)))
    project = only(make_env())
    assert (project.cwd, project.gone, project.collision) == (cwd, True, False)


def test_one_directory_in_two_spellings_is_no_collision(make_env: Callable[..., Env], snapshot: World) -> None:
    cwd = snapshot.project("a-b", at=100)
    (snapshot.home / "a_b").symlink_to("a-b")
    snapshot.session(project_name(str(cwd)), user(str(snapshot.home / "a_b")), at=200)
    assert not only(make_env()).collision


def test_a_folder_with_memory_alone_is_named_by_the_repository_of_a_worktree(
    make_env: Callable[..., Env], snapshot: World
) -> None:
    private = snapshot.home / "repo" / ".git" / "worktrees" / "wt"
    private.mkdir(parents=True)
    wt = snapshot.project("wt")
    (wt / ".git").write_text(f"gitdir: {private}\n")
    (private / "commondir").write_text("../..\n")
    (private / "gitdir").write_text(f"{wt}/.git\n")
    (snapshot.projects / project_name(str(snapshot.home / "repo")) / "memory").mkdir(parents=True)
    (snapshot.projects / "-nobody-knows" / "memory").mkdir(parents=True)
    found = {project.folder.name: project for project in list_projects(make_env())}
    repo = found[project_name(str(snapshot.home / "repo"))]
    assert (repo.cwd, repo.cwds, repo.sessions, repo.newest) == (snapshot.home / "repo", (), 0, None)
    assert (found["-nobody-knows"].cwd, found["-nobody-knows"].gone) == (None, False)
    assert list_projects(make_env())[0].name == "wt"


@pytest.mark.parametrize(
    "first",
    [
        b"not json",
        b'{"type":"user","cwd":5}',
        b'{"type":"user","message":{"content":[{"input":{"cwd":"/tool/said/so"}}]}}',
        b'{"type":"user","message":{"content":"\\"cwd\\":\\"/quoted\\""}}',
        b'{"broken":{"cwd":"/half/written"',
        b"[" * 3000,
        b"\xff\xfe\x00",
        b"",
    ],
)
def test_only_a_records_own_field_counts(first: bytes, make_env: Callable[..., Env], snapshot: World) -> None:
    cwd = snapshot.home / "app"
    snapshot.session(project_name(str(cwd)), first, user(str(cwd)))
    assert only(make_env()).cwds == (cwd,)


def test_a_first_line_longer_than_we_read_still_tells(make_env: Callable[..., Env], snapshot: World) -> None:
    cwd = snapshot.home / "app"
    snapshot.session(project_name(str(cwd)), user(str(cwd), "x" * 200_000))
    assert only(make_env()).cwd == cwd


def test_long_and_foreign_spellings_of_a_name(make_env: Callable[..., Env], snapshot: World) -> None:
    deep = str(snapshot.home / "/".join(["segment" * 4] * 10))
    name = project_name(deep)
    snapshot.session(name[:200] + "-othr", user(deep))
    project = only(make_env())
    assert (str(project.cwd), project.collision) == (deep, False)


def test_a_name_given_by_a_variable_holds_many_directories(make_env: Callable[..., Env], snapshot: World) -> None:
    snapshot.session("proj", user("/a/one"), at=100)
    snapshot.session("proj", user("/a/two"), at=200)
    project = only(make_env())
    assert (str(project.cwd), len(project.cwds), project.collision) == ("/a/two", 2, False)


def test_the_users_settings_may_move_the_folder(make_env: Callable[..., Env], snapshot: World) -> None:
    snapshot.projects = snapshot.home / "elsewhere" / "projects"
    snapshot.project("app")
    assert list_projects(make_env()) == ()
    assert only(make_env(CLAUDE_CONFIG_DIR=str(snapshot.home / "elsewhere"))).name == "app"
    (snapshot.home / ".claude").mkdir()
    (snapshot.home / ".claude" / "settings.json").write_text(
        json.dumps({"env": {"CLAUDE_CONFIG_DIR": str(snapshot.home / "elsewhere")}})
    )
    assert only(make_env()).name == "app"


def test_what_is_no_session_is_not_counted(make_env: Callable[..., Env], snapshot: World) -> None:
    cwd = snapshot.project("app")
    folder = snapshot.projects / project_name(str(cwd))
    for name in ("agent-1234.jsonl", "notes.jsonl", f"{uuid.UUID(int=77)}.txt", "sessions-index.json"):
        (folder / name).write_text("{}")
    (folder / f"{uuid.UUID(int=78)}.jsonl").mkdir()
    os.mkfifo(folder / f"{uuid.UUID(int=79)}.jsonl")
    (folder / f"{uuid.UUID(int=80)}.jsonl").symlink_to("nowhere")
    assert only(make_env()).sessions == 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.lists(st.binary(max_size=200), max_size=4))
def test_any_bytes_are_survived(make_env: Callable[..., Env], snapshot: World, lines: list[bytes]) -> None:
    snapshot.session("-any", *lines)
    assert only(make_env()).folder.name == "-any"


def test_topics_are_counted_below_folders_but_not_in_the_teams_or_the_logs(tmp_path: Path) -> None:
    for name in (
        "MEMORY.md",
        "a.md",
        "deep/b.md",
        "deep/MEMORY.md",
        "deep/logs/c.md",
        "team/d.md",
        "logs/2026/e.md",
        ".x/f.md",
        "g.txt",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "loop").symlink_to(".")
    assert count_topics(tmp_path) == 4
    assert count_topics(tmp_path / "absent") == 0


@pytest.fixture
def three(snapshot: World) -> World:
    for name, at in (("code/api", 300), ("code/api-client", 200), ("old/site", 100)):
        snapshot.project(name, at)
    return snapshot


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("api", "api"),
        ("API", "api"),
        ("api-c", "api-client"),
        ("client", "api-client"),
        ("site", "site"),
        ("si", "site"),
        ("old", "site"),
    ],
)
def test_find_by_a_word(word: str, name: str, three: World, make_env: Callable[..., Env]) -> None:
    assert find_project(make_env(), word).name == name


def test_find_by_a_path_or_a_folder_name(
    three: World, make_env: Callable[..., Env], monkeypatch: pytest.MonkeyPatch
) -> None:
    env = make_env()
    api = three.home / "code" / "api"
    folder = project_name(str(api))
    (api / "src").mkdir()
    (api / ".git").mkdir()
    (three.home / "link").symlink_to("code/api")
    monkeypatch.chdir(api)
    for word in (folder, str(api), f"{api}/", "~/code/api", "~/link", str(api / "src"), ".", "./src", "../api",
                 str(three.projects / folder), str(three.projects / folder / "memory")):  # fmt: skip
        assert find_project(env, word).cwd == api, word
    with pytest.raises(NotFound, match="no project matches"):
        find_project(env, "~/code/nothing")
    with pytest.raises(NotFound):
        find_project(env, "~")


def test_a_word_that_fits_several_lists_them(three: World, make_env: Callable[..., Env]) -> None:
    with pytest.raises(UsageError, match=r"means several projects: .*code/api, .*code/api-client") as caught:
        find_project(make_env(), "code")
    assert caught.value.exit_code == 2
    with pytest.raises(NotFound) as nothing:
        find_project(make_env(), "\x1b]0;x\x07")
    assert (nothing.value.message + nothing.value.hint).isprintable()
    assert "code/api" in nothing.value.hint
    with pytest.raises(UsageError):
        find_project(make_env(), " ")


def test_nothing_there_says_so(make_env: Callable[..., Env]) -> None:
    with pytest.raises(NotFound) as caught:
        find_project(make_env(), "api")
    assert "no project here yet" in caught.value.hint


def test_a_folder_that_may_not_be_read_is_not_taken_for_empty(
    make_env: Callable[..., Env], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("memtui.client.projects.os.scandir", refuse)
    with pytest.raises(Unsupported, match="may not be read"):
        list_projects(make_env())


def test_one_odd_entry_takes_no_other_project_away(snapshot: World, make_env: Callable[..., Env]) -> None:
    """A circle of links, and a session whose `cwd` no file system can hold."""
    shop = snapshot.project("shop")
    (snapshot.projects / "-loop").symlink_to("-loop")
    odd = ("/a\0b", "/a\ud800b", "/" + "y" * 6000, "/" + "z" * 300, "//srv/share", "C:\\git\\app", "")
    for number, cwd in enumerate(odd):
        snapshot.session(f"-odd-{number}", json.dumps(user(cwd)).encode())
    found = {project.folder.name: project.cwd for project in list_projects(make_env())}
    assert found == {project_name(str(shop)): shop} | {f"-odd-{number}": None for number in range(len(odd))}
