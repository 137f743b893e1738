"""What is wrong with a memory, in plain words, and what memtui can do about it.

A problem is only what a person would want to know: what the agent doesn't get, what it is told wrongly, what must not
be in a file. `memtui check`, the problem lists on screen, the editor and the tidy by rules all use the checks here.

One file holds one check: how the problem is found, its fix if there is one, and whether that fix is certain, which
means that it may be applied without asking a person. To add a check, write a file that defines `CHECK`: `registry`
finds it. `base` has the types.

`find` has the text of an index and of what is edited, not that of a topic (`CheckedFile.text` is None). A check that
needs it looks for its hits in `find_in_text`; `find` gets them by `CheckedFile.hits`, called with the check's first
code. What only several files together tell (two that say the same) is found by `find_in_folder`, once for
a folder. A short example for entries of the index is `long_entry`, one for texts `relative_date`.

In: files of a folder as `memory.scope` read them, a text in the editor, or an instruction file, each as a
`CheckedFile`. Out: `Problem`s; and for a problem, the `Fix` that `memory.plans` turns into a plan and a dream's rule
applies to its stage.

Invariants:
- A check reads no disk by itself: `CheckedFolder.texts` and `around` answer what it asks. What only a whole text can
  tell is looked for once for each digest (`find_in_text`), so that an unchanged folder isn't read again.
- A fix returns texts and writes nothing. It looks for its problem again in the text as it is now; the problem's line
  only tells which of several it was.
"""
