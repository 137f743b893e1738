"""Consolidation without a model: the single rules. Each does only what is certain; `offline` says in which order.

- `context`       the stage while rules work on it: what is there, what may be written, what was done
- `absolute`   "yesterday" in a file of a known day is a date
- `empty`      files that say nothing (prune)
- `alike` `union` `duplicates`  which files are one topic, what is left of two, and the merge
- `front`      missing front matter, name, description, type
- `dead_links` links that lead nowhere
- `index`      entries listed twice, files that aren't listed, an index over its limit

Invariants: a rule changes text only through `Desk.change`, which refuses pinned, shared and unsafe files; nothing is
dropped that isn't said in a `Deed`; a rule that finds nothing certain does nothing.
"""
