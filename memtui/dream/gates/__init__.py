"""The conditions under which a dream may start, and how each stands now: one `Gate` each, in the order of testing.

The first closed one that a person may not override stops the dream (`blocking_gate`).

- `base`      gates that need only settings, the lock and the folder
- `sessions`  enough new sessions or daily logs; caches its scan for ten minutes
- `evaluate`  all gates in order, with those that look at earlier runs: failures in a row, a run that awaits review

Evaluating writes nothing, except that a run keeps the result of its own scan.
"""
