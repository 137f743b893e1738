"""A resume plan and a transcript as plain data, for `memtui explain` and for scripts."""

from typing import Any

from msgspec.structs import asdict

from memtui.resume.conversation import RESUME_POINT_REASONS
from memtui.resume.resume import ResumePlan
from memtui.transcripts.transcript import Transcript
from memtui.transcripts.tree import build_tree


def resume_report(resume: ResumePlan) -> dict[str, Any]:
    """What a resume sends, from which leaf and by which rule, and what it leaves out; `blocks` may be None."""
    rule_id = f"leaf.{resume.leaf.reason}"
    return {
        "client_family": resume.family.name,
        "recorded_version": resume.family.recorded,
        "leaf": resume.leaf.uuid or None,
        "leaf_reason": RESUME_POINT_REASONS[resume.leaf.reason],
        "leaf_rule": rule_id if any(rule.id == rule_id for rule in resume.family.rules) else None,
        "blocks": resume.blocks(),
        "left_out": [asdict(item) for item in resume.omitted],
        "defects": [asdict(item) for item in resume.defects],
    }


def transcript_report(transcript: Transcript) -> dict[str, Any]:
    """What a file holds and what is wrong with it, counted as the reader counts; `lines` says what is wrong where."""
    reader, tree = transcript.reader, build_tree(transcript.entries)
    lines = [{"line": bad.line, "what": bad.why} for bad in transcript.problems]
    for rows, what in (
        (tree.cycles, "its parents form a cycle"),
        (tree.orphans, "its parent is not in the file"),
        (tree.duplicates, "an earlier record has its uuid"),
    ):
        lines += [{"line": row.line, "what": what, "uuid": row.uuid} for row in rows]
    return {
        "records": reader.records,
        "bad": reader.bad,
        "pending": reader.pending,
        "salvaged": reader.salvaged,
        "lossy": reader.lossy,
        "cycles": len(tree.cycles),
        "orphans": len(tree.orphans),
        "duplicates": len(tree.duplicates),
        "lines": sorted(lines, key=lambda item: int(str(item["line"]))),
    }
