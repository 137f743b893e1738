"""Consolidation: a background agent that turns sessions into memory, and when one may run.

In: a `Place`, the surroundings, a clock. Out: the `Gate`s, each with the reason why it is open or closed, and the
`Deed`s of a consolidation by rule.

- `gates`    would a dream start now, and why not
- `offline`  consolidation of a stage without a model · `rules` what it does, one rule a module

Invariants: looking at a gate changes nothing; no process is signalled because of what a lock says; a lock's time and
content come from one open file, so that they belong together.
"""
