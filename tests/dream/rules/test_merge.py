"""Which files are one topic, and what is left of two."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.dream.rules.merge import merge_texts
from memtui.memory.frontmatter import read_frontmatter
from memtui.memory.similarity import match_topics, matching_pairs, normalized, topic_text
from tests.memory.folders import topic

LONG = """Deployments go through the pipeline, and only from the main branch after the review is done.
The pipeline runs the whole suite, builds the images and pushes them to the registry of the team.
A person presses the button for production; nothing is deployed on its own over the weekend.
"""


def way(one: str, other: str, *names: str, called: tuple[str, str] = ("Deploy", "Deploy")) -> str | None:
    first, second = names or ("project_deploy.md", "project_deploying.md")
    return match_topics(topic_text(first, "project", called[0], one), topic_text(second, "project", called[1], other))


def test_three_ways_to_be_one() -> None:
    assert way(LONG, LONG.replace(" ", "  ")) == "same"
    assert way(LONG, f"# Deploying\n\n{LONG}\nOne line more that says something.\n", called=("A", "B")) == "contained"
    assert way(LONG, LONG.replace("whole suite", "entire suite")) == "similar"


@pytest.mark.parametrize(
    ("one", "other", "called"),
    [
        (LONG, LONG.replace("whole suite", "entire suite"), ("Deploy staging", "Deploy production")),
        (LONG + "Port 80.", LONG + "Port 81.", ("Deploy", "Deploy")),
        (LONG + "Use `make ship`.", LONG + "Use `make push`.", ("Deploy", "Deploy")),
        (LONG + "Never on Friday.", LONG + "Only on Friday.", ("Deploy", "Deploy")),
        (LONG + "금요일에 하지 않는다.", LONG + "금요일에 못 한다.", ("Deploy", "Deploy")),
        ("Use npm.", "Use pnpm.", ("Deploy", "Deploy")),
        ("ok", "ok", ("Deploy", "Deploy")),
        ("One line.", f"One line.\n{LONG}", ("Deploy", "Deploy")),
    ],
)
def test_in_doubt_they_are_two(one: str, other: str, called: tuple[str, str]) -> None:
    assert way(one, other, called=called) is None


def test_names_that_differ_in_a_number_are_two() -> None:
    other = LONG.replace("whole suite", "entire suite")
    assert way(LONG, other, "project_api_v1.md", "project_api_v2.md", called=("", "")) is None
    assert way(LONG, other, "project_api.md", "project_api_2.md", called=("", "")) == "similar"
    assert way(LONG, other, "project_api.md", "project_api (copy).md", called=("", "")) is None


def test_another_type_or_folder_is_another_topic() -> None:
    one = topic_text("a.md", "project", "A", LONG)
    assert match_topics(one, topic_text("b.md", "user", "A", LONG)) is None
    assert match_topics(one, topic_text("sub/a.md", "project", "A", LONG)) is None


def test_pairs_are_found_without_comparing_all() -> None:
    texts = [
        topic_text(f"topic_{number}.md", "project", f"Topic {number}", f"Line {number}.\n" * 9) for number in range(40)
    ]
    texts += [topic_text("one.md", "project", "One", LONG), topic_text("two.md", "project", "Two", LONG)]
    assert [(a.name, b.name, how) for a, b, how in matching_pairs(texts)] == [("one.md", "two.md", "same")]


def test_the_union_keeps_sections_lists_and_code() -> None:
    newer = topic("A", body="# A\n\nFirst.\n\n## How\n\n- one\n- two\n\n## Why\n\nBecause.\n")
    older = topic("B", body="# A\n\nFirst.\n\n## How\n\n- one\n- three\n\n```\na\n\nb\n```\n\n## When\n\nNever.\n")
    assert merge_texts(newer, older)[0] == topic(
        "A",
        body="# A\n\nFirst.\n\n## How\n\n- one\n- two\n- three\n\n```\na\n\nb\n```\n\n## Why\n\nBecause.\n\n## When\n\n"
        "Never.\n",
    )


def test_the_union_keeps_line_ends_and_the_earlier_creation() -> None:
    newer = "---\r\nname: A\r\ncreated: 2026-05-01\r\n---\r\n\r\nOne.\r\n"
    older = "---\nname: B\ncreated: 2026-01-01\n---\n\nTwo.\n"
    assert merge_texts(newer, older)[0] == '---\r\nname: A\r\ncreated: "2026-01-01"\r\n---\r\n\r\nOne.\r\n\r\nTwo.\r\n'
    assert merge_texts(older, newer)[0].startswith("---\nname: B\ncreated: 2026-01-01\n")


def test_the_union_takes_the_only_front_matter() -> None:
    assert merge_texts("One.\n", topic("B", body="Two.\n"))[0] == topic("B", body="One.\n\nTwo.\n")


LINES = [
    "# A", "## B", "- one", "- two", "  deeper", "text here", "", "", "```", "~~~", "    code", "1. first", "글",
    "<!-- note -->", "[a](b.md)",
]  # fmt: skip
BODIES = st.lists(st.sampled_from(LINES), max_size=14).map("\n".join)


@given(BODIES, BODIES)
def test_every_line_of_both_is_in_the_merged_text(one: str, other: str) -> None:
    merged, headings = merge_texts(topic("A", body=one), topic("B", body=other))
    have = {normalized(line) for line in merged.split("\n")}
    missing = {normalized(line) for line in f"{one}\n{other}".split("\n")} - have - {""}
    assert {line.strip("# ") for line in missing} <= {*headings, ""}
    assert all(line.startswith("#") for line in missing)
    assert merged.startswith(topic("A", body=""))
    assert read_frontmatter(merged).name == "A"
    again = merge_texts(merged, topic("B", body=other))[0]
    assert {normalized(line) for line in again.split("\n")} | {""} == have | {""}


def test_a_heading_without_anything_new_is_handed_back() -> None:
    newer, older = topic("A", body="# A\n\nText.\n"), topic("B", body="# B\n\nText.\n\n## Why ##\n")
    assert merge_texts(newer, older) == (newer, ("B", "Why"))


def test_new_lines_join_what_they_belong_to() -> None:
    newer = topic("A", body="One.\nTwo.\n\n**How:**\n- a\n- b\n\nWrapped text\nof two lines\n")
    older = topic("B", body="One.\nThree.\n\n**How:**\n- a\n- c\n\nWrapped text\nof more lines\n")
    made = (
        "One.\nTwo.\n\n**How:**\n- a\n- b\n- c\n\nWrapped text\nof two lines\n\nThree.\n\nWrapped text\nof more lines\n"
    )
    assert merge_texts(newer, older)[0] == topic("A", body=made)


def test_headings_keep_what_is_below_them() -> None:
    newer = topic("A", body="# A\n\nText.\n\n## How\n\n- one\n")
    older = topic("B", body="# B\n\nMore text.\n\n## Old\n\n### Where\n\nThere.\n\n## Gone\n")
    made = topic("A", body="# A\n\nText.\n\nMore text.\n\n## How\n\n- one\n\n## Old\n\n### Where\n\nThere.\n")
    assert merge_texts(newer, older) == (made, ("B", "Gone"))
