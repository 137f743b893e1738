"""memtui: see, edit and stay in charge of what a coding agent remembers.

`README.md` in this folder is the map: the packages in their layers, how data flows, and the words.

What people may rely on: what they see is what the agent gets, nothing is ever lost, nothing runs without saying so,
and opening the program changes no byte and no mtime of what it only reads.
"""

__version__ = "0.1.0"
