"""Differential fuzz of the shell checker: what it lets through must change, leak and leave behind nothing.

Mutants of known command lines are judged; those that are let through run twice, by our runner and by a real bash, each
in a world of its own that is compared before and after. bash reads the line as it stands, so a difference between its
reading and ours shows.

    python -m tests.agent.shell.fuzz [MUTANTS [SEED]]
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from memtui.agent.permissions import decide
from memtui.agent.shell.commands import COMMAND_RULES
from memtui.agent.shell.run import run_plan
from tests.agent.worlds import SECRET, build, fingerprint, here, scope

DATA = Path(__file__).parents[2] / "data"
CASES = json.loads((DATA / "cases/bash.json").read_text(encoding="utf-8"))
BASH = shutil.which("bash")
SECONDS = 60

MORE = (DATA / "shell_lines.txt").read_text(encoding="utf-8").splitlines()
"""Lines that are let through, one at least for every command."""
PIECES = (DATA / "shell_pieces.txt").read_text(encoding="utf-8").splitlines()
"""Words that have opened a hole in some checker."""
CHARS = (
    "\0\t\n\r\x0b\x0c\x1b\x7f\x85\u00a0\u200b\u2028\u202e\ufeff\u3000；｜＆＞＄\\'\"`$*?[]{}()<>|&;!#~=%^:,+-./ aé가"
)


def mutants(count: int, seed: int) -> Iterator[str]:
    """Lines that start from known ones, each changed in a few places."""
    chance = random.Random(seed)
    allowed = [case["input"] for case in CASES if case["expect"] == "allow"] + MORE
    denied = [case["input"][:500] for case in CASES if case["expect"] == "deny"]
    flags = sorted({flag for rules in COMMAND_RULES.values() for flag in (*rules.flags, *rules.values, *rules.maybe)})
    for _ in range(count):
        line = chance.choice(allowed if chance.random() < 0.8 else denied)
        for _ in range(chance.choice((1, 1, 1, 2, 2, 3))):
            line = _change(line, chance, allowed, denied, flags)
        yield line


def _change(line: str, chance: random.Random, allowed: list[str], denied: list[str], flags: list[str]) -> str:
    words = line.split(" ")
    at = chance.randrange(len(words))
    kind = chance.randrange(13)
    if kind == 0:  # one more word
        words.insert(at + chance.randrange(2), chance.choice(PIECES))
    elif kind == 1:  # another word
        words[at] = chance.choice(PIECES)
    elif kind == 2:  # a flag that some command knows
        words.insert(at + 1, chance.choice(flags) + chance.choice(("", "", "1", "=1", "=pwn", " 1", " pwn", " a.md")))
    elif kind == 3:  # letters that stand together
        words.insert(at + 1, "-" + "".join(chance.choices("abcdefghilmnopqrstuvwxzABCDEFHILNPRSTUVZ0123", k=2)))
    elif kind == 4:  # two lines
        words.append(chance.choice(("|", "&&", "||", ";", "&", "\n", "")))
        words.append(chance.choice(allowed if chance.random() < 0.7 else denied))
    elif kind == 5:  # quotes
        quote = chance.choice("'\"")
        words[at] = chance.choice((quote + words[at] + quote, words[at] + quote * 2, quote + words[at]))
    elif kind == 6 and len(words) > 1:
        del words[at]
    elif kind == 7:
        other = chance.randrange(len(words))
        words[at], words[other] = words[other], words[at]
    elif kind == 8:  # a word from elsewhere
        words[at] = chance.choice(chance.choice(allowed).split(" "))
    elif kind == 9:  # a wildcard in the middle
        spot = chance.randrange(len(words[at]) + 1)
        words[at] = words[at][:spot] + chance.choice("*?") + words[at][spot + chance.randrange(2) :]
    elif kind == 10:  # the beginning of a long flag
        words = [word[: chance.randrange(3, len(word))] if re.match(r"--\w{3}", word) else word for word in words]
    else:
        spot = chance.randrange(len(line) + 1)
        return line[:spot] + chance.choice(CHARS) * chance.choice((1, 1, 2)) + line[spot + chance.randrange(2) :]
    return " ".join(words)


@dataclass
class Tally:
    """What came of it; `effects` says which line did what."""

    mutants: int = 0
    allowed: int = 0
    ran: int = 0
    effects: list[str] = field(default_factory=list)
    layers: Counter[tuple[str, ...]] = field(default_factory=Counter)
    programs: Counter[str] = field(default_factory=Counter)


def fuzz(count: int, seed: int, folder: Path) -> Tally:
    """Judge, run and compare; `folder` is empty and becomes the two worlds."""
    ours, theirs = folder / "ours", folder / "theirs"
    build(ours)
    build(theirs, hidden=False)
    tally = Tally()
    seen: set[str] = set()
    before = fingerprint(ours), fingerprint(theirs)
    for line in mutants(count, seed):
        tally.mutants += 1
        decision = decide("Bash", {"command": here(line, ours)}, scope(ours))
        if not decision.allowed or decision.plan is None:
            continue
        tally.allowed += 1
        if line in seen:
            continue
        seen.add(line)
        tally.ran += 1
        tally.programs.update(stage.argv[0] for step in decision.plan.steps for stage in step.stages)
        done = run_plan(decision.plan, seconds=SECONDS)
        tally.layers[done.sandbox] += 1
        found = ["stopped by time"] if done.stopped == "time" else []
        found += compare(before[0], ours, done.output)
        tally.effects += [f"runner: {line!r}: {what}" for what in found]
        if BASH is not None and decide("Bash", {"command": here(line, theirs)}, scope(theirs)).allowed:
            output, left = in_bash(here(line, theirs), theirs)
            tally.effects += [f"bash: {line!r}: {what}" for what in (*left, *compare(before[1], theirs, output))]
    return tally


def compare(before: dict[str, tuple[int, ...]], base: Path, output: str) -> list[str]:
    after = fingerprint(base)
    found = ["printed a secret"] if SECRET in output else []
    found += [f"changed {name}" for name in before.keys() | after.keys() if before.get(name) != after.get(name)]
    before.update(after)
    for name in before.keys() - after.keys():
        del before[name]
    return found


def in_bash(line: str, base: Path) -> tuple[str, list[str]]:
    """Run a line in a real bash; what it printed, and what was left behind."""
    # Without a network where that can be had: what a line would ask the network for shows as a failure of it.
    outer = ["unshare", "-rn"] if _can_unshare() else []
    child = subprocess.Popen(
        [*outer, str(BASH), "--norc", "--noprofile", "-c", line.replace("\0", "")],
        cwd=base / "w/memory",
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(base / "h"), "TMPDIR": str(base / "w/memory")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output, _ = child.communicate(timeout=SECONDS)
        left = [f"left {name} running" for name in session(child.pid)]
        if left:
            os.killpg(child.pid, signal.SIGKILL)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        output, _ = child.communicate()
        left = ["did not end"]
    return output.decode("utf-8", "replace"), left


_unshares: list[bool] = []


def _can_unshare() -> bool:
    if not _unshares:
        tool = shutil.which("unshare")
        done = tool and subprocess.run([tool, "-rn", "true"], capture_output=True, check=False).returncode == 0
        _unshares.append(bool(done))
    return _unshares[0]


def session(leader: int) -> list[str]:
    """Programs that still run in a session of ours."""
    names = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = entry.read_text(encoding="utf-8", errors="replace").rpartition(")")
        except OSError:
            continue
        fields = rest.split()
        if int(fields[3]) == leader and fields[0] not in "ZX":
            names.append(name)
    return names


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory(prefix="memtui-fuzz-") as folder:
        tally = fuzz(count, seed, Path(folder).resolve())
    for effect in tally.effects:
        print(effect)
    print(f"mutants={tally.mutants} allowed={tally.allowed} ran={tally.ran} effects={len(tally.effects)} {seed=}")
    print("programs:", ", ".join(f"{name} {number}" for name, number in tally.programs.most_common()))
    print("sandbox:", dict(tally.layers))
    return int(bool(tally.effects) or not tally.ran)


if __name__ == "__main__":
    sys.exit(main())
