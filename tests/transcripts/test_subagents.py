import json
from pathlib import Path

from memtui.transcripts.subagents import agent_files, find_agents
from memtui.transcripts.transcript import read_transcript
from memtui.transcripts.tree import build_tree
from tests.transcripts.rows import SESSION, Script


def agent_file(path: Path, **first: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    row = {"type": "user", "uuid": path.stem, "isSidechain": True, "message": {"role": "user", "content": "look"}}
    path.write_text(json.dumps({**row, **first}) + "\n", encoding="utf-8")
    return path


def test_an_agents_file_may_begin_with_anything(tmp_path: Path) -> None:
    path = Script().user("u0", None).write(tmp_path)
    for number, head in enumerate((b"", b'{"torn', b"7", b"\0\0", b'{"type":"mode","mode":"x"}', b"x" * (3 << 20))):
        file = agent_file(tmp_path / f"agent-{number}.jsonl", sessionId=SESSION)
        file.write_bytes(head + b"\n" + file.read_bytes())
    agent_file(tmp_path / "agent-other.jsonl", sessionId="another")
    assert len(agent_files(path)) == 6


def test_a_workflows_agents_belong_to_its_call(tmp_path: Path) -> None:
    script = Script().user("u0", None).call("c1", "u0", "t1", "Workflow", script="s")
    path = script.result("r1", "c1", "t1", toolUseResult={"runId": "wf_1"}).write(tmp_path)
    for run in ("wf_1", "wf_2"):
        agent_file(tmp_path / SESSION / "subagents" / "workflows" / run / f"agent-{run}.jsonl")
    transcript = read_transcript(path)
    found = find_agents(transcript, build_tree(transcript.entries))
    assert [(agent.call, agent.kind) for agent in found] == [("t1", "agent of wf_1"), ("", "agent of wf_2")]


def test_the_three_layouts(tmp_path: Path) -> None:
    script = Script().user("u0", None).call("c1", "u0", "t1", "Agent", prompt="one").result("r1", "c1", "t1")
    script.call("c2", "r1", "t2", "Task", prompt="two").result("r2", "c2", "t2", toolUseResult={"agentId": "flat"})
    script.call("c3", "r2", "t3", "Task", prompt="three").user("s", None, "three", isSidechain=True, agentId="inside")
    script.result("r3", "c3", "t3", [{"type": "text", "text": "done\nagentId: deep (more)"}])
    path = script.write(tmp_path)
    nested = tmp_path / SESSION / "subagents"
    agent_file(nested / "agent-new.jsonl")
    (nested / "agent-new.meta.json").write_text(
        '{"agentType":"Explore","toolUseId":"t1","description":"looks"}', encoding="utf-8"
    )
    agent_file(nested / "workflows" / "run" / "agent-deep.jsonl")
    agent_file(nested / "agent-acompact-12.jsonl")
    agent_file(tmp_path / "agent-flat.jsonl", sessionId=SESSION)
    agent_file(tmp_path / "agent-other.jsonl", sessionId="another")
    transcript = read_transcript(path)
    agents = find_agents(transcript, build_tree(transcript.entries))
    assert [(agent.id, agent.call, agent.internal) for agent in agents] == [
        ("new", "t1", False),
        ("flat", "t2", False),
        ("deep", "t3", False),
        ("inside", "t3", False),
        ("acompact-12", "", True),
    ]
    assert (agents[0].kind, agents[0].describe) == ("Explore", "looks")
    assert agents[3].path is None
    assert len(agent_files(path)) == 4


def test_a_broken_meta_file_and_an_empty_agent_are_no_trouble(tmp_path: Path) -> None:
    path = Script().user("u0", None).write(tmp_path)
    nested = tmp_path / SESSION / "subagents"
    nested.mkdir(parents=True)
    (nested / "agent-a.jsonl").touch()
    (nested / "agent-a.meta.json").write_text("{", encoding="utf-8")
    transcript = read_transcript(path)
    assert [agent.call for agent in find_agents(transcript, build_tree(transcript.entries))] == [""]


def test_agents_of_the_corpus(shared: Path) -> None:
    file = shared / "corpus" / "sessions" / "cclog-worktrees-2.1.114" / "ef958aa1-0e93-49f0-bb71-150f63befcd1.jsonl"
    transcript = read_transcript(file)
    agents = find_agents(transcript, build_tree(transcript.entries))
    assert len(agents) == 6
    assert sum(bool(agent.call) for agent in agents) >= 5
