"""The lock that all programs share which consolidate a memory folder: `.consolidate-lock` in that folder.

The protocol is the agent client's own, so that two consolidations never meet. The file holds the holder's PID; its
mtime is the time of the last successful consolidation. The lock may be taken if it is absent, its process is gone, or
it is older than an hour. It is written and then read back to see who won; on failure its mtime is put back.

That protocol alone has two holes, both measured. Two processes that take a stale lock within a millisecond often both
believe that they won (86 of 150 trials with two, 150 of 150 with eight): so our processes first queue for a kernel lock
in our state folder, and a run checks again that it still holds the lock before it writes memory. And a killed holder
leaves mtime = start time, which reads as a success: so what was there before is kept in a journal of ours.

- `lock_file`     the file itself: read, kept for later, put back
- `journal`       what was in its place before one of our runs took it
- `lock`          taking, checking, releasing, rolling back, recovery after a crash
- `external_run`  a dream that another program runs, as far as the folder tells

A lock's content is untrusted: it is never followed as a link, and nothing is signalled because of it.
"""
