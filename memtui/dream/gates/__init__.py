"""The conditions under which a dream may start, and how each stands now.

In: a workspace and the time. Out: one `Gate` per condition, in the order in which they are tested (`evaluate_gates`);
the first closed one that a person may not override stops the dream (`blocking_gate`).

- `base`      gates that need only settings, the lock and the folder
- `sessions`  enough new sessions or daily logs; caches its scan for ten minutes
- `evaluate`  all gates in order, with those that look at earlier runs: failures in a row, a run that awaits review

Evaluating writes nothing, except that a run keeps the result of its own scan.
"""
