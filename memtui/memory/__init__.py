"""A memory folder as data, and the only code that writes one.

In: folders and their bytes. Out: a `World` (frozen: scopes, files, index, budget, problems), plans made of `Change`s
that are shown before they are done, and versions in a history of our own.

Reading      `files` one file · `frontmatter` `markdown` `index` `budget` `dates` its parts · `folder` a scope ·
             `scopes` which there are · `instructions` the CLAUDE.md family · `world` all of it at one moment
Judging      `links` who names whom · `checks` what is wrong · `tidy` what a shorter index would keep
Writing      `changes` wishes as plans · `store` the save protocol · `merge` three ways · `history` every version ·
             `drafts` unsaved text · `pins` files that no background run may touch

Invariants:
- Reading changes no byte and no mtime.
- Frontmatter and index are edited by span: every byte outside the edited lines stays.
- Every write goes through `store`: compare the hash, merge or refuse, history first, then an atomic replace.
- A line that was acknowledged once is in the file, in history or in a conflict copy, for ever.
"""
