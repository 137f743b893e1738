"""A session in a few lines."""

from pathlib import Path

from memtui.sessions.chain import resume
from memtui.sessions.outline import Outline, outline
from tests.sessions.rows import Script


def outlined(script: Script, folder: Path) -> Outline:
    transcript = script.read(folder)
    return outline(transcript, resume(transcript))


def test_a_rewind_stands_below_what_it_leaves_and_the_clients_leaf_is_known(tmp_path: Path) -> None:
    script = Script().user("u0", None, "how does it\n work?").answer("a1", "u0")
    script.user("u2", "a1", "first try").answer("a3", "u2").user("u4", "a1", "second try").answer("a5", "u4")
    main, rewound = outlined(script, tmp_path).twigs
    assert (main.kind, main.depth, main.words, main.messages, main.prompts) == ("root", 0, "how does it work?", 4, 2)
    assert (rewound.kind, rewound.depth, rewound.words, rewound.off) == ("rewind", 1, "first try", "a1")
    assert (main.leaf, rewound.leaf) == (True, False)
    assert (main.tip, rewound.tip) == ("a5", "a3")
    assert main.ended is not None
    assert main.ended > (rewound.ended or 0)


def test_a_compaction_goes_on_at_the_depth_of_what_it_compacted(tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0")
    script.system("b", None, "compact_boundary", logicalParentUuid="a1", compactMetadata={}, content="compacted")
    script.summary("s", "b").user("u2", "s")
    first, second = outlined(script, tmp_path).twigs
    assert (second.kind, second.depth, second.words) == ("compaction", 0, "compacted")
    assert (first.leaf, second.leaf) == (False, True)


def test_a_branch_without_a_prompt_is_told_by_what_it_begins_with(tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0").answer("x", "nowhere", "an answer from nowhere")
    lost = outlined(script, tmp_path).twigs[-1]
    assert (lost.kind, lost.words) == ("orphan", "an answer from nowhere")


def test_rows_of_sub_agents_are_agents_not_branches(tmp_path: Path) -> None:
    script = Script().user("u0", None).call("c1", "u0", "t1", "Task", prompt="look", description="Look")
    script.user("s1", None, "look", isSidechain=True).answer("s2", "s1", isSidechain=True).result("r1", "c1", "t1")
    found = outlined(script, tmp_path)
    assert [twig.kind for twig in found.twigs] == ["root"]
    assert [(agent.start, agent.call) for agent in found.agents] == [("s1", "t1")]
