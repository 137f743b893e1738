"""Questions to a person; each dialog returns a typed value, or None for "no".

A dialog with commands of its own (`watch_run`) is imported by its module.
"""

from memtui.tui.dialogs.ask import Ask as Ask
from memtui.tui.dialogs.choose import Choose as Choose
from memtui.tui.dialogs.choose import Option as Option
from memtui.tui.dialogs.dialog import Dialog as Dialog
from memtui.tui.dialogs.new_topic import NewTopic as NewTopic
from memtui.tui.dialogs.proposals import Proposals as Proposals
from memtui.tui.dialogs.question import Leave as Leave
from memtui.tui.dialogs.question import Question as Question
from memtui.tui.dialogs.question import SecretQuestion as SecretQuestion
from memtui.tui.dialogs.review_file import ReviewFile as ReviewFile
from memtui.tui.dialogs.show_diff import ShowDiff as ShowDiff
