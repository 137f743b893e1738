"""From a run's stage to the memory folder: what would change, what must wait for a person, and the person's decision.

In: a stage and the folder as it is now. Out: an `Adoption` (a plan; writes nothing), and on a yes one new version.

- `adoption`      plan, and write: a file that nobody else changed is replaced, one that changed is merged three ways,
                  an overlap is a conflict and waits
- `review_rules`  the reasons why a run waits for review, whatever the settings say
- `meaning`       which terms of a text stand nowhere afterwards, and how many may be lost
- `wording`       what terms don't show: order of words, rules turned round, sentences that nobody said, links
- `claims`        what a run does to the memory claim by claim: lost, changed, moved, merged, new
- `review`        what a person does with an ended run: adopt, discard, restore; and what it changed, as texts

All files are written by the history's save protocol, with the digest of the copied file as what the run saw: whatever
happens between plan and write is noticed there. A crash in the middle ends in the old or the new state.
"""
