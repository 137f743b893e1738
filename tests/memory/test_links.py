"""Links find their files, and say who names whom."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.links import Graph, Names, Reference, slug, unlinked_mentions
from tests.memory.folders import snapshot_of, topic
from tests.support import digest_tree

FILES = {
    "MEMORY.md": "- [Testing](feedback_testing.md) — hook\n- [Deep](sub/deep.md)\n",
    "feedback_testing.md": topic(
        "testing-rules", type="feedback", body="# Rules of testing\n\nSee [on-call](project_oncall.md).\n"
    ),
    "project_oncall.md": topic(
        "On call", body="[[feedback_testing]] and [[testing-rules|rules]]\n[gone](ci.md) [[nothing]]\n"
    ),
    "sub/deep.md": topic("deep", body="[up](../project_oncall.md) [here](other.md) [top](feedback_testing.md)\n"),
    "sub/other.md": topic(
        "other", body="[out](../../x.md) [web](https://a.b/c.md) [code](src/a.py) [abs](/etc/x.md)\n"
    ),
    "한글.md": topic("규칙", body="내용\n"),
}


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    snapshot = snapshot_of(tmp_path, FILES)
    assert snapshot.auto is not None
    return Graph(snapshot.auto)


@pytest.mark.parametrize(
    ("source", "target", "kind", "state", "name"),
    [
        ("MEMORY.md", "project_oncall.md", "markdown", "file", "project_oncall.md"),
        ("MEMORY.md", "./project_oncall.md", "markdown", "file", "project_oncall.md"),
        ("MEMORY.md", "sub/../project_oncall.md", "markdown", "file", "project_oncall.md"),
        ("MEMORY.md", "Project_OnCall.md", "markdown", "file", "project_oncall.md"),
        ("sub/deep.md", "../project_oncall.md", "markdown", "file", "project_oncall.md"),
        ("sub/deep.md", "other.md", "markdown", "file", "sub/other.md"),
        ("sub/deep.md", "feedback_testing.md", "markdown", "file", "feedback_testing.md"),  # from the root
        ("sub/deep.md", "", "markdown", "file", "sub/deep.md"),
        ("MEMORY.md", "other.md", "markdown", "missing", None),
        ("MEMORY.md", "../x.md", "markdown", "outside", None),
        ("MEMORY.md", "/etc/x.md", "markdown", "outside", None),
        ("MEMORY.md", "~/x.md", "markdown", "outside", None),
        ("MEMORY.md", "src/a.py", "markdown", "other", None),
        ("MEMORY.md", unicodedata.normalize("NFD", "한글.md"), "markdown", "file", "한글.md"),
        ("MEMORY.md", "feedback_testing", "wiki", "file", "feedback_testing.md"),
        ("MEMORY.md", "feedback_testing.md", "wiki", "file", "feedback_testing.md"),
        ("MEMORY.md", "Feedback-Testing", "wiki", "file", "feedback_testing.md"),
        ("MEMORY.md", "testing-rules", "wiki", "file", "feedback_testing.md"),  # name field
        ("MEMORY.md", "testing rules", "wiki", "file", "feedback_testing.md"),
        ("MEMORY.md", "testing", "wiki", "file", "feedback_testing.md"),  # file name without its type
        ("MEMORY.md", "on call", "wiki", "file", "project_oncall.md"),
        ("MEMORY.md", "deep", "wiki", "file", "sub/deep.md"),
        ("MEMORY.md", "sub/deep", "wiki", "file", "sub/deep.md"),
        ("MEMORY.md", "규칙", "wiki", "file", "한글.md"),
        ("MEMORY.md", "nothing", "wiki", "missing", None),
        ("MEMORY.md", "https://a.b", "wiki", "external", None),
    ],
)
def test_what_a_link_leads_to(graph: Graph, source: str, target: str, kind: str, state: str, name: str | None) -> None:
    found = graph.names.resolve(source, target, kind)
    assert (found.state, found.name) == (state, name)


def test_case_is_exact_where_two_files_differ_in_nothing_else(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, {"a.md": topic("a"), "A.md": topic("b"), "MEMORY.md": ""})
    if len(snapshot.auto.files) < 3:  # type: ignore[union-attr]
        pytest.skip("this file system ignores case")
    names = snapshot.graphs["auto"].names
    assert names.resolve("MEMORY.md", "A.md").name == "A.md"
    assert names.resolve("MEMORY.md", "a.MD").state == "missing"


def test_what_is_on_the_disk_but_not_listed_is_not_missing(tmp_path: Path) -> None:
    snapshot = snapshot_of(
        tmp_path, {"MEMORY.md": "[t](team/a.md) [h](.hidden.md)\n", "team/a.md": topic("a"), ".hidden.md": "x"}
    )
    assert [problem for problem in snapshot.problems if problem.code == "dead-link"] == []


def test_backlinks_say_the_line(graph: Graph) -> None:
    assert graph.backlinks("feedback_testing.md") == graph.backlinks(graph.scope.find("feedback_testing.md") or "")
    found = [(one.name, one.line, one.text) for one in graph.backlinks("feedback_testing.md")]
    assert found == [
        ("project_oncall.md", 7, "[[feedback_testing]] and [[testing-rules|rules]]"),
        ("sub/deep.md", 7, "[up](../project_oncall.md) [here](other.md) [top](feedback_testing.md)"),
    ]
    assert [one.name for one in graph.backlinks("sub/deep.md", index=True)] == ["MEMORY.md"]
    assert graph.backlinks("sub/deep.md") == ()


def test_broken_links_and_counts(graph: Graph) -> None:
    dead = [one.link for file in graph.scope.files for one in graph.out(file) if one.target.state == "missing"]
    assert [(link.line, link.target) for link in dead] == [(8, "ci.md"), (8, "nothing")]
    assert graph.counts("project_oncall.md") == (3, 1, 2)  # [[nothing]] may still be written
    assert graph.links_in("project_oncall.md") == 2


def test_a_cycle_and_a_link_to_oneself_are_harmless(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, {"a.md": "[b](b.md) [me](a.md) [h](#x)\n", "b.md": "[a](a.md)\n"})
    graph = snapshot.graphs["auto"]
    assert [one.name for one in graph.backlinks("a.md")] == ["b.md"]


def mentions(tmp_path: Path, files: dict[str, str], name: str) -> list[tuple[str, int]]:
    snapshot = snapshot_of(tmp_path, files)
    file = snapshot.find(name)
    assert file is not None
    return [(one.name, one.line) for one in snapshot.unlinked_mentions(file)]


def test_unlinked_mentions(tmp_path: Path) -> None:
    files = {
        "project_oncall.md": topic("On call rota", body="project_oncall names itself\n"),
        "a.md": "see project_oncall.md\n\nThe ON-CALL rota says so.\n`project_oncall.md`!\n```\nproject_oncall\n```\n",
        "b.md": "[x](project_oncall.md) and project_oncall\n[text project_oncall](c.md)\nxproject_oncall\n",
        "c.md": "---\nname: on call rota c\n---\nother words\n",
        "MEMORY.md": "project_oncall\n",
    }
    assert mentions(tmp_path, files, "project_oncall.md") == [("a.md", 1), ("a.md", 3), ("a.md", 4)]


def test_korean_endings_do_not_hide_a_mention(tmp_path: Path) -> None:
    files = {"rules.md": topic("테스트 규칙"), "a.md": "여기서는 테스트 규칙을 따른다.\n새테스트 규칙\n"}
    assert mentions(tmp_path, files, "rules.md") == [("a.md", 1)]


def test_short_names_are_not_looked_for(tmp_path: Path) -> None:
    files = {"ci.md": "# CI\n", "a.md": "the ci is red\n"}
    assert mentions(tmp_path, files, "ci.md") == []


def test_every_corpus_folder_has_a_graph(shared: Path) -> None:
    from memtui.memory.scope import read_scope

    for folder in sorted((shared / "corpus/memory").iterdir()):
        before = digest_tree(folder)
        scope = read_scope(folder, "auto", "memory", full=True)
        graph = Graph(scope)
        for file in scope.files:
            assert all(isinstance(one, Reference) for one in graph.backlinks(file))
            unlinked_mentions(scope, file)
        assert digest_tree(folder) == before


@given(st.text(max_size=30), st.sampled_from(["markdown", "wiki"]))
def test_any_target_is_taken(target: str, kind: str) -> None:
    found = Names((), Path("/nonexistent")).resolve("a/b.md", target, kind)
    assert found.state in ("file", "outside", "external", "missing", "other")


@given(st.text(max_size=30))
def test_a_slug_is_its_own_slug(words: str) -> None:
    assert slug(slug(words)) == slug(words)
