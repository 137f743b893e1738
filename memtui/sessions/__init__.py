"""Session transcripts as data: read, drawn as trees, resumed, forked, exported.

In: `.jsonl` files that the agent client (or another tool) wrote and may still be writing. Out: records with their place
in the file, a tree, the exact messages that a resume would send, what it would leave out and why, and new files.

Reading      `lines` one line of bytes · `reader` a growing file · `entries` a record's envelope, typed · `envelope` the
             same, fast · `transcript` a whole file as envelopes and offsets · `scan` a list's facts, fast · `counted`
             lines that it needn't decode · `bulk` many files at once · `listing` which sessions there are · `agents`
             sub-agents' files
Drawing      `tree` who hangs from whom, which forks are a person's · `outline` the same in the order of drawing ·
             `tally` what it did: `usage` `stats` `snapshots` `writes`
Walking      `passages` records one after another, from any byte · `file_source` in the file's order, without an index ·
             `repeats` what a compaction wrote again · `folded_source` the same with that as one line · `way_source`
             along a chain or a branch · `saying` what a record says, in plain parts · `find` words and prompts
Resuming     `chain` the client's answer, made of `rows` (what its loader keeps), `leaf` (where it goes on), `walk` (the
             way there, parallel calls included), `messages` (what is sent of it: `parts`, `blocks`, `answers`, `pairs`
             and `reminders`) · `left_out` the rest, with reasons · `health` how much is lost of it · `resuming` how the
             client goes on, and where · `pick` which message a word means
As a whole   `rename` a record more · `keep` archived, deleted, put back, undone, made of `moving` (whole at every
             instant), `box` (what belongs to a session), `kept` (the list) and `operations` (what was done)
Giving away  `context` messages that the Messages API accepts · `fork` a new file from any message · `export` to read

Invariants:
- No byte of a transcript changes here and no mtime of what is only read: a fork is a new file, a new title a record
  at the end, and what is moved comes back as it was.
- Nothing is dropped in silence: a line that is no record is counted and named by its line number.
- What isn't known is kept as it is (opaque), and nothing raises because of what a file holds.
- Big files are held as envelopes with offsets; a record is decoded when it is looked at. No recursion along a chain.
- `chain` says what client 2.1.332 was seen to send; where it would lose turns, that is said beside it, never
  repaired there.
"""
