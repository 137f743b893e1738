"""One cache over memory and sessions: the catalogue of sessions, and later the full text.

In: the files of all projects. Out: lists that are there at once, whatever the number and size of the files.

`database` opens the one SQLite file, `catalogue` keeps a list's facts of every session in it, `shelf` answers with
them, `judging` says which sessions have lost something.

Invariants:
- The cache may be deleted at any moment, by anybody, and is made anew; nothing is lost with it. One that can't be read
  or written is replaced by one in memory.
- It is never trusted over a file: a row counts as long as the file's size, time and inode are those that it was made
  from; a file that only grew is read on from the offset behind its last whole line.
- Two programs may keep it at the same time.
"""
