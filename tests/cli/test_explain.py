"""What `memtui explain` says, against recordings of the client and our own catalogues."""

import base64
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtui.client.paths import project_name
from tests.cli.conftest import Run
from tests.client.test_memory_location import mapped
from tests.fs.test_paths_catalogue import make_world, real
from tests.support import REPO, digest_tree

DATA = REPO / "tests" / "data"


def jsonl(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((DATA / "cases" / name).read_text(encoding="utf-8"))
    return found


INDEX = jsonl("oracle/index.jsonl")
PLACES = jsonl("oracle/places.jsonl")
PATHS, SETTINGS, FRONTMATTER = cases("paths.json"), cases("settings.json"), cases("frontmatter.json")


def write_indexes(folder: Path) -> list[Path]:
    files = []
    for number, case in enumerate(INDEX):
        path = folder / f"{number:03}.md"
        path.write_bytes(base64.b64decode(case["content_b64"]))
        files.append(path)
    return files


def check_index(data: dict[str, Any], case: dict[str, Any]) -> None:
    assert data["loaded"] == (case["loaded"] or "")
    warned = case["warning"]
    assert (data["cut_line"] is not None) == (warned is not None)
    assert data["over"] == (warned is not None)
    assert data["limit"] in ((None,) if warned is None else ("lines", "units"))
    if warned is not None and "line " in warned:
        assert f"line {data['cut_line']}" in warned or str(data["cut_line"]) in warned


def test_the_recorded_indexes_in_one_call(run: Run, tmp_path: Path) -> None:
    ran = run("explain", "index", "--jsonl", *write_indexes(tmp_path))
    assert ran.code == 0, ran.err
    assert len(ran.lines) == len(INDEX)
    for data, case in zip(ran.lines, INDEX, strict=True):
        check_index(data, case)


def test_the_recorded_indexes_through_the_real_command(
    start: Callable[..., subprocess.CompletedProcess[bytes]], tmp_path: Path
) -> None:
    files = write_indexes(tmp_path)
    before = digest_tree(tmp_path)
    done = start("explain", "index", "--jsonl", *files)
    assert done.returncode == 0, done.stderr
    for line, case in zip(done.stdout.splitlines(), INDEX, strict=True):
        check_index(json.loads(line), case)
    assert digest_tree(tmp_path) == before


def test_a_file_that_cannot_be_read_is_one_line_among_the_others(run: Run, tmp_path: Path) -> None:
    good = tmp_path / "a.md"
    good.write_text("- [A](a.md)\n", encoding="utf-8")
    for command in ("index", "frontmatter"):
        ran = run("explain", command, "--jsonl", tmp_path / "absent.md", good, tmp_path)
        assert ran.code == 1
        assert [("error" in data) for data in ran.lines] == [True, False, True]
        assert [data["file"] for data in ran.lines] == [str(tmp_path / "absent.md"), str(good), str(tmp_path)]


def test_one_index_is_an_object_and_standard_input_is_a_file(run: Run) -> None:
    ran = run("explain", "index", "--json", "-", input="- [A](a.md) — hook\n" * 201)
    assert ran.code == 0
    assert ran.data["cut_line"] == ran.data["cut_line_in_file"] == 201
    assert [entry["line"] for entry in ran.data["lost"]] == [201]
    assert ran.data["limit"] == "lines"
    text = run("explain", "index", "-", input="- [A](a.md) — hook\n" * 201)
    assert "OVER" in text.out and "201" in text.out


@pytest.mark.parametrize("case", PLACES, ids=[f"{at:02} {case['name']}" for at, case in enumerate(PLACES)])
def test_the_recorded_places(
    case: dict[str, Any], run: Run, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana = (tmp_path / "home" / "ana").resolve()
    ana.mkdir(parents=True)

    def moved(word: str) -> str:
        return word.replace("/home/ana", str(ana))

    cwd = Path(moved(case["cwd"]))
    cwd.mkdir(parents=True)
    for command in case["setup"]:
        subprocess.run(["bash", "-ec", command], cwd=ana, check=True, capture_output=True)
    places = {"user": ana / ".claude/settings.json", "project": cwd / ".claude/settings.json"}
    for layer, data in case["settings"].items():
        path = places.get(layer, cwd / ".claude/settings.local.json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(moved(data if isinstance(data, str) else json.dumps(data)), encoding="utf-8")
    monkeypatch.setenv("HOME", str(ana))
    for key, value in case["env"].items():
        monkeypatch.setenv(key, moved(value))
    ran = run("explain", "place", *map(moved, case["args"]), "--json", cwd)
    assert ran.code == 0, ran.err
    data = ran.data
    assert data["project_dir"] == project_name(str(cwd.resolve()))
    memory = case["memory_dir"]
    if case["name"] == "directory in project settings":  # the client takes it; we don't, and say so
        assert data["warnings"]
        memory = f"/home/ana/.claude/projects/{case['project_dir']}/memory/"
    if memory is None:
        assert data["memory_dir"] is None and data["enabled"] is False
        return
    before, name, after = memory.partition(project_name(case["cwd"].removesuffix("/sub")))
    if name:
        memory = before + project_name(moved(case["cwd"]).removesuffix("/sub")) + after
    elif "/projects/" in memory:
        memory = memory.replace("-home-ana", project_name(str(ana)))
    assert data["memory_dir"] == data["folder"] == moved(memory).rstrip("/")


@pytest.mark.parametrize("case", SETTINGS, ids=[case["id"] for case in SETTINGS])
def test_the_catalogue_of_settings(
    case: dict[str, Any], run: Run, tmp_path: Path, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path.resolve()
    given, expect = case["input"], case["expect"]
    home, cwd = Path(mapped(given["home"], root)), Path(mapped(given["cwd"], root))
    cwd.mkdir(parents=True)
    files = {
        "policy": policy,
        "user": home / ".claude/settings.json",
        "project": cwd / ".claude/settings.json",
        "local": cwd / ".claude/settings.local.json",
    }
    for layer, path in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if layer in given:
            path.write_text(mapped(given[layer], root), encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))
    for key, value in given.get("env", {}).items():
        monkeypatch.setenv(key, mapped(value, root))
    data = run("explain", "place", "--json", cwd).data
    folder = mapped(expect["dir"], root).replace("-w-repo", project_name(str(root / "w/repo")))
    assert (data["folder"], data["decided_by"]) == (folder, expect["source"])
    assert (data["enabled"], data["dream"]) == (expect["enabled"], expect["dream"])
    assert data["memory_dir"] == (folder if expect["enabled"] else None)
    assert len(data["warnings"]) == expect["warnings"]


def test_a_place_as_text_says_who_decided(run: Run, shop: Path, home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"autoMemoryEnabled": false, "autoMemoryDirectory": "/nowhere/\\u001b[31m"}', encoding="utf-8")
    ran = run("explain", "place")
    assert ran.code == 0
    assert "autoMemoryEnabled" in ran.out and str(settings) in ran.out and "off" in ran.out
    assert "\x1b" not in ran.out


@pytest.mark.parametrize("case", PATHS, ids=[case["id"] for case in PATHS])
def test_the_catalogue_of_paths(case: dict[str, Any], run: Run, tmp_path: Path) -> None:
    asked = case["input"]
    make_world(tmp_path, asked.get("setup", []))
    wish = {key: asked[key] for key in ("op", "actor", "casefold") if key in asked}
    wish["root"] = real(tmp_path, asked["root"])
    wish["path"] = real(tmp_path, asked["path"]) if isinstance(asked["path"], str) else asked["path"]
    before = digest_tree(tmp_path / "w")
    reads = ["--read", tmp_path / "w/sessions", "--read", tmp_path / "w/repo"]
    ran = run("explain", "path", "--jsonl", *reads, "-", input=json.dumps(wish) + "\n")
    assert ran.code == 0, ran.err
    assert len(ran.lines) == 1
    assert ran.lines[0]["verdict"] == case["expect"], ran.lines[0]["reason"]
    assert ran.lines[0]["reason"]
    assert digest_tree(tmp_path / "w") == before


def test_paths_one_line_for_each_whatever_comes(
    start: Callable[..., subprocess.CompletedProcess[bytes]], tmp_path: Path
) -> None:
    good = json.dumps({"root": str(tmp_path), "op": "write", "actor": "agent", "path": "a.md"}).encode()
    odd = json.dumps({"root": str(tmp_path), "op": "write", "actor": "agent", "path": "a\ud800\u2028.md"}).encode()
    lines = [good, b"nonsense", b"[1]", odd, b'{"root": 5}', b"\xff\xfe", b"[" * 100_000, good]
    done = start("explain", "path", "--jsonl", "-", input=b"\n".join(lines))
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [data["verdict"] for data in found] == ["allow", *["deny"] * 6, "allow"]
    assert done.returncode == 1
    assert done.stderr == b""


def test_a_path_on_the_command_line_is_judged_for_this_project(run: Run, shop: Path) -> None:
    assert run("explain", "path", "a.md").code == 0
    denied = run("explain", "path", "../a.md", "--json")
    assert denied.code == 1
    assert denied.data["verdict"] == "deny"
    assert run("explain", "path", "CLAUDE.md", "--actor", "agent").code == 1


def test_the_catalogue_of_front_matter(run: Run, tmp_path: Path) -> None:
    files = []
    for case in FRONTMATTER:
        given = case["input"]
        path = tmp_path / f"{case['id']}.md"
        if isinstance(given, str):
            path.write_bytes(given.encode("utf-8", "surrogatepass"))
        elif "hex" in given:
            path.write_bytes(bytes.fromhex(given["hex"]))
        else:
            part = given["repeat"]
            path.write_text(part["prefix"] + part["unit"] * part["times"] + part["suffix"], encoding="utf-8")
        files.append(path)
    ran = run("explain", "frontmatter", "--jsonl", *files)
    assert ran.code == 0
    for data, case in zip(ran.lines, FRONTMATTER, strict=True):
        assert {key: data[key] for key in case["expect"]} == case["expect"], case["id"]
        assert isinstance(data["problems"], list)
    assert run("explain", "frontmatter", files[0]).out.startswith("ok")
