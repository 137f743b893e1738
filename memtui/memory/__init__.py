"""A memory folder as data, and the only code that writes one.

In: folders and their bytes. Out: a `World` (frozen: scopes, files, index, budget, problems), plans made of `Change`s
that are shown before they are done, and versions in a history of our own.

One file     `files` · `fields` `frontmatter` its properties, read and edited by span · `markdown` links and headings ·
             `comments` what the client takes out before it counts · `dates` words that go stale
The index    `budget` what of it is loaded · `index` its entries · `outline` its lines · `tidy` what a shorter one keeps
Folders      `folder` one scope · `scopes` which there are · `links` who names whom · `snapshot` all of it at one moment
Instructions `instructions` the CLAUDE.md family · `imports` `rules` `globs` its parts
Judging      `checks` what is wrong · `problems` `front_checks` `facts` `recent` its parts
Wishing      `changes` wishes as `plans` · `relink` `fixes` its parts · `hunks` pieces to choose between
Writing      the package `history` has the save protocol and every version · `drafts` unsaved text · `pins`, and
             `pin_operations` that can be undone
The desk     `workspace` on which screen and command line meet

Invariants:
- Reading changes no byte and no mtime.
- Frontmatter and index are edited by span: every byte outside the edited lines stays.
- Every write goes through `history.store`: compare the hash, merge or refuse, history first, then an atomic replace.
- A line that was acknowledged once is in the file, in history or in a conflict copy, for ever.
"""
