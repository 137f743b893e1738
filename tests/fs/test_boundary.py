"""The rules of the boundary one by one, and walks that no swapped link leads astray."""

import os
import shutil
import threading
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.fs.atomic import digest, read_stable
from memtui.fs.boundary import AccessMode, Actor, PathVerdict, check_path, is_sensitive, open_file, open_parent
from memtui.history.store import Change, Store
from memtui.util.app_dirs import Dirs
from memtui.util.errors import MemtuiError, NotFound, Refused
from tests.fs.faults import FaultFS, upward

ALLOWED = [
    "a.md", "notes with blanks.md", "-n.md", "메모.md", "メモ・一.md", "🚀.md", "❤️.md", "a;b.md", "a&b.md",
    "it's.md", "[x].md", "(1).md", "a,b.md", "a=b.md", "a+b@c#d!.md", "100% sure.md", "50%.md", "..notes.md",
    "...notes.md", "a..b.md", "x.y.md", "a~b.md", "notes~.md", "console.md", "common.md", "com10.md",
    "nullable.md", "½.md", "１.md", "：.md", "é.md", "e\u0301.md", "a/b/c/d/e/f/g/h/x.md",
    "logs/2026/03/2026-03-01.md", "./a.md", "a/./b.md", "a//b.md", "claude.mdx.md", "sub/MEMORY.md",
    "MEMORY.md", "MEMORY2.md", "teams/x.md", "x/team/y.md", "git/x.md",
]  # fmt: skip

DENIED = [
    "", " ", "  ", ".", "..", "/", "./", "a/", "a.md/", "a.md/.", "a/../b.md", "..\\x.md", "a\\b.md", "a`b.md",
    "//a.md", "//server/share/x.md", "~", "~/x.md", "~root/x.md", "~x.md", "a/~/x.md", "a/~root/x.md",
    "a/~+/x.md", "C:x.md", "c:/x.md", "http://x/y.md", "file:x.md", "HTTPS://x.md", "vscode-remote://x.md",
    "%2e%2e/x.md", "a%2Fb.md", "a%00.md", "a%C0%AFb.md", "a:b.md", "a*.md", "a?.md", 'a".md', "a<.md", "a>.md",
    "a|b.md", "$x.md", "${x}.md", "{a,b}.md", "a\nb.md", "a\x00.md", "a\x7f.md", "a\x85.md", "a\u00a0.md",
    "a\u2003.md", "a\u3000.md", "a\u200e.md", "a\u2067.md", "a\ufeff.md", "a\u2060.md", "a\U000e0041.md",
    "a\u3164.md", "a\u115f.md", "a\u2800.md", "a\u034f.md", "👩\u200d💻.md", "a\udc80.md", "a∕b.md", "a⁄b.md",
    "a／b.md", "a＼b.md", "a﹨b.md", "a⧸b.md", "a∖b.md", "․․/x.md", "‥.md", "….md", "．．/x.md", ".․/x.md",
    "℀.md", "c℅.md", "a" * 253 + ".md", "가" * 85 + ".md", "/".join(["a" * 200] * 21) + ".md",
    "a/b/c/d/e/f/g/h/i/x.md", "con.md", "PRN.md", "aux.md", "NUL.x.md", "com1.md", "LPT9.md", "com¹.md",
    "conin$.md", "con/x.md", "con .md", "a./x.md", "a /x.md", "x.md.", "x.md ", "x", "x.txt", "x.MD", "x.Md",
    "x.md.bak", "x.mdx", ".md", "..md", " .md", ".x.md", ".git/x.md", ".claude/x.md", ".GIT/x.md",
    "a/.hidden/x.md", "CLAUDE.md", "claude.md", "Claude.Local.md", "a/CLAUDE.md", "ＣＬＡＵＤＥ.md",
    ".consolidate-lock", "memory.md", "Memory.md", "MEMORY.MD",
]  # fmt: skip


def ask(root: Path, path: object, op: AccessMode = "write", actor: Actor = "user", **more: object) -> PathVerdict:
    return check_path(root, path, op=op, actor=actor, **more)  # type: ignore[arg-type]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "memory"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("path", ALLOWED)
@pytest.mark.parametrize("actor", ["agent", "dream", "user"])
def test_allowed_names(root: Path, path: str, actor: Actor) -> None:
    assert ask(root, path, actor=actor) == PathVerdict(
        True, "inside the folder", "/".join(part for part in path.split("/") if part not in ("", ".")), root
    )
    assert ask(root, f"{root}/{path}", actor=actor).allowed


@pytest.mark.parametrize("path", DENIED)
@pytest.mark.parametrize("actor", ["agent", "dream", "user"])
def test_denied_names(root: Path, path: str, actor: Actor) -> None:
    verdict = ask(root, path, actor=actor)
    assert not verdict.allowed
    assert verdict.reason
    assert (verdict.name, verdict.base) == (None, None)


@pytest.mark.parametrize("path", [None, 5, 1.5, True, b"x.md", ["x.md"], {"path": "x.md"}, Path("x.md"), object()])
def test_only_text_is_a_path(root: Path, path: object) -> None:
    assert not ask(root, path).allowed
    assert not ask(root, path, op="read").allowed


def test_a_folder_that_does_not_exist_yet_has_the_same_rules(tmp_path: Path) -> None:
    assert ask(tmp_path / "new", "a/b.md").allowed
    assert not ask(tmp_path / "new", "memory.md").allowed
    (tmp_path / "file").touch()
    assert not ask(tmp_path / "file", "a.md").allowed


@pytest.mark.parametrize("name", ["team/x.md", "Team/x.md", "TEAM/a/b.md"])
def test_only_a_person_writes_what_the_team_shares(root: Path, name: str) -> None:
    assert ask(root, name).allowed
    assert not ask(root, name, actor="agent").allowed
    assert not ask(root, name, actor="dream").allowed
    assert ask(root, name, op="read", actor="agent").allowed


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_twins_in_any_part_of_the_name(root: Path, depth: int) -> None:
    above = "/".join(["각", "e\u0301", "x"][:depth])
    (root / above).mkdir(parents=True, exist_ok=True)
    (root / above / "caf\u00e9.md").touch()
    lead = above + "/" if above else ""
    for form in ("NFC", "NFD"):
        assert ask(root, unicodedata.normalize(form, f"{lead}café.md")).name == f"{lead}caf\u00e9.md"
    assert not ask(root, f"{lead}CAFÉ.md").allowed
    assert not ask(root, unicodedata.normalize("NFD", f"{lead}Café.md")).allowed
    if depth == 3:
        assert not ask(root, f"{lead[:-2]}X/new.md").allowed


def test_a_name_that_is_there_is_nobodys_twin(root: Path) -> None:
    for name in ("A.md", "a.md", "e\u0301.md", "\u00e9.md", "memory.md"):
        (root / name).touch()
        assert ask(root, name).name == name


def test_a_twin_that_leaves_in_the_same_step_is_none(root: Path) -> None:
    (root / "a.md").touch()
    assert not ask(root, "A.md").allowed
    assert ask(root, "A.md", leaving={"a.md"}).name == "A.md"


@pytest.mark.parametrize("target", ["outside", "inside", "missing", "itself"])
def test_links_are_not_written(tmp_path: Path, root: Path, target: str) -> None:
    (tmp_path / "outside").touch()
    (root / "inside").touch()
    (root / "x.md").symlink_to({"outside": "../outside", "itself": "x.md"}.get(target, target))
    assert not ask(root, "x.md").allowed
    assert not ask(root, "x.md/y.md").allowed


def test_a_link_as_a_folder_is_not_entered(tmp_path: Path, root: Path) -> None:
    (tmp_path / "out").mkdir()
    (root / "in").mkdir()
    (root / "out").symlink_to("../out")
    (root / "alias").symlink_to("in")
    (root / "file.md").touch()
    for name in ("out/x.md", "alias/x.md", "file.md/x.md", "/dev/fd/x.md", f"/proc/self/cwd/{root}/x.md"):
        assert not ask(root, name).allowed


def test_the_root_may_be_reached_by_either_of_its_spellings(tmp_path: Path, root: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    assert ask(tmp_path / "alias", f"{root}/x.md").allowed
    assert ask(tmp_path / "alias", f"{tmp_path}/alias/x.md").allowed
    assert not ask(root, f"{tmp_path}/alias/x.md").allowed


def test_exact_names_take_the_place_of_the_rule(root: Path) -> None:
    only = frozenset({"CLAUDE.md", ".claude/settings.json"})
    for name in only:
        assert ask(root, name, only=only).name == name
    for name in ("a.md", "claude.md", ".claude/x.json", "../CLAUDE.md", "x/../CLAUDE.md", "settings.json"):
        assert not ask(root, name, only=only).allowed
    (root / "CLAUDE.md").symlink_to("a.md")
    assert not ask(root, "CLAUDE.md", only=only).allowed


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        (".", True), ("a.md", True), ("{root}", True), ("{root}/", True), ("link-in.md", True), ("missing.md", True),
        ("{more}/s.jsonl", True), ("{more}", True), ("{more}/src/$id.tsx", True), ("{more}/[slug]/x y.ts", True),
        ("CLAUDE.md", True), (".consolidate-lock", True), ("link-out.md", False), ("dir-out/x", False), ("..", False),
        ("../x", False), ("{more}/../x", False), ("{more}-old/x", False), ("/etc/passwd", False), ("/", False),
        ("/proc/self/environ", False), ("/dev/zero", False), ("fifo.md", False), ("{more}/.git", False), ("~/x", False),
        ("{more}/.git/config", False), ("{more}/.env", False), ("{more}/.env.local", False), ("{more}/.ENV", False),
        ("{more}/a/id_rsa", False), ("{more}/cert.pem", False), ("{more}/.ssh/config", False), ("{more}/.npmrc", False),
        ("sneaky.md", False), ("file:///etc/passwd", False), ("C:/x", False), ("a%2fb", False), ("a\nb", False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("actor", ["agent", "dream", "user"])
def test_reading(tmp_path: Path, root: Path, path: str, allowed: bool, actor: Actor) -> None:
    more = tmp_path / "more"
    for folder in (more / ".git", tmp_path / "more-old", tmp_path / "out"):
        folder.mkdir(parents=True)
    for file in (root / "a.md", more / ".git/config", more / ".env", tmp_path / "out/x", tmp_path / "secret.md"):
        file.touch()
    (root / "link-in.md").symlink_to("a.md")
    (root / "link-out.md").symlink_to("../secret.md")
    (root / "dir-out").symlink_to("../out")
    (root / "sneaky.md").symlink_to("../more/.git/config")
    os.mkfifo(root / "fifo.md")
    asked = path.replace("{root}", str(root)).replace("{more}", str(more))
    verdict = ask(root, asked, op="read", actor=actor, reads=[more])
    assert verdict.allowed == allowed, verdict.reason
    if path == "link-in.md":
        assert (verdict.base, verdict.name) == (root, "a.md")


def test_what_may_hold_a_secret_goes_by_families_and_so_do_its_copies() -> None:
    families = (
        "prod.env .env.production credentials.toml aws-credentials.json secrets.yaml terraform.tfstate kubeconfig"
        " terraform.tfstate.backup terraform.tfstate.1699999999.backup prod.tfvars putty.ppk id_rsa.bak deploy_ed25519"
        " .git-credentials~ .bash_history .psql_history fish_history .netrc.old .id_rsa.swp #prod.env# cert.pem.1"
        " id_rsa_work auth.json AuthKey.P8 id_rsa.copy client_secret_1.apps.json .my.cnf .env.~ krb5cc_0 site.keytab"
    )
    names = [*families.split(), "credentials (1).json", "id_rsa copy 2", "credentials - Copy"]
    assert [name for name in names if not is_sensitive(name)] == []
    plain = "credentials.md secrets_rotation.md id_rsa.pub history.md env.md environment.py key.md secrets.py notes.bak"
    assert [name for name in plain.split() if is_sensitive(name)] == []


def test_a_file_with_a_second_hard_link_counts_as_outside(root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("x")
    (root / "inside.md").hardlink_to(tmp_path / "secret.md")
    assert "hard link" in ask(root, "inside.md", op="read", actor="dream").reason
    (tmp_path / "secret.md").unlink()
    assert ask(root, "inside.md", op="read", actor="dream").allowed


@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(st.sampled_from(["..", ".", "a", "~", "/", "\\", ".md", "%2e", "\u2025"])),
    )
)
def test_no_text_raises_and_what_is_allowed_stays_inside(
    tmp_path_factory: pytest.TempPathFactory, parts: str | list[str]
) -> None:
    path = parts if isinstance(parts, str) else "".join(parts)
    root = tmp_path_factory.getbasetemp() / "fuzz"
    root.mkdir(exist_ok=True)
    for actor in ("agent", "user"):
        verdict = ask(root, path, actor=actor)
        if verdict.allowed:
            assert verdict.name is not None
            assert {"", ".", ".."}.isdisjoint(verdict.name.split("/"))
    ask(root, path, op="read")


def swaps(tmp_path: Path, root: Path) -> dict[str, Callable[[], None]]:
    """What an attacker puts in the place of something that was just checked."""
    out = tmp_path / "out"

    def folder_to_link() -> None:
        (root / "sub").rename(root / "gone")
        (root / "sub").symlink_to(out)

    def file_to_link() -> None:
        (root / "sub/a.md").unlink(missing_ok=True)
        (root / "sub/a.md").symlink_to(out / "a.md")

    def file_to_folder() -> None:
        (root / "sub/a.md").unlink(missing_ok=True)
        (root / "sub/a.md").mkdir()

    def folder_to_file() -> None:
        (root / "sub").rename(tmp_path / "moved")
        (root / "sub").touch()

    def root_to_link() -> None:
        root.rename(tmp_path / "moved")
        root.symlink_to(out)

    return {
        "folder to link": folder_to_link, "file to link": file_to_link, "file to folder": file_to_folder,
        "folder to file": folder_to_file, "root to link": root_to_link,
    }  # fmt: skip


@pytest.mark.parametrize("swap", ["folder to link", "file to link", "file to folder", "folder to file", "root to link"])
@pytest.mark.parametrize("operation", ["edit", "delete", "new"])
def test_a_swap_between_any_two_calls_reaches_nothing_outside(tmp_path: Path, swap: str, operation: str) -> None:
    snapshot = tmp_path / "world"
    root, out = snapshot / "memory", snapshot / "out"
    dirs = Dirs(tmp_path / "c", tmp_path / "s", tmp_path / "k")

    def make(number: int) -> FaultFS:
        shutil.rmtree(snapshot, ignore_errors=True)
        (root / "sub").mkdir(parents=True)
        (out / "sub").mkdir(parents=True)
        for file in (out / "a.md", out / "sub/a.md", root / "sub/a.md"):
            file.write_bytes(b"before\n")
            os.utime(file, (1, 1))
        if operation == "new":
            (root / "sub/a.md").unlink()
        fs = FaultFS()
        fs.do_at(number, swaps(snapshot, root)[swap])
        return fs

    for fs in upward(make):
        store = Store(root, dirs, fs=fs, trash=None)
        try:
            there = None if operation == "new" else read_stable(snapshot / "memory/sub/a.md")
            base = digest(there) if there is not None else None
            store.apply([Change("sub/a.md", None if operation == "delete" else b"after\n", base)], why="race")
        except MemtuiError:
            pass
        assert (out / "a.md").read_bytes() == (out / "sub/a.md").read_bytes() == b"before\n"
        assert sorted(path.name for path in out.rglob("*")) == ["a.md", "a.md", "sub"]
        assert not fs.open_fds


@pytest.mark.long
def test_a_swapping_thread_leads_no_write_outside(tmp_path: Path, root: Path) -> None:
    """A folder and a link to the outside change places as fast as the machine can while the store writes 150 times."""
    out = tmp_path / "out"
    out.mkdir()
    (root / "sub").mkdir()
    stop = threading.Event()

    def swap() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            sub, aside = root / "sub", root / f"aside{number}"
            # The store may make the folder anew at any moment; then a step fails and the next round goes on.
            with suppress(OSError):
                sub.rename(aside)
            with suppress(OSError):
                sub.symlink_to(out)
            with suppress(OSError):
                sub.unlink()
            with suppress(OSError):
                aside.rename(sub)

    thread = threading.Thread(target=swap)
    thread.start()
    done = refused = 0
    store = Store(root, Dirs(tmp_path / "c", tmp_path / "s", tmp_path / "k"), trash=None)
    try:
        for number in range(150):
            try:
                store.apply([Change(f"sub/{number}.md", b"x\n", None)], why="race")
                done += 1
            except MemtuiError:
                refused += 1
    finally:
        stop.set()
        thread.join()
    assert done + refused == 150
    assert list(out.iterdir()) == []


def test_opening_walks_again(root: Path, tmp_path: Path) -> None:
    (root / "a").mkdir()
    (root / "a/b.md").write_bytes(b"x")
    os.close(open_file(root, "a/b.md"))
    fd, leaf = open_parent(root, "a/b.md")
    assert leaf == "b.md"
    os.close(fd)
    (root / "l").symlink_to("a")
    (root / "l.md").symlink_to("a/b.md")
    os.mkfifo(root / "p.md")
    for name in ("l/b.md", "l.md", "a/b.md/c", "p.md", "a/../a/b.md", "", "a/"):
        with pytest.raises(Refused):
            os.close(open_file(root, name))
    with pytest.raises(NotFound):
        open_parent(root, "x/y.md")
    with pytest.raises(NotFound):
        open_parent(tmp_path / "none", "y.md")
    with pytest.raises(NotFound):
        open_file(root, "none.md")
    fd, _ = open_parent(tmp_path / "new/root", "x/y.md", create=True)
    os.close(fd)
    assert (tmp_path / "new/root/x").is_dir()
