"""Problems of a text as lines: severity, place, words, and what would fix it."""

from textual.content import Content

from memtui.memory.checks.base import Problem
from memtui.presentation.problem_text import SEVERITY_TONES
from memtui.tui.theme import TONE_STYLES
from memtui.tui.widgets.virtual_list import VirtualList
from memtui.util import text


class ProblemList(VirtualList):
    rows: tuple[Problem, ...] = ()
    visited = False

    def show(self, problems: tuple[Problem, ...]) -> None:
        self.rows = problems
        self.border_title = f"Problems {len(problems)}"
        self.rows_changed()

    def row(self, index: int, width: int) -> Content:
        problem = self.rows[index]
        place = f"{problem.line or ''}" + (f":{problem.column}" if problem.column else "")
        fix = text.clip(text.visible(f"fix: {problem.fix}" if problem.fix else "", keep=""), width // 3)
        words = text.pad(
            text.visible(self.app.state.masked(problem.message), keep=""), max(1, width - 19 - text.cells(fix))
        )
        sign = self.glyphs.of_severity(problem.severity)
        style = TONE_STYLES[SEVERITY_TONES[problem.severity]]
        return Content.assemble(
            (f"{sign} {problem.severity:<8}", style), (f"{place:<7}", "$dim"), words, " ", (fix, "$dim")
        )
