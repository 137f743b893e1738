"""What every other package builds on; knows nothing of memory, sessions or Claude Code.

In: paths, text, an environment. Out: the same, made safe, and errors that tell the user what to do.

- `errors`          expected errors, each with a hint and an exit code
- `text`            foreign text made visible; ages, sizes, widths
- `diff`            the one difference of two texts
- `filter_query`    the filter syntax of lists
- `resolve`         a prefix or name resolved to one item
- `json_object`     JSON objects of other programs, read leniently
- `config`          memtui's own settings
- `app_dirs`        where memtui's own files are
- `process`         which process that was, and whether it still runs
- `foreground`      another program with this terminal, until it ends
- `prefetch_fork`   a read-only lookup in a forked child
- `worker_process`  one of our functions in a fresh interpreter
- `crash_report`    the traceback of a bug, written to a file
- `gc_tuning`       less memory and fewer collections in a program that stays open

Invariants: no string that came from disk or a model reaches a terminal before `text.visible`; nothing here imports
another package of memtui.
"""
