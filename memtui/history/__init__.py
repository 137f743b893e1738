"""Versions of files and the operations log, in one SQLite database for each home (`history.db` in the state folder).

One row in `operations` for each thing that a person, a background run or another program did: to memory files,
instructions and settings (rows in `changes`, contents in `blobs`), to sessions, projects and pins (rows in `items`).
All of them stand in one order, so undo and redo have one order as well, whatever the operation was about.

- `database`     schema, connection, integrity check
- `versions`     reading: operations, the versions of a file, a folder as it was at a moment
- `log`          operations that are not about file contents: sessions, projects, pins
- `snapshot`     what is known of a folder without reading it: finding out that nothing changed costs a `stat` a file
- `transaction`  several files replaced as one step
- `writer`       the write protocol and the recovery after a crash
- `store`        the save protocol of one folder: compare, merge or `Stale`, undo, restore
- `undo`         the order of undo and redo over all subjects
- `merge`        three-way merge, by itself or hunk by hunk
- `trash`        a removed file also goes to the system's trash
- `export_git`   the history as a git repository, and what to do with a history that memtui 0.1.0 kept

How a file is written:

1. Under the folder's lock the file is read again; a digest other than the caller's means a merge, or `Stale`.
2. The new bytes go into temporary files beside their targets, synced. One durable commit puts the operation (state
  "begun"), every version that it replaces and every version that it makes into the database. Whatever needs room on
  the disk has it by now; until here nothing has changed for anybody.
3. The files are renamed into place, and their folders synced.
4. A second commit marks the operation as done. It needs no sync: after a power cut, recovery finds the files in place.

A crash before 3 leaves an operation that is dropped by the next writer, a crash in 3 one that it completes. Invariant:
every byte that was ever acknowledged, and every foreign byte that was there when memtui wrote, is in the file or in the
database.

This package knows nothing of memory, sessions or projects. Which names of a folder are recorded, and how an operation
that is not about file contents is inverted, is handed in.
"""
