import json
from pathlib import Path

from memtui.resume.report import resume_report, transcript_report
from memtui.resume.resume import plan_resume
from memtui.transcripts.transcript import read_transcript
from tests.transcripts.rows import Script


def test_both_reports_are_plain_data(tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0").user("u2", "lost").user("u2", "lost").user("s", "s")
    path = script.write(tmp_path, tail='{"torn\n{"type":"mode"')
    transcript = read_transcript(path)
    counted = transcript_report(transcript)
    assert {key: counted[key] for key in counted if key != "lines"} == {
        "records": 5,
        "bad": 1,
        "pending": True,
        "salvaged": 0,
        "lossy": 0,
        "cycles": 1,
        "orphans": 1,
        "duplicates": 1,
    }
    assert [item["line"] for item in counted["lines"]] == [3, 4, 5, 6]
    told = resume_report(plan_resume(transcript))
    assert told["blocks"] == [["user", "text", "s"]]
    assert told["leaf"] == "s"
    assert {item["kind"] for item in told["defects"]} == {"orphan", "duplicate", "cycle", "bad-line"}
    json.dumps([counted, told])


def test_no_conversation(tmp_path: Path) -> None:
    told = resume_report(plan_resume(Script().note(type="mode").read(tmp_path)))
    assert (told["leaf"], told["blocks"]) == (None, None)
