"""Where and how the client goes on with a session."""

from pathlib import Path

import pytest

from memtui.client.environment import Env
from memtui.client.paths import project_name, transcripts_dir
from memtui.client.running import RunningSession
from memtui.resume.launch import LaunchPlan, plan_launch, resolve_message, write_fork
from memtui.resume.resume import plan_resume
from memtui.transcripts.transcript import read_transcript
from memtui.util.errors import NotFound, Refused, UsageError
from tests.support import digest_tree
from tests.transcripts.rows import SESSION, Script, spoken

NOW = 1_795_000_000.0


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = (tmp_path / "my shop").resolve()
    folder.mkdir()
    return folder


@pytest.fixture
def path(tmp_path: Path, shop: Path) -> Path:
    script = Script().user("u0", None, cwd=str(shop)).answer("a1", "u0").user("u2", "a1").answer("a3", "u2")
    folder = tmp_path.resolve() / ".claude" / "projects" / project_name(str(shop))
    folder.mkdir(parents=True)
    return script.write(folder)


def test_as_it_is(tmp_path: Path, shop: Path, path: Path) -> None:
    before = digest_tree(tmp_path)
    plan = plan_launch(Env(tmp_path, {}), path)
    assert plan == LaunchPlan(path, shop, path.parent)
    assert (plan.id, plan.open_elsewhere) == (SESSION, "")
    plan.refuse_open()
    assert plan_launch(Env(tmp_path, {}), path, fork=True).forks
    assert digest_tree(tmp_path) == before


def test_what_the_model_ended_goes_on_only_in_a_fork_at_a_message(tmp_path: Path, path: Path) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(f'{{"type":"ended-by-model","sessionId":"{SESSION}"}}\n')
    for fork in (False, True):
        with pytest.raises(Refused, match="Claude ended"):
            plan_launch(Env(tmp_path, {}), path, fork=fork).refuse_open()
    plan = plan_launch(Env(tmp_path, {}), path, at="a1")
    plan.refuse_open()
    assert spoken(plan_resume(read_transcript(write_fork(plan, NOW).path)).blocks()) == "u0 a1"


def test_from_a_message(tmp_path: Path, path: Path) -> None:
    plan = plan_launch(Env(tmp_path, {}), path, at="a1", fork=True)
    assert (plan.at, plan.writes, plan.forks) == ("a1", True, False)
    made = write_fork(plan, NOW)
    assert made.path.parent == path.parent
    assert spoken(plan_resume(read_transcript(made.path)).blocks()) == "u0 a1"


def test_elsewhere(tmp_path: Path, path: Path) -> None:
    other = tmp_path / "other"
    with pytest.raises(NotFound):
        plan_launch(Env(tmp_path, {}), path, directory=other)
    other.mkdir()
    plan = plan_launch(Env(tmp_path, {}), path, directory=other, at="a1")
    assert (plan.directory, plan.folder.name) == (other, project_name(str(other.resolve())))


@pytest.mark.parametrize(
    ("began", "start", "found"),
    [
        ("shop", "shop", True), ("shop", "link", True), ("shop", "shop/sub", True), ("shop", "tree/deep", True),
        ("tree", "shop/sub", True), ("shop/sub", "shop/sub", True), ("shop/sub", "shop", False),
        ("shop", "other", False), ("shop-2", "shop", False),
    ],
)  # fmt: skip
def test_from_where_the_client_finds_a_session(tmp_path: Path, began: str, start: str, found: bool) -> None:
    """As recorded with 2.1.332; from elsewhere a fork in the folder of that directory is resumed."""
    for name in ("shop/.git/worktrees/tree", "shop/sub", "tree/deep", "other", "shop-2"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "link").symlink_to("shop")
    (tmp_path / "tree" / ".git").write_text(f"gitdir: {tmp_path}/shop/.git/worktrees/tree\n")
    (tmp_path / "shop" / ".git" / "worktrees" / "tree" / "commondir").write_text("../..\n")
    (tmp_path / "shop" / ".git" / "worktrees" / "tree" / "gitdir").write_text(f"{tmp_path}/tree/.git\n")
    env = Env(tmp_path, {})
    folder = transcripts_dir(env, tmp_path / began)
    folder.mkdir(parents=True)
    path = Script().user("u0", None, cwd=str(tmp_path / began)).answer("a1", "u0").write(folder)
    plan = plan_launch(env, path, directory=tmp_path / start, fork=True)
    assert (plan.forks, plan.writes) == (found, not found)
    assert write_fork(plan, NOW).path.parent == transcripts_dir(env, tmp_path / start)


def test_after_a_move_of_the_project_it_is_resumed_where_the_folder_is_named_after(
    tmp_path: Path, shop: Path, path: Path
) -> None:
    moved = shop.with_name("new shop")
    shop.rename(moved)
    path.parent.rename(path.parent.with_name(project_name(str(moved))))
    env = Env(tmp_path.resolve(), {})
    plan = plan_launch(env, transcripts_dir(env, moved) / path.name)
    assert (plan.directory, plan.writes) == (moved, False)


@pytest.mark.parametrize("name", [f"{SESSION}.jsonl", "session.jsonl"])
def test_a_transcript_that_is_no_session_of_the_client(tmp_path: Path, path: Path, name: str) -> None:
    place = path.parent / name if name == "session.jsonl" else tmp_path / name
    path.rename(place)
    plan = plan_launch(Env(tmp_path, {}), place)
    assert (plan.writes, plan.at) == (True, "")
    assert write_fork(plan, NOW).path.parent == path.parent


def test_one_that_is_open(path: Path, shop: Path) -> None:
    live = RunningSession(SESSION, 12)
    with pytest.raises(Refused, match="already open in pid 12"):
        LaunchPlan(path, shop, path.parent, live=live).refuse_open()
    LaunchPlan(path, shop, path.parent, live=live, forks=True).refuse_open()
    LaunchPlan(path, shop, path.parent, live=live, fork_reason="why").refuse_open()


def test_none_at_all(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        plan_launch(Env(tmp_path, {}), tmp_path / "nowhere.jsonl")


def test_a_whole_uuid_or_its_unique_beginning(tmp_path: Path) -> None:
    script = Script().user("u0", None).user("abcdef12-1", "u0").user("abcdef12-2", "abcdef12-1")
    transcript = script.user("Fedcba98-1", "u0").read(tmp_path)
    assert resolve_message(transcript, "u0") == "u0"
    assert resolve_message(transcript, "abcdef12-2") == "abcdef12-2"
    assert resolve_message(transcript, "fedcba98") == "Fedcba98-1"
    for word in ("abcdef12", "", "abc", "fedcba9"):
        with pytest.raises(UsageError):
            resolve_message(transcript, word)
    with pytest.raises(NotFound):
        resolve_message(transcript, "nowhere-at-all")
