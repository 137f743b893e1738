from typing import Any

import pytest

from memtui.client.session_files import MAX_TITLE_CHARS
from memtui.transcripts.summary import title_of


def user(content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}, **more}


COMMAND = user("<command-name>/clear</command-name>\n<command-message>clear</command-message>")
GIVEN = {"type": "custom-title", "customTitle": "Given"}
MADE = {"type": "ai-title", "aiTitle": "Made"}
LAST = {"type": "last-prompt", "lastPrompt": "Last"}
SUMMARY = {"type": "summary", "summary": "Summary"}


@pytest.mark.parametrize(
    ("records", "title"),
    [
        ([user("hello\n  there")], "hello there"),
        ([COMMAND, user("hello")], "hello"),
        ([COMMAND], "/clear"),
        (
            [user("meta", isMeta=True), user("side", isSidechain=True), user("sum", isCompactSummary=True), user("x")],
            "x",
        ),
        ([user([{"type": "tool_result", "tool_use_id": "t", "content": "no"}]), user("x")], "x"),
        ([user("<ide_opened_file>a</ide_opened_file>"), user([{"type": "text", "text": "x"}])], "x"),
        ([user("first"), SUMMARY], "Summary"),
        ([user("first"), SUMMARY, LAST], "Last"),
        ([LAST, MADE, SUMMARY], "Made"),
        ([GIVEN, MADE, LAST], "Given"),
        ([MADE, {**MADE, "aiTitle": "Newer"}, {**MADE, "aiTitle": " "}], "Newer"),
        ([{"type": "custom-title", "customTitle": 5}, user(None)], ""),
        ([], ""),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_order_of_titles(records: list[dict[str, Any]], title: str) -> None:
    assert title_of(records) == title


def test_a_long_title_is_cut() -> None:
    title = title_of([user("x" * 500)])
    assert len(title) == MAX_TITLE_CHARS + 1
    assert title.endswith("…")
