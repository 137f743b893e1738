"""Claude Code on this machine: its folders, project names, settings, switches, sessions that are open.

In: an `Env` (home, environment, policy files) and a working directory. Out: a `MemoryLocation` (which memory folder,
decided by whom, every switch with the layer that set it), the `Project`s that have transcripts, `SessionFile`s.

- `environment`          everything outside that a decision depends on, as one value, so that a test chooses it
- `paths`                the configuration folder, project names
- `git`                  the repository that worktrees and subfolders share
- `settings_files`       the settings files, one layer each; `switches` what they add up to; `json_edit` changes one key
- `memory_location`      the memory folder of a directory; `forbidden_locations` what is refused as one
- `projects`             the projects, told apart by the `cwd` in their transcripts, never by decoding a folder name
- `session_files`        the sessions of a folder, the ends of a transcript, titles
- `running`              the sessions that are open now; `retention` when the clean-up deletes one
- `executable`           the `claude` program: where it is, where and by which command a session is resumed

Invariants: nothing here writes (`json_edit.edit_setting` returns text); git is never run; a folder named by the
project's checked-in settings is refused, with a warning.
"""
