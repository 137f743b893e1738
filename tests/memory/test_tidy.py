"""Plans for a shorter index: what goes, in which order, and that a tidy index stays as it is."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memtui.memory.budget import measure_index
from memtui.memory.frontmatter import read_frontmatter
from memtui.memory.index import read_entries
from memtui.memory.sentences import LONG_DESCRIPTION_CHARS, one_sentence
from memtui.memory.tidy import (
    NOTES_NAME,
    TidyTopic,
    rebuild_index,
    split_index,
    tidy_index,
    usefulness,
)

NOW = 1_800_000_000.0
DAY = 86_400.0


def topics(*names: str, **more: object) -> list[TidyTopic]:
    return [replace(TidyTopic(name, name.removesuffix(".md"), modified=NOW), **more) for name in names]  # type: ignore[arg-type]


def tidy(text: str, known: list[TidyTopic], **more: float) -> str:
    return tidy_index(text, known, now=NOW, **more).text_after


def test_dead_and_further_entries_go() -> None:
    text = "# I\n\n- [A](a.md)\n- [Gone](gone.md) — x\n  - detail\n- [B](b.md) — y\n- [A again](a.md) — hook\n"
    plan = tidy_index(text, topics("a.md", "b.md"), now=NOW)
    assert plan.text_after == "# I\n\n- [A](a.md) — hook\n- [B](b.md) — y\n"
    assert [(d.line, d.target, d.reason) for d in plan.dropped] == [(4, "gone.md", "dead"), (7, "a.md", "duplicate")]


def test_a_file_outside_the_folder_is_not_dead() -> None:
    text = "- [A](../other/a.md)\n- [B](/abs/b.md)\n"
    assert tidy(text, []) == text


def test_long_descriptions_become_a_sentence() -> None:
    text = f"- [A](a.md) — First sentence is here. {'More words ' * 20}.\n"
    plan = tidy_index(text, topics("a.md"), now=NOW)
    assert plan.text_after == "- [A](a.md) — First sentence is here.\n"
    assert plan.dropped[0].reason == "shortened"


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("short", "short"),
        ("A first one that is long enough. " + "x" * 150, "A first one that is long enough."),
        (
            "규칙은 항상 이렇게 적용하고 예외는 두지 않는다。" + "가" * 150,
            "규칙은 항상 이렇게 적용하고 예외는 두지 않는다。",
        ),
        ("e.g. 1.5 words " + "word " * 40, ("e.g. 1.5 words " + "word " * 26).rstrip() + "…"),
        ("x" * 200, "x" * 149 + "…"),
    ],
)
def test_one_sentence(text: str, short: str) -> None:
    assert one_sentence(text) == short
    assert len(short) <= LONG_DESCRIPTION_CHARS
    assert one_sentence(short) == short


def test_the_least_useful_entries_go_until_it_fits() -> None:
    known = [
        *topics("fresh.md", type="feedback"),
        *topics("linked.md", type="reference", links_in=6),
        *topics("old.md", type="project", modified=NOW - 900 * DAY),
        *topics("pinned.md", modified=0.0, pinned=True),
    ]
    text = "# I\n\n" + "".join(f"- [T]({topic.name}) — hook\n" for topic in known)
    plan = tidy_index(text, known, now=NOW, max_lines=7)
    assert plan.after.lines <= 4
    assert {entry.target for entry in read_entries(plan.text_after)} == {"linked.md", "pinned.md"}
    assert [d.target for d in plan.dropped if d.reason == "over-budget"] == ["fresh.md", "old.md"]


def test_goal_is_seventy_per_cent_of_both_limits() -> None:
    known = topics(*(f"t{i}.md" for i in range(260)), type="project")
    plan = tidy_index("".join(f"- [T]({t.name}) — {'x' * 90}\n" for t in known), known, now=NOW)
    assert plan.before.over
    assert plan.after.lines == 140
    plan = tidy_index("".join(f"- [T]({t.name}) — {'x' * 140}\n" for t in known), known, now=NOW)
    assert 17_300 < plan.after.units <= 17_500


def test_headings_go_with_their_last_entry() -> None:
    text = "# I\n\n## Gone\n\n- [G](gone.md)\n\n## Empty on purpose\n\n## Kept\n\n- [A](a.md)\n"
    assert tidy(text, topics("a.md")) == "# I\n\n## Empty on purpose\n\n## Kept\n\n- [A](a.md)\n"


def test_prose_stays_while_it_is_small_and_moves_when_it_is_not() -> None:
    known = topics("a.md")
    small = "# I\n\nSome prose.\n\n- [A](a.md)\n"
    assert tidy(small, known) == small
    text = "# I\n\n- [A](a.md)\n\n## Notes\n\n" + "".join(f"Line {i}.\n\n" for i in range(150))
    plan = tidy_index(text, known, now=NOW)
    (moved,) = plan.moved
    assert (moved.name, moved.title, moved.description) == ("reference_notes.md", "Notes", "Line 0.")
    assert plan.text_after == "# I\n\n- [A](a.md)\n- [Notes](reference_notes.md) — Line 0.\n"
    assert moved.text == "".join(f"Line {i}.\n\n" for i in range(150)).rstrip("\n") + "\n"


def test_prose_without_a_heading_becomes_notes() -> None:
    plan = tidy_index("# I\n\n- [A](a.md)\n\n" + "".join(f"Line {i}.\n" for i in range(250)), topics("a.md"), now=NOW)
    (moved,) = plan.moved
    assert moved.name == NOTES_NAME
    for i in range(250):
        assert (f"Line {i}.\n" in plan.text_after) != (f"Line {i}.\n" in moved.text)


def test_sections_become_topics_from_the_last_and_every_entry_stays_loaded() -> None:
    sections = "".join(
        f"## Part {n}\n\n- [T{n}](t{n}.md) — hook\n\n" + "".join(f"Rule {n}.{i}.\n" for i in range(40)) + "\n"
        for n in range(6)
    )
    text = "# I\n\nRead me first.\n\n" + sections
    known = topics(*(f"t{n}.md" for n in range(6)))
    plan = split_index(text, known)
    assert plan.before.over and not plan.after.over and plan.after.lines <= 140
    assert [one.name for one in plan.moved] == [f"reference_part_{n}.md" for n in (2, 3, 4, 5)]
    assert plan.text_after.startswith(
        "# I\n\nRead me first.\n\n- [Part 2](reference_part_2.md) — Rule 2.0.\n- [Part 3]"
    )
    assert {entry.target for entry in read_entries(text)} <= {entry.target for entry in read_entries(plan.text_after)}
    assert plan.dropped == ()
    assert all(f"Rule {n}.{i}.\n" in plan.text_after for n in range(2) for i in range(40))
    assert all(f"Rule {n}.{i}.\n" in plan.moved[n - 2].text for n in (2, 3, 4, 5) for i in range(40))
    again = split_index(plan.text_after, [*known, *topics(*(one.name for one in plan.moved))])
    assert not again.changed


def test_a_list_of_entries_alone_is_not_split() -> None:
    text = "## Project\n\n" + "".join(f"- [T](t{n}.md)\n" for n in range(230))
    assert not split_index(text, topics(*(f"t{n}.md" for n in range(230)))).changed


def test_front_matter_and_comments_stay() -> None:
    text = "---\nname: i\n---\n<!-- keep\nme -->\n\n# I\n\n" + "".join(f"- [T](t{i}.md)\n" for i in range(200))
    plan = tidy_index(text, topics(*(f"t{i}.md" for i in range(200))), now=NOW)
    assert plan.text_after.startswith("---\nname: i\n---\n<!-- keep\nme -->\n\n# I\n\n- [T](t0.md)\n")


def test_rebuild_groups_by_type_and_keeps_titles_and_descriptions() -> None:
    text = "# My memory\n\nProse to keep.\n\n- [Nice](b.md): old hook\n- [Gone](gone.md)\n"
    known = [
        TidyTopic("a.md", "A", "About a. " + "x" * 200, "user", 0, NOW),
        TidyTopic("b.md", "B", "About b", "feedback", 0, NOW),
        TidyTopic("c.md", "C [1]", None, None, 0, NOW),
    ]
    plan = rebuild_index(text, known, now=NOW)
    assert plan.text_after == (
        "# My memory\n\n## User\n\n- [A](a.md) — " + one_sentence("About a. " + "x" * 200) + "\n\n## Feedback\n\n"
        "- [Nice](b.md) — old hook\n\n## Reference\n\n"
        "- [Notes from the index](index_notes.md) — What stood in the index itself\n\n## Other\n\n- [C \\[1\\]](c.md)\n"
    )
    assert [(one.name, one.text) for one in plan.moved] == [(NOTES_NAME, "Prose to keep.\n")]
    assert [(d.target, d.reason) for d in plan.dropped] == [("gone.md", "dead")]


def test_rebuild_loses_nothing_silently() -> None:
    text = f"- [A](a.md) — {'Word. ' * 40}\n  - detail\n- [Out](../x/y.md) — o\n- [A](a.md)\n\n```\ncode\n```\n"
    plan = rebuild_index(text, topics("a.md", "new.md"), now=NOW)
    assert {entry.target for entry in read_entries(plan.text_after)} == {"a.md", "new.md", "../x/y.md", NOTES_NAME}
    assert [one.text for one in plan.moved] == ["```\ncode\n```\n  - detail\n"]
    assert [(d.line, d.reason) for d in plan.dropped] == [(1, "shortened")]
    assert plan.said == (("a.md", "Word. " * 39 + "Word."),)
    kept = rebuild_index("", topics("a.md", "b.md", pinned=True), now=NOW, max_lines=2)
    assert len(read_entries(kept.text_after)) == 2


def test_rebuild_keeps_to_the_goal() -> None:
    known = topics(*(f"t{i:03}.md" for i in range(300)), type="project")
    plan = rebuild_index("", known, now=NOW)
    assert plan.after.lines <= 140
    assert len(read_entries(plan.text_after)) + len(plan.dropped) == 300
    again = rebuild_index(plan.text_after, known, now=NOW)
    assert again.text_after == plan.text_after


def test_usefulness_prefers_pins_links_youth_and_brevity() -> None:
    base = TidyTopic("t.md", "T", None, "project", 0, NOW)
    assert usefulness(replace(base, pinned=True, modified=0), "", NOW) > usefulness(replace(base, links_in=9), "", NOW)
    assert usefulness(replace(base, links_in=1), "", NOW) > usefulness(base, "", NOW)
    assert usefulness(base, "", NOW) > usefulness(replace(base, modified=NOW - 99 * DAY), "", NOW)
    assert usefulness(base, "short", NOW) > usefulness(base, "long " * 20, NOW)
    assert usefulness(None, "", NOW) < 0


LINES = st.sampled_from(
    ["- [A](a.md) — x", "- [B](b.md)", "- [Gone](gone.md)", "  - deep", "", "", "# H", "## G", "```", "<!-- c -->",
     "prose", "prose [A](a.md) x", f"- [C](c.md) — {'long words ' * 20}", "- [A](a.md), [B](b.md)", "---", "- plain"]
)  # fmt: skip


@given(
    st.lists(LINES, max_size=30), st.sampled_from(["\n", "\r\n"]), st.integers(1, 30), st.integers(20, 2000),
    st.sets(st.sampled_from(["a.md", "b.md", "c.md"])),
)  # fmt: skip
def test_tidy_is_idempotent_and_keeps_what_it_says(
    lines: list[str], newline: str, max_lines: int, max_units: int, names: set[str]
) -> None:
    text = newline.join(lines) + newline
    known = topics(*sorted(names))
    limits = {"max_lines": max_lines, "max_units": max_units}
    plan = tidy_index(text, known, now=NOW, **limits)
    assert plan.after == measure_index(plan.text_after, **limits)
    known = [*known, *topics(*(one.name for one in plan.moved), pinned=True)]
    again = tidy_index(plan.text_after, known, now=NOW, **limits)
    assert again.text_after == plan.text_after
    kept = {entry.target for entry in read_entries(plan.text_after)} - {one.name for one in plan.moved}
    gone = {drop.target for drop in plan.dropped if drop.reason in ("dead", "over-budget")}
    assert {entry.target for entry in read_entries(text)} <= kept | gone or "```" in text or "---" in text
    for line in ("prose", "- plain", "- [A](a.md), [B](b.md)"):
        if text.split(newline).count(line) and "```" not in text and "---" not in text:
            total = plan.text_after + "".join(one.text for one in plan.moved)
            assert total.count(line) >= (1 if "[" not in line else 0)


def test_real_indexes_come_under_the_goal(shared: Path) -> None:
    for path in sorted((shared / "corpus" / "memory").rglob("MEMORY.md")):
        text = path.read_bytes().decode("utf-8")
        known = []
        for file in sorted(path.parent.rglob("*.md")):
            front = read_frontmatter(file.read_bytes())
            name = file.relative_to(path.parent).as_posix()
            known.append(TidyTopic(name, front.name or name, front.description, front.type, 0, NOW))
        plan = tidy_index(text, known, now=NOW)
        assert plan.after.lines <= 140
        assert plan.after.units <= 17_500
        known += topics(*(one.name for one in plan.moved))
        assert not tidy_index(plan.text_after, known, now=NOW).changed
        rebuilt = rebuild_index(text, known, now=NOW)
        assert rebuilt.after.lines <= 140
        listed = {entry.target for entry in read_entries(rebuilt.text_after)}
        assert {t for t in listed if not t.startswith("../")} <= {t.name for t in known} | {
            one.name for one in rebuilt.moved
        }
