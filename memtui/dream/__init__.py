"""Consolidation: a background agent that turns sessions into memory; when it may run, and how it is judged.

In: a `Workspace`, a backend (`run.Work`) that changes files of a stage, clocks. Out: files of a run that anybody can
follow, and at most one version of the memory folder.

- `ready`           would a dream start now, and why not: the gates in their order
- `gates` `session_gate` `failures`   what each asks · `sources` `substance` which sessions and daily logs count
- `trigger`         a start by a hook or a schedule · `schedule` when · `crontab` `job` how cron and systemd are told
- `lock`            the lock that all consolidations share · `lock_journal` `lock_file` its parts
- `stage`           the copy that a run works on · `ledger` what changed in it, from disk
- `adoption`        what that would do to the folder, and doing it · `holds` which runs wait for a person
- `run`             one dream from its gates to its end · `signals` what may end it · `backends` who works
- `prompts` `brief` what a model is asked, and what it is told of this dream · `service` key, model, login
- `spending` `telling` what it may cost, and what it does as events
- `anthropic_work`  our own loop over the Messages API · `client_work` the agent client, headless: `client_process`,
                    `client_stream` what it prints, `client_hook` the program that it asks before each call,
                    `client_guard` what ends it if it leads nowhere
- `offline`         consolidation of a stage without a model · `rules` what it does, one rule a module
- `events` `runs`   what a run tells, and the files of all runs · `start` a run as a process of its own
- `kill` `recovery` ending one from outside, and ending what died
- `words`           a run in words, for the command line and the screen · `traces` whether there ever was one
- `review`          what a person does with a run afterwards

Invariants:
- Looking changes nothing: not a gate, not a lock, not a plan.
- The memory folder is written by an adoption alone, in one step; however a run ends, it is as before or wholly adopted.
- A lock that a run took is given back with the time of its success, or put back to the nanosecond, by whoever comes
  next if need be.
- Nothing is signalled because of what a lock says; only a process that a run of ours wrote down with its start time.
"""
