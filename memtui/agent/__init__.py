"""A confined model loop: what a background agent is asked, what it may do, and what came of it.

In: a `Task`, the folders that the run was given, a backend. Out: an `End`, and `Event`s on the way. For a tool's name
and input as a model wrote them: allow or deny with a reason, and for a command line a plan that runs without a shell.

- `task`         what an agent is asked to do, its budget, how a run ends; `usage` tokens and prices
- `loop`         ask, run the calls, tell what came of them: `run_task`
- `events`       what a run tells while it works
- `permissions`  the one function that decides, for our own loop, for the client's hook and for `memtui explain`
- `shell`        the part of the shell language that only reads: parsed, judged, run in a sandbox
- `tools`        Read, Grep, Glob, Bash, Edit, Write
- `model`        what a backend has to do; `anthropic_model` the one that speaks to the Messages API, with
                 `anthropic_stream` and `anthropic_faults`
- `answers`, `conversation`, `spending`, `progress`  the loop's parts: an answer taken apart, the next request and its
                 cache marks, limits, going round in circles

Invariants: nothing is allowed because a rule is missing (an unknown tool, command, flag, key or character is a
denial); no exception leaves a decision or a tool because of what a model wrote; writes go nowhere but into the root,
reads nowhere but into the root and the given folders; a model's text is never handed to a shell; calls of an answer
that isn't finished are never run; nothing but `anthropic_model` imports the SDK, and nothing imports that but the run's
process. This package knows only `base`: it is given folders and never looks for any.
"""
