"""Demo transcripts have the shape of real ones."""

import json
from typing import Any

import pytest

from memtui.demo.transcripts import (
    DemoTranscript,
    Script,
    TranscriptWriter,
    close_transcript,
    fork_transcript,
    open_transcript,
    parse_script,
)

HEAD = "project: shop\nbranch: main\nends: 5m\nai-title: A title\n\n"


def play(blocks: str, **more: str) -> tuple[DemoTranscript, Script]:
    others = {name: parse_script(name, text) for name, text in more.items()}
    script = parse_script("one", HEAD + blocks)
    transcript = open_transcript(script, "/home/ana/shop")
    TranscriptWriter(transcript, others.__getitem__).play(script.blocks)
    return transcript, script


def rows(transcript: DemoTranscript) -> list[dict[str, Any]]:
    return [json.loads(line) for line in transcript.lines(1_796_000_000.0)]


def chain(transcript: DemoTranscript) -> list[dict[str, Any]]:
    return [row for row in rows(transcript) if "uuid" in row]


def test_one_response_is_one_line_a_block() -> None:
    made = chain(play('=== user\nhi\n=== think\n=== text\nhello\n=== call Bash {"command": "ls"}\n=== result\na\n')[0])
    answers = [row for row in made if row["type"] == "assistant"]
    assert [row["message"]["content"][0]["type"] for row in answers] == ["thinking", "text", "tool_use"]
    assert len({row["message"]["id"] for row in answers}) == len({row["requestId"] for row in answers}) == 1


def test_parallel_results_hang_under_their_own_calls() -> None:
    calls = '=== call Read {"file_path": "/a"}\n=== call Read {"file_path": "/b"}\n'
    made = chain(play("=== user\nhi\n" + calls + "=== result\nA\n=== result error\nno\n=== text\nok\n")[0])
    blocks = [(row["uuid"], row["message"]["content"][0]) for row in made if row["type"] == "assistant"]
    used = {block["id"]: number for number, block in blocks if block["type"] == "tool_use"}
    results = [row for row in made if "toolUseResult" in row]
    assert [row["parentUuid"] for row in results] == list(used.values())
    assert [row["message"]["content"][0]["tool_use_id"] for row in results] == list(used)
    assert results[1]["toolUseResult"] == "Error: no"
    assert made[-1]["parentUuid"] == results[-1]["uuid"]


def test_a_rewind_gives_one_parent_two_prompts() -> None:
    made = chain(play("=== user\na\n=== text\nb\n=== user #x\nc\n=== text\nd\n=== rewind #x\n=== user\ne\n")[0])
    prompts = {row["message"]["content"]: row["parentUuid"] for row in made if row["type"] == "user"}
    assert prompts["c"] == prompts["e"] != prompts["a"]


def test_a_rewind_to_the_first_prompt_gives_two_roots() -> None:
    made = chain(play("=== user #x\na\n=== text\nb\n=== rewind #x\n=== user\nc\n")[0])
    assert [row["parentUuid"] for row in made if row["type"] == "user"] == [None, None]


def test_a_compaction_starts_a_new_root() -> None:
    made = chain(play("=== user\na\n=== text\nb\n=== compact auto 160000 9000\nSummary\n=== user\nc\n")[0])
    boundary = next(row for row in made if row.get("subtype") == "compact_boundary")
    summary = next(row for row in made if row.get("isCompactSummary"))
    assert boundary["parentUuid"] is None
    assert boundary["logicalParentUuid"] == made[made.index(boundary) - 1]["uuid"]
    assert summary["parentUuid"] == boundary["uuid"]
    assert made[-1]["parentUuid"] == summary["uuid"]


def test_a_sub_agent_has_a_file_of_its_own() -> None:
    child = "agent: Explore\ndescription: Look\n\n=== user\nlook\n=== text\nseen\n"
    call = '=== call Agent {"description": "Look", "prompt": "look"} agent=helper\n=== result\nseen\n'
    transcript, _ = play("=== user\ngo\n" + call, helper=child)
    ((name, inner, meta),) = transcript.agents
    made = chain(inner)
    assert all(row["isSidechain"] and row["agentId"] == name and row["sessionId"] == transcript.session for row in made)
    assert made[0]["parentUuid"] is None
    used = next(row for row in chain(transcript) if row["type"] == "assistant")
    assert meta["toolUseId"] == used["message"]["content"][0]["id"]
    assert chain(transcript)[-1]["toolUseResult"]["agentId"] == name


def test_a_fork_keeps_message_ids_and_names_its_origin() -> None:
    base, _ = play("=== user\na\n=== text #here\nb\n=== turn\n=== user\nc\n=== text\nd\n")
    script = parse_script("two", "fork: one #here\nbranch: main\nends: 1m\n\n=== user\ne\n")
    branch = fork_transcript(base, script)
    TranscriptWriter(branch, {}.__getitem__).play(script.blocks)
    old, new = chain(base), chain(branch)
    copied = [row for row in new if "forkedFrom" in row]
    assert [row["uuid"] for row in copied] == [row["uuid"] for row in old[: len(copied)]]
    assert {row["sessionId"] for row in new} == {branch.session} != {base.session}
    assert copied[-1]["forkedFrom"] == {"sessionId": base.session, "messageUuid": copied[-1]["uuid"]}
    assert new[-1]["parentUuid"] == copied[-1]["uuid"]
    assert new[-1]["message"]["content"] == "e"


def test_titles_and_last_prompt_close_the_file() -> None:
    transcript, script = play("=== user\nfirst\nline\n=== text\nb\n=== turn\n")
    close_transcript(transcript, script)
    title, last = rows(transcript)[-2:]
    assert title == {"type": "ai-title", "aiTitle": "A title", "sessionId": transcript.session}
    assert last["lastPrompt"] == "first line"
    assert last["leafUuid"] in {row["uuid"] for row in chain(transcript) if row["type"] == "assistant"}


def test_a_head_line_without_a_colon_is_refused() -> None:
    with pytest.raises(ValueError, match="broken"):
        parse_script("broken", "project shop\n\n=== user\nx\n")
