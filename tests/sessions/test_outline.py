"""A session in a few lines."""

from pathlib import Path

from memtui.sessions.chain import resume
from memtui.sessions.outline import Node, outline_of
from tests.sessions.rows import Script


def outlined(script: Script, folder: Path) -> tuple[Node, ...]:
    transcript = script.read(folder)
    return outline_of(transcript, resume(transcript))


def test_a_rewind_stands_below_what_it_leaves_and_the_clients_leaf_is_known(tmp_path: Path) -> None:
    script = Script().user("u0", None, "how does it\n work?").answer("a1", "u0")
    script.user("u2", "a1", "first try").answer("a3", "u2").user("u4", "a1", "second try").answer("a5", "u4")
    main, rewound = outlined(script, tmp_path)
    assert (main.kind, main.depth, main.says, main.messages) == ("root", 0, "how does it work?", 4)
    assert (rewound.kind, rewound.depth, rewound.says) == ("rewind", 1, "first try")
    assert rewound.off is not None
    assert (rewound.off.uuid, rewound.last) == ("a1", True)
    assert (main.leaf_uuid, rewound.leaf_uuid) == ("a5", "")
    assert (main.uuid, rewound.uuid) == ("a5", "a3")
    assert main.stamp > rewound.stamp


def test_a_compaction_goes_on_at_the_depth_of_what_it_compacted(tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0")
    script.system("b", None, "compact_boundary", logicalParentUuid="a1", compactMetadata={}, content="compacted")
    script.summary("s", "b").user("u2", "s")
    first, second = outlined(script, tmp_path)
    assert (second.kind, second.depth) == ("compaction", 0)
    assert (first.leaf, second.leaf) == (False, True)


def test_a_branch_without_a_prompt_is_told_by_what_it_begins_with(tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0")
    script.answer("x", "nowhere", [{"type": "text", "text": "an answer from nowhere"}])
    lost = outlined(script, tmp_path)[-1]
    assert (lost.kind, lost.says) == ("orphan", "an answer from nowhere")


def test_a_sub_agent_stands_below_the_branch_that_called_it(tmp_path: Path) -> None:
    script = Script().user("u0", None).call("c1", "u0", "t1", "Task", prompt="look", description="Look")
    script.user("s1", None, "look", isSidechain=True).answer("s2", "s1", isSidechain=True).result("r1", "c1", "t1")
    root, agent = outlined(script, tmp_path)
    assert (root.depth, agent.depth, agent.kind) == (0, 1, "sub-agent")
    assert agent.agent is not None
    assert (agent.agent.start, agent.agent.call) == ("s1", "t1")
