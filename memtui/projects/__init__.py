"""A project that moved: what is astray in the agent client's folder, and bringing it to where the project is now.

In: the surroundings, our folders, the ids of running sessions, a clock. Out: what is astray (`Orphans`), a plan that
can be shown (`MovePlan`), what was done (`MoveResult`), and the way back.

`orphans` what is astray · `relocate` the plan of a move, and carrying it out, with `relocate_sessions` for the files of
sessions · `relocate_undo` taking it back · `journal` what every move was about to do, as operations of the history ·
`activity` undo and redo of everything that was done to a project

What client 2.1.332 was seen to do, so that no row of a transcript is ever rewritten:

- A session whose file lies in the folder of the directory that it is started in is resumed whole (`--resume`, `-c`),
  whatever `cwd` its rows hold. The client tells the model that the directory is another one now, and goes on in that
  file.
- Left in the old folder, `-c` doesn't find it. `--resume` does, from anywhere, and goes on in the old folder.
- An id that two folders have is resumed only from the directories of those two; elsewhere there is "no conversation".
  So a move never leaves one id in two folders on purpose.
- A copy under another id is resumed under that one; new rows carry it, old ones keep theirs.

Invariants:
- Planning changes no byte and no mtime.
- Whatever instant a move is stopped, each session is whole in its old folder or in the new one; the same move again
  ends what was begun.
- Nothing is overwritten: of two files with one name both stay, the one that comes under another.
- Links are never followed. A session that is running is not touched.
- Memory goes through `history.store`, history first, on both sides.
"""
