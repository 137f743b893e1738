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


def test_results_of_parallel_calls_are_named_by_their_calls(tmp_path: Path) -> None:
    told = Script().user("u0", None).call("c1", "u0", "t1", "Bash", id="m", command="make deploy")
    told.call("c2", "c1", "t2", "Bash", id="m", command="make test").result("r2", "c2", "t2", "fine")
    told.result("r1", "c1", "t1", "deployed\x1b[0m").answer("a1", "r1")
    text = export_transcript(plan_resume(told.read(tmp_path)), "T", "markdown").text
    assert "**Result of Bash make test**\n\n```\nfine" in text
    assert "**Result of Bash make deploy**\n\n```\ndeployed\n" in text


@pytest.mark.parametrize("form", FORMS)
def test_the_whole_session(form: ExportFormat, tmp_path: Path) -> None:
    """Branches, what came before a compaction, agents, times, models, and edits as differences."""
    told = Script().user("u0", None, "before it").answer("a1", "u0").boundary("b").summary("s", "b")
    told.user("u2", "s", "left").answer("a2", "u2").user("u3", "s", "taken").answer("a3", "u3")
    told.call("c4", "a3", "t4", "Edit", file_path="/p/a.py", old_string="x = 1\ny", new_string="x = 2\ny")
    told.result("r4", "c4", "t4", "ok").user("g1", None, "of an agent", isSidechain=True)
    transcript = told.read(tmp_path)
    plan = plan_resume(transcript)
    whole = export_transcript(plan, "T", form, transcript).text
    for words in ("before it", "left", "taken", "of an agent", "2026-11-01"):
        assert words in whole
    assert "before it" not in export_transcript(plan, "T", form).text
    if form == "markdown":
        assert "# Rewind: taken" in whole or "# Rewind: left" in whole
        assert "```diff\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y\n```" in whole


def test_code_on_the_page_has_colours_and_foreign_text_stays_text(tmp_path: Path) -> None:
    body = "```python\nx = '</script>'\n```\n\n| a |\n|---|\n| <b>1</b> |\n\n"
    body += "![x](https://a.example/x.png) [j](javascript:1)"
    text = export_transcript(plan_resume(Script().user("u0", None, body).read(tmp_path)), "T", "html").text
    assert '<span class="s1">' in text
    assert "<td>&lt;b&gt;1&lt;/b&gt;</td>" in text
    assert not [tag for tag in ("<img", "<b>", "</script>", 'href="java') if tag in text]


def test_json_are_the_messages(tmp_path: Path) -> None:
    value = json.loads(export_transcript(plan_resume(script().read(tmp_path)), "T", "json").text)
    assert [message["role"] for message in value["messages"]] == ["user", "assistant", "user", "assistant", "user"]


def test_the_corpus_can_be_exported(shared: Path) -> None:
    for file in sorted((shared / "corpus" / "sessions").glob("entire-*/*.jsonl"))[:12]:
        told = plan_resume(read_transcript(file))
        for form in FORMS:
            assert export_transcript(told, file.stem, form).text
