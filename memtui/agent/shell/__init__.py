"""Command lines that only read: parsed, judged, run.

In: a line as a model wrote it, and a `Scope` (folders that may be read). Out: a `Plan` of argument lists, or `Denied`;
later what the plan printed.

- `plan`      what is decided: `Plan`, `Step`, `Stage`, `Denied`
- `words`     characters to words, pipelines and lists; everything outside the small grammar is denied
- `scope`     operands: are they inside the folders; wildcards, which are expanded here
- `kinds`     values of flags and operands
- `table`     which commands with which flags; `options` reads flags as the programs do, `find` and `special` the few
              commands that have a language of their own
- `check`     the whole line
- `run`       runs a plan; `confine` is the program that it starts, which locks itself in first

Invariants: there is one parser and no second, weaker check; flags are matched exactly, never by their beginning; the
words that were judged are the words that run, so no shell can read them differently.
Source: SAFETY.md 3.2; cases/bash.json.
"""
