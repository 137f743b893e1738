"""What is known of one session."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import asdict

from memtui.base.text import many, size
from memtui.cli.call import Call
from memtui.cli.context import pass_call
from memtui.cli.output import Data, Line, Part
from memtui.cli.session_list import places
from memtui.cli.sessions import sessions
from memtui.cli.table import Column, table

if TYPE_CHECKING:
    from memtui.sessions.chain import Resume
    from memtui.sessions.facts import Facts
    from memtui.sessions.left_out import Why
    from memtui.sessions.snapshots import ChangedFile
    from memtui.sessions.transcript import Transcript

__all__ = ["sessions"]


@sessions.command("show")
@click.argument("session", metavar="ID")
@pass_call
def sessions_show(call: Call, session: str) -> None:
    """What is known of one session: what it did, and how much of it a resume would still send.

    ID is the beginning of an id, a title, or a transcript's path. Files that it changed are told with the number of
    their kept versions, and how they are now against the newest of these.
    """
    from memtui.search import shelf
    from memtui.sessions.chain import resume
    from memtui.sessions.scan import Scanner
    from memtui.sessions.transcript import read_transcript

    path = shelf.find(call.dirs.cache, places(call, everywhere=True), session)
    transcript = read_transcript(path)
    told, facts = resume(transcript), Scanner().file(path)
    data = _transcript_data(call, transcript, told, facts)
    call.out.answer("session", data, _text(call, data, told, facts))


def _transcript_data(call: Call, transcript: "Transcript", told: "Resume", facts: "Facts") -> Data:
    from memtui.sessions.leaf import REASONS
    from memtui.sessions.tally import tally

    done = tally(transcript.each(transcript.entries))
    return {
        "id": transcript.path.stem,
        "path": str(transcript.path),
        **asdict(facts),
        "tools": asdict(done.stats.total),
        "tokens": asdict(done.usage.total),
        "files": _files(call, transcript.path.stem, done.changes.files, facts.cwd),
        "sent": None if told.messages is None else len(told.messages),
        "leaf": told.leaf.uuid or None,
        "leaf_reason": REASONS[told.leaf.reason],
        "left_out": dict(Counter(item.why for item in told.left_out)),
        "defects": len(told.defects),
    }


def _files(call: Call, session: str, files: "tuple[ChangedFile, ...]", cwd: str) -> list[Data]:
    from memtui.host.paths import config_dir
    from memtui.sessions.snapshots import compare

    kept = config_dir(call.env) / "file-history" / session
    return [
        {
            "path": file.path,
            "versions": len(file.versions),
            "now": compare(file, file.versions[-1], kept, Path(cwd or "/")),
        }
        for file in files
        if file.versions
    ]


def _text(call: Call, data: Data, told: "Resume", facts: "Facts") -> Iterator[Line]:
    from memtui.host.titles import NAMELESS
    from memtui.sessions.left_out import WORDS

    yield Part(facts.title or NAMELESS, "bold")
    yield f"{data['id']}  in {facts.cwd or 'an unknown directory'}{f'  on {facts.branch}' if facts.branch else ''}"
    yield f"{facts.first_time} to {facts.last_time}"
    counts = [(facts.prompts, "prompt"), (facts.messages, "message"), (facts.rewinds, "rewind")]
    counts += [(facts.compactions, "compaction"), (facts.bad, "bad line")]
    yield ", ".join(many(number, word) for number, word in counts)
    yield "tools   " + ", ".join(f"{name} {number}" for name, number in data["tools"].items())
    yield "tokens  " + ", ".join(
        f"{name} {size(number)}" for name, number in data["tokens"].items() if name != "answers"
    )
    if told.messages is None:
        yield Part("a resume finds no conversation here", "problem")
    else:
        yield f"a resume goes on from {told.leaf.uuid}: {data['leaf_reason']}"
        yield f"  sent      {len(told.messages):>5}  messages; rows of one answer count as one"
    left: Counter[Why] = Counter(data["left_out"])
    for why, number in left.most_common():
        yield f"  not sent  {number:>5}  {WORDS[why]}"
    if left or told.defects:
        yield Part(f"each of them: memtui explain resume {data['path']}", "dim")
    if data["files"]:
        yield Part("files changed", "bold")
        rows = [[file["path"], many(file["versions"], "version"), file["now"]] for file in data["files"]]
        yield from table(call.out, [Column("", rest=1), Column("", right=True), Column("")], rows)
