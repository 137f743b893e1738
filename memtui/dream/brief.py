"""What a model is told of one dream: the sessions since the last one, the index, what is pinned, the day.

The time of the last dream is in the lock, and a dream that is under way has the lock: what counts is what was there
before (`lock.idle_lock`).
"""

import os
from datetime import date
from pathlib import Path

from memtui.base.config import read_config
from memtui.dream.lock import idle_lock
from memtui.dream.prompts import Brief
from memtui.dream.sources import LOGS, assistant_mode, logs_since, sessions_since
from memtui.dream.stage import Stage
from memtui.memory.budget import decode_index, measure_index
from memtui.memory.index import INDEX_NAME
from memtui.memory.workspace import Workspace

MOST = 60
"""Sessions, or daily logs, that are listed; more are only counted."""


def make_brief(stage: Stage, workspace: Workspace, mode: str) -> Brief:
    """The brief of a dream that is under way.

    Args:
        mode: "reflect" or "prune".
    """
    last = idle_lock(workspace.place.folder, workspace.dirs).at
    found = sessions_since(workspace.place, workspace.env, last or 0.0)
    listed = tuple(file.path for file in found[:MOST])
    folders = dict.fromkeys([workspace.place.transcripts, *(path.parent for path in listed)])
    index = stage.base(INDEX_NAME)
    assistant = assistant_mode(read_config(workspace.dirs.config))
    new_logs = logs_since(stage.root, last or 0.0) if assistant else []
    return Brief(
        mode=mode,
        day=date.fromtimestamp(workspace.now()),
        root=Path(os.path.realpath(stage.root)),
        since=None if last is None else date.fromtimestamp(last),
        sessions=listed,
        more=len(found) - len(listed),
        reads=tuple(folder for folder in folders if folder.is_dir()),
        logs=any(name.startswith(LOGS) for name in stage.files),
        new_logs=tuple(new_logs[:MOST]),
        more_logs=max(len(new_logs) - MOST, 0),
        pinned=tuple(sorted(workspace.pinned & stage.files.keys())),
        index=None if index is None else measure_index(decode_index(index)),
    )
