"""One run of a dream: its process, its files, and the copy of the memory folder that it works on.

    <state>/runs/<id>/run.json       who started it, in which mode, with which backend; written before anything else
    <state>/runs/<id>/events.jsonl   what it does and how it ended, one event a line; anyone may follow the file
    <state>/runs/refused.jsonl       runs that a gate stopped before they had a folder
    <state>/stages/<id>/             the stage: the copy that it works on, and the untouched base

- `spawn`          start a run as a process of its own, which outlives whoever started it
- `run`            that process: gates, lock, stage, the backend's work, review, end; `signals` what may end it early
- `stage`, `stage_changes`   copy the folder; compare the copy with its base, always from disk
- `events`, `runs` write and read the files above; `runs` alone derives a run's state and progress from them
- `stop`           end a running one from outside
- `recovery`       finish what a run left that died
- `spending`       what a run may cost

Invariants:
- A run that has an id always ends in an `Ended` event: written by itself, by who stopped it, or by the next recovery.
- A run's process is known by PID, start time and boot, so no later process with that PID is ever taken for it.
- What a run changed is read from the stage on disk, never from what the model says.
"""
