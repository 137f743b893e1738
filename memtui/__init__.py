"""memtui: see, edit and stay in charge of what a coding agent remembers.

Read the packages from the bottom up; imports only ever point down this list:

    base      knows nothing of memory: atomic files, path boundary, words, secrets, errors, processes
    host      the agent client on this machine: its folders, project names, settings and switches
    memory    a memory folder as data: topic files, index, budget, links, checks, store, history
    dream     consolidation; today the gates that say whether one would run
    demo      a made-up home to look at
    cli, tui  parse, call the engine, print; the only place that imports Textual is tui

What people may rely on: what they see is what the agent gets, nothing is ever lost, nothing runs without saying so,
and opening the program changes no byte and no mtime of what it only reads.
"""

__version__ = "0.1.0"
