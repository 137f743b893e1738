import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from memtui.resume.export import ExportFormat, export_transcript
from memtui.resume.resume import plan_resume
from memtui.transcripts.transcript import read_transcript
from tests.transcripts.rows import Script

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
FORMS: list[ExportFormat] = ["markdown", "json", "html"]


def script() -> Script:
    told = Script().user("u0", None, f"use {SECRET} <script>alert(1)</script> \x1b[2J")
    told.call("c1", "u0", "t1", "Bash", command=f"curl -H 'Authorization: Bearer {SECRET}' x")
    return (
        told.result("r1", "c1", "t1", f"```\n{SECRET}\n```")
        .answer("a2", "r1")
        .user("m", "a2", "<system-reminder>x</system-reminder>")
    )


@pytest.mark.parametrize("form", FORMS)
def test_no_secret_and_no_control_byte_leaves(form: ExportFormat, tmp_path: Path) -> None:
    made = export_transcript(plan_resume(script().read(tmp_path)), f"My {SECRET}", form)
    assert SECRET not in made.text
    assert "\x1b" not in made.text
    assert sum(made.removed.values()) >= 4
    assert made.text.endswith("\n")


def test_markdown(tmp_path: Path) -> None:
    text = export_transcript(plan_resume(script().read(tmp_path)), "T", "markdown").text
    assert text.startswith("# T\n\n## User\n\nuse ")
    assert "**Call Bash**" in text
    assert "\n````\n```\n" in text, "a fence longer than the one inside"
    assert "system-reminder" not in text


def test_an_image_in_a_result_is_named(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 4000}}
    told = Script().user("u0", None).call("c1", "u0", "t1").result("r1", "c1", "t1", [image]).answer("a1", "r1")
    assert "[image image/png 3.0kB]" in export_transcript(plan_resume(told.read(tmp_path)), "T", "markdown").text


def test_html_has_no_script(tmp_path: Path) -> None:
    text = export_transcript(plan_resume(script().read(tmp_path)), "<b>T</b>", "html").text
    tags: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            tags.append(tag)

    Reader().feed(text)
    assert not {"script", "b", "img", "link"} & set(tags)
    assert "&lt;script&gt;" in text


def test_json_are_the_messages(tmp_path: Path) -> None:
    value = json.loads(export_transcript(plan_resume(script().read(tmp_path)), "T", "json").text)
    assert [message["role"] for message in value["messages"]] == ["user", "assistant", "user", "assistant", "user"]


def test_the_corpus_can_be_exported(shared: Path) -> None:
    for file in sorted((shared / "corpus" / "sessions").glob("entire-*/*.jsonl"))[:12]:
        told = plan_resume(read_transcript(file))
        for form in FORMS:
            assert export_transcript(told, file.stem, form).text
