"""The sessions of this machine: which there are, what each is called, what happens to a session as a whole.

In: project folders with transcripts, and our cache and state folders. Out: lists of sessions, and sessions that were
renamed, archived, deleted or put back.

`catalog` a cache of what lists show, brought up to date by size, time and inode · `listing` a session as a line of a
list · `scan_workers` many files read at once · `health_cache` what a resume would lose, cached · `rename` a title as
one record more · `archive` archived, deleted and put back, with `archive_files` (whole at every instant) and
`operations_log`.

The types that describe a session, from cheap to complete:
- `client.session_files.SessionFile`: the file as its folder lists it (path, time, size, inode); nothing is read.
- `client.session_files.RecentSession`: with the title, from the first and last 64 KiB of the file; for a short list.
- `listing.Session`: a row of the catalogue, for lists of thousands; `CompressedSessions` holds many.
- `transcripts.summary.SessionSummary`: all that one pass over the file finds; the catalogue stores it.
- `transcripts.stats.SessionStats`: tools, tokens and files, for one session that a person looks at.
- `transcripts.transcript.Transcript`: the whole file as envelopes; `resume.resume.ResumePlan`: what a resume sends.

Invariants:
- Listing changes no byte and no mtime. Renaming adds one record at the end of the file.
- The cache is safe to delete; a damaged one is made anew, and one that can't be written is replaced by memory.
- One bad file takes no list down: it is reported beside the others.
"""
