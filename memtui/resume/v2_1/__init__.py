"""How client versions 2.1.x resume: the implementation of each step, and the table of rules in `family`.

`rows` which records the loader keeps · `leaf` where it continues · `path` the records that lead there · `messages` what
is sent of them, with `content_blocks`, `tool_calls` and `reminders`.

Everything here was seen on client 2.1.332 and is held by recordings. A rule is changed only together with a recording
that shows the change.
"""
