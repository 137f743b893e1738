"""A confined model loop: a background agent's task, what it may do, and what came of it.

In: a `Task`, the folders that the run was given, a model. Out: a `TaskResult`, and `AgentEvent`s on the way.
Separately, for a tool's name and input as a model wrote them: allow or deny with a reason (`permissions.decide`).

- `task`          what an agent is asked to do, its budget, how a run ended; `usage` tokens and prices
- `loop`          ask the model, run its tool calls, tell it the results: `run_task`
- `conversation`  an answer taken apart, the next request and its cache marks
- `budget`        what a run may still use, and whether it makes progress
- `events`        what a run reports while it works
- `model`         what a model backend has to provide; `anthropic` is the one for the Messages API
- `models`        what each model takes in a request beside the conversation
- `permissions`   the one function that decides about a tool call, for our loop and for the client's hook
- `tools`         Read, Grep, Glob, Bash, Edit, Write
- `shell`         the part of the shell language that only reads: parsed, judged, run in a sandbox

Invariants:
- An unknown tool, key, command, flag or character is denied: nothing is allowed because a rule is missing.
- Nothing that a model wrote raises an exception from a decision or a tool.
- Writes go only to the root, reads only to the root and the given folders; a model's text is never passed to a shell.
- Tool calls of an answer that isn't complete are never run.
- Only `anthropic` imports the SDK, and only a run's process imports `anthropic`.

This package knows only `secrets`, `fs` and `util`: it is given folders and never looks for any.
"""
