"""Entries and lines of an index: read in every form people write, edited so that every other byte stays."""

from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memtui.memory.budget import measure_index
from memtui.memory.index import (
    add_entry,
    collapse_blank_lines,
    drop_empty_headings,
    drop_entries,
    index_lines,
    read_entries,
    remove_entries,
    retarget_entries,
    set_description,
)


@pytest.mark.parametrize(
    ("line", "title", "target", "description"),
    [
        ("- [Title](file.md) — description", "Title", "file.md", "description"),
        ("- [Title](file.md) - description - more", "Title", "file.md", "description - more"),
        ("- [Title](file.md) -- description", "Title", "file.md", "description"),
        ("- [Title](file.md): description", "Title", "file.md", "description"),
        ("- [Title](file.md) – description", "Title", "file.md", "description"),
        ("- [Title](file.md) description", "Title", "file.md", "description"),
        ("- [Title](file.md)", "Title", "file.md", ""),
        ("- [Title](file.md) —", "Title", "file.md", ""),
        ("- [file.md](file.md): text", "file.md", "file.md", "text"),
        ("- **[Title](file.md)** — description", "Title", "file.md", "description"),
        ("- [**Title**](file.md) — description", "Title", "file.md", "description"),
        ("* [Title](./sub/file.md) — description", "Title", "sub/file.md", "description"),
        ("12. [Title](file.md) — description", "Title", "file.md", "description"),
        ("- [ ] [Title](file.md) — description", "Title", "file.md", "description"),
        ("  - [Title](file.md) — description", "Title", "file.md", "description"),
        ("See [Title](file.md) for more.", "Title", "file.md", "for more."),
        ("- [제목 [1]](<한글 파일.md>) — 한 줄", "제목 [1]", "한글 파일.md", "한 줄"),
        ("- [T](a%20b.md#part) — h", "T", "a b.md", "h"),
        ("- [T](../other/x.md) — h", "T", "../other/x.md", "h"),
        ("- [T](FILE.MD) — h", "T", "FILE.MD", "h"),
        ("| [T](x.md) | h |", "T", "x.md", "h |"),
        ("- [T](x.md) -minus", "T", "x.md", "-minus"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", ""])
def test_an_entry(line: str, title: str, target: str, description: str, newline: str) -> None:
    text = f"# I{newline or chr(10)}{line}{newline}"
    (entry,) = read_entries(text)
    assert (entry.title, entry.target, entry.description, entry.line, entry.loaded) == (
        title,
        target,
        description,
        2,
        None,
    )
    assert text[entry.start : entry.end] == line + newline
    assert text[entry.description_start : entry.description_end] == description


@pytest.mark.parametrize(
    "text",
    [
        "```\n- [T](x.md)\n```",
        "<!-- [T](x.md) -->",
        "---\nname: [T](x.md)\n---\n",
        "- [T](https://x.y/x.md)",
        "- [T](x.txt)",
        "- [[x]]",
        "- x.md",
        "- ![T](x.md)",
        "- `[T](x.md)`",
    ],
)
def test_no_entry(text: str) -> None:
    assert read_entries(text) == ()


def test_a_line_with_two_files_is_one_entry() -> None:
    (entry,) = read_entries("- [A](a.md) and [B](b.md) — both\n")
    assert (entry.target, entry.more) == ("a.md", ("b.md",))


def test_entries_behind_the_cut_are_not_loaded() -> None:
    text = "".join(f"- [T](t{i}.md)\n" for i in range(202))
    entries = read_entries(text, measure_index(text))
    assert [entry.line for entry in entries if not entry.loaded] == [201, 202]


@pytest.mark.parametrize(
    ("text", "section", "after"),
    [
        ("", None, "- [N](n.md) — h\n"),
        ("# I\n", None, "# I\n\n- [N](n.md) — h\n"),
        ("# I", None, "# I\n\n- [N](n.md) — h\n"),
        ("# I\n\n", None, "# I\n\n- [N](n.md) — h\n"),
        ("- x\n", None, "- x\n- [N](n.md) — h\n"),
        ("- [A](a.md): x\n\ntext\n", None, "- [A](a.md): x\n- [N](n.md): h\n\ntext\n"),
        ("- [A](a.md) - x", None, "- [A](a.md) - x\n- [N](n.md) - h"),
        ("* [A](a.md)\r\n", None, "* [A](a.md)\r\n* [N](n.md) — h\r\n"),
        ("9. [A](a.md) — x\n", None, "9. [A](a.md) — x\n10. [N](n.md) — h\n"),
        ("- **[A](a.md)** — x\n", None, "- **[A](a.md)** — x\n- [N](n.md) — h\n"),
        ("- [A](a.md) — x\n  - more\n", None, "- [A](a.md) — x\n  - more\n- [N](n.md) — h\n"),
        ("## P\n- [A](a.md)\n## Q\n- [B](b.md)\n", "P", "## P\n- [A](a.md)\n- [N](n.md) — h\n## Q\n- [B](b.md)\n"),
        ("## P\n\n## Q\n", "p", "## P\n\n- [N](n.md) — h\n\n## Q\n"),
        ("- [A](a.md)\n", "P", "- [A](a.md)\n\n## P\n\n- [N](n.md) — h\n"),
        ("", "P", "## P\n\n- [N](n.md) — h\n"),
        ("---\na: b\n---\n", None, "---\na: b\n---\n\n- [N](n.md) — h\n"),
        ("```\nx\n", None, "- [N](n.md) — h\n```\nx\n"),
    ],
)
def test_where_a_new_entry_goes(text: str, section: str | None, after: str) -> None:
    assert add_entry(text, "N", "n.md", "h", section) == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("- [A](a.md) — x\n- [B](b.md)\n- [A2](./a.md)\n", "- [B](b.md)\n"),
        ("- [A](a.md)\n  - deep\n\n    deeper\n- [B](b.md)\n", "\n    deeper\n- [B](b.md)\n"),
        ("- [A](a.md)\n  - [B](b.md)\n", "  - [B](b.md)\n"),
        ("- [B](b.md)\r\n- [A](a.md)", "- [B](b.md)\r\n"),
        ("See [A](a.md) first.\n", "See A first.\n"),
        ("- [B](b.md), [A](a.md)\n", "- [B](b.md), A\n"),
        ("- [A](a.md), [B](b.md)\n", "- A, [B](b.md)\n"),
        ("- [한](가.md)\n", "- [한](가.md)\n"),
    ],
)
def test_dropping_the_entries_of_a_file(text: str, after: str) -> None:
    assert drop_entries(text, "a.md") == after


def test_composed_and_decomposed_names_are_one() -> None:
    assert drop_entries("- [A](é.md)\n".replace("é", "e\u0301"), "é.md") == ""


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("- [A](a.md) — x\n", "- [A](new%20n.md) — x\n"),
        ("- [A](<a.md>) — x\n", "- [A](<new n.md>) — x\n"),
        ("- [A](./a.md#part)\r\n- [B](b.md)", "- [A](new%20n.md#part)\r\n- [B](b.md)"),
        ("- [A](<a.md#part>)\n", "- [A](<new n.md#part>)\n"),
        ("[ref]: a.md\n", "[ref]: new%20n.md\n"),
        ("`[A](a.md)`\n", "`[A](a.md)`\n"),
    ],
)
def test_renaming_a_file(text: str, after: str) -> None:
    assert retarget_entries(text, "a.md", "new n.md") == after


@pytest.mark.parametrize(
    ("text", "description", "after"),
    [
        ("- [A](a.md): old  \n", "new", "- [A](a.md): new  \n"),
        ("- [A](a.md)\n", "new", "- [A](a.md) — new\n"),
        ("- **[A](a.md)** — old\n", "", "- **[A](a.md)**\n"),
        ("- [A](a.md) — old\r\n", "two\nlines", "- [A](a.md) — two lines\r\n"),
    ],
)
def test_setting_a_hook(text: str, description: str, after: str) -> None:
    assert set_description(text, "a.md", description) == after


LINES = st.sampled_from(
    ["- [A](a.md) — x", "- [B](b.md)", "  - deep", "", "# H", "```", "<!-- c -->", "prose [A](a.md) x",
     "1. [C](c.md): y", "- [A](<a.md>) - [B](b.md)", "\ttab", "- plain", "---", "k: v", "<!--", "[r]: a.md"]
)  # fmt: skip


@given(
    st.lists(LINES, max_size=12), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.sampled_from([None, "H", "New"])
)
def test_edits_leave_other_lines_alone(lines: list[str], newline: str, final: bool, section: str | None) -> None:
    text = newline.join(lines) + (newline if final else "")
    before = text.split("\n")
    added = add_entry(text, "New", "new.md", "h", section)
    assume("new.md" in added)
    left = iter([line.rstrip("\r") for line in added.split("\n")])
    assert all(any(line.rstrip("\r") == other for other in left) for line in before)
    assert [e.target for e in read_entries(added)].count("new.md") == 1 or "<!--" in text or "```" in text
    renamed = retarget_entries(text, "a.md", "z.md")
    assert len(renamed) == len(text)
    assert retarget_entries(renamed, "z.md", "a.md") == text
    assert all(e.target != "a.md" and "a.md" not in e.more for e in read_entries(renamed))
    dropped = drop_entries(text, "a.md")
    assert all(e.target != "a.md" for e in read_entries(dropped)) or "<!--" in text or "```" in text or "---" in text
    if not any("a.md" in line for line in lines):
        assert dropped == text


def test_every_real_index_is_read(shared: Path) -> None:
    seen = 0
    for path in sorted((shared / "corpus" / "memory").rglob("MEMORY.md")):
        text = path.read_bytes().decode("utf-8")
        entries = read_entries(text, measure_index(text))
        seen += len(entries)
        for entry in entries:
            assert entry.title
            assert retarget_entries(text, entry.target, "x y.md") != text
            assert drop_entries(text, entry.target) != text
            assert retarget_entries(retarget_entries(text, entry.target, "zz.md"), "zz.md", entry.target) == text
    assert seen > 150


def kinds(text: str) -> list[tuple[str, int]]:
    return [(line.kind, line.number) for line in index_lines(text)]


def test_kinds_and_numbers() -> None:
    text = "---\nname: i\n---\n<!-- c\nd -->\n# H\n\nprose\n- [A](a.md)\n  more\n```\n- [B](b.md)\n\n```\n"
    text += "text <!-- e -->\n"
    assert kinds(text) == [
        ("free", 1), ("free", 2), ("free", 3), ("free", 4), ("heading", 6), ("blank", 7), ("prose", 8), ("entry", 9),
        ("prose", 11), ("prose", 15),
    ]  # fmt: skip
    assert kinds(text.replace("\n", "\r\n")) == kinds(text)


def test_cost_counts_lines_and_units() -> None:
    lines = index_lines("---\na: b\n---\n- [🙂](a.md)\n  x\n")
    assert [line.cost for line in lines] == [(0, 0), (0, 0), (0, 0), (2, 17)]


def test_headings_that_lost_what_they_had() -> None:
    before = "# I\n\n## A\n\n- [A](a.md)\n\n## B\n\n### C\n\n- [C](c.md)\n\n## D\n"
    after = remove_entries(before, [entry for entry in read_entries(before) if entry.target == "a.md"])
    assert drop_empty_headings(before, after) == "# I\n\n## B\n\n### C\n\n- [C](c.md)\n\n## D\n"
    assert drop_empty_headings(before, before) is before


def test_single_blanks_leave_code_alone() -> None:
    text = "a\n\n\n\nb\n```\n\n\n\n```\n"
    assert collapse_blank_lines(text) == "a\n\nb\n```\n\n\n\n```\n"


PIECES = st.sampled_from(
    ["# H", "- [A](a.md)", "  more", "", "```", "<!-- c -->", "<!--", "-->", "prose", "---", "> q"]
)


@given(st.lists(PIECES, max_size=20), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_the_lines_are_the_text(pieces: list[str], newline: str, final: bool) -> None:
    text = newline.join(pieces) + (newline if final else "")
    lines = index_lines(text)
    assert "".join(line.text for line in lines) == text
    number = 1
    for line in lines:
        assert line.number == number
        number += line.text.count("\n")
