"""A conversation as a document to share: Markdown, JSON or one HTML page, with what looks like a secret redacted.

It holds what a resume sends, or the whole session: every branch, what came before a compaction and the sub-agents, with
times and models. A result is named by its call: results of parallel calls come in any order. Every text is redacted,
tool inputs and results too, and control bytes become visible. The HTML page holds no script and loads nothing.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Literal

from msgspec import Struct

from memtui.resume.context import context_messages
from memtui.resume.outline import NODE_LABELS, OutlineNode, outline_of
from memtui.resume.resume import ResumePlan
from memtui.secrets.scanner import redact, scan
from memtui.transcripts.content import ContentPart, block_content, record_parts, record_role
from memtui.transcripts.entries import text
from memtui.transcripts.lines import Record, map_values
from memtui.transcripts.transcript import Transcript, read_transcript
from memtui.util.errors import MemtuiError
from memtui.util.lazy_module import LazyModule
from memtui.util.text import replace_surrogates, visible

html_page = LazyModule("memtui.resume.html_page")  # Markdown and code colours: 60 ms, for one of the formats

_BACKTICKS = re.compile("`+")
_SPEAKERS = {"you": "User", "assistant": "Assistant", "task": "Task"}
ExportFormat = Literal["markdown", "json", "html"]
Clean = Callable[[str], str]  # redacts secrets and control bytes in a text


class Export(Struct, frozen=True):
    """An exported conversation, and how many secrets of which kind were redacted."""

    text: str
    removed: dict[str, int]


class Passage(Struct, frozen=True):
    """A part of the document, with the headings that stand before it; the body of a text is Markdown."""

    kind: Literal["text", "code", "note"]
    body: str
    label: str = ""  # what a body of code is: "Call Bash", "Result of Bash make test"
    language: str = ""
    branch: str = ""
    speaker: str = ""


def export_transcript(
    resume: ResumePlan,
    title: str,
    form: ExportFormat,
    whole: Transcript | None = None,  # export all of this session instead of what a resume sends
) -> Export:
    """Export a session under a title; an empty conversation gives an empty document."""
    removed: Counter[str] = Counter()

    def clean(value: str) -> str:
        found = scan(value)
        removed.update(finding.rule for finding in found)
        return visible(replace_surrogates(redact(value, found) if found else value))

    if form == "json":
        content: dict[str, Any] = (
            {"branches": _branches(resume, whole)} if whole else {"messages": context_messages(resume)}
        )
        content = map_values(content, lambda value: clean(value) if isinstance(value, str) else value)
        made = json.dumps({"title": clean(title), **content}, ensure_ascii=False, indent=2, default=str) + "\n"
    else:
        write = html_page.write_page if form == "html" else _markdown
        parts = _whole_parts(resume, whole) if whole else _sent_parts(resume)
        made = write(one_line(clean(title)), _passages(parts, clean))
    return Export(made, dict(removed))


class _Told(Struct, frozen=True):
    """A part of the content with who said it, and when and with which model."""

    part: ContentPart
    speaker: str = ""
    details: tuple[str, ...] = ()
    branch: str = ""  # the heading of the branch that begins here


def _sent_parts(resume: ResumePlan) -> Iterator[_Told]:
    for message in resume.messages or ():
        speaker = "Assistant" if message.role == "assistant" else "User"
        for block in message.blocks:
            part = block_content(block.data)
            if part.kind != "thinking" and not block.reminder:
                yield _Told(part, speaker)


def _whole_parts(resume: ResumePlan, transcript: Transcript) -> Iterator[_Told]:
    for node, records in _records_of(resume, transcript):
        branch = _branch_title(node)
        for data in records:
            message = data.get("message")
            model = text(message.get("model")) if isinstance(message, dict) else ""
            details = tuple(filter(None, (model, text(data.get("timestamp"))[:19].replace("T", " "))))
            for part in record_parts(data):
                if part.kind != "note" or part.failed:
                    yield _Told(part, _SPEAKERS.get(record_role(data), ""), details, branch)
                    branch = ""


def _records_of(resume: ResumePlan, transcript: Transcript) -> Iterator[tuple[OutlineNode, Iterator[Record]]]:
    """Every branch and sub-agent of a session with its records; an agent's file that can't be read has none."""
    for node in outline_of(transcript, resume):
        if node.branch is not None:
            yield node, transcript.each(node.branch.rows)
        elif node.agent is not None and node.agent.path is not None:
            try:
                own = read_transcript(node.agent.path)
                yield node, own.each(entry for entry in own.entries if entry.chained)
            except MemtuiError:
                yield node, iter(())


def _branches(resume: ResumePlan, transcript: Transcript) -> list[dict[str, Any]]:
    return [
        {
            "kind": node.kind, "depth": node.depth, "first": node.first_text,
            "agent": node.agent.id if node.agent else None, "records": list(records),
        }
        for node, records in _records_of(resume, transcript)
    ]  # fmt: skip


def _branch_title(node: OutlineNode) -> str:
    kind = node.agent.kind if node.agent and node.agent.kind else NODE_LABELS[node.kind] or "session"
    return f"{kind[:1].upper()}{kind[1:]}: {node.first_text}"


def _passages(parts: Iterator[_Told], clean: Clean) -> Iterator[Passage]:
    last, calls = "", dict[str, str]()
    for told in parts:
        part = told.part
        passage = _passage(part, calls, clean)
        if passage is None and not told.branch:
            continue
        speaker = told.speaker if part.kind not in ("result", "boundary") else ""
        changed = speaker and (speaker != last or bool(told.branch))
        heading = " ".join(filter(None, (speaker, " ".join(told.details)))) if changed else ""
        last = speaker or last
        shown = passage or Passage("note", "")
        yield Passage(shown.kind, shown.body, shown.label, shown.language, one_line(clean(told.branch)), clean(heading))


def _passage(part: ContentPart, calls: dict[str, str], clean: Clean) -> Passage | None:
    if part.kind in ("text", "summary"):
        body = part.body.strip()
        return Passage("text", clean(body)) if body and not body.startswith("<system-reminder>") else None
    if part.kind == "call":
        calls[part.call] = f"{part.name} {part.line}"
        return Passage("code", clean(part.body), f"Call {one_line(clean(part.name))}", "diff" if part.diff else "")
    if part.kind == "result":
        of = one_line(clean(calls.get(part.call, "")))
        return Passage("code", clean(part.body), f"Result of {of}" if of else "Result")
    if part.kind in ("machine", "thinking"):
        return Passage("code", clean(part.body), part.kind.capitalize()) if part.body.strip() else None
    return Passage("note", clean(part.line))


def _markdown(title: str, passages: Iterator[Passage]) -> str:
    lines = [f"# {title}", ""]
    for one in passages:
        lines += [f"# {one.branch}", ""] if one.branch else []
        lines += [f"## {one.speaker}", ""] if one.speaker else []
        if one.kind == "code":
            fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(one.body)), default=0))
            lines += [f"**{one.label}**", "", fence + one.language, one.body.removesuffix("\n"), fence, ""]
        elif one.body:
            lines += [one.body, ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def one_line(value: str) -> str:
    return " ".join(value.split())
