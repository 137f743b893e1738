"""A file as lines to read: its text, its links, or its history; and what dreams change, as unified diffs."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual.content import Content

from memtui.history.versions import Operation
from memtui.memory.budget import measure_index
from memtui.memory.frontmatter import read_frontmatter
from memtui.memory.snapshot import Snapshot
from memtui.memory.topic import MemoryFile
from memtui.memory.workspace import Workspace
from memtui.presentation.context_text import context_rows, context_title, omitted_rows
from memtui.presentation.history_text import who_words, why_words
from memtui.presentation.secrets import mask_secrets
from memtui.tui.render.markdown import MarkdownLine, draw, draw_raw
from memtui.tui.state import Preview
from memtui.tui.theme import Glyphs
from memtui.util.diff import unified_diff
from memtui.util.errors import NotFound
from memtui.util.lazy_module import LazyModule
from memtui.util.text import age, cells, pad, visible

if TYPE_CHECKING:
    from memtui.dream.lock import external_run
    from memtui.dream.lock.external_run import ExternalRun
    from memtui.dream.review import review
    from memtui.dream.run import runs, stage
    from memtui.dream.run.runs import Run
else:  # the engine, 1 MB: for the changes of a run only
    review, external_run = LazyModule("memtui.dream.review.review"), LazyModule("memtui.dream.lock.external_run")
    runs, stage = LazyModule("memtui.dream.run.runs"), LazyModule("memtui.dream.run.stage")

Mask = Callable[[str], str]  # masks what looks like a secret, or leaves it
START_TITLE = "start of a session"
MIN_TABLE_CELLS = 60  # cells from which the preview has room for all columns of what a session is given
MAX_BYTES_DRAWN = 400_000  # bytes that are drawn; what lies behind is said, and the editor has it


def make_preview(workspace: Workspace, snapshot: Snapshot, wanted: Preview, glyphs: Glyphs) -> Preview:
    """Read and draw what `wanted` (path, mode, width) asks for."""
    path = wanted.path
    if path is None:
        lines = _context(snapshot, workspace.env.home, wanted.width, glyphs)
        return replace(wanted, title=START_TITLE, lines=lines)
    file = snapshot.at(path)
    mask: Mask = str if wanted.secrets else mask_secrets
    if wanted.mode == "links" and file is not None:
        lines = _links(snapshot, file, wanted.width, glyphs, mask)
    elif wanted.mode == "history":
        lines = _history(workspace, path, mask)
    else:
        is_index = file is not None and file.kind == "index"
        lines = _text(workspace, path, wanted.width, glyphs, mask, is_index=is_index)
    return replace(wanted, title=file.name if file else path.name, lines=lines)


def _context(snapshot: Snapshot, home: Path, width: int, glyphs: Glyphs) -> list[MarkdownLine]:
    found, cwd = snapshot.context, snapshot.location.cwd
    title = Content.styled(visible(context_title(found)), "bold")
    lines = [MarkdownLine(part, 1) for part in title.wrap(max(1, width))]
    rows = [(row, (row.chars, row.lines, row.tokens, row.share)) for row in context_rows(found, cwd, home)]
    heads, is_wide = ("characters", "lines", "tokens", "share"), width >= MIN_TABLE_CELLS
    widths = [max(len(head) * is_wide, *(len(numbers[at]) for _, numbers in rows), 0) for at, head in enumerate(heads)]
    room = max(8, width - sum(widths) - len(widths) - 8 * is_wide)
    if rows:
        columns = "".join(f" {head:>{size}}" for head, size in zip(heads, widths, strict=True))
        lines.append(_styled(f"{'':8}{'file':<{room}}{columns}" if is_wide else ", ".join(heads), "$dim"))
    for row, numbers in rows:
        tail = "".join(f" {number:>{size}}" for number, size in zip(numbers, widths, strict=True))
        label = row.name if cells(row.name) <= room else f"{'  ' * row.is_import}{row.path.name}"
        name = pad(visible(label, keep=""), room, ellipsis=glyphs.ellipsis)
        content = Content.assemble((f"{row.type:<8}" if is_wide else "", "$dim"), name, (tail, "$dim"))
        lines.append(MarkdownLine(content, 1, (str(row.path),)))
    if found.omitted:
        lines += [_styled("", ""), _styled(f"not loaded: {len(found.omitted)}", "bold")]
    for name, reason in omitted_rows(found, cwd, home):
        words = Content.assemble(visible(name, keep=""), (f"  {visible(reason, keep='')}", "$dim"))
        lines += [MarkdownLine(part, 1) for part in words.wrap(max(1, width))]
    return lines


def _text(
    workspace: Workspace, path: Path, width: int, glyphs: Glyphs, mask: Mask, *, is_index: bool
) -> list[MarkdownLine]:
    try:
        data, _ = workspace.text(path)
    except NotFound as error:
        return [_styled(visible(error.message), "$warn")]
    except OSError as error:
        return [_styled(f"cannot be read: {error.strerror}", "$problem")]
    text = mask(data[:MAX_BYTES_DRAWN].decode("utf-8", errors="replace").replace("\r\n", "\n").rstrip("\n"))
    if is_index:
        lines = _with_cut(text, width, glyphs)
    elif (front := read_frontmatter(text)).verdict == "invalid":
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
    cut = measure_index(text).cut_line_in_file
    lines = list(draw_raw(text, width))
    if cut is None:
        return lines
    at = next((i for i, line in enumerate(lines) if line.source >= cut), len(lines))
    words = f" not loaded from line {cut} on "
    rule = Content.styled(f"{glyphs.rule * 3}{words}".ljust(width, glyphs.rule), "$problem bold")
    faded = [MarkdownLine(line.content.stylize("$dim"), line.source, line.links) for line in lines[at:]]
    return [*lines[:at], MarkdownLine(rule, cut), *faded]


def _styled(words: str, style: str) -> MarkdownLine:
    return MarkdownLine(Content.styled(words, style), 1)


def _links(snapshot: Snapshot, file: MemoryFile, width: int, glyphs: Glyphs, mask: Mask) -> list[MarkdownLine]:
    lines = [_styled("links out", "bold")]
    for link in file.links or ():
        names_file = link.target.split("#")[0].endswith(".md") or link.kind == "wiki"
        state = "  missing" if names_file and not snapshot.resolve(file.path, link.target) else ""
        target = (visible(mask(link.target), keep=""), "$link underline")
        content = Content.assemble((f"{link.line:>4} ", "$dim"), target, (state, "$problem"))
        lines += [MarkdownLine(part, link.line, (link.target,)) for part in content.wrap(max(1, width))]
    backlinks, mentions = snapshot.graphs[file.scope].backlinks(file), snapshot.unlinked_mentions(file)
    for heading, references in (("backlinks", backlinks), ("unlinked mentions", mentions)):
        lines += [_styled("", ""), _styled(heading, "bold")]
        for one in references:
            name, text = visible(one.name, keep=""), visible(mask(one.text.strip()), keep="")
            content = Content.assemble((name, "$link underline"), (f":{one.line}  ", "$dim"), text)
            lines += [MarkdownLine(part, one.line, (one.name,)) for part in content.wrap(max(1, width))]
        if not references:
            lines.append(_styled(glyphs.dash, "$dim"))
    return lines


def _history(workspace: Workspace, path: Path, mask: Mask) -> list[MarkdownLine]:
    versions = workspace.versions(path)
    if not versions:
        return [_styled("no history yet: memtui records each write from now on", "$dim")]
    _, name = workspace.home_of(path)
    lines = [_styled("Enter shows a version, u restores one", "$dim")]
    return lines + [_version(version, name, workspace.now(), mask) for version in versions]


def _version(version: Operation, name: str, now: float, mask: Mask) -> MarkdownLine:
    change = next(change for change in version.files if change.name == name)
    content = Content.assemble(
        (f"{age(now - version.when):>4} ", "$dim"),
        (f"{visible(who_words(version), keep=''):<13} ", "bold"),
        (f"+{change.added} ", "$good"),
        (f"-{change.removed}  ", "$problem"),
        (visible(mask(why_words(version)), keep=""), "$dim strike" if version.undone else ""),
        ("  undone" if version.undone else "", "$warn"),
    )
    return MarkdownLine(content, 1, (f"version:{version.id}",))


def run_difference(run: Run, workspace: Workspace, names: Collection[str] | None = None) -> str:
    """What a run changes, or changed: all of it, or the named files; "" for nothing that is known.

    Of a run at work: what it has drafted so far. Of one whose draft is kept: what adopting would do. Else what it did.

    Raises:
        MemtuiError: If nothing is known of a named file.
    """
    if names is not None:
        sides = {name: review.versions_of_file(run, workspace.dirs, workspace, name) for name in names}
        moved = any(side.now != side.before for side in sides.values())
        if not (moved and stage.has_stage(workspace.dirs, run.id) and runs.run_state(run).word != "running"):
            return "".join(unified_diff(side.before, side.made, name) for name, side in sides.items())
    changes = review.texts_changed(run, workspace.dirs, workspace)
    wanted = (one for one in changes if names is None or one[0] in names)
    return "".join(unified_diff(before, after, name) for name, before, after in wanted)


def foreign_difference(workspace: Workspace, foreign: ExternalRun | None, name: str) -> str:
    """What became of a file since another program took the lock, as far as history knows what it was before.

    Raises:
        MemtuiError: If it doesn't, or the file can't be read.
    """
    if foreign is None:
        return ""
    found = workspace.store(workspace.location.folder).read(name)
    new = any(file.name == name and file.kind == "added" for file in foreign.files)
    before = None if new else external_run.text_before_run(workspace, name, foreign.since)
    return unified_diff(before, None if found is None else found[0], name)
