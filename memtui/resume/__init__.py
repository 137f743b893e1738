"""What the agent client sends when it resumes a session, and what can be made of a session: fork, export, launch.

In: a `Transcript`. Out: a `ResumePlan` (the resume point, the path to it, the messages, and every omitted record with
the reason), a new session file, a document, or the command that starts the client.

`resume` the plan, made by the rules of a client version · `family` what a family of versions consists of ·
`conversation` the values that a plan is made of · `v2_1` the rules of versions 2.1.x, as a table with a recording for
each · `omitted` what is not sent, and why · `health` how much of a session a resume still reaches · `outline` branches
and sub-agents in the order in which they are drawn · `context` messages that the Messages API accepts · `fork`,
`export`, `launch` what a person does with it · `report` a plan as plain data. README.md says how to record a new client
version.

Invariants:
- The plan is what the client was recorded to send. Where it loses turns, that is said beside it and never repaired.
- No transcript is written to: a fork is a new file.
- Nothing raises because of what a file holds, and there is no recursion along a path: 100,000 records are no deeper
  than ten.
"""
