"""Command lines that only read: parsed, judged, run.

In: a line as a model wrote it, and the folders that may be read. Out: a `ShellPlan` of argument lists, or `Denied`;
then what the plan printed.

- `grammar`   characters to words and pipelines; everything outside the small grammar is denied
- `paths`     operands: are they inside the folders; wildcards, which are expanded here
- `commands`  which commands with which flags
- `validate`  the whole line: reads each command's words as the program will, and makes the plan
- `run`       runs a plan; `sandbox` is the program that it starts, which confines itself first

Invariants:
- There is one parser and no second, weaker check. What can't be parsed is denied.
- Flags are matched exactly, never by their beginning.
- The words that were judged are the words that run, as an argument list; no shell can read them differently.

Why not a list of allowed first words, or tree-sitter: of 329 recorded lines a first-word list wrongly allowed 148,
split and bad-flag lists 95, tree-sitter with a command table 58 (mostly reads outside the folders); these rules none.
"""
