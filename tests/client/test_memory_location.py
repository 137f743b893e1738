"""The decision for a directory, against recordings of the client and our own catalogue of bad settings."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from memtui.client.environment import Env
from memtui.client.memory_location import locate_memory
from memtui.client.paths import project_name
from tests.support import REPO, digest_tree

PLACES = [
    json.loads(line) for line in (REPO / "tests/data/oracle/places.jsonl").read_text(encoding="utf-8").splitlines()
]
MORE_PLACES = [  # the same client, asked more of the same kind
    json.loads(line) for line in (REPO / "tests/data/oracle/host_places.jsonl").read_text(encoding="utf-8").splitlines()
]
SETTINGS = json.loads((REPO / "tests/data/cases/settings.json").read_text(encoding="utf-8"))


def shell(command: str, cwd: Path) -> None:
    """Runs a recorded preparation; git knows nothing of the person who runs the tests."""
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["bash", "-ec", command], cwd=cwd, env=environ, check=True, capture_output=True)


def at_home(word: str, ana: Path) -> str:
    return word.replace("/home/ana", str(ana))


@pytest.mark.parametrize("case", PLACES, ids=[f"{at:02} {case['name']}" for at, case in enumerate(PLACES)])
def test_the_client_was_recorded(case: dict[str, Any], ana: Path, make_env: Callable[..., Env]) -> None:
    cwd = Path(at_home(case["cwd"], ana))
    cwd.mkdir(parents=True)
    for command in case["setup"]:
        shell(command, ana)
    for layer, data in case["settings"].items():
        name = {"user": ".claude/settings.json"}.get(layer)
        path = ana / name if name else cwd / ".claude" / {"local": "settings.local.json"}.get(layer, "settings.json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(at_home(data if isinstance(data, str) else json.dumps(data), ana), encoding="utf-8")
    env = make_env(**{key: at_home(value, ana) for key, value in case["env"].items()})
    args = case["args"]
    flag = at_home(args[args.index("--settings") + 1], ana) if "--settings" in args else None

    location = locate_memory(env, cwd, flag=flag, bare="--bare" in args)

    memory, project = case["memory_dir"], case["project_dir"]
    if case["name"] == "directory in project settings":  # the client takes it; we don't, and say so
        memory = f"/home/ana/.claude/projects/{project}/memory/"
        assert "fromrepo" in location.warnings[0]
        assert str(location.agent_folder) == str(ana / "fromrepo")
    assert location.project_dir == _moved(project, case["cwd"], ana)
    assert location.memory_dir == (None if memory is None else Path(_moved(at_home(memory, ana), case["cwd"], ana)))


def _moved(name: str, cwd: str, ana: Path) -> str:
    """The recorded name for the place to which the test moved the home; a hash is made anew."""
    if len(project_name(cwd)) > 200:
        return name.replace(project_name(cwd), project_name(at_home(cwd, ana)))
    return name.replace("-home-ana", project_name(str(ana)))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="recorded on Linux, prepared by its tools")
@pytest.mark.parametrize(
    "case", MORE_PLACES, ids=[f"{at:03} {case['name'][:60]}" for at, case in enumerate(MORE_PLACES)]
)
def test_the_client_was_asked_more(
    case: dict[str, Any], ana: Path, tmp_path: Path, make_env: Callable[..., Env]
) -> None:
    """@H stands for the home, @N for its project name. What the client takes and we refuse is in `agent_folder`."""

    def fill(word: str) -> str:
        return word.replace("@H", str(ana)).replace("@N", project_name(str(ana)))

    if case["setup"]:
        shell(fill(case["setup"]), ana)
    cwd = ana / case["cwd"]
    cwd.mkdir(parents=True, exist_ok=True)
    for root, files in ((ana, case["files"]), (tmp_path / "policy", case["policy"])):
        for name, data in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            raw = bytes.fromhex(data["hex"]) if isinstance(data, dict) else fill(data).encode("utf-8", "surrogatepass")
            path.write_bytes(raw)
    args = case["args"]
    flag = fill(args[args.index("--settings", len(args) - 2) + 1]) if "--settings" in args else None
    bare = "--bare" in args or "--safe-mode" in args  # a safe client has no memory either

    location = locate_memory(
        make_env(**{key: fill(value) for key, value in case["env"].items()}), cwd, flag=flag, bare=bare
    )

    if not case["starts"]:
        assert any("would not start" in warning for warning in location.warnings)
        return
    assert location.project_dir == fill(case["project"])
    assert location.enabled == (case["memory"] is not None)
    if location.enabled:
        assert location.agent_folder == cwd.resolve() / fill(case["memory"])
    if location.folder != location.agent_folder:
        assert location.warnings


def mapped(text: str, root: Path) -> str:
    """The fictional roots /w and /h moved into a temporary folder."""
    return re.sub(r"(?<![A-Za-z0-9_.])/([wh])(?=[/\"]|$)", lambda match: f"{root}/{match[1]}", text)


@pytest.mark.parametrize("case", SETTINGS, ids=[f"{case['id']} {case['why']}" for case in SETTINGS])
def test_the_catalogue_of_settings(case: dict[str, Any], tmp_path: Path) -> None:
    root = tmp_path.resolve()
    given, expect = case["input"], case["expect"]
    home, cwd = Path(mapped(given["home"], root)), Path(mapped(given["cwd"], root))
    cwd.mkdir(parents=True)
    files = {
        "policy": root / "policy" / "managed-settings.json",
        "user": home / ".claude" / "settings.json",
        "project": cwd / ".claude" / "settings.json",
        "local": cwd / ".claude" / "settings.local.json",
    }
    for layer, path in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if layer in given:
            path.write_text(mapped(given[layer], root), encoding="utf-8")
    environ = {key: mapped(value, root) for key, value in given.get("env", {}).items()}
    before = digest_tree(root)

    location = locate_memory(Env(home, environ, (files["policy"],)), cwd)

    folder = mapped(expect["dir"], root).replace("-w-repo", project_name(str(root / "w" / "repo")))
    assert (str(location.folder), location.decided_by) == (folder, expect["source"])
    assert (location.enabled, location.dream) == (expect["enabled"], expect["dream"])
    assert len(location.warnings) == expect["warnings"], location.warnings
    assert digest_tree(root) == before


Write = Callable[[Mapping[str, str]], None]


@pytest.fixture
def here(ana: Path) -> Path:
    folder = ana / "p"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ("user", "project", "enabled", "dream", "said"),
    [
        ({}, {"autoMemoryEnabled": True, "autoDreamEnabled": True}, True, True, []),
        ({}, {"autoMemoryEnabled": False}, False, False, []),
        ({"autoMemoryEnabled": False}, {"autoMemoryEnabled": True}, True, True, ["auto memory"]),
        ({"autoDreamEnabled": False}, {"autoDreamEnabled": True}, True, True, ["auto-dream"]),
        (
            {"autoMemoryEnabled": False},
            {"env": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "0"}},
            True,
            True,
            ["auto memory"],
        ),
        (
            {"env": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}},
            {"env": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": ""}},
            True,
            True,
            ["auto memory"],
        ),
        ({"autoMemoryEnabled": False}, {}, False, False, []),
        (
            {"autoMemoryEnabled": False, "autoDreamEnabled": False},
            {"autoMemoryEnabled": True},
            True,
            False,
            ["auto memory"],
        ),
    ],
)
def test_a_project_that_turns_on_what_the_user_turned_off_is_said(
    user: dict[str, Any], project: dict[str, Any], enabled: bool, dream: bool, said: list[str],
    here: Path, make_env: Callable[..., Env], write: Write,
) -> None:  # fmt: skip
    write({".claude/settings.json": json.dumps(user), "p/.claude/settings.json": json.dumps(project)})
    location = locate_memory(make_env(), here)
    assert (location.enabled, location.dream) == (enabled, dream)
    assert [word for word in ("auto memory", "auto-dream") if f"turn on {word}" in "".join(location.warnings)] == said
    assert len(location.warnings) == len(said)


def test_the_persons_own_choice_is_not_the_projects(here: Path, make_env: Callable[..., Env], write: Write) -> None:
    write(
        {
            ".claude/settings.json": '{"autoMemoryEnabled": false}',
            "p/.claude/settings.json": '{"autoMemoryEnabled": true}',
            "p/.claude/settings.local.json": '{"autoMemoryEnabled": true}',
        }
    )
    assert locate_memory(make_env(), here).warnings == ()


@pytest.mark.parametrize("stronger", ["local", "user", "flag", "env", None])
def test_a_folder_named_by_the_project_is_refused_whatever_decides(
    stronger: str | None, ana: Path, here: Path, make_env: Callable[..., Env], write: Write
) -> None:
    named = json.dumps({"autoMemoryDirectory": str(ana / "mine")})
    files = {"p/.claude/settings.json": json.dumps({"autoMemoryDirectory": str(ana / "theirs")})}
    if stronger in ("local", "user"):
        files[{"local": "p/.claude/settings.local.json", "user": ".claude/settings.json"}[stronger]] = named
    write(files)
    env = make_env(CLAUDE_COWORK_MEMORY_PATH_OVERRIDE=str(ana / "mine")) if stronger == "env" else make_env()
    location = locate_memory(env, here, flag=named if stronger == "flag" else None)
    assert location.decided_by == (stronger or "default")
    assert location.folder == (
        ana / "mine" if stronger else location.config / "projects" / location.project_dir / "memory"
    )
    assert len(location.warnings) == 1
    assert "refused" in location.warnings[0]
    # The client takes it where nothing stronger than the project's file names another.
    taken = stronger in (None, "user")
    assert location.agent_folder == (ana / "theirs" if taken else location.folder)
    assert ("Claude Code itself uses" in location.warnings[0]) == taken


def test_the_switch_of_the_folder_says_what_counts(
    ana: Path, here: Path, make_env: Callable[..., Env], write: Write
) -> None:
    write(
        {
            "p/.claude/settings.local.json": '{"autoMemoryDirectory": "/etc"}',
            ".claude/settings.json": '{"autoMemoryDirectory": "~/mine/"}',
        }
    )
    location = locate_memory(make_env(), here)
    switch = location.switch("autoMemoryDirectory")
    assert (location.folder, location.decided_by, len(location.warnings)) == (ana / "mine", "user", 1)
    assert (switch.value, switch.layer, switch.source) == (
        str(ana / "mine"), "user", str(ana / ".claude" / "settings.json"),
    )  # fmt: skip
    with pytest.raises(KeyError):
        location.switch("nonsense")


@pytest.mark.parametrize(
    ("environ", "word"),
    [
        ({"CLAUDE_CONFIG_DIR": ""}, "is set but empty"),
        ({"CLAUDE_CONFIG_DIR": "cfg"}, "which is relative"),
        ({"CLAUDE_CODE_PROJECT_DIR_NAME": "proj"}, "needs CLAUDE_CONFIG_DIR"),
        ({"CLAUDE_COWORK_MEMORY_PATH_OVERRIDE": "mount"}, "it is relative"),
    ],
)
def test_a_variable_that_does_not_do_what_it_seems_to_is_said(
    environ: dict[str, str], word: str, here: Path, make_env: Callable[..., Env]
) -> None:
    location = locate_memory(make_env(**environ), here)
    assert len(location.warnings) == 1
    assert word in location.warnings[0]


@pytest.mark.parametrize(
    "name", ["CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_REMOTE_MEMORY_DIR"]
)
def test_a_projects_environment_moves_nothing(
    name: str, ana: Path, here: Path, make_env: Callable[..., Env], write: Write
) -> None:
    write({"p/.claude/settings.json": json.dumps({"env": {name: str(ana / "theirs")}})})
    location = locate_memory(make_env(), here)
    assert location.folder == location.agent_folder == ana / ".claude" / "projects" / location.project_dir / "memory"
    assert name in location.warnings[0]


def test_warnings_hold_no_control_characters(here: Path, make_env: Callable[..., Env], write: Write) -> None:
    write({".claude/settings.json": json.dumps({"autoMemoryDirectory": "/x\x1b]52;c;aGk=\x07\u202e"})})
    (warning,) = locate_memory(make_env(), here).warnings
    assert warning.isprintable()


def test_a_directory_that_is_gone_still_has_a_place(ana: Path, make_env: Callable[..., Env]) -> None:
    location = locate_memory(make_env(), ana / "gone" / "deep")
    assert location.project_dir == project_name(str(ana / "gone" / "deep"))
    assert location.memory_dir == ana / ".claude" / "projects" / location.project_dir / "memory"
    assert location.transcripts == ana / ".claude" / "projects" / location.project_dir


def test_memory_of_a_worktree_is_the_repositorys_and_transcripts_are_its_own(
    ana: Path, make_env: Callable[..., Env]
) -> None:
    private = ana / "repo" / ".git" / "worktrees" / "wt"
    private.mkdir(parents=True)
    (ana / "wt").mkdir()
    (ana / "wt" / ".git").write_text(f"gitdir: {private}\n")
    (private / "commondir").write_text("../..\n")
    (private / "gitdir").write_text(f"{ana}/wt/.git\n")
    location = locate_memory(make_env(), ana / "wt")
    assert location.root == ana / "repo"
    assert location.project_dir == project_name(str(ana / "wt"))
    assert location.folder.parent.name == project_name(str(ana / "repo"))
