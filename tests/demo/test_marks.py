"""Marks in the demo's data files."""

from hypothesis import given
from hypothesis import strategies as st

from memtui.demo.marks import FAKE_SECRET, age_in, fill, iso_timestamp, span_seconds
from memtui.secrets.scanner import scan

NOW = 1_796_000_000.0  # 2026-11-30 00:53:20 UTC


def test_dates_count_from_the_moment() -> None:
    assert fill("{{-2d}} {{+1d}} {{-3d ko}}", NOW) == "2026-11-28 2026-12-01 11월 27일"
    assert fill("{{-2d1h iso}} {{-1m0.5s iso}}", NOW) == "2026-11-27T23:53:20.000Z 2026-11-30T00:52:19.500Z"


def test_names_come_from_the_caller() -> None:
    assert fill("{{cwd}}/a {{memory}}", NOW, {"cwd": "/x"}) == "/x/a {{memory}}"


@given(st.text())
def test_text_without_marks_stays(text: str) -> None:
    if "{{" not in text:
        assert fill(text, NOW) == text


def test_templates_of_other_programs_stay() -> None:
    text = "{{ post.data.title }} ${{ github.sha }} {{#each x}}"
    assert fill(text, NOW) == text


@given(st.integers(0, 400), st.integers(0, 23), st.integers(0, 59))
def test_spans_add_up(days: int, hours: int, minutes: int) -> None:
    assert span_seconds(f"{days}d{hours}h{minutes}m") == days * 86_400 + hours * 3_600 + minutes * 60


def test_a_file_says_its_own_age() -> None:
    assert age_in("---\nmetadata: \n  modified: {{-2d1h iso}}\n---\n") == 2 * 86_400 + 3_600
    assert age_in("---\ntype: user\n---\n") is None


def test_times_have_milliseconds() -> None:
    assert iso_timestamp(NOW + 0.9996) == "2026-11-30T00:53:21.000Z"


def test_the_fake_secret_is_found_by_the_scan() -> None:
    assert scan(f'curl -H "Authorization: Bearer {FAKE_SECRET}" http://localhost:4000/')
