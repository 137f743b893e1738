"""Which `@path` counts, as recorded on client 2.1.332."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.imports import find_imports, is_text
from tests.support import REPO

TOKENS = (
    "@a.md`code` @b.md<br> @c.md[l](u) @d.md* \n[@e.md](u)\n![@f.md](u)\n**bold @g.md**\n__@h.md__ x_@i.md\n(@j.md )\n"
    '"@k.md "\n>@l.md\n-@m.md\n- @n.md\n|@o.md|\n|---|\n@p.md\\n\n@q.md&amp; @r.md, @s.md: @t.md? @u.md! @v.md~ '
    "@w.md#s @x.md?q @y.md/ @./z.md/\n<b>text @aa.md</b>\n<b>@ab.md</b>\nhttp://x.y/@ac.md @http://ad.md @user@ae.md\n"
    "\u00a0@af.md\u3000@ag.md 가@ah.md\n@ai.md\u3000next\n"
)
BLOCKS = """M_REPO
@./two.md
@ten\\ space.md

- item @item.md
> quote @quote.md
# head @head.md
| a | @cell.md |
|---|---|

[link @inlink.md text](x) *@em.md* _@em2.md_ ~~@strike.md~~
\t@tab.md
  @twospaces.md
<div>@html.md</div>
<div>
@htmlblock.md
</div>

@.hidden.md @_under.md @-dash.md @9num.md @!bang.md @a+b.md @a,b.md @(p).md @sub/dir/f.md @한글.md
1. @ol.md
   - @nested.md
text
    @lazy.md

`@code.md` ``@dbl.md`` inline <!-- @inline.md --> after
<!-- @comment.md -->

~~~
@tilde.md
~~~
```
@unclosed.md
"""


CONTEXTS = [json.loads(line) for line in (REPO / "tests/data/oracle/imports.jsonl").read_text("utf-8").splitlines()]


def paths(text: str) -> set[str]:
    return {word.path for word in find_imports(text)}


@pytest.mark.parametrize("case", CONTEXTS, ids=lambda case: case["id"])
def test_each_context_as_the_client_has_it(case: dict[str, Any]) -> None:
    parts = case["text"].split("{}")
    names = [f"t{n}.md" for n in range(len(parts) - 1)]
    text = parts[0] + "".join(f"@{name}{part}" for name, part in zip(names, parts[1:], strict=True)) + "\n"
    found = paths(text)
    assert [name in found for name in names] == case["imported"]


def test_what_ends_and_begins_an_import() -> None:
    wanted = {"./z.md", "aa.md", "ab.md", "af.md", "ag.md", "ai.md"} | {f"{letter}.md" for letter in "abceghlnpwy"}
    there = {"./z.md", *(f"{letter}.md" for letter in "abcdefghijklmnopqrstuvwxy")}
    there |= {f"a{letter}.md" for letter in "abcdefghi"}
    assert paths(TOKENS) & there == wanted


def test_code_comments_and_html_hold_no_import() -> None:
    wanted = {
        "./two.md",
        "ten space.md",
        "item.md",
        "quote.md",
        "head.md",
        "cell.md",
        "inlink.md",
        "em.md",
        "em2.md",
        "tab.md",
        "twospaces.md",
        ".hidden.md",
        "_under.md",
        "-dash.md",
        "9num.md",
        "a+b.md",
        "a,b.md",
        "sub/dir/f.md",
        "ol.md",
        "nested.md",
        "lazy.md",
    }
    assert paths(BLOCKS) == wanted


def test_punctuation_behind_a_path_is_said() -> None:
    (word,) = find_imports("see @docs/a.md, then\n")
    assert (word.path, word.trimmed, word.means_a_file) == ("docs/a.md,", "docs/a.md", True)


@pytest.mark.parametrize(
    ("written", "means"),
    [
        ("@anthropic-ai/sdk", False),
        ("@kim", False),
        ("@docs/a.md", True),
        ("@./x", True),
        ("@~/x", True),
        ("@a.py", True),
    ],
)
def test_a_package_or_a_person_is_no_missing_file(written: str, means: bool) -> None:
    (word,) = find_imports(f"ask {written} about it")
    assert word.means_a_file is means


def test_lines_count_in_the_file() -> None:
    text = "\ufeff---\r\na: @x.md\r\n---\r\n\r\n<!-- @c.md\r\n-->\r\n@a.md\r\n\r\n@b.md\r\n"
    assert [(word.path, word.line) for word in find_imports(text)] == [("a.md", 7), ("b.md", 9)]


def test_only_text_is_imported() -> None:
    yes = ("a.md", "a.PY", "README", ".env", "a.json")
    assert all(is_text(name) for name in yes)
    assert not any(is_text(name) for name in ("a.png", "a.pdf", "a.svg", "a.mdx", "a.jsonl", "a.ipynb"))


@given(st.text(alphabet="@a.md \n`~<>[]()!*_\\#-:/div\u3000", max_size=80))
def test_any_text_is_taken(text: str) -> None:
    for word in find_imports(text):
        assert word.path and 1 <= word.line <= text.count("\n") + 1
