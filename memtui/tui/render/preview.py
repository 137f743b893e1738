"""A file as lines to read: its text, its links, or its history; and what dreams change, as unified diffs.

Runs in threads; knows no widget.
"""

import difflib
from collections.abc import Collection, Iterable
from pathlib import Path

from textual.content import Content

from memtui.dream.lock.external_run import ExternalRun, text_before_run
from memtui.dream.review.review import texts_changed, versions_of_file
from memtui.dream.run.runs import Run, run_state
from memtui.dream.run.stage import has_stage
from memtui.history.versions import Operation
from memtui.memory.budget import measure_index
from memtui.memory.frontmatter import read_frontmatter
from memtui.memory.snapshot import Snapshot
from memtui.memory.workspace import Workspace
from memtui.presentation.history_text import who_words, why_words
from memtui.tui.render.markdown import MarkdownLine, draw, draw_raw
from memtui.tui.state import Preview
from memtui.tui.theme import Glyphs
from memtui.util.errors import NotFound
from memtui.util.text import age, visible

MAX_BYTES_DRAWN = 400_000
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
    head = data[:MAX_BYTES_DRAWN]
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
    if len(data) > MAX_BYTES_DRAWN:
        words = f"{glyphs.ellipsis} {len(data) - MAX_BYTES_DRAWN:,} more bytes: Enter or e opens the file"
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
            (f"{visible(who_words(version), keep=''):<13} ", "bold"),
            (f"+{change.added} ", "$good"),
            (f"-{change.removed}  ", "$problem"),
            (visible(why_words(version), keep=""), "$dim strike" if version.undone else ""),
            ("  undone" if version.undone else "", "$warn"),
        ),
        1,
        (f"version:{version.id}",),
    )


def diff(before: bytes | None, after: bytes | None, name: str) -> str:
    """A unified diff of two states of one file; None is "no file"."""

    def lines(data: bytes | None) -> list[str]:
        return [] if data is None else data.decode("utf-8", errors="replace").splitlines()

    old, new = ("/dev/null" if before is None else name), ("/dev/null" if after is None else name)
    return "\n".join(difflib.unified_diff(lines(before), lines(after), old, new, lineterm="", n=3))


def run_difference(run: Run, workspace: Workspace, names: Collection[str] | None = None) -> str:
    """What a run changes, or changed: all of it, or the named files; "" for nothing that is known.

    Of a run at work: what it has drafted so far. Of one whose draft is kept: what adopting would do. Else what it did.

    Raises:
        MemtuiError: If nothing is known of a named file.
    """
    if names is not None:
        sides = {name: versions_of_file(run, workspace.dirs, workspace, name) for name in names}
        moved = any(side.now != side.before for side in sides.values())
        if not (moved and has_stage(workspace.dirs, run.id) and run_state(run).word != "running"):
            return _joined(diff(side.before, side.made, name) for name, side in sides.items())
    changes = texts_changed(run, workspace.dirs, workspace)
    return _joined(diff(before, after, name) for name, before, after in changes if names is None or name in names)


def foreign_difference(workspace: Workspace, foreign: ExternalRun | None, name: str) -> str:
    """What became of a file since another program took the lock, as far as history knows what it was before.

    Raises:
        MemtuiError: If it doesn't, or the file can't be read.
    """
    if foreign is None:
        return ""
    found = workspace.store(workspace.location.folder).read(name)
    new = any(file.name == name and file.kind == "added" for file in foreign.files)
    before = None if new else text_before_run(workspace, name, foreign.since)
    return diff(before, None if found is None else found[0], name)


def _joined(parts: Iterable[str]) -> str:
    return "\n".join(part for part in parts if part)
