"""The tools that a model may call, and their confinement.

In: a call's name and input as the model wrote them, and the allowed folders. Out: a `ToolResult`, whatever was written;
a fault is an answer to the model, never an exception.

- `toolbox`  asks `permissions.decide`, runs the tool, limits the answer, remembers what was read
- `schemas`  what the model is told about each tool
- `files`    Read, Edit, Write
- `search`   Grep and Glob; `search_process` is the program that Grep starts
- `outcome`  a tool's result and its fault

Invariants: Edit and Write replace a file only if it is still as the model has seen it; a write is whole or absent; no
link is followed to a file; a regular expression of the model's runs in a process that can be killed.
"""
