"""A conversation as a document to share: Markdown, JSON or one HTML page, with what looks like a secret redacted.

Every text is redacted, tool inputs and results too, and control bytes become visible. The HTML page holds no script and
loads nothing.
"""

import html
import json
from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct, field

from memtui.resume.context import context_messages
from memtui.resume.conversation import Block
from memtui.resume.resume import ResumePlan
from memtui.secrets.scanner import redact, scan
from memtui.transcripts.content import block_content
from memtui.util.text import replace_surrogates, visible

ExportFormat = Literal["markdown", "json", "html"]

_STYLE = (
    "body{max-width:52rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 system-ui,sans-serif}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f4f4f4;padding:.6rem}"
    "h2{font-size:1rem;margin:1.5rem 0 .3rem}details{margin:.5rem 0}"
    "@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}pre{background:#222}}"
)


class Export(Struct):
    """An exported conversation: its text, and how many secrets of which kind were redacted."""

    text: str = ""
    removed: dict[str, int] = field(default_factory=dict)


def export_transcript(resume: ResumePlan, title: str, form: ExportFormat) -> Export:
    """Export a conversation.

    Args:
        resume: What a resume sends; an empty conversation gives an empty document.
        title: Its heading.
        form: "markdown", "json" or "html".
    """
    result = Export()
    clean = _Cleaner(result)
    if form == "json":
        messages = [_redact_value(message, clean) for message in context_messages(resume)]
        value = {"title": clean(title), "messages": messages}
        result.text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    elif form == "html":
        result.text = _html(resume, clean(title), clean)
    else:
        result.text = _markdown(resume, clean(title), clean)
    return result


class _Cleaner:
    """Redacts secrets and control bytes in texts, and counts the secrets."""

    def __init__(self, result: Export) -> None:
        self.removed = result.removed

    def __call__(self, value: str) -> str:
        found = scan(value)
        for finding in found:
            self.removed[finding.rule] = self.removed.get(finding.rule, 0) + 1
        return visible(replace_surrogates(redact(value, found) if found else value))


class _Part(Struct, frozen=True):
    """A part of the document: its role and kind, the name of a call's tool, and its text."""

    role: str
    kind: Literal["text", "call", "result", "other"]
    name: str
    body: str


def _parts(resume: ResumePlan, clean: _Cleaner) -> Iterator[_Part]:
    for message in resume.messages or ():
        for block in message.blocks:
            part = _part(message.role, block, clean)
            if part is not None:
                yield part


def _part(role: str, block: Block, clean: _Cleaner) -> _Part | None:
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


def _markdown(resume: ResumePlan, title: str, clean: _Cleaner) -> str:
    lines, speaker = [f"# {_one_line(title)}", ""], ""
    for part in _parts(resume, clean):
        if part.role != speaker and part.kind != "result":
            speaker = part.role
            lines += [f"## {'Assistant' if speaker == 'assistant' else 'User'}", ""]
        if part.kind in ("text", "other"):
            lines += [part.body, ""]
        else:
            label = f"**Call {_one_line(part.name)}**" if part.kind == "call" else "**Result**"
            fence = _fence(part.body)
            lines += [label, "", fence, part.body, fence, ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _fence(body: str) -> str:
    """A Markdown fence longer than any in the text."""
    longest = run = 0
    for character in body:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    return "`" * max(3, longest + 1)


def _one_line(value: str) -> str:
    return " ".join(value.split())


def _html(resume: ResumePlan, title: str, clean: _Cleaner) -> str:
    body, speaker = [], ""
    for part in _parts(resume, clean):
        if part.role != speaker and part.kind != "result":
            speaker = part.role
            body.append(f"<h2>{'Assistant' if speaker == 'assistant' else 'User'}</h2>")
        shown = html.escape(part.body)
        if part.kind == "text":
            body.append(f"<pre>{shown}</pre>")
        elif part.kind == "other":
            body.append(f"<p>{shown}</p>")
        else:
            label = f"Call {html.escape(_one_line(part.name))}" if part.kind == "call" else "Result"
            body.append(f"<details><summary>{label}</summary><pre>{shown}</pre></details>")
    heading = html.escape(_one_line(title))
    return (
        f'<!doctype html>\n<html><head><meta charset="utf-8"><title>{heading}</title><style>{_STYLE}</style></head>\n'
        f"<body><h1>{heading}</h1>\n" + "\n".join(body) + "\n</body></html>\n"
    )


def _redact_value(value: Any, clean: _Cleaner) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_redact_value(part, clean) for part in value]
    if isinstance(value, dict):
        return {clean(key) if isinstance(key, str) else key: _redact_value(part, clean) for key, part in value.items()}
    return value
