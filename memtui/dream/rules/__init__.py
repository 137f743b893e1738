"""Consolidation without a model: rules that tidy a dream's stage, each doing only what is certain.

One file holds one rule, or a few about one thing, and names them in its `STEP` with their place in a round; `registry`
finds them and `dream.backends.offline` runs them in rounds until a round changes nothing. `context` is the stage as a
rule sees it. What a check of `memtui.memory.checks` finds is fixed by the check's own fix, or by its edits where a run
without a person has to choose more carefully.

Invariants:
- A rule writes only through `RuleContext.change`, which refuses pinned, shared and unsafe files.
- Every line that a rule removes is in the `before` of its `RuleChange`.
- Running all rules again on their result changes nothing.
"""
