"""Whole runs: the loop, the tools and the real SDK against a scripted server."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from memtui.agent.events import AgentNote, ModelRetry, ModelTurn, ToolUsed, UsageTotal
from memtui.agent.models import UPDATES_BETA
from memtui.agent.task import Budget
from memtui.agent.usage import PRICES, TokenUsage
from tests.agent.runs import KEY, Runner
from tests.agent.scripted_api import Reply, answer, call, error, text
from tests.agent.worlds import SECRET
from tests.support import digest_tree


async def test_a_whole_run(runner: Runner) -> None:
    api, root = runner.api, runner.scope.root
    outside = digest_tree(root.parent / "outside")
    api.says(
        answer(text("I look around."), call("Glob", pattern="*.md"), call("Bash", command="ls | wc -l")),
        answer(call("Read", file_path="a.md"), call("Read", file_path=str(runner.scope.reads[0] / "s1.jsonl"))),
        answer(
            call("Edit", file_path="a.md", old_string="a b", new_string="c d"),
            call("Write", file_path="topics/new one.md", content="# New\n"),
            call("Write", file_path="../outside/list", content="x"),
            call("Bash", command="rm a.md"),
        ),
        answer(text("All done.")),
    )
    ran = await runner.run()
    assert api.refused == []
    assert (ran.end.why, ran.end.cause, ran.end.words, ran.end.turns) == ("done", "answered", "All done.", 4)
    assert (root / "a.md").read_text() == "x c d type\n"
    assert (root / "topics/new one.md").read_text() == "# New\n"
    assert digest_tree(root.parent / "outside") == outside
    turns = ran.of(ModelTurn)
    assert [(turn.number, turn.text, dict(turn.tools)) for turn in turns] == [
        (1, "I look around.", {"Glob": 1, "Bash": 1}),
        (2, "", {"Read": 2}),
        (3, "", {"Edit": 1, "Write": 2, "Bash": 1}),
        (4, "All done.", {}),
    ]
    used = ran.of(ToolUsed)
    assert [(one.name, one.ok) for one in used[4:]] == [
        ("Edit", True), ("Write", True), ("Write", False), ("Bash", False),
    ]  # fmt: skip
    assert used[6].argument == "../outside/list" and used[6].reason.startswith("denied: ")
    assert used[7].argument == "rm a.md" and used[7].reason.startswith("denied: ")
    results = api.results(3)
    assert [result.get("is_error", False) for result in results] == [False, False, True, True]
    assert "     1\tx a b type" in api.results(2)[0]["content"]


async def test_what_is_asked_for(runner: Runner) -> None:
    runner.api.says(answer(text("ok")))
    await runner.run("Do it.", system="Who you are.", tools=("Read", "Edit"))
    request, headers = runner.api.requests[0], runner.api.headers[0]
    assert request["model"] == "claude-sonnet-5-5" and request["max_tokens"] == 64_000 and request["stream"] is True
    assert [tool["name"] for tool in request["tools"]] == ["Read", "Edit"]
    assert request["system"][0]["text"] == "Who you are."
    assert KEY in (headers.get("x-api-key"), headers.get("authorization", "").removeprefix("Bearer "))


async def test_a_tool_that_the_task_does_not_have(runner: Runner) -> None:
    runner.api.says(answer(call("Write", file_path="n.md", content="x")), answer(text("ok")))
    ran = await runner.run(tools=("Read",))
    assert ran.of(ToolUsed)[0].reason == "there is no such tool; there are: Read"
    assert not (runner.scope.root / "n.md").exists()


async def test_spending_is_counted_and_priced(runner: Runner) -> None:
    usage = {"input_tokens": 10, "output_tokens": 40, "cache_read_input_tokens": 3000}
    runner.api.says(
        answer(call("Read", file_path="a.md"), usage={"cache_creation_input_tokens": 2000}),
        answer(text("ok"), usage=usage),
    )
    ran = await runner.run()
    assert ran.end.usage == TokenUsage(110, 60, 3000, 2000)
    assert ran.end.money == pytest.approx((110 * 2 + 60 * 10 + 3000 * 0.1 + 2000 * 2.5) / 1e6)
    assert ran.of(UsageTotal)[-1] == UsageTotal(ran.end.usage, ran.end.money)
    written = {"cache_creation_input_tokens": 2000, "cache_creation": {"ephemeral_1h_input_tokens": 500}}
    runner.api.says(answer(text("ok"), usage=written))
    ran = await runner.run()
    assert ran.end.usage == TokenUsage(100, 20, 0, 1500, 500)
    assert ran.end.money == pytest.approx((100 * 2 + 20 * 10 + 1500 * 2.5 + 500 * 4) / 1e6)


async def test_a_model_without_a_price(runner: Runner) -> None:
    runner.api.says(answer(text("ok")))
    ran = await runner.run(model="some-model", budget=Budget(money=1.0))
    assert ran.end.money is None and ran.end.why == "done"
    assert [note.text for note in ran.of(AgentNote)] == ["price of some-model unknown: no limit in money"]
    assert (await runner.run(model="some-model", budget=Budget(output_tokens=100))).end.cause == "output"


async def test_thoughts_go_back_unchanged_and_are_told(runner: Runner) -> None:
    hidden = {"type": "thinking", "thinking": "", "signature": "c2ln"}
    shown = {"type": "thinking", "thinking": " I read\na. ", "signature": "bW9yZQ"}
    first, second = call("Read", file_path="a.md"), call("Read", file_path="b.md")
    runner.api.says(answer(hidden, shown, first), answer(hidden, second), answer(text("ok")))
    ran = await runner.run()
    assert runner.api.refused == []
    sent = [message["content"] for message in runner.api.requests[2]["messages"] if message["role"] == "assistant"]
    assert [blocks[:-1] for blocks in sent] == [[hidden, shown], [hidden]]
    assert [turn.thinking for turn in ran.of(ModelTurn)] == ["I read\na.", "", ""]


CURRENT = {"thinking": {"type": "adaptive", "display": "updates"}, "output_config": {"effort": "medium"}}
OLDER = {"thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": "medium"}}


@pytest.mark.parametrize(
    ("model", "options", "most"),
    [
        *((f"claude-{name}-5-5", CURRENT, 64_000) for name in ("haiku", "sonnet", "opus")),
        ("claude-fable-5-2", CURRENT, 64_000), ("claude-opus-5-5-20261001", CURRENT, 64_000),
        ("claude-opus-5", OLDER, 64_000), ("claude-opus-4-8", OLDER, 64_000), ("claude-sonnet-4-6", OLDER, 64_000),
        ("claude-sonnet-4-5", {}, 64_000), ("claude-haiku-4-5-20251001", {}, 64_000), ("model-of-tomorrow", {}, 32_000),
    ],
)  # fmt: skip
async def test_each_model_is_asked_for_what_it_takes(
    runner: Runner, model: str, options: dict[str, Any], most: int
) -> None:
    runner.api.says(answer(text("ok")))
    assert (await runner.run(model=model)).end.why == "done"
    request, headers = runner.api.requests[0], runner.api.headers[0]
    assert {key: request[key] for key in ("thinking", "output_config") if key in request} == options
    assert request["max_tokens"] == most
    assert headers.get("anthropic-beta") == (UPDATES_BETA if options == CURRENT else None)


@pytest.mark.parametrize(
    ("words", "name", "left"),
    [
        ("thinking.display: Input should be 'summarized' or 'omitted'", 'a display of "updates"', OLDER),
        (f"Unexpected value(s) `{UPDATES_BETA}` for the `anthropic-beta` header.", 'a display of "updates"', OLDER),
        ("adaptive thinking is not supported on this model", "thinking", {"output_config": CURRENT["output_config"]}),
        ("This model does not support the effort parameter.", "effort", {"thinking": CURRENT["thinking"]}),
        ("output_config: Extra inputs are not permitted", "effort", {"thinking": CURRENT["thinking"]}),
        ("max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for x",
         "max_tokens 64,000", {**CURRENT, "max_tokens": 8192}),
    ],
)  # fmt: skip
async def test_what_a_model_refuses_is_left_out(runner: Runner, words: str, name: str, left: dict[str, Any]) -> None:
    refusal = error(400, "invalid_request_error", words)
    runner.api.says(refusal, answer(call("Read", file_path="a.md")), answer(text("ok")))
    ran = await runner.run()
    assert (ran.end.why, ran.waits, len(ran.of(AgentNote))) == ("done", [], 1)
    assert ran.of(AgentNote)[0].text.startswith(f"claude-sonnet-5-5 doesn't take {name}, it is asked ")
    for request in runner.api.requests[1:]:
        assert {key: request[key] for key in ("thinking", "output_config", "max_tokens") if key in request} == {
            "max_tokens": 64_000, **left,
        }  # fmt: skip
    runner.api.says(*[refusal] * 3)
    ran = await runner.run()
    assert (ran.end.why, ran.end.cause, len(runner.api.requests)) == (
        "failed",
        "request",
        2 + (name not in ("thinking", "effort")),
    )


async def test_a_display_that_is_refused_in_both_forms_is_left_out(runner: Runner) -> None:
    refusals = [
        error(400, "invalid_request_error", f"Unexpected value(s) `{UPDATES_BETA}` for the `anthropic-beta` header."),
        error(400, "invalid_request_error", "thinking.display: Extra inputs are not permitted"),
    ]
    runner.api.says(*refusals, answer(call("Read", file_path="a.md")), answer(text("ok")))
    assert (await runner.run()).end.why == "done"
    shown = [request["thinking"].get("display") for request in runner.api.requests]
    assert shown == ["updates", "summarized", None, None]
    assert [headers.get("anthropic-beta") for headers in runner.api.headers] == [UPDATES_BETA, None, None, None]


async def test_a_refusal_of_the_conversation_is_final(runner: Runner) -> None:
    words = "messages.1.content.0: Invalid `signature` in `thinking` block"
    runner.api.says(error(400, "invalid_request_error", words))
    assert (await runner.run()).end.cause == "request" and len(runner.api.requests) == 1


async def test_every_turn_reads_what_the_one_before_wrote_to_the_cache(runner: Runner) -> None:
    many = [call("Read", file_path="a.md", offset=1, limit=number) for number in range(1, 15)]
    runner.api.says(
        answer(call("Read", file_path="a.md")),
        answer(text("More."), *many),  # more blocks than the API looks back over
        answer(text("cut"), stop="max_tokens"),
        answer(call("Read", file_path="b.md")),
        answer(text("ok")),
    )
    await runner.run()
    written: set[str] = set()
    before = ""
    for number, request in enumerate(runner.api.requests):
        prefixes, marks = flat(request)
        assert 1 <= len(marks) <= 4
        if number:
            reach = {at for mark in marks for at in range(max(mark - 20, 0), mark + 1)}
            read = max((at for at in reach if prefixes[at] in written), default=-1)
            assert prefixes[read] == before, f"request {number} reads less than there is"
        written |= {prefixes[mark] for mark in marks}
        before = prefixes[marks[-1]]
        assert marks[-1] == len(prefixes) - 1
    assert len(runner.api.requests) == 5


def flat(request: dict[str, Any]) -> tuple[list[str], list[int]]:
    """The prefix that ends with each block, as the cache sees it, and which blocks are marked."""
    blocks: list[tuple[str, dict[str, Any]]] = [("tools", block) for block in request["tools"]]
    blocks += [("system", block) for block in request["system"]]
    blocks += [(message["role"], block) for message in request["messages"] for block in message["content"]]
    prefixes, so_far = [], ""
    for role, block in blocks:
        so_far += json.dumps([role, {key: value for key, value in block.items() if key != "cache_control"}])
        prefixes.append(so_far)
    return prefixes, [number for number, (_, block) in enumerate(blocks) if "cache_control" in block]


@pytest.mark.parametrize(
    ("budget", "cause", "requests"),
    [
        (Budget(turns=2), "turns", 2),
        (Budget(input_tokens=250), "input", 0),
        (Budget(input_tokens=3500), "input", 3),
        (Budget(output_tokens=1000), "output", 5),
        (Budget(money=0.00001), "money", 0),
        (Budget(money=0.02), "money", 5),
    ],
    ids=["turns", "input-first", "input", "output", "money-first", "money"],
)
async def test_limits(runner: Runner, budget: Budget, cause: str, requests: int) -> None:
    (runner.scope.root / "long.md").write_text("line\n" * 100)
    used = {"input_tokens": 1000, "output_tokens": 100}
    runner.api.says(*(answer(call("Read", file_path="long.md", offset=n, limit=1), usage=used) for n in range(1, 40)))
    ran = await runner.run(budget=budget)
    assert (ran.end.why, ran.end.cause) == ("over budget", cause)
    assert len(runner.api.requests) == ran.end.turns == requests
    assert ran.end.usage.prompt <= (budget.input_tokens or 10**9)
    assert ran.end.money is not None and ran.end.money <= (budget.money or 1)


async def test_no_answer_is_longer_than_what_is_left(runner: Runner) -> None:
    used = {"output_tokens": 900}
    runner.api.says(*(answer(call("Read", file_path=f"{name}.md"), usage=used) for name in ("a", "b", "new")))
    ran = await runner.run(budget=Budget(output_tokens=2000, max_output=1500))
    assert [request["max_tokens"] for request in runner.api.requests] == [1500, 1100]
    assert (ran.end.cause, ran.end.usage.output) == ("output", 1800)


async def test_the_model_hears_when_few_turns_are_left(runner: Runner) -> None:
    runner.api.says(*(answer(call("Read", file_path=f"{name}.md")) for name in ("a", "b", "new", "old")))
    await runner.run(budget=Budget(turns=4))
    said = [request["messages"][-1]["content"][-1].get("text", "") for request in runner.api.requests]
    assert said[1].startswith("3 more answers are") and said[3].startswith("1 more answer is")


async def test_the_same_call_three_times(runner: Runner) -> None:
    runner.api.says(*(answer(call("Read", file_path="a.md")) for _ in range(9)))
    ran = await runner.run()
    assert (ran.end.why, ran.end.cause, ran.end.turns) == ("failed", "repeats", 3)
    assert ran.end.words == "the same call 3 times: Read a.md"
    assert len(ran.of(ToolUsed)) == 2


async def test_reading_again_after_a_write_is_no_repetition(runner: Runner) -> None:
    runner.api.says(
        *(
            reply
            for number in range(4)
            for reply in (
                answer(call("Read", file_path="a.md")),
                answer(call("Write", file_path="a.md", content=f"{number}\n")),
            )
        ),
        answer(text("ok")),
    )
    assert (await runner.run()).end.why == "done"


async def test_the_same_write_three_times(runner: Runner) -> None:
    edit = {"file_path": "a.md", "old_string": "x", "new_string": "xx"}
    runner.api.says(answer(call("Read", file_path="a.md")), *(answer(call("Edit", **edit)) for _ in range(9)))
    (runner.scope.root / "a.md").write_text("x")
    ran = await runner.run()
    assert (ran.end.cause, ran.end.turns) == ("repeats", 4)


async def test_six_turns_without_anything_new(runner: Runner) -> None:
    runner.api.says(*(answer(call("Grep", pattern=f"x{number}")) for number in range(9)))
    ran = await runner.run()
    assert (ran.end.why, ran.end.cause, ran.end.turns) == ("failed", "no_progress", 6)
    assert "nothing new" in runner.api.requests[4]["messages"][-1]["content"][-1]["text"]


async def test_endless_reading_ends_with_the_turns(runner: Runner) -> None:
    (runner.scope.root / "long.md").write_text("line\n" * 1000)
    runner.api.says(*(answer(call("Read", file_path="long.md", offset=n + 1, limit=1)) for n in range(99)))
    ran = await runner.run()
    assert (ran.end.cause, ran.end.turns) == ("turns", 30)


async def test_a_tool_that_hides_bytes_and_secrets_from_the_screen_but_not_from_the_model(runner: Runner) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    odd = f"\x1b]52;c;x\x07 \u202e token {secret}"
    (runner.scope.root / "odd.md").write_text(odd + "\n")
    runner.api.says(
        answer(text(f"It says {odd}"), call("Read", file_path="odd.md")),
        answer(call("Grep", pattern=secret, output_mode="content"), call("Bash", command=f"grep {secret} odd.md")),
        answer(call("Edit", file_path="odd.md", old_string=secret + "\x1b", new_string="y")),
        answer(text(f"Gone: {odd}")),
    )
    ran = await runner.run()
    assert odd in runner.api.results(1)[0]["content"]
    assert odd in runner.api.results(2)[0]["content"]
    told = repr(ran.events) + repr(ran.end)
    assert secret not in told and not set("\x1b\x07\u202e") & set("".join(map(str, strings(ran.events))))
    assert "\\x1b" not in told and "\\u202e" not in told


def strings(events: list[Any]) -> Iterator[str]:
    for event in events:
        for name in event.__slots__:
            if isinstance(value := getattr(event, name), str):
                yield value


async def test_the_key_is_in_nothing_that_is_told(runner: Runner) -> None:
    runner.api.says(Reply(status=401, body={"type": "error", "error": {"type": "x", "message": f"bad key {KEY}"}}))
    ran = await runner.run()
    assert KEY not in repr(ran.events) + repr(ran.end) and "bad key" in ran.end.words
    assert SECRET not in repr(ran)


async def test_prices_are_data(runner: Runner) -> None:
    runner.api.says(answer(text("ok")))
    ran = await runner.run(model="mine", prices={"mine": PRICES["claude-opus-5-5"]})
    assert ran.end.money == pytest.approx((100 * 4 + 20 * 20) / 1e6)
    assert ran.of(AgentNote) == [] and ran.of(ModelRetry) == []
