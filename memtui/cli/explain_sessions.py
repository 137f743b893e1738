"""Explanations of transcripts: what a resume sends and why, and what is wrong with a file."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.base.errors import MemtuiError
from memtui.base.text import clip
from memtui.cli.call import Call
from memtui.cli.context import pass_call
from memtui.cli.explain import explain
from memtui.cli.output import Data, Line, Part

if TYPE_CHECKING:
    from memtui.sessions.transcript import Transcript

__all__ = ["explain", "explain_resume", "explain_transcript"]

LONGEST = 160
"""Characters of a text that are shown; `--json` has all of them."""


def _each_transcript(
    call: Call,
    kind: str,
    files: tuple[str, ...],
    look: "Callable[[Transcript], Data]",
    text: Callable[[Data], Iterable[Line]],
) -> int:
    """Look at every transcript in turn; one that can't be read stops no other, and the exit code is 1 then."""
    from memtui.sessions.transcript import read_transcript

    found: list[Data] = []
    for word in files:
        try:
            found.append({"file": word, **look(read_transcript(Path(word)))})
        except MemtuiError as error:
            found.append({"file": word, "error": error.message})

    def lines() -> Iterator[Line]:
        for data in found:
            if len(found) > 1:
                yield Part(data["file"], "bold")
            yield from [[Part("error: ", "problem"), data["error"]]] if "error" in data else text(data)

    call.out.answer(kind, found[0] if len(found) == 1 else found, lines(), rows=found)
    return int(any("error" in data for data in found))


@explain.command("resume")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--at", default="", metavar="UUID", help="Go on from this message instead of the client's own choice.")
@pass_call
def explain_resume(call: Call, files: tuple[str, ...], at: str) -> int:
    """What the agent client sends when it resumes a session, what it leaves out, and why."""
    from memtui.sessions.chain import resume
    from memtui.sessions.report import resume_report

    return _each_transcript(
        call, "explain-resume", files, lambda transcript: resume_report(resume(transcript, at)), _resume_text
    )


def _resume_text(data: Data) -> Iterator[Line]:
    from memtui.sessions.left_out import WORDS

    yield f"goes on from {data['leaf'] or 'nothing'}: {data['leaf_reason']}"
    if data["blocks"] is None:
        yield Part("the client finds no conversation here", "problem")
    for role, kind, *rest in data["blocks"] or []:
        words = rest[0] if kind == "text" else f"{kind} {rest[1] if len(rest) > 1 else ''}"
        yield [Part(f"  {role:<10}", "dim"), clip(" ".join(str(words).split()), LONGEST)]
    if data["left_out"]:
        yield Part(f"left out: {len(data['left_out'])}", "bold")
    for item in data["left_out"]:
        yield f"  line {item['line']}  {item['type']}  {item['why']}: {item['detail'] or WORDS[item['why']]}"
    for item in data["defects"]:
        yield [Part("  ! ", "problem"), f"line {item['line']}  {item['kind']}  {item['detail']}"]


@explain.command("transcript")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@pass_call
def explain_transcript(call: Call, files: tuple[str, ...]) -> int:
    """What is in a transcript file, and what is wrong with it, line by line."""
    from memtui.sessions.report import transcript_report

    return _each_transcript(call, "explain-transcript", files, transcript_report, _transcript_text)


def _transcript_text(data: Data) -> Iterator[Line]:
    yield f"{data['records']} records, {data['bad']} bad lines, {data['salvaged']} salvaged"
    yield f"{data['cycles']} cycles, {data['orphans']} orphans, {data['duplicates']} duplicates"
    if data["pending"]:
        yield "bytes follow the last line end: the writer may not be done"
    for bad in data["lines"]:
        yield [Part(f"  line {bad['line']}  ", "dim"), bad["what"]]
