"""Background clean-up of memory ("dream"): an agent merges what recent sessions taught into the memory folder.

In: a `Workspace` and a backend. Out: a run with an event file that anyone can follow, and at most one new version of
the memory folder. One run, top down:

1. `gates`      may a dream start now, and if not, why
2. `run`        the process of a run: it takes the `lock`, copies the folder to a stage, lets a backend work there
3. `backends`   who works: the Messages API, the installed client, or `rules` without a model
4. `review`     what the run changed, whether that must wait for a person, and writing it to the folder
5. `schedule`   when dreams start by themselves, as cron lines or systemd units

Conventions: `now`, `after`, `since` and `at` are seconds since 1970; `dirs` are memtui's own folders; lists of runs are
newest first; `trigger` is "hand", "hook" or "schedule"; `mode` is "reflect" or "prune".

Invariants:
- Looking writes nothing: evaluating gates, reading a lock and planning an adoption change no file.
- A run works on a copy. Only an adoption writes to the memory folder, in one step; however a run ends, SIGKILL and
  power cut included, the folder is as before or wholly adopted.
- The lock's mtime is the time of the last success. A run that fails puts it back to the nanosecond; if the run's
  process died, the next memtui that reads the folder does it.
- No process is signalled because of what a lock file says; only one that our own run recorded with its start time.
"""

from pathlib import Path

from memtui.client.paths import LOCK_NAME
from memtui.util.app_dirs import Dirs


def has_history(dirs: Dirs, folder: Path | None = None) -> bool:
    """Whether a dream has ever run here; a lock of the client counts, too. Doesn't import the engine."""
    ours = any((dirs.state / name).is_dir() for name in ("runs", "stages"))
    ours = ours or any((dirs.state / "locks").glob("*.json"))  # the history's own locks lie there, too
    return ours or (folder is not None and (folder / LOCK_NAME).exists())
