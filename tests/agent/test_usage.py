"""Prices, and what is left of a budget."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.agent.budget import MIN_ANSWER_TOKENS, Limit, Spending
from memtui.agent.task import Budget
from memtui.agent.usage import PRICES, Price, TokenUsage, price_of

COUNTS = st.integers(0, 10**7)
USAGES = st.builds(TokenUsage, COUNTS, COUNTS, COUNTS, COUNTS)


@pytest.mark.parametrize("model", PRICES)
def test_cached_input_costs_less_and_writing_it_a_quarter_more(model: str) -> None:
    price = PRICES[model]
    for one in (price, price.longer or price):
        assert one.cache_read < one.input < one.output
        assert one.cache_write == pytest.approx(1.25 * one.input)


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("claude-haiku-4-5", True), ("claude-haiku-4-5-20251001", True), ("claude-sonnet-4-5@20250929", True),
        ("claude-opus-9", False), ("claude-opus-5-5-fast", False), ("", False), ("claude-haiku-4-5-2025", False),
    ],
)  # fmt: skip
def test_no_price_is_guessed(model: str, known: bool) -> None:
    assert (price_of(model) is not None) is known


def test_a_long_prompt_has_its_own_price() -> None:
    price = PRICES["claude-haiku-5-5"]
    assert price.cost(TokenUsage(100_000, 1000)) == pytest.approx(0.01 + 0.0005)
    assert price.cost(TokenUsage(60_000, 1000, 40_001)) == pytest.approx(0.03 + 0.0025 + 40_001 * 0.05 / 1e6)


@given(st.lists(st.tuples(USAGES, st.booleans()), max_size=8))
def test_everything_is_counted_once(calls: list[tuple[TokenUsage, bool]]) -> None:
    price = Price(1, 2, 3, 4)
    spending = Spending(Budget(), price)
    total, money = TokenUsage(), 0.0
    for usage, answered in calls:
        spending.under_way(usage)
        total, money = total + usage, money + price.cost(usage)
        assert spending.usage == total
        spending.settle(usage if answered else None)
        spending.settle()
        assert spending.usage == total and spending.money == pytest.approx(money)


@given(st.lists(st.tuples(st.integers(0, 90_000), st.floats(0, 1)), max_size=30), st.floats(0.001, 5), COUNTS)
def test_money_is_never_overrun_where_the_input_was_guessed_right(
    calls: list[tuple[int, float]], money: float, output: int
) -> None:
    price = PRICES["claude-opus-5-5"]
    budget = Budget(money=money, output_tokens=output)
    spending = Spending(budget, price)
    known = 0
    for new, share in calls:
        room = spending.next_answer_tokens(new)
        if isinstance(room, Limit):
            assert room.cause in ("money", "output") and room.words
            break
        assert MIN_ANSWER_TOKENS <= room <= budget.max_output
        used = TokenUsage(cache_read=known, cache_write=new // 3, output=int(room * share))
        spending.settle(used)
        known = used.prompt + used.output
        assert (spending.money or 0) <= money + 1e-9 and spending.usage.output <= output


def test_no_limits() -> None:
    spending = Spending(Budget(input_tokens=None, output_tokens=None, money=1.0), None)
    spending.settle(TokenUsage(10**12, 10**12))
    assert spending.next_answer_tokens(10**9) == Budget().max_output and spending.money is None
