"""Values that must not become a memory folder, by kind, and values that may."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.client.forbidden_locations import ProtectedPaths, check_memory_folder, client_memory_folder

KINDS = {
    "root": ["/", "/.", "//", "///"],
    "empty": ["", " ", "\t", "   "],
    "relative": ["mem", "./mem", "../mem", ".", "..", "mem/x"],
    "home": ["~", "~/", "~/.", "{h}", "{h}/", "{h}//", "{h}/."],
    "above the home": ["~/..", "~/../x", "{h}/..", "{top}"],
    "another home": ["~bob", "~bob/mem", "~+/mem"],
    "parent steps": ["{h}/../etc", "{h}/a/../b", "/../x/y", "{h}/a/.."],
    "system": [
        "/etc", "/etc/", "/etc/memory", "/usr", "/usr/local/mem", "/bin", "/var", "/var/lib/mem", "/tmp", "/home",
        "/root", "/boot/x", "/dev/shm/x", "/sys/x", "/System/x", "/Library/x", "/opt", "/mnt", "/ETC/x",
        "/private/etc",
    ],
    "magic links": [
        "/proc", "/proc/self/cwd", "/proc/self/root{h}/mem", "/proc/1/root/x", "/dev/fd/3", "{h}/to_proc",
        "{h}/to_proc/x",
    ],
    "too short": ["/x", "/ab"],
    "keys and version control": [
        "{h}/.ssh", "{h}/.ssh/mem", "{h}/.SSH", "{h}/.gnupg", "{h}/.aws/x", "{h}/.git", "{w}/.git", "{w}/.git/mem",
        "{h}/x/.Git/y", "{h}/repo.git", "{w}/node_modules/x",
    ],
    "project": ["{w}", "{w}/", "{top}/w", "{w}/.claude", "{w}/.claude/agents"],
    "drives and networks": [
        "C:mem", "C:\\mem", "c:/mem", "C:", "\\\\server\\share", "\\mem", "//server/share", "{h}\\mem",
    ],
    "control and hidden": [
        "{h}/a\0b", "{h}/a\nb", "{h}/a\rb", "{h}/a\tb", "{h}/a\x1bb", "{h}/\u0085", "{h}/\u202em", "{h}/\u200bm",
        "{h}/\u2066m", "{h}/m\ufeff", "{h}/\ud800",
    ],
    "look-alikes": ["{h}/．．/x", "{h}/a／b", "{h}/a∕b", "{h}/‥/x", "{h}/a＼b", "{h}/․․"],
    "variables": ["$HOME/mem", "${{HOME}}/mem", "{h}/$USER/mem", "%USERPROFILE%\\mem", "%HOME%/mem", "/%HOME%/x"],
    "commands and patterns": [
        "`pwd`/mem", "$(pwd)/mem", "{h}/`id`", "{h}/*", "{h}/mem?", "{h}/{{a,b}}", "{h}/a|b", '{h}/"a"', "{h}/a>b",
    ],
    "URLs": [
        "file:///x/mem", "file:{h}/mem", "https://x.y/mem", "s3://b/m", "ssh://h/m", "{h}/%2e%2e/x",
        "vscode-remote://x/y",
    ],
    "links to bad places": [
        "{h}/to_etc", "{h}/to_etc/x", "{h}/to_home", "{h}/to_home/.ssh", "{h}/to_up", "{h}/to_root",
        "{h}/to_root/etc/x", "{h}/to_loop", "{h}/to_loop/x", "{h}/to_w",
    ],
    "no folder": ["{h}/file", "{h}/file/x", "{h}/pipe", "{h}/bare"],
    "the client's own": [
        "{h}/.claude", "{h}/.claude/projects", "{h}/.claude/projects/x", "{h}/.claude/agents",
        "{h}/.claude/plugins/x",
    ],
    "many programs' own": ["{h}/.config", "{h}/.local/share", "{h}/.cache", "{h}/Library"],
    "size": ["{h}/" + "x" * 256, "{h}/" + "y/" * 2100, "{h}/" + "é" * 128],
    "slips": ["{h}/ mem", "{h}/mem ", "{h}/mem.", " {h}/mem", "{h}/~/x", "/a:/b", "{h}/a:{h}/b"],
}  # fmt: skip
GOOD = [
    "{h}/mem", "~/mem", "{h}/m", "{h}/my notes/mem", "{h}/메모리", "{h}/n\u00e9", "{h}/.memory", "{h}/.claude/memory",
    "{h}/.claude/projects/x/memory", "{h}/to_real", "{h}/to_real/x", "{w}/memory", "{w}/.claude/memory", "/srv/mem",
    "/opt/mem", "/memory", "{h}//mem", "{h}/./mem", "{h}/mem//", "{h}/R&D", "{h}/a+b@c", "{h}/.config/memory",
    "/home/bob/mem", "{h}/C#", "{h}/it's", "{h}/100%", "{h}/[notes]", "{h}/a~b", "{h}/v1.2",
]  # fmt: skip


@pytest.fixture
def around(tmp_path: Path) -> ProtectedPaths:
    top = tmp_path.resolve()
    home, project = top / "h", top / "w" / "repo"
    for folder in (home / ".claude", home / "real", home / "bare" / "objects", home / "bare" / "refs", project):
        folder.mkdir(parents=True)
    (home / "file").touch()
    (home / "bare" / "HEAD").touch()
    os.mkfifo(home / "pipe")
    for name, target in (
        ("etc", "/etc"), ("home", str(home)), ("proc", f"/proc/self/root{home}/real"), ("loop", "to_loop"),
        ("real", str(home / "real")), ("up", ".."), ("root", "/"), ("w", "../w/repo"),
    ):  # fmt: skip
        (home / f"to_{name}").symlink_to(target)
    return ProtectedPaths(home, home / ".claude", (project,))


def filled(value: str, around: ProtectedPaths) -> str:
    return value.format(h=around.home, w=around.projects[0], top=around.home.parent)


@pytest.mark.parametrize(("kind", "value"), [(kind, value) for kind, values in KINDS.items() for value in values])
def test_dangerous_values_are_refused(kind: str, value: str, around: ProtectedPaths) -> None:
    reason = check_memory_folder(filled(value, around), around)
    assert isinstance(reason, str), reason
    assert reason


@pytest.mark.parametrize("value", GOOD)
def test_good_values_are_taken(value: str, around: ProtectedPaths) -> None:
    folder = check_memory_folder(filled(value, around), around)
    assert isinstance(folder, Path), folder
    wanted = filled(value, around).replace("~/", f"{around.home}/")
    assert folder == Path(os.path.normpath(wanted))


def test_a_home_may_be_called_what_it_likes(tmp_path: Path) -> None:
    home = tmp_path / "a$b {c}*"
    home.mkdir()
    around = ProtectedPaths(home, home / ".claude", ())
    assert check_memory_folder(f"{home}/mem", around) == home / "mem"
    assert check_memory_folder("~/mem", around) == home / "mem"
    assert isinstance(check_memory_folder(f"{home}/$x", around), str)


def test_a_home_among_system_folders_is_still_the_users() -> None:
    home = Path("/var/lib/jenkins")
    around = ProtectedPaths(home, home / ".claude", ())
    assert check_memory_folder("/var/lib/jenkins/mem", around) == home / "mem"
    assert isinstance(check_memory_folder("/var/lib/mem", around), str)
    assert isinstance(check_memory_folder("/var/lib/jenkins", around), str)
    rootless = ProtectedPaths(Path("/"), Path("/.claude"), ())
    assert isinstance(check_memory_folder("/etc/mem", rootless), str)


def test_a_variable_knows_no_tilde(around: ProtectedPaths) -> None:
    assert check_memory_folder("~/mem", around, tilde=False) == "it is relative"
    assert client_memory_folder("~/mem", around.home, tilde=False) is None


@given(st.text(st.characters(), max_size=60) | st.text("~/.$ \\:ah\0", max_size=20))
def test_any_text_gets_an_answer(value: str) -> None:
    home = Path("/home/nobody-here")
    answer = check_memory_folder(value, ProtectedPaths(home, home / ".claude", (Path("/work-nowhere/repo"),)))
    if isinstance(answer, Path):
        assert answer.is_absolute()
        assert ".." not in answer.parts
        assert client_memory_folder(value, home) == answer
    else:
        assert answer


@pytest.mark.parametrize(
    ("value", "folder"),
    [("/etc", "/etc"), ("/xy", "/xy"), ("/x", None), ("/", None), ("", None), ("mem", None), ("~", None), ("~/",
        None), ("~/..", None),
     ("~/mem", "/hut/mem"), ("/hut", "/hut"), ("//server/share", "/server/share"), ("/h/a/../b", "/h/b"), ("/h/a\0",
         None), ("$HOME/x", None)],
)  # fmt: skip
def test_what_the_client_itself_takes(value: str, folder: str | None) -> None:
    assert client_memory_folder(value, Path("/hut")) == (None if folder is None else Path(folder))
