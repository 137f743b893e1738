"""What is wrong with a memory, in plain words, and what memtui can do about it.

A problem is only what a person would want to know: what the agent doesn't get, what it is told wrongly, what must not
be in a file. `memtui check`, the problem lists on screen, the editor and the tidy by rules all use the checks here.

One file holds one check: how the problem is found, its fix if there is one, and whether that may be applied without
asking a person. To add a check, write a file that defines `CHECK`: `registry` finds it. `base` has the types; a short
example for entries of the index is `long_entry`, one for texts `relative_date`. `find` has the text of an index and of
what is edited, not that of a topic: what needs it is looked for in `find_in_text`, and what only several files together
tell in `find_in_folder`.

Invariants:
- A check reads no disk by itself: `CheckedFolder.texts` and `around` answer what it asks. A whole text is read through
  once for each digest, so that an unchanged folder isn't read again.
- A fix returns texts and writes nothing. It looks for its problem again in the text as it is now; the problem's line
  only tells which of several it was.
"""
