"""A file as lines to read: its text, its links, or its history. Runs in a thread; knows no widget."""

from pathlib import Path

from textual.content import Content

from memtui.history.versions import Operation
from memtui.memory.budget import measure_index
from memtui.memory.frontmatter import read_frontmatter
from memtui.memory.snapshot import Snapshot
from memtui.memory.workspace import Workspace
from memtui.tui.render.markdown import MarkdownLine, draw, draw_raw
from memtui.tui.state import Preview
from memtui.tui.theme import Glyphs
from memtui.util.errors import NotFound
from memtui.util.text import age, visible

MOST = 400_000
"""Bytes that are drawn; what lies behind is said, and the editor has it."""


def make_preview(workspace: Workspace, snapshot: Snapshot, wanted: Preview, glyphs: Glyphs) -> Preview:
    """Read and draw what `wanted` (path, mode, width) asks for."""
    path = wanted.path
    if path is None:
        return wanted
    file = snapshot.at(path)
    name = file.name if file else path.name
    if wanted.mode == "links" and file is not None:
        lines = _links(workspace, snapshot, path, glyphs)
    elif wanted.mode == "history":
        lines = _history(workspace, path, glyphs)
    else:
        lines = _text(workspace, path, wanted.width, glyphs, is_index=file is not None and file.kind == "index")
    return Preview(path, wanted.mode, name, lines, wanted.width)


def _text(workspace: Workspace, path: Path, width: int, glyphs: Glyphs, *, is_index: bool) -> list[MarkdownLine]:
    try:
        data, _ = workspace.text(path)
    except NotFound as error:
        return [MarkdownLine(Content.styled(visible(error.message), "$warn"), 1)]
    except OSError as error:
        return [MarkdownLine(Content.styled(f"cannot be read: {error.strerror}", "$problem"), 1)]
    head = data[:MOST]
    text = head.decode("utf-8", errors="replace").replace("\r\n", "\n").rstrip("\n")
    if is_index:
        lines = _with_cut(text, width, glyphs)
    else:
        front = read_frontmatter(text)
        if front.verdict == "invalid":
            lines = list(draw_raw(text, width))
        else:
            body = text[front.body_start :]
            skipped = len(body) - len(body.lstrip("\n"))
            lines = list(draw(body[skipped:], width, glyphs, first=front.body_line + skipped))
    if len(data) > MOST:
        words = f"{glyphs.ellipsis} {len(data) - MOST:,} more bytes: Enter or e opens the file"
        lines.append(MarkdownLine(Content.styled(words, "$warn"), lines[-1].source if lines else 1))
    return lines


def _with_cut(text: str, width: int, glyphs: Glyphs) -> list[MarkdownLine]:
    """The index with the line behind which nothing is loaded drawn into it."""
    cut = measure_index(text).cut_line_in_file
    lines = list(draw_raw(text, width))
    if cut is None:
        return lines
    at = next((i for i, line in enumerate(lines) if line.source >= cut), len(lines))
    words = f" not loaded from line {cut} on "
    rule = Content.styled(glyphs.rule * 3 + words + glyphs.rule * max(0, width - len(words) - 3), "$problem bold")
    faded = [MarkdownLine(line.content.stylize("$dim"), line.source, line.links) for line in lines[at:]]
    return [*lines[:at], MarkdownLine(rule, cut), *faded]


def _heading(words: str, number: int) -> MarkdownLine:
    return MarkdownLine(Content.styled(words, "bold"), number)


def _links(workspace: Workspace, snapshot: Snapshot, path: Path, glyphs: Glyphs) -> list[MarkdownLine]:
    file = snapshot.at(path)
    assert file is not None
    lines = [_heading("links out", 1)]
    for link in file.links or ():
        found = snapshot.resolve(path, link.target)
        state = "" if found else "  missing" if link.target.split("#")[0].endswith(".md") or link.kind == "wiki" else ""
        content = Content.assemble(
            (f"{link.line:>4} ", "$dim"), (visible(link.target, keep=""), "$link underline"), (state, "$problem")
        )
        lines.append(MarkdownLine(content, link.line, (link.target,)))
    for words, references in (
        ("backlinks", snapshot.graph.backlinks(file)),
        ("unlinked mentions", snapshot.unlinked_mentions(file)),
    ):
        lines += [MarkdownLine(Content(""), 1), _heading(words, 1)]
        lines += [
            MarkdownLine(
                Content.assemble(
                    (visible(ref.file, keep=""), "$link underline"),
                    (f":{ref.line}  ", "$dim"),
                    visible(ref.text.strip(), keep=""),
                ),
                ref.line,
                (ref.file,),
            )
            for ref in references
        ]
        if not references:
            lines.append(MarkdownLine(Content.styled(f"{glyphs.dash}", "$dim"), 1))
    return lines


def _history(workspace: Workspace, path: Path, glyphs: Glyphs) -> list[MarkdownLine]:
    versions = workspace.versions(path)
    if not versions:
        return [MarkdownLine(Content.styled("no history yet: memtui records each write from now on", "$dim"), 1)]
    now = workspace.now()
    lines = [MarkdownLine(Content.styled("Enter shows a version, u restores one", "$dim"), 1)]
    _, name = workspace.home_of(path)
    return lines + [_version(version, name, now, glyphs) for version in versions]


def _version(version: Operation, name: str, now: float, glyphs: Glyphs) -> MarkdownLine:
    change = next(change for change in version.files if change.name == name)
    return MarkdownLine(
        Content.assemble(
            (f"{age(now - version.when):>4} ", "$dim"),
            (f"{visible(version.who, keep=''):<9} ", "bold"),
            (f"+{change.added} ", "$good"),
            (f"-{change.removed}  ", "$problem"),
            (visible(version.why, keep=""), "$dim strike" if version.undone else ""),
            ("  undone" if version.undone else "", "$warn"),
        ),
        1,
        (f"version:{version.id}",),
    )
