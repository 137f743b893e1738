"""What a person can do, one function each, with all policy; the command line and the screen only ask and show.

In: a `Workspace` and what the person wants. Out: a typed result, or a typed question (`questions`); the caller puts the
question to the person and calls again with the answer in `Allow`. What can't be done is a `MemtuiError`.

- `questions`  `Allow`, and the questions: `SecretFound`, `SaveConflict`, `NeedsConfirmation`
- `access`     read-only mode, and ending what a crash left half done before the first write
- `secrets`    the question about a secret, asked on every save of a text; the secrets that are always allowed
- `memory`     topics, the index and pins; saving a file; drafts; what becomes of a conflict
- `editor`     an external editor: which, how it is told to wait and where to start; its copy is never lost
- `history`    undo, redo, restore
- `sessions`   rename, archive, put back, delete, fork, save a copy, export
- `dreams`     start, stop, clear a stale lock, adopt, discard, restore, schedule
- `projects`   move what a project left, and take that back
- `settings`   config.toml, and the switches in Claude Code's own files

Rules that hold for all of them:
- With `--read-only` nothing is written: `Refused`.
- What can be undone by a key is done without a question; a deletion, a rewritten index, a cleared lock and a discarded
  draft are asked about.
- Text that a person typed is never lost: whenever it is not written it is kept as a draft, and it is said to be kept
  only if it really is.
"""
