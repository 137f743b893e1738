"""What a run does to the memory claim by claim."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.dream.review.claim import CLAIM_KINDS, Claim
from memtui.dream.review.claims import find_claims
from memtui.presentation.dream_text import claim_text

FRONT = "---\nname: {0}\ndescription: {1}\ntype: feedback\n---\n\n"
BEFORE = {
    "testing.md": FRONT.format("testing", "How we test")
    + "# Testing\n\nNever mock the database in integration tests. Fixtures come from `dump_orders.py`\nin the "
    "ops folder.\n\n- Coverage gate is 82 % for checkout\n- The runner is `ubuntu-8core`\n",
    "retry.md": FRONT.format("retry", "Retry budget")
    + "Payment retries at most 10 % of requests.\n\nCircuit breaker opens after 20 failures.\n",
    "checkout.md": "Idempotency keys are stored in Redis.\n",
    "MEMORY.md": "- [Testing](testing.md) — how we test\n- [Retry](retry.md) — retry budget\n",
}


def changed(**texts: str | None) -> dict[str, str]:
    """The folder with other texts; a name is given without `.md`."""
    found: Mapping[str, str | None] = {**BEFORE, **{f"{name}.md": text for name, text in texts.items()}}
    return {name: text for name, text in found.items() if text is not None}


def claims(after: Mapping[str, str], **renamed: str) -> list[tuple[str, str, int, str]]:
    """Kind, file, line, and where it went."""
    found = find_claims(BEFORE, after, renamed={f"{new}.md": f"{old}.md" for old, new in renamed.items()})
    return [(one.kind, one.name, one.line, one.to) for one in found]


def test_a_sentence_whose_terms_are_gone_is_lost_and_the_rest_of_its_line_is_not() -> None:
    text = BEFORE["testing.md"].replace("Never mock the database in integration tests. ", "")
    found = find_claims(BEFORE, changed(testing=text))
    assert [(one.kind, one.line, one.old, one.new) for one in found] == [
        ("lost", 9, "Never mock the database in integration tests.", "")
    ]
    assert found[0].terms == ("integration", "database", "never", "tests")


def test_another_wording_stands_beside_the_old_one_with_what_it_no_longer_says() -> None:
    text = BEFORE["testing.md"].replace("82 %", "75 %").replace("type: feedback", "type: project")
    assert [
        (one.kind, one.line, one.old, one.new, one.terms) for one in find_claims(BEFORE, changed(testing=text))
    ] == [
        ("changed", 4, "type: feedback", "type: project", ()),
        ("changed", 12, "Coverage gate is 82 % for checkout", "Coverage gate is 75 % for checkout", ("82",)),
    ]


def test_a_paragraph_that_is_only_wrapped_in_another_way_is_no_claim() -> None:
    text = BEFORE["testing.md"].replace("`dump_orders.py`\nin", "`dump_orders.py` in").replace("- The", "* The")
    assert claims(changed(testing=text)) == []


def test_a_line_in_another_file_moved_and_one_that_stands_there_in_other_words_changed() -> None:
    testing = BEFORE["testing.md"].replace("- The runner is `ubuntu-8core`\n", "").replace("- Coverage gate", "- Gate")
    checkout = BEFORE["checkout.md"] + "\nThe runner is `ubuntu-8core`\n"
    assert claims(changed(testing=testing, checkout=checkout)) == [
        ("changed", "testing.md", 12, ""), ("moved", "testing.md", 13, "checkout.md"),
    ]  # fmt: skip


def test_a_file_most_of_which_stands_in_another_is_merged() -> None:
    body = "Payment retries at most 5 % of requests.\n"
    after = changed(retry=None, checkout=BEFORE["checkout.md"] + body, MEMORY="- [Testing](testing.md) — how we test\n")
    assert [one for one in claims(after) if one[1:3] != ("retry.md", 3) and one[1] == "retry.md"] == [
        ("lost", "retry.md", 9, ""),
        ("changed", "retry.md", 7, "checkout.md"),
    ]
    after["checkout.md"] += "\nCircuit breaker opens after 20 failures.\n"
    found = find_claims(BEFORE, after)
    assert [(one.kind, one.count) for one in found if one.kind != "lost"] == [("changed", 1), ("merged", 2)]


def test_a_rename_is_one_claim() -> None:
    after = changed(retry=None, budget=BEFORE["retry.md"].replace("20 failures", "30 failures"))
    assert claims(after, retry="budget") == [
        ("changed", "retry.md", 9, ""),
        ("moved", "retry.md", 0, "budget.md"),
    ]


def test_what_is_new_comes_last_and_headings_say_nothing() -> None:
    after = changed(checkout=BEFORE["checkout.md"] + "\n## Owner\n\nPriya owns it.\n", testing=None)
    found = claims(after)
    assert found[-1] == ("new", "checkout.md", 5, "") and [kind for kind, *_ in found].count("new") == 1
    assert {name for kind, name, *_ in found if kind == "lost"} == {"testing.md", "MEMORY.md"} - {"MEMORY.md"}


TEXTS = st.dictionaries(
    st.sampled_from(["a.md", "b.md", "MEMORY.md"]),
    st.text(st.sampled_from("ab \n-#`|:.한국\r[](x)12A"), max_size=80) | st.just(BEFORE["testing.md"]),
)


@given(TEXTS, TEXTS)
def test_any_texts(before: dict[str, str], after: dict[str, str]) -> None:
    found = find_claims(before, after)
    assert [CLAIM_KINDS.index(one.kind) for one in found] == sorted(CLAIM_KINDS.index(one.kind) for one in found)
    for one in found:
        assert one.name in (after if one.kind == "new" else before)
        assert one.line or one.kind in ("moved", "merged")
        assert one.line <= (after if one.kind == "new" else before)[one.name].count("\n") + 1
        assert not one.to or one.to in after
    assert find_claims(before, before) == ()
    assert not [one for one in find_claims({}, after) if one.kind != "new"]


@pytest.mark.parametrize(
    "text", ["Wir deployen nie freitags.", "금요일에는 절대 배포하지 않는다.", "金曜日には絶対にデプロイしない。"]
)
def test_in_other_languages(text: str) -> None:
    assert find_claims({"a.md": text + "\n"}, {"a.md": "…\n"})[0].kind == "lost"
    assert find_claims({"a.md": text + "\n"}, {"b.md": text + "\n"})[0] == Claim("merged", "a.md", 0, to="b.md")


def test_a_secret_in_a_claim_is_masked_where_it_is_shown() -> None:
    token = "ghp_" + "a8Kd03jfLq92mZxP7vTt5RwYc1NbE6uHs4Go"
    found = find_claims({"a.md": f"The token is {token}.\n"}, {"a.md": "See the vault.\n"})
    assert found[0].kind == "lost" and token in found[0].old
    assert token not in " ".join(line.text for claim in found for line in claim_text(claim))
