"""The first line: which project, where its memory is, and what is wrong with it."""

from msgspec import Struct
from textual.content import Content
from textual.reactive import reactive

from memtui.tui.widgets.view_tabs import CommandLine, clickable

GAP = Content("  ")


class ProjectStatus(Struct, frozen=True):
    """What the line says; strings are shown as they are, so they come in visible."""

    project: str
    branch: str
    folder: str
    problems: str = ""
    unlisted: int = 0
    last_dream: str = ""
    flags: tuple[str, ...] = ()
    """Short words for states that change what keys do: "read only", "sample data", "memory off"."""
    notice: str = ""  # what is going on right now: reading, folder gone. Stands instead of the numbers


class TitleBar(CommandLine):
    """Project left, health right; what does not fit is left out from the right end of the left part.

    A click on the project chooses another; on problems shows them alone; on the last dream goes to dreams.
    """

    status: reactive[ProjectStatus | None] = reactive(None)

    def render(self) -> Content:
        line, width = Content.styled(" memtui", "bold $link"), self.size.width
        if (status := self.status) is None:
            return line
        right = _health(status, width)
        room = width - right.cell_length - 2
        flags = [Content.styled(f"[{flag}]", "$mark bold") for flag in status.flags]
        ends = [Content.styled(status.branch, "$dim"), Content.styled(status.folder, "$dim")]
        for piece in (clickable(status.project, "app.project", "bold"), *flags, *ends):
            if line.cell_length + 2 + piece.cell_length <= room:
                line += GAP + piece
        return line + " " * max(1, width - line.cell_length - right.cell_length - 1) + right


def _health(status: ProjectStatus, width: int) -> Content:
    if status.notice:
        return Content.styled(status.notice, "$warn")
    pieces: list[Content] = []
    if status.problems:
        pieces.append(clickable(status.problems, "memory.problems", "$problem bold"))
    if status.unlisted and width >= 60:
        pieces.append(Content.styled(f"{status.unlisted} not in index", "$warn"))
    if status.last_dream and width >= 100:
        pieces.append(clickable(f"last dream {status.last_dream}", "view.dream", "$dim"))
    return GAP.join(pieces) if pieces else Content.styled("no problems", "$good")
