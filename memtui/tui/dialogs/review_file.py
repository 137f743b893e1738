"""What a dream does to one file, to take or leave hunk by hunk and then adopt."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from memtui.tui.dialogs.show_diff import DiffDialog
from memtui.tui.widgets.diff_lines import HunkLines


class ReviewFile(DiffDialog[frozenset[int]]):
    """Returns the numbers of the hunks to adopt, from 1."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "take", "Take or leave this hunk", id="hunks.toggle"),
        Binding("right_square_bracket,n", "go(1)", "Next hunk", id="hunks.next"),
        Binding("left_square_bracket,N", "go(-1)", "Previous hunk", id="hunks.previous"),
        Binding("a", "adopt", "Adopt the hunks that are taken", id="hunks.adopt"),
    ]

    def __init__(self, title: str, diff: str, *, notes: Sequence[str] = ()) -> None:
        self.lines = HunkLines(diff)
        super().__init__(title, "", notes, self.lines)

    def on_mount(self) -> None:
        super().on_mount()
        self._say_keys()

    def _say_keys(self) -> None:
        taken, count = len(self.lines.taken), self.lines.count
        what = "all" if taken == count else f"{taken} of {count}"
        choose = "Space take or leave   ] [ hunk   " if count > 1 else "Space take or leave   "
        keys = f" {choose}a adopt {what}   Esc back " if taken else f" {choose}Esc back "
        self.query_one("#frame").border_subtitle = self.app.glyphs.spell(keys).replace("[", "\\[")

    def action_go(self, step: int) -> None:
        self.lines.go(step)

    def action_take(self) -> None:
        self.lines.toggle()
        self._say_keys()

    def action_adopt(self) -> None:
        if self.lines.taken:
            self.dismiss(frozenset(self.lines.taken))
