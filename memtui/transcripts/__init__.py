"""Session transcripts as data: JSONL files that the agent client wrote and may still be writing.

In: a file. Out: its records with their place in the file, a tree of them, a summary for lists, statistics, and what a
record says as plain parts.

Whole files    `lines` one line of bytes · `reader` a growing file · `entries` a record's envelope, typed ·
               `fast_decode` the same, fast · `transcript` a file as envelopes and offsets · `tree` branches ·
               `subagents` files and records of sub-agents · `stats` tools, tokens and files of a session
For a model    `digest` what was said in a session, in prose; what a person typed in it
Lists          `summary` title, times and counts of a file in one fast pass
Page by page   `records` records read one after another from any byte · `file_source` in file order, without an index
               · `path_source` along a path · `folded_source` with what a compaction repeated as one line · `content`
               what a record says · `search` text and prompts

Invariants:
- No byte and no mtime changes here.
- Nothing is dropped in silence: a line that is no record is counted and named by its number; a record of an unknown
  type is kept as it is.
- Nothing raises because of what a file holds. What comes after the last line end is pending, not bad.
- A file is held as envelopes and offsets; a record is decoded when it is looked at. No recursion along parents.
"""
