"""A memory folder as data: reading it, checking it, and planning changes to it.

In: folders and their bytes. Out: a `Snapshot` (frozen: scopes, files, index, budget, links, problems) and `Plan`s of
changes, which are shown before `history` carries them out.

- One file: `topic` reads it; `frontmatter`, `markdown` (links, headings, code), `comments` and `dates` take its text
  apart.
- The index: `budget` measures what the agent client loads; `index` has its entries and lines; `tidy` shortens it.
- Folders: `scope` reads one; `links` resolves its links; `similarity` tells which files are about one
  topic; `snapshot` holds all of them at one moment.
- Instructions: `instructions` reads the CLAUDE.md and AGENTS.md families; `imports` and `path_rules` have their parts;
  `context` is all that a session is given at its start, the index included.
- Problems: `checks/`, one file a check with its fix.
- Changes: `plans` makes them, `moves` those that bring a topic or an entry to another place; `drafts` keeps unsaved
  text; `pins` names files that no background run may touch, `pin_operations` makes that undoable.
- `workspace` puts all of this together for one working directory, for the screen and the command line.

Invariants:
- Reading changes no byte and no mtime.
- Front matter and index are edited by span: every byte outside the edited part stays.
- Nothing here writes a memory file; `history.store` does, from a `Plan`.
- Imports point from the list above downwards only: checks and fixes know no `Snapshot` and no `Plan`.
"""
