"""Tables line up, fit, and leave out what has no room."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from memtui.cli.output import Output, StyledText
from memtui.cli.table import Column, table
from memtui.util.text import cells
from tests.cli.test_output import Terminal, options_of, printed


def drawn(columns: Sequence[Column], rows: Sequence[Sequence[str | StyledText]], width: int = 0) -> list[str]:
    """The lines as a terminal of that width gets them; 0 for a pipe."""
    with printed(Terminal()) as stream:
        if not width:
            stream.isatty = lambda: False  # type: ignore[method-assign]
        out = Output(options_of(no_color=True), {"TERM": "xterm", "COLUMNS": str(width)})
        out.result("x", {}, table(out, columns, rows))
    return stream.getvalue().removesuffix("\n").split("\n")


@given(
    st.lists(st.tuples(st.text(max_size=40), st.text(max_size=40), st.text(max_size=100)), min_size=1, max_size=5),
    st.integers(20, 120),
)
def test_a_table_lines_up_and_fits(rows: list[tuple[str, str, str]], width: int) -> None:
    lines = drawn([Column("one", rest=1), Column("two", rest=1), Column("three", rest=1)], rows, width)
    assert len(lines) == len(rows) + 1
    assert all(cells(line) <= width for line in lines)


WIDE = [Column("age", right=True), Column("branch", rest=1), Column("project", rest=2), Column("title", rest=3)]
ROWS = [["3h", "main", "checkout", "결제 실패 화면 문구"], ["12d", "feature/x", "shop", "Move to pnpm"]]


def test_who_gives_first_and_what_vanishes() -> None:
    assert drawn(WIDE, ROWS, 60) == [
        "age  branch     project   title",
        " 3h  main       checkout  결제 실패 화면 문구",
        "12d  feature/x  shop      Move to pnpm",
    ]
    assert drawn(WIDE, ROWS, 40) == [
        "age  bra…  project   title",
        " 3h  main  checkout  결제 실패 화면 문구",
        "12d  fea…  shop      Move to pnpm",
    ]
    assert drawn(WIDE, ROWS, 30) == [
        "age  project   title",
        " 3h  checkout  결제 실패 화면…",
        "12d  shop      Move to pnpm",
    ]


def test_a_pipe_gets_all_of_it_and_no_blanks_at_the_end() -> None:
    lines = drawn(WIDE, [*ROWS, ["1y", "", "", "x" * 300]])
    assert lines[-1] == f" 1y  {' ' * 9}  {' ' * 8}  {'x' * 300}"
    assert not any(line.endswith(" ") for line in lines)


def test_columns_of_the_same_name_stay_apart() -> None:
    assert drawn([Column(""), Column("")], [["a", "b"], ["long", "c"]]) == ["a     b", "long  c"]
