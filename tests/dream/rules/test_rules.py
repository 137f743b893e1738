"""The rules on small folders, each by itself: what it does, what it leaves, what it says."""

from datetime import UTC, timedelta, timezone
from pathlib import Path

import pytest

from memtui.dream.backends.offline import consolidate
from memtui.dream.rules.context import Mode, RuleChange
from memtui.memory.budget import measure_index
from memtui.util.errors import NotFound
from tests.memory.folders import NOW, topic, write
from tests.support import digest_tree

BODY = "The build needs Node 20 and the lock file of pnpm, which is checked in with the rest.\n"


class Stage:
    """A folder, and what a run did with it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.said: list[str] = []
        root.mkdir()

    def put(self, old: float = 7200.0, **files: str) -> "Stage":
        """Write files; `a__b` is `a/b.md`, `MEMORY` the index."""
        write(self.root, {f"{name.replace('__', '/')}.md": text for name, text in files.items()}, old=old)
        return self

    def run(self, mode: Mode = "reflect", *pinned: str, zone: timezone = UTC) -> list[RuleChange]:
        return consolidate(self.root, now=NOW, emit=self.said.append, mode=mode, pinned=frozenset(pinned), zone=zone)

    def text(self, name: str) -> str:
        return (self.root / f"{name}.md").read_text(encoding="utf-8")

    @property
    def names(self) -> list[str]:
        return sorted(path.relative_to(self.root).as_posix()[:-3] for path in self.root.rglob("*.md"))


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path / "stage")


def rules(operations: list[RuleChange]) -> list[str]:
    return [operation.rule for operation in operations]


def test_a_stage_that_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        consolidate(tmp_path / "none", now=NOW, emit=print, mode="reflect")


def test_nothing_to_do(stage: Stage) -> None:
    stage.put(MEMORY="- [A](a.md)\n", a=topic("A"))
    before = digest_tree(stage.root)
    assert stage.run() == []
    assert digest_tree(stage.root) == before
    assert stage.said == []


# Dates


def dated(body: str, modified: str = "2026-05-28T10:00:00.000Z") -> str:
    meta = f"metadata: \n  type: project\n  modified: {modified}\n"
    return f"---\nname: A\ndescription: as of yesterday\n{meta}---\n\n{body}"


def test_dates_of_a_file_that_has_its_own(stage: Stage) -> None:
    stage.put(MEMORY="- [A](a.md) - yesterday\n- [B](b.md)\n", a=dated("Down since yesterday.\n"))
    stage.put(b=topic("B", body="Down since yesterday.\n"))
    operations = stage.run()
    assert stage.text("a") == dated("Down since 2026-05-27.\n").replace("of yesterday", "of 2026-05-27")
    assert stage.text("b") == topic("B", body="Down since yesterday.\n")
    assert operations == [
        RuleChange(
            "relative-date", "a.md", operations[0].words, ("description: as of yesterday", "Down since yesterday.")
        )
    ]
    assert operations[0].words == 'a.md of 2026-05-28: "yesterday" is 2026-05-27'
    assert stage.said == [f"relative-date: {operations[0].words}"]


def test_a_utc_stamp_is_a_day_of_the_writer(stage: Stage) -> None:
    stage.put(MEMORY="- [A](a.md)\n", a=dated("어제부터 느리다.\n", "2026-05-27T23:30:00.000Z"))
    stage.run(zone=timezone(timedelta(hours=9)))
    assert "2026-05-27부터 느리다." in stage.text("a")


@pytest.mark.parametrize("modified", ["soon", "2126-05-28", "2026-99-99"])
def test_a_stamp_that_is_no_day_makes_nothing_certain(stage: Stage, modified: str) -> None:
    stage.put(MEMORY="- [A](a.md)\n", a=dated("Down since yesterday.\n", modified))
    assert stage.run() == []


# Merges


def test_two_of_a_kind_become_one(stage: Stage) -> None:
    stage.put(
        MEMORY="# M\n\n- [A](a.md) — how to build\n- [B](b.md) — building\n", c=topic("C", body="See [B](b.md).\n")
    )
    stage.put(old=9000, b=topic("B", "building", body=f"# Build\n\n{BODY}"))
    stage.put(a=topic("A", "how to build", body=f"{BODY}\nAnd a JDK.\n"))
    operations = stage.run()
    assert rules(operations) == ["merge", "orphan"]
    assert stage.names == ["MEMORY", "b", "c"]  # b.md has a link to it
    note = 'Merged from `a.md` and `b.md`.\n`b.md` was called "B": building (parts: Build)\n'
    assert stage.text("b") == topic("A", "how to build", body=f"{BODY}\nAnd a JDK.\n\n{note}")
    assert stage.text("c") == topic("C", body="See [B](b.md).\n")
    assert "(a.md)" not in stage.text("MEMORY")
    assert "(b.md) — building" in stage.text("MEMORY")
    assert operations[0].words == "a.md is in b.md: every line of it was there"


def test_links_follow_to_the_one_that_stays(stage: Stage) -> None:
    stage.put(MEMORY="- [C](c.md)\n- [A](a.md)\n", c=topic("C", body="See [[b]] and [[a]], or [b](b.md#x).\n"))
    stage.put(a=topic("A", body=BODY))
    stage.put(old=9000, b=topic("B", body=BODY))
    stage.run()
    assert stage.names == ["MEMORY", "b", "c"]
    assert "See [[b]] and [[b]], or [b](b.md#x).\n" in stage.text("c")
    assert stage.text("MEMORY") == "- [C](c.md)\n- [A](b.md)\n"


def test_a_copy_goes_without_a_note_only_in_prune(stage: Stage, tmp_path: Path) -> None:
    files = {"a": topic("A", body=BODY), "b": topic("A", body=BODY + "\n"), "MEMORY": "- [A](a.md)\n- [A](b.md)\n"}
    assert rules(stage.put(**files).run("prune")) == ["exact-duplicate"]
    assert stage.names == ["MEMORY", "b"]  # of one age, the one that is longer
    assert stage.text("b") == topic("A", body=BODY + "\n")
    note = "\nMerged from `x.md` and `y.md`.\n"
    noted = Stage(tmp_path / "noted").put(**files | {"a": topic("A", body=BODY + note)})
    assert rules(noted.run("prune")) == ["merge"]
    assert note in noted.text(noted.names[1])
    other = Stage(tmp_path / "other").put(**files)
    assert rules(other.run("reflect")) == ["merge"]
    assert "Merged from `" in other.text(other.names[1])


def test_a_file_that_may_not_change_keeps_what_it_links_to(stage: Stage) -> None:
    stage.put(MEMORY="- [A](a.md)\n- [B](b.md)\n- [C](c.md)\n", c=topic("C", body="See [[a]] and [[b]].\n"))
    stage.put(a=topic("A", body=BODY), b=topic("B", body=BODY))
    assert stage.run("prune", "c.md") == []
    assert stage.said == ["a.md and b.md are the same text, but can't be merged for certain: both stay"]


def test_no_merge_gives_a_sentence_another_day(stage: Stage) -> None:
    stage.put(MEMORY="- [A](a.md)\n- [B](b.md)\n", a=dated(f"{BODY}It is down since 2026-05-27.\n"))
    stage.put(b=topic("A", body=f"{BODY}It is down since 2026-05-27.\nThe fix comes tomorrow.\n"))
    assert [operation.rule for operation in stage.run() if operation.rule != "relative-date"] == []
    assert stage.names == ["MEMORY", "a", "b"]


def test_a_link_that_may_not_change_decides_the_name(stage: Stage) -> None:
    stage.put(MEMORY="- [A](a.md)\n- [B](b.md)\n- [C](c.md)\n", c=topic("C", body="See [[a]].\n"))
    stage.put(old=9000, a=topic("A", body=BODY), d=topic("D", body="See [b](b.md).\n"))
    stage.put(b=topic("B", body=BODY))
    assert rules(stage.run("reflect", "c.md")) == ["merge", "orphan"]
    assert stage.names == ["MEMORY", "a", "c", "d"]
    assert "See [a](a.md).\n" in stage.text("d")


# Front matter


def test_gaps_are_filled(stage: Stage) -> None:
    stage.put(
        MEMORY="- [A](user_me.md)\n- [B](b.md)\n- [C](c.md)\n- [D](d.md)\n",
        user_me="# Me\n\nI write `snake_case` names. Always.\n",
        b="---\ntype: Feedback\n---\n\n## Decision\n\nKeep it short.\n",
        c="---\nname: C\ndescription: d\ntype: sometype\n---\n\nText.\n",
        d="---\nname: D\ndescription: d\n\nnever closed\n",
    ).put(**{"2026-01-02-plan": "---\ndescription: d\ntype: user\n---\n\n## Decision\n\nText.\n"})
    operations = stage.run()
    assert stage.text("user_me") == (
        "---\nname: Me\ndescription: I write snake_case names. Always.\ntype: user\n---\n\n"
        "# Me\n\nI write `snake_case` names. Always.\n"
    )
    assert (
        stage.text("b")
        == "---\ntype: feedback\nname: b\ndescription: Keep it short.\n---\n\n## Decision\n\nKeep it short.\n"
    )
    assert "type: sometype" in stage.text("c")
    assert "name: plan\n" in stage.text("2026-01-02-plan")
    assert {operation.rule for operation in operations} == {"frontmatter", "orphan"}


# Links


def test_dead_links(stage: Stage) -> None:
    stage.put(
        MEMORY="# M\n\n- [A](a.md)\n- [Old](old.md) — we use svn\n- [Test](testing.md)\n",
        a=topic("A", body="[gone](docs/gone.md), [x.md](x.md), [t](testing.md), [[later]], [web](https://x.y/z.md)\n"),
        feedback_testing=topic("Testing", type="feedback"),
    )
    operations = stage.run()
    assert "gone (`docs/gone.md`), x.md, [t](feedback_testing.md), [[later]], [web](https://x.y/z.md)\n" in stage.text(
        "a"
    )
    assert stage.text("MEMORY") == "# M\n\n- [A](a.md)\n- Old (`old.md`) — we use svn\n- [Test](feedback_testing.md)\n"
    assert {operation.rule for operation in operations} == {"dead-link"}


def test_dead_links_in_prune(stage: Stage) -> None:
    stage.put(
        MEMORY="# M\n\n- [A](a.md)\n\n## Old\n\n- [Old](old.md) — we use svn\n", a=topic("A", body="[[later]] or so.\n")
    )
    operations = stage.run("prune")
    assert stage.text("MEMORY") == "# M\n\n- [A](a.md)\n\n"
    assert "\nlater or so.\n" in stage.text("a")
    assert [(operation.rule, operation.before) for operation in operations] == [
        ("dead-entry", ("## Old", "- [Old](old.md) — we use svn")),
        ("dead-link", ("[[later]] or so.",)),
    ]


# Empty files


def test_empty_files(stage: Stage) -> None:
    stage.put(MEMORY="- [A](a.md)\n- [B](b.md)\n- [C](c.md) — use make\n", a="", b="---\nname: B\n---\n\n", c=" \n")
    stage.put(d="---\nname: D\ndescription: says it all\ntype: user\n---\n")
    assert rules(stage.run("reflect")) == ["orphan"]
    assert "a.md is empty: a run in the mode prune removes it" in stage.said
    operations = stage.run("prune")
    assert [(operation.rule, operation.name) for operation in operations] == [
        ("empty-file", "a.md"),
        ("empty-file", "b.md"),
    ]
    assert stage.names == ["MEMORY", "c", "d"]
    assert "(a.md)" not in stage.text("MEMORY")


# The index


def test_an_index_is_made(stage: Stage) -> None:
    stage.put(a=topic("A", type="user"), sub__b=topic("B"))
    assert rules(stage.run()) == ["no-index"]
    assert "[A](a.md)" in stage.text("MEMORY")
    assert "[B](sub/b.md)" in stage.text("MEMORY")


def test_one_entry_a_file(stage: Stage) -> None:
    stage.put(MEMORY="- [A](a.md)\n- [A](a.md) — first\n- [A](./a.md) — second\n  more\n", a=topic("A"))
    assert rules(stage.run()) == ["duplicate-entry", "duplicate-entry"]
    assert stage.text("MEMORY") == "- [A](a.md) — first\n"
    assert stage.text("a") == topic("A", body="Body.\n\nFrom the index: second more\n")


def many(count: int) -> dict[str, str]:
    kinds = ("project", "feedback")
    return {f"t{n:03}": topic(f"T{n:03}", type=kinds[n % 2], body=f"Body {n}.\n") for n in range(count)}


def test_an_index_over_its_limit(stage: Stage) -> None:
    files = many(230)
    index = "# M\n\n" + "".join(f"- [T]({name}.md) — hook of {name} {'long ' * 12}\n" for name in files)
    stage.put(MEMORY=index, **files)
    stage.put(team__x=topic("X"))
    operations = stage.run("reflect", "t000.md")
    budget = measure_index(stage.text("MEMORY"))
    assert 0.65 < budget.used <= 0.7
    assert rules(operations) == ["index-budget"]
    assert "(t000.md)" in stage.text("MEMORY")  # pinned
    assert stage.text("MEMORY").count("(t") <= 140
    gone = [name for name in files if f"({name}.md)" not in stage.text("MEMORY")]
    assert all(int(name[1:]) % 2 == 0 for name in gone)  # feedback is worth more than project
    assert all(f"From the index: hook of {name} long" in stage.text(name) for name in gone)
    assert len(operations[0].before) == len(gone)
    assert stage.run("reflect", "t000.md") == []
    assert any("not listed" in line for line in stage.said)


def test_team_entries_are_no_dead_ones(stage: Stage) -> None:
    files = many(230)
    index = "- [X](team/x.md) — shared\n" + "".join(f"- [T]({name}.md)\n" for name in files)
    stage.put(MEMORY=index, team__x=topic("X", type="user"), **files).run("prune")
    assert "- [X](team/x.md) — shared\n" in stage.text("MEMORY")


# What is left alone


def test_what_may_not_be_written_stays(stage: Stage) -> None:
    lost = "See [gone](gone.md), since yesterday.\n"
    stage.put(MEMORY="- [A](gone.md)\n", pinned=dated(lost), team__a=lost, logs__2026=lost)
    write(
        stage.root,
        {"mixed.md": b"a\r\n[x](gone.md)\n", "bad.md": b"\xff [x](gone.md)\n", "MEMORY.sync-conflict.md": lost},
    )
    (stage.root / "link.md").symlink_to("pinned.md")
    (stage.root / "out.md").symlink_to("/etc/hostname")
    before = digest_tree(stage.root)
    operations = stage.run("prune", "pinned.md", "MEMORY.md")
    assert operations == []
    assert digest_tree(stage.root) == before


def test_words_are_safe_to_show(stage: Stage) -> None:
    stage.put(MEMORY="- [A](a.md)\n", a=topic("A", body="[x](\u202egone.md)\n"))
    operations = stage.run()
    assert "‹U+202E›" in operations[0].words
    assert "\u202e" not in stage.said[0]
