"""What the model may call, done: each tool in its file, one box around them.

In: a call's name and input as the model wrote them, a `Scope`. Out: an `Outcome`, whatever was written; a fault is an
answer to the model, never an exception.

- `box`      asks `permissions.decide`, runs the tool, bounds what comes back, remembers what was read
- `schemas`  what the model is told about each tool
- `read`, `write` (Edit and Write), `grep` with `seek` (the program that it starts), `glob`
- `walk`     names below a folder, no link followed; `patterns` wildcards for them

Invariants: Edit and Write replace a file only if it is still the one that the model has seen; a write is whole or
absent; no link is followed to a file that was found; a pattern of the model's runs in a process that can be killed.
"""
