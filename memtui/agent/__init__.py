"""A confined model's tools: what a background agent may do, decided before it is done.

In: a tool's name, its input as the model wrote it, the folders that the run was given. Out: allow or deny with a
reason, and for a command line a plan that runs without a shell.

- `permissions`  the one function that decides, for our own loop, for the client's hook and for `memtui explain`
- `shell`        the part of the shell language that only reads: parsed, judged, run in a sandbox

Invariants: nothing is allowed because a rule is missing (an unknown tool, command, flag, key or character is a
denial); no exception leaves a decision because of what a model wrote; writes go nowhere but into the root, reads
nowhere but into the root and the given folders; a model's text is never handed to a shell. This package knows only
`base`: it is given folders and never looks for any.
"""
