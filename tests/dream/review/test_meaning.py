"""What a change of texts loses."""

from hypothesis import given
from hypothesis import strategies as st

from memtui.dream.review.meaning import Loss, all_tokens, find_terms, measure_losses, worst_losses

DEPLOY = (
    "---\nname: deploy\ndescription: how the shop is deployed\ntype: project\n---\n\n"
    "Deploys run from `bin/release --env staging` on Tuesday at 14:30.\n"
    "Roll back with `bin/rollback`, never by hand; Marta approves production.\n"
    "The health check listens on port 8089 and answers within 300 ms.\n"
)
TESTS = "---\nname: tests\ntype: feedback\n---\n\nIntegration tests use a real database, PostgreSQL 15, never mocks.\n"
BEFORE = {"deploy.md": DEPLOY, "tests.md": TESTS}


def find_losses(*texts: dict[str, str], **given: object) -> tuple[Loss, ...]:
    return worst_losses(measure_losses(*texts, **given))  # type: ignore[arg-type]


def lost(after: dict[str, str], **given: object) -> dict[str, float]:
    found = find_losses(BEFORE, after, **({"renamed": {}} | given))
    return {loss.name: loss.share for loss in found}


def test_terms_are_words_numbers_names_and_code() -> None:
    terms = find_terms(DEPLOY)
    assert {"deploys", "tuesday", "14:30", "8089", "300", "marta", "production", "bin/release", "--env"} <= terms
    assert not {"how", "the", "name", "with", "project"} & terms
    assert {"배포", "포는"} <= find_terms("배포는 화요일에") and {"本番", "番環"} <= find_terms("本番環境")


def test_a_sentence_in_place_of_every_text_loses_all() -> None:
    gutted = lost({name: text[: text.rindex("---") + 4] + "\nSee the code.\n" for name, text in BEFORE.items()})
    assert gutted.keys() == {"deploy.md", "tests.md", ""} and min(gutted.values()) > 0.7


def test_half_of_each_text_gone_is_found_and_a_merge_is_not() -> None:
    half = lost({name: "\n".join(text.split("\n")[: len(text.split("\n")) - 3]) for name, text in BEFORE.items()})
    assert half
    assert lost({"deploy.md": DEPLOY + "\n## Tests\n\n" + TESTS[TESTS.index("Integration") :]}) == {}
    assert lost({"release.md": DEPLOY, "tests.md": TESTS}, renamed={"release.md": "deploy.md"}) == {}


def test_a_correction_is_no_loss_and_another_text_is() -> None:
    corrected = (
        DEPLOY.replace("Tuesday at 14:30", "Thursday at 09:00").replace("8089", "9443").replace("Marta", "Jonas")
    )
    assert lost(BEFORE | {"deploy.md": corrected}) == {}
    other = "Nothing here resembles previous wording whatsoever: bananas, oranges, cucumbers, tomatoes, potatoes.\n" * 2
    assert "deploy.md" in lost(BEFORE | {"deploy.md": other})


def test_what_runs_of_the_last_days_lost_adds_up() -> None:
    lines = DEPLOY.split("\n")
    one, two = "\n".join([*lines[:6], *lines[7:]]), "\n".join(lines[:6])
    earlier = [{"deploy.md": (DEPLOY, one)}]
    rest = {"tests.md": TESTS}
    smaller = {"deploy.md": one} | rest
    assert find_losses(smaller, {"deploy.md": one.replace("300 ms", "soon")} | rest, renamed={}) == ()
    found = find_losses(smaller, {"deploy.md": one.replace("300 ms", "soon")} | rest, renamed={}, earlier=earlier)
    assert [loss.name for loss in found][:1] == ["deploy.md"] and found[0].earlier > 0
    assert find_losses(smaller, smaller, renamed={}, earlier=earlier) == (), "a run that loses nothing isn't held"
    back = {"deploy.md": one, "other.md": DEPLOY} | rest
    assert find_losses(smaller, back | {"deploy.md": two}, renamed={}, earlier=earlier) == (), "it stands elsewhere now"


@given(st.text(max_size=300))
def test_any_text_keeps_its_own_terms(text: str) -> None:
    assert find_terms(text) <= all_tokens(text)
    assert find_losses({"a.md": text}, {"b.md": text}, renamed={}) == ()
