"""Files that must survive a crash: atomic writes, the path boundary, locks, copying.

In: paths, bytes. Out: files that are old or new, never half; `PathVerdict`s; locks.

- `atomic`      reads that never see half a file, writes that never leave one
- `boundary`    may this actor read or write this path
- `copy`        files below a folder copied and removed, following no link
- `folders`     the folders in a folder
- `links`       where a file that is a link leads, and whether a person's change goes through it
- `lock`        one writer at a time among our own processes
- `filesystem`  the system calls beneath, which a test may make fail

Invariants: a write leaves the old file or the new one, whole, whatever instant it is stopped, SIGKILL and power cut
included; a failed fsync is never retried on the same file, because it may have dropped the dirty pages; what was
checked is opened by walking the same way again, link by link, so a link swapped in meanwhile leads nowhere but to a
person's own files (`links`); every call of a write goes through a `FileSystem`.
"""
