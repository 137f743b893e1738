"""Who does the work of a dream: a backend changes the files of a stage and emits what it does.

- `registry`       the backends by name, and which one to take if none is named
- `anthropic`      our own agent loop over the Messages API
- `client`         the installed agent client, headless; `client_hook` is the program that it asks before each tool call
- `offline`        no model: `dream.rules`, which only do what is certain
- `prompts`        what a model is told; the same for every backend with a model
- `digests`        what was said in the sessions, in prose, for the model to read
- `credentials`    key, address, model and login, from the environment and the client's settings
- `agent_events`   an agent's events as a dream's

A backend is a function of the registry, `(mode, workspace, config) -> BackendWork`. It writes nowhere but in the stage,
keeps the limits of turns, tokens and money, and raises `OverBudget` or another `MemtuiError` when it can't finish.
"""
