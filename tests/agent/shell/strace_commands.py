"""What the flags of the table do when their programs run without our sandbox, as strace tells.

    python -m tests.agent.shell.strace_commands [EVERY]

Every flag of every command on files, at the end of a pipe and on folders (each EVERY-th line; all if left out). Prints
`commands=44 lines=1700 more-than-reading=0` behind the system calls that did more, if any: then it ends with 1.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from memtui.agent.permissions import decide
from memtui.agent.shell.commands import COMMAND_RULES, FIND_TESTS, FIND_TESTS_WITH_VALUE
from tests.agent.worlds import build

STRACE, BASH = shutil.which("strace"), shutil.which("bash")

OPERANDS = {
    "jq": ". a.json", "sed": "1p a.md", "grep": "x a.md", "rg": "x a.md", "tr": "a b", "diff": "a.md b.md",
    "cmp": "a.md b.md", "comm": "a.md b.md", "join": "a.md b.md", "date": "", "pwd": "", "true": "", "false": "",
    "basename": "a.md", "uniq": "a.md", "xxd": "a.md",
}  # fmt: skip
PIPED = {"jq": ".", "sed": "1p", "grep": "x", "rg": "x", "tr": "a b"}
FOLDERS = {"grep": "-r x .", "rg": "x . logs", "ls": "logs team", "du": "logs team", "file": "logs", "stat": "logs"}
VALUE = {
    "text": "1", "number": "3", "width": "3", "format": "+%s", "date": "now", "path": "a.md", "sed": "1p",
    "files": "*.md",
}  # fmt: skip


def lines() -> Iterator[tuple[str, str]]:
    """A command, and a line with one of its flags: on files, at the end of a pipe, on folders."""
    for name, rules in COMMAND_RULES.items():
        flags = [*rules.flags, *(flag for flag in rules.maybe if flag.startswith("--"))]
        flags += [f"{flag} {VALUE[kind]}" for flag, kind in rules.values.items()]
        flags += [f"{flag}={VALUE[kind]}" for flag, kind in rules.values.items() if flag.startswith("--")]
        flags += [f"{flag} a 1" for flag in rules.doubles]
        for flag in flags:
            start = f"{name} {'-n ' if rules.need else ''}{flag} "
            yield name, start + OPERANDS.get(name, "a.md tags.txt")
            yield name, f"cat big.txt | {start}{PIPED.get(name, '')}"
            if name in FOLDERS:
                yield name, start + FOLDERS[name]
    for test in FIND_TESTS:
        yield "find", f"find . '{test}'"
    for test, kind in FIND_TESTS_WITH_VALUE.items():
        yield "find", f"find . {test} '{VALUE[kind]}'"


def trace(base: Path, every: int = 1) -> tuple[int, int, list[str]]:
    """Run the lines that are allowed, those of one command in one shell.

    Args:
        base: An empty folder, its path resolved; it becomes the world that the lines run in.
        every: Of the lines of a command, only each so many-th. Best odd and no multiple of 3: a flag has 2 or 3 lines.

    Returns:
        How many commands and lines there were, and the system calls that did more than read.
    """
    scope = build(base, hidden=False)
    scripts: dict[str, list[str]] = {}
    for name, line in lines():
        if decide("Bash", {"command": line}, scope).allowed:
            scripts.setdefault(name, []).append(line)
    log = base.parent / f"{base.name}.strace"
    calls = "%process,%network,open,openat,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,link,"
    calls += "linkat,symlink,symlinkat,chmod,fchmod,fchmodat,chown,truncate,ftruncate,utimensat,mknodat,kill,tgkill"
    found: list[str] = []
    ran = 0
    for name, script in scripts.items():
        ran += len(script[::every])
        command = [str(STRACE), "-f", "-qq", "-o", str(log), "-e", "trace=" + calls]
        subprocess.run(
            [*command, str(BASH), "--norc", "-c", "\n".join(script[::every])],
            cwd=scope.root,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=100,
            check=False,
        )
        found += [call for call in log.read_text(errors="replace").splitlines() if not harmless(call, name)]
        log.unlink()
    return len(scripts), ran, found


def harmless(call: str, name: str) -> bool:
    """Whether a system call only reads, or is the shell's own way to start a program."""
    if " resumed>" in call:  # its first half, with all that matters, was a line of its own
        return True
    if match := re.search(r'\bexecve\("([^"]*)"', call):
        return match[1].rpartition("/")[2] in (name, "cat", "bash")
    if re.search(r"\b(open|openat)\(", call):
        return (
            not re.search(r"O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)", call) or '"/dev/null"' in call or '"/dev/tty"' in call
        )
    # The system's own lookup of who somebody is may ask a local daemon for it.
    return bool(re.search(r"\b(v?fork|clone3?|wait4|exit|exit_group|pidfd_\w+)\(|\+\+\+|--- SIG|AF_UNIX", call))


def main(every: int) -> int:
    with tempfile.TemporaryDirectory(prefix="memtui-strace-") as folder:
        base = Path(folder).resolve() / "world"
        base.mkdir()
        commands, ran, found = trace(base, every)
    for call in found:
        print(call)
    print(f"commands={commands} lines={ran} more-than-reading={len(found)}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1))
