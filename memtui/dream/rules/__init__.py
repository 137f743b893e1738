"""Consolidation without a model: rules that tidy a dream's stage, each doing only what is certain.

One file holds one rule, or a few about one thing, and names them in its `STEP` with their place in a round; `registry`
finds them and `dream.backends.offline` runs them in rounds until a round changes nothing. `context` is the stage as a
rule sees it; `memory.similarity` tells which files are about one topic. A rule that fixes what a check of
`memtui.memory.checks` finds goes through the problems of the stage and applies the check's own fix, or its edits where
a run without a person has to choose more carefully.

In: a stage (a copy of the memory folder), the time, the mode and the pinned files. Out: changed files on the stage, a
`RuleChange` for each change, and a line for each thing that was left alone for a reason.

Invariants:
- A rule writes only through `RuleContext.change`, which refuses pinned, shared and unsafe files.
- Every line that a rule removes is in the `before` of its `RuleChange`.
- Running all rules again on their result changes nothing.
"""
