"""Build the sample home."""

import json
import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec import Struct

from memtui.client.environment import Env
from memtui.client.memory_location import locate_memory
from memtui.client.paths import project_name
from memtui.demo.history import KNOWN_FOR_S, parse_steps, record_found, replay_steps
from memtui.demo.marks import age_in, fill, span_seconds
from memtui.memory.snapshot import load_snapshot
from memtui.util.app_dirs import Dirs

DATA = Path(__file__).parent / "data"
PROJECTS = ("shop", "infra", "site")
DEFAULT_AGE_S = 45 * 86_400
LAST_DREAM_AGE_S = 2 * 86_400
LAST_DREAM_PID = 9_999_999  # in the lock file; above every system's highest process id, so that no such process exists


class DemoHome(Struct, frozen=True):
    """Where the sample is: its whole environment, the main project's folder (`cwd`) and Claude Code's (`config`)."""

    home: Path
    environ: Mapping[str, str]
    cwd: Path
    config: Path

    @property
    def env(self) -> Env:
        """Its `Env`, without the policy files of this machine."""
        return Env(self.home, self.environ, policy_files=())

    @property
    def dirs(self) -> Dirs:
        return Dirs.from_env(self.environ, self.home)


def build_demo(home: Path, now: float) -> DemoHome:
    """Build the sample: three projects with memory, instructions, settings, sessions and a history.

    Dates and ages are relative to `now`: the same `home` and `now` give the same names, bytes and modification times.

    Raises:
        FileExistsError: If the folder isn't empty.
    """
    home.mkdir(parents=True, exist_ok=True)
    if any(home.iterdir()):
        raise FileExistsError(f"{home} is not empty")
    home = home.resolve()
    config, code = home / ".claude", home / "code"
    demo = DemoHome(home, {"HOME": str(home), "USER": "jiwoo"}, code / "shop", config)
    _copy("user", config, now, {})
    for name in PROJECTS:
        folder = config / "projects" / project_name(str(code / name))
        memory = folder / "memory"
        names = {"cwd": str(code / name), "memory": str(memory)}
        _copy(name, code / name, now, names)
        _repository(code / name, now - 90 * 86_400)
        _copy(f"{name}-memory", memory, now, names)
        _copy(f"{name}-sessions", folder, now, names)
    memory = config / "projects" / project_name(str(demo.cwd)) / "memory"
    _logs(memory / "logs", now)
    _record_other_scopes(demo, memory, now)
    replay_steps(memory, demo.dirs, now, parse_steps(fill(_data("steps.txt"), now)))
    lock = memory / ".consolidate-lock"
    lock.write_text(str(LAST_DREAM_PID), encoding="ascii")
    _date(lock, now - LAST_DREAM_AGE_S)
    _date_rest(demo, now)
    return demo


def _copy(source: str, target: Path, now: float, names: Mapping[str, str]) -> None:
    """Copy a folder of data files with its marks filled in and its times set; transcripts get the mode 0600.

    A leading `_` and `dot-` keep the copies in this package from being instructions or settings to an agent that works
    on memtui itself.
    """
    pairs = (line.split() for line in _data("ages.txt").splitlines() if line and not line.startswith("#"))
    ages = {name: span_seconds(age) for name, age in pairs}
    in_json = {key: json.dumps(value, ensure_ascii=False)[1:-1] for key, value in names.items()}
    for path in _files(DATA / source):
        relative = path.relative_to(DATA / source)
        if relative.parts[0] == "logs":
            continue
        parts = [part.removeprefix("_").replace("dot-", ".", 1) for part in relative.parts]
        text, is_transcript = path.read_text(encoding="utf-8"), path.suffix == ".jsonl"
        written = target.joinpath(*parts)
        written.parent.mkdir(parents=True, exist_ok=True)
        written.touch(0o600 if is_transcript else 0o666)
        written.write_text(fill(text, now, in_json if is_transcript else names), encoding="utf-8", newline="")
        _date(written, now - (age_in(text) or ages.get(f"{source}/{relative.as_posix()}", DEFAULT_AGE_S)))


def _data(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)


def _repository(folder: Path, when: float) -> None:
    """Make a folder what git takes for a repository, on the branch `main` and without a commit yet."""
    git = folder / ".git"
    for name in ("objects", "refs/heads"):
        (git / name).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="ascii")
    core = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
    (git / "config").write_text(core, encoding="ascii")
    for path in _files(git):
        _date(path, when)


def _logs(target: Path, now: float) -> None:
    """Daily logs, named by the days before today that their data files are called."""
    today = datetime.fromtimestamp(now, UTC)
    for path in _files(DATA / "shop-memory/logs"):
        days = int(path.stem)
        day = today - timedelta(days=days)
        written = target / f"{day:%Y/%m/%Y-%m-%d}.md"
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(f"# {day:%Y-%m-%d}\n\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
        _date(written, now - (days * 86_400 or 1_500))


def _record_other_scopes(demo: DemoHome, memory: Path, now: float) -> None:
    """Record the other folders of the main project as early as its memory, so that nothing looks new."""
    snapshot = load_snapshot(locate_memory(demo.env, demo.cwd), demo.env, full=False, now=now)
    for scope in snapshot.scopes:
        if not scope.root.is_relative_to(memory):
            record_found(scope.root, demo.dirs, now - KNOWN_FOR_S)
    for item in snapshot.instructions:
        if item.exists:
            record_found(item.path.parent, demo.dirs, now - KNOWN_FOR_S, allow=frozenset({item.path.name}))


def _date(path: Path, when: float) -> None:
    os.utime(path, ns=(round(when * 1e9), round(when * 1e9)))


def _date_rest(demo: DemoHome, now: float) -> None:
    """A folder is as old as the newest thing in it, so that nothing shows when the sample was really made."""
    for name, folders, files in os.walk(demo.home, topdown=False):
        if Path(name).is_relative_to(demo.dirs.state):
            for file in files:
                _date(Path(name) / file, now)
        inside = [(Path(name) / entry).lstat().st_mtime_ns for entry in (*folders, *files)]
        newest = max(inside, default=round((now - DEFAULT_AGE_S) * 1e9))
        os.utime(name, ns=(newest, newest))
