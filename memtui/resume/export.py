"""A conversation as a document to share: Markdown, JSON or one HTML page, with what looks like a secret redacted.

Every text is redacted, tool inputs and results too, and control bytes become visible. The HTML page holds no script and
loads nothing.
"""

import html
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Literal

from msgspec import Struct

from memtui.resume.context import context_messages
from memtui.resume.conversation import Block
from memtui.resume.resume import ResumePlan
from memtui.secrets.scanner import redact, scan
from memtui.transcripts.content import block_content
from memtui.transcripts.lines import map_values
from memtui.util.text import replace_surrogates, visible

_BACKTICKS = re.compile("`+")
ExportFormat = Literal["markdown", "json", "html"]
Clean = Callable[[str], str]  # redacts secrets and control bytes in a text
_STYLE = (
    "body{max-width:52rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 system-ui,sans-serif}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f4f4f4;padding:.6rem}"
    "h2{font-size:1rem;margin:1.5rem 0 .3rem}details{margin:.5rem 0}"
    "@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}pre{background:#222}}"
)


class Export(Struct, frozen=True):
    """An exported conversation, and how many secrets of which kind were redacted."""

    text: str
    removed: dict[str, int]


def export_transcript(resume: ResumePlan, title: str, form: ExportFormat) -> Export:
    """Export what a resume sends, under a title; an empty conversation gives an empty document."""
    removed: Counter[str] = Counter()

    def clean(value: str) -> str:
        found = scan(value)
        removed.update(finding.rule for finding in found)
        return visible(replace_surrogates(redact(value, found) if found else value))

    if form == "json":
        messages = map_values(context_messages(resume), lambda value: clean(value) if isinstance(value, str) else value)
        text = json.dumps({"title": clean(title), "messages": messages}, ensure_ascii=False, indent=2) + "\n"
    else:
        text = (_html if form == "html" else _markdown)(resume, clean(title), clean)
    return Export(text, dict(removed))


class _Part(Struct, frozen=True):
    """A part of the document; `name` is the tool of a call."""

    role: str
    kind: Literal["text", "call", "result", "other"]
    name: str
    body: str


def _parts(resume: ResumePlan, clean: Clean) -> Iterator[tuple[str, _Part]]:
    """The parts, each with the heading that stands before it, "" where the same role goes on."""
    speaker = ""
    for message in resume.messages or ():
        for part in filter(None, (_part(message.role, block, clean) for block in message.blocks)):
            changed = part.role != speaker and part.kind != "result"
            speaker = part.role if changed else speaker
            yield ("Assistant" if speaker == "assistant" else "User") if changed else "", part


def _part(role: str, block: Block, clean: Clean) -> _Part | None:
    part = block_content(block.data)
    if part.kind == "text":
        body = part.body.strip()
        if not body or block.reminder or body.startswith("<system-reminder>"):
            return None
        return _Part(role, "text", "", clean(body))
    if part.kind == "call":
        given = block.data.get("input")
        body = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, indent=2, default=str)
        return _Part(role, "call", clean(part.name), clean(body))
    if part.kind == "result":
        return _Part(role, "result", "", clean(part.body))
    return None if part.kind == "thinking" else _Part(role, "other", "", clean(part.line))


def _markdown(resume: ResumePlan, title: str, clean: Clean) -> str:
    lines = [f"# {_one_line(title)}", ""]
    for heading, part in _parts(resume, clean):
        lines += [f"## {heading}", ""] if heading else []
        if part.kind in ("text", "other"):
            lines += [part.body, ""]
        else:
            label = f"**Call {_one_line(part.name)}**" if part.kind == "call" else "**Result**"
            fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(part.body)), default=0))
            lines += [label, "", fence, part.body, fence, ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _one_line(value: str) -> str:
    return " ".join(value.split())


def _html(resume: ResumePlan, title: str, clean: Clean) -> str:
    body: list[str] = []
    for heading, part in _parts(resume, clean):
        body += [f"<h2>{heading}</h2>"] if heading else []
        shown = html.escape(part.body)
        if part.kind == "text":
            body.append(f"<pre>{shown}</pre>")
        elif part.kind == "other":
            body.append(f"<p>{shown}</p>")
        else:
            label = f"Call {html.escape(_one_line(part.name))}" if part.kind == "call" else "Result"
            body.append(f"<details><summary>{label}</summary><pre>{shown}</pre></details>")
    name = html.escape(_one_line(title))
    return (
        f'<!doctype html>\n<html><head><meta charset="utf-8"><title>{name}</title><style>{_STYLE}</style></head>\n'
        f"<body><h1>{name}</h1>\n" + "\n".join(body) + "\n</body></html>\n"
    )
