"""Questions to a person; each dialog returns a typed value, or None for "no".

A dialog with commands of its own (`watch_run`) is imported by its module.
"""

from memtui.tui.dialogs.ask import Ask
from memtui.tui.dialogs.choose import Choose, Option
from memtui.tui.dialogs.dialog import Dialog
from memtui.tui.dialogs.new_topic import NewTopic
from memtui.tui.dialogs.proposals import Proposals
from memtui.tui.dialogs.question import Leave, Question, SecretQuestion
from memtui.tui.dialogs.review_file import ReviewFile
from memtui.tui.dialogs.show_diff import ShowDiff

__all__ = [
    "Ask",
    "Choose",
    "Dialog",
    "Leave",
    "NewTopic",
    "Option",
    "Proposals",
    "Question",
    "ReviewFile",
    "SecretQuestion",
    "ShowDiff",
]
