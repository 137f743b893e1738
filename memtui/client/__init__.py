"""The agent client on this machine: where it keeps things and how it is switched.

In: an `Env` (home, environment, policy files) and a working directory. Out: a `Place` (which memory folder, decided by
whom, every switch with the layer that set it) and the `Project`s that have left transcripts.

- `env`       everything outside that a decision needs, as one value, so that a test chooses it
- `paths`     config folder, project names
- `gitroot`   the repository that worktrees and subfolders share
- `settings`  the door to the layers (`layers`), the switches (`switches`) and changing one in place (`jsontext`)
- `place`     the decision for a directory; `danger` holds the values that are refused as a memory folder
- `projects`  the projects, told apart by the `cwd` in their transcripts, never by decoding a folder name
- `named`     the directories on the disk that have a project name
- `running`   the sessions that are open in a client now; `retention` when the client's clean-up takes one
- `client`    the client as a program: where it is, where and by which command a session is resumed
- `recent`    the newest sessions of a project folder; `heads` reads the first and last part of a transcript
- `titles`    what a session's title is made of

Invariants: nothing here writes, except `settings.edit_setting`, which returns text; git is never run; a folder named by
the project's checked-in settings is refused and said.
"""
