"""What is known of one file, in words: the third pane, or the line above the preview where there is none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content

from memtui.presentation.budget_text import index_details
from memtui.presentation.context_text import import_words, loaded_words, shown_imports
from memtui.presentation.problem_text import problem_text
from memtui.tui.render.markdown import MarkdownLine
from memtui.tui.state import AppState
from memtui.tui.theme import TONE_STYLES, Glyphs
from memtui.tui.widgets.properties import Pair
from memtui.util.text import cells, size, time_ago, visible

if TYPE_CHECKING:
    from memtui.memory.checks.base import Problem
    from memtui.memory.instructions import Instruction
    from memtui.memory.scope import Scope
    from memtui.memory.snapshot import Snapshot
    from memtui.memory.topic import MemoryFile

MAX_NOTES = 8  # problems of one file that are listed beside it


def properties(state: AppState, path: Path | None, glyphs: Glyphs, home: Path) -> tuple[list[Pair], list[Content]]:
    """Pairs and notes for the file, or for the whole memory where the cursor is on no file."""
    snapshot = state.snapshot
    if snapshot is None:
        return [], []
    pairs, notes = _properties(state, snapshot, path, glyphs)
    lead = f"{home}/"
    short = [
        (name, f"~/{value.removeprefix(lead)}" if value.startswith(lead) else value, style)
        for name, value, style in pairs
    ]
    return [(name, state.masked(value), style) for name, value, style in short], notes


def _properties(
    state: AppState, snapshot: Snapshot, path: Path | None, glyphs: Glyphs
) -> tuple[list[Pair], list[Content]]:
    if path is None:
        return [("memory", visible(str(state.location.folder)), ""), ("decided by", state.location.decided_by, "")], []
    notes = [_note(problem, state, glyphs) for problem in snapshot.problems if problem.path == path]
    if len(notes) > MAX_NOTES:
        more = f"and {len(notes) - MAX_NOTES} more: F8 in the editor goes from one to the next"
        notes = [*notes[:MAX_NOTES], Content.styled(more, "$dim")]
    file = snapshot.at(path)
    if file is None:
        return _instruction(state, path), notes
    scope = snapshot.scope(file.scope)
    pairs = _index(scope) if scope and file.kind == "index" else _topic(file)
    pairs += [("modified", time_ago(state.now - file.mtime_ns / 1e9), ""), ("size", f"{size(file.size)}B", "")]
    if file.kind == "topic" and scope and scope.index:
        line = next((entry.line for entry in scope.entries if entry.target == file.name), None)
        pairs.append(("in index", f"line {line}" if line else "no", "" if line else "$warn"))
    if file.links is not None and scope:
        out, broken, back = snapshot.graphs[file.scope].counts(file)
        pairs.append(("links out", f"{out}" + (f" ({broken} broken)" if broken else ""), "$problem" if broken else ""))
        pairs.append(("backlinks", str(back), ""))
    is_beyond = file.kind == "topic" and not file.scanned
    pairs += [
        ("session", f"{visible(file.front.origin[:8], keep='')}, O opens it" if file.front.origin else "", "$link"),
        ("scanned", "no: beyond the newest 200" if is_beyond else "", "$warn"),
        ("pinned", "yes: no background run may touch it" if path in state.pinned else "", "$link"),
        ("lies at", visible(str(file.lies_at or ""), keep=""), ""),
        ("read only", visible(file.readonly or "", keep=""), "$warn"),
    ]
    return [pair for pair in pairs if pair[1]], notes


def _note(problem: Problem, state: AppState, glyphs: Glyphs) -> Content:
    shown, mark = problem_text(problem), glyphs.of_severity(problem.severity)
    place = f"{shown.label}  " if shown.label else ""
    return Content.assemble(
        (f"{mark} ", TONE_STYLES[shown.tone]), (place, "$dim"), visible(state.masked(shown.text), keep="")
    )


def _topic(file: MemoryFile) -> list[Pair]:
    described = "" if file.description else "$warn"
    return [
        ("type", file.type or "none", "bold" if file.type else "$warn"),
        ("name", visible(file.front.name or "", keep=""), ""),
        ("description", visible(file.description or "none", keep=""), described),
    ]


def _index(scope: Scope) -> list[Pair]:
    if scope.budget is None:
        return []
    lost = sum(entry.loaded is False for entry in scope.entries)
    details = index_details(scope.budget, len(scope.entries), lost)
    return [(one.label, one.text, TONE_STYLES[one.tone]) for one in details]


def dressed(state: AppState, path: Path, glyphs: Glyphs, home: Path) -> tuple[list[MarkdownLine], list[MarkdownLine]]:
    """What stands above and below a preview where there is no third pane: properties, description, problems."""
    pairs, notes = properties(state, path, glyphs, home)
    values = {name: value for name, value, _ in pairs}
    words = [values.get("type", values.get("index", "")), values.get("modified", ""), values.get("size", "")]
    if "in index" in values:
        words.append(f"index {values['in index']}" if values["in index"] != "no" else "not in the index")
    words += [name for name in ("pinned", "read only", "skipped") if name in values]
    width, blank = max(1, state.preview.width), Content("")
    above = [Content.styled(line, "$dim") for line in _joined(words, f" {glyphs.separator} ", width)]
    if values.get("description", "none") != "none":
        above += Content.styled(values["description"], "italic").wrap(width)
    below = [blank] * bool(notes) + [part for note in notes for part in note.wrap(width)]
    return [MarkdownLine(part, 1) for part in [*above, blank]], [MarkdownLine(part, 1) for part in below]


def _joined(words: list[str], separator: str, width: int) -> list[str]:
    """Facts in lines, broken between two of them, where the separator is left out."""
    lines: list[str] = []
    for word in filter(None, words):
        if lines and cells(lines[-1] + separator + word) <= width:
            lines[-1] += separator + word
        else:
            lines.append(word)
    return lines


def _instruction(state: AppState, path: Path) -> list[Pair]:
    instructions = state.snapshot.instructions if state.snapshot else ()
    instruction = next((item for item in instructions if item.path == path), None)
    if instruction is None:
        return _import(instructions, path)
    loaded = loaded_words(instruction) if instruction.loaded else ""
    pairs: list[Pair] = [
        ("instructions", instruction.layer, "bold"),
        ("file", str(path), ""),
        ("size", f"{size(instruction.size)}B", ""),
        ("modified", time_ago(state.now - instruction.mtime_ns / 1e9), ""),
        ("loaded", loaded, "$warn" if instruction.is_long else "$good"),
        ("lies at", str(instruction.lies_at or ""), ""),
        ("read only", instruction.readonly or "", "$warn"),
        ("only for", ", ".join(instruction.globs), ""),
        ("skipped", instruction.skipped or "", "$warn"),
    ]
    for each in (one for one in instruction.imports if one.is_meant):
        style = "" if each.state in ("loaded", "repeated") else "$warn"
        pairs.append(("imports", f"{each.written}: {import_words(each)}", style))
    return [(name, visible(value, keep=""), style) for name, value, style in pairs if value]


def _import(instructions: tuple[Instruction, ...], path: Path) -> list[Pair]:
    found = next(((item, each) for item, each in shown_imports(instructions) if each.path == path), None)
    pairs: list[Pair] = [("file", visible(str(path), keep=""), "")]
    if found is None:
        return pairs
    item, each = found
    place = f"{item.path} line {each.line}" if each.hops == 1 else f"{item.path}, over {each.hops - 1} more"
    return [
        ("import", visible(import_words(each), keep=""), "$good" if each.state == "loaded" else "$warn"),
        *pairs,
        ("imported by", visible(place, keep=""), ""),
    ]
