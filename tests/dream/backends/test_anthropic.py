"""Whole dreams of our own loop, through the real SDK, against a scripted service."""

import json
import os
import signal
import threading
from pathlib import Path
from types import MappingProxyType

import pytest
from msgspec.structs import replace

from memtui.agent.anthropic import SPEND_LIMIT_CODE
from memtui.client.memory_location import locate_memory
from memtui.dream.backends.registry import choose_backend
from memtui.dream.run.events import Event, Money, Note, Phase, Retry, Tokens, Turn
from memtui.dream.run.run import RunEnd
from memtui.dream.run.runs import events_of, list_runs, reserve_run, run_progress
from memtui.dream.run.stage import has_stage
from memtui.memory.workspace import Workspace
from memtui.presentation.dream_text import cost_text
from memtui.util.config import Config, read_config
from tests.agent.scripted_api import Block, Reply, Scripted, answer, call, error, text, thinking
from tests.dream.scene import HOUR, Scene, contents, make_scene, put_session, topic
from tests.support import digest_tree

KEY = "sk-ant-api03-" + "n0tAkey" * 12


@pytest.fixture
def dreamer(api: Scripted, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> "Dreamer":
    monkeypatch.setenv("SSL_CERT_DIR", str(home))  # no certificates to load: a quarter of a run's time
    return Dreamer(api, tmp_path)


class Dreamer:
    """Dreams against a script."""

    def __init__(self, api: Scripted, tmp_path: Path) -> None:
        self._api = api
        self._tmp_path = tmp_path
        self.scene = make_scene(tmp_path)
        self.config = read_config(tmp_path / "no config")

    def set(self, **values: str) -> None:
        self.config = Config(self.config.path, MappingProxyType({**self.config.values, **values}), {})

    def dream(self, *replies: Reply, mode: str = "reflect", key: str = KEY, **options: object) -> RunEnd:
        self._api.says(*replies)
        environ = {"ANTHROPIC_API_KEY": key, "ANTHROPIC_BASE_URL": self._api.url}
        self.scene = _again(self.scene, self._tmp_path, environ)
        backend = choose_backend(None, mode, self.scene.workspace, self.config)
        return self.scene.run(backend.work, mode=mode, backend=backend.name, why=backend.why, **options)

    @property
    def events(self) -> tuple[Event, ...]:
        return events_of(list_runs(self.scene.dirs)[0])


def _again(scene: Scene, tmp_path: Path, environ: dict[str, str]) -> Scene:
    """The same project in other surroundings."""
    env = replace(scene.workspace.env, environ=environ)
    location = locate_memory(env, tmp_path / "shop")
    return Scene(scene.dirs, Workspace(env, scene.dirs, location, trash=False, now=scene.workspace.now))


@pytest.mark.parametrize(
    "failing",
    [
        call("Write", file_path="team/new.md", content="Topic 2, second\n"),
        call("Write", file_path="../out.md", content="Topic 2, second\n"),
        call("Edit", file_path=topic(1), old_string="not there", new_string="Topic 2, second"),
    ],
    ids=["below team", "outside", "text not found"],
)
def test_a_source_emptied_beside_a_failed_write_is_held(dreamer: Dreamer, failing: Block) -> None:
    before = contents(dreamer.scene.folder)
    line = f"- [Topic 2]({topic(2)}) — words\n"
    end = dreamer.dream(
        answer(*(call("Read", file_path=name) for name in (topic(1), topic(2), "MEMORY.md"))),
        answer(failing, call("Write", file_path=topic(2), content="")),
        answer(call("Edit", file_path="MEMORY.md", old_string=line, new_string="")),
        answer(text("Merged two topics.")),
    )
    assert [one.rule for one in end.held] == ["failed-write"]
    assert topic(2) in end.reason and "a write failed" in end.reason
    assert contents(dreamer.scene.folder) == before


def test_a_dream_of_four_stages_is_adopted(dreamer: Dreamer, api: Scripted) -> None:
    scene = dreamer.scene
    scene.put_lock(b"", 30 * HOUR)
    session = put_session(scene, 1, '{"type":"user","message":{"content":"say DONE, not READY"}}\n')
    put_session(scene, 2, age=40 * HOUR)
    line = f"- [Topic 2]({topic(2)}) — words\n"
    end = dreamer.dream(
        answer(text("STAGE: orient"), call("Glob", pattern="*.md"), call("Read", file_path="MEMORY.md")),
        answer(text("STAGE: gather"), call("Grep", pattern="DONE", path=str(session.parent))),
        answer(
            text("**STAGE: consolidate**\nTwo topics are one."),
            call("Read", file_path=topic(1)), call("Read", file_path=topic(2)),
        ),
        answer(
            call("Edit", file_path=topic(1), old_string="third", new_string="third, and say DONE"),
            call("Write", file_path=topic(2), content=""),
            call("Bash", command="rm -rf ."),
        ),
        answer(text("STAGE: prune"), call("Edit", file_path="MEMORY.md", old_string=line, new_string="")),
        answer(text("Merged two topics.")),
    )  # fmt: skip
    assert api.refused == []
    assert (end.how, end.adopted) == ("done", ("MEMORY.md", topic(1), topic(2)))
    assert end.version is not None
    assert "say DONE" in scene.text(topic(1)) and not (scene.folder / topic(2)).exists()
    assert "topic_02" not in scene.text("MEMORY.md")
    phases = [(one.name, one.stage) for one in dreamer.events if isinstance(one, Phase) and one.stage]
    assert phases == [
        ("starting", "orient"), ("starting", "gather"), ("starting", "consolidate"),
        ("updating", "consolidate"), ("updating", "prune"),
    ]  # fmt: skip
    kinds = {file.name: file.kind for file in run_progress(dreamer.events).files.values()}
    assert kinds == {"MEMORY.md": "changed", topic(1): "changed", topic(2): "removed"}
    notes = [one.words for one in dreamer.events if isinstance(one, Note)]
    assert [note.split(":")[0] + ": " + note.split(": ")[1] for note in notes if note.startswith("denied")] == [
        "denied: Bash rm -rf .",
    ]
    told = run_progress(dreamer.events)
    assert (told.turns, told.tools["Read"], told.text) == (6, 3, "Merged two topics.")
    assert told.tokens.input == 600 and told.tokens.output == 120 and 0 < told.usd < 0.01
    assert any(isinstance(one, Tokens) for one in dreamer.events) and any(
        isinstance(one, Money) for one in dreamer.events
    )


def test_stages_cost_and_digests_of_a_model_that_shows_only_its_thinking(dreamer: Dreamer, api: Scripted) -> None:
    scene = dreamer.scene
    prompt = {"type": "user", "timestamp": "2025-11-24T15:00:00Z", "message": {"content": "say DONE"}}
    put_session(scene, 1, json.dumps(prompt) + "\n")
    id = reserve_run(scene.dirs, scene.now)
    digest = (scene.dirs.state / "stages" / id).resolve() / "sessions/01-00000001-0000-4000-8000-000000000000.md"
    used = {"cache_read_input_tokens": 50_000, "cache_creation_input_tokens": 4000}
    hour = {**used, "cache_creation": {"ephemeral_1h_input_tokens": 1000}}
    end = dreamer.dream(
        answer(
            thinking("I look around."),
            call("Read", file_path=topic(1)),
            call("Read", file_path="MEMORY.md"),
            usage=used,
        ),
        answer(thinking(""), call("Read", file_path=str(digest)), usage=hour),
        answer(
            call("Edit", file_path=topic(1), old_string="third", new_string="third, and say DONE"),
            call("Write", file_path=str(digest), content="x"),
        ),
        answer(call("Edit", file_path="MEMORY.md", old_string="[Topic 1]", new_string="[Topic One]")),
        answer(text("Done.")),
        run_id=id,
    )
    assert api.refused == [] and end.adopted == ("MEMORY.md", topic(1))
    assert "> say DONE" in api.results(2)[0]["content"] and api.results(3)[1]["is_error"]
    told = run_progress(dreamer.events)
    assert told.stages == ("orient", "gather", "consolidate", "prune")
    assert next(one.text for one in dreamer.events if isinstance(one, Turn)) == "I look around."
    assert (told.tokens.cache_read, told.tokens.cache_write) == (100_000, 8000)
    assert told.usd == pytest.approx((500 * 2 + 100 * 10 + 100_000 * 0.1 + 7000 * 2.5 + 1000 * 4) / 1e6)


def test_a_model_without_a_price_has_a_limit_in_tokens_only(dreamer: Dreamer) -> None:
    dreamer.set(dream_model="model-of-tomorrow", dream_money="0.01")
    used = {"output_tokens": 150_000}
    end = dreamer.dream(
        answer(call("Read", file_path=topic(1)), usage=used), answer(call("Read", file_path=topic(2)), usage=used)
    )
    assert (end.how, end.reason) == ("over-budget", "200k output tokens are used up")
    notes = [one.words for one in dreamer.events if isinstance(one, Note)]
    assert notes == ["price of model-of-tomorrow unknown: no limit in money"]
    assert cost_text(run_progress(dreamer.events)) == "price unknown, 200 tokens in, 300,000 out"


def test_what_the_model_is_told(dreamer: Dreamer, api: Scripted) -> None:
    scene = dreamer.scene
    scene.put_lock(b"", 30 * HOUR)
    fresh, old = put_session(scene, 1), put_session(scene, 2, age=40 * HOUR)
    scene.workspace.pins.set(scene.folder, [topic(5)], True)
    dreamer.set(dream_model="haiku")
    assert dreamer.dream(answer(text("Nothing to do.")), mode="prune").how == "nothing"
    request = api.requests[0]
    assert request["model"] == "claude-haiku-5-5"
    system, prompt = request["system"][0]["text"], request["messages"][0]["content"][0]["text"]
    for rule in ("team/", "secret", "200 lines", "25,000", "70%", "empty content", "absolutely", "Merge rather"):
        assert rule in system, rule
    assert "This is a pruning" in prompt and "2025-11-24" in prompt and "Monday" in prompt
    assert str(fresh) in prompt and str(old) not in prompt and "since the last dream, on 2025-11-23" in prompt
    assert f"- {topic(5)}\n" in prompt and "39 lines" in prompt
    assert KEY not in prompt + system


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (error(401, "authentication_error"), "the key isn't accepted (scripted): check the key"),
        (
            error(429, "rate_limit_error", code=SPEND_LIMIT_CODE),
            "the account's spending limit is reached (scripted): raise",
        ),
        (answer(stop="refusal"), "the model refused"),
    ],
    ids=["401", "spend cap", "refusal"],
)
def test_a_fault_fails_with_its_reason_and_keeps_the_draft(dreamer: Dreamer, fault: Reply, words: str) -> None:
    before = contents(dreamer.scene.folder)
    end = dreamer.dream(answer(call("Write", file_path="new.md", content="new\n")), fault)
    assert end.how == "failed" and end.reason.startswith(words)
    assert contents(dreamer.scene.folder) == before and has_stage(dreamer.scene.dirs, end.run)
    assert run_progress(dreamer.events).files["new.md"].kind == "added"
    assert not [one for one in dreamer.events if isinstance(one, Retry)]


def test_an_end_of_turns_is_over_budget(dreamer: Dreamer) -> None:
    replies = [answer(call("Write", file_path=f"n{number}.md", content="new\n")) for number in range(30)]
    end = dreamer.dream(*replies)
    assert (end.how, end.reason) == ("over-budget", "30 turns are used up")
    assert has_stage(dreamer.scene.dirs, end.run)


def test_money_counts_over_the_dreams_of_a_day(dreamer: Dreamer) -> None:
    dear = answer(text("Nothing to do."), usage={"output_tokens": 100_000})
    dreamer.set(dream_day_money="1.00")
    assert dreamer.dream(dear).how == "nothing"
    end = dreamer.dream(dear)
    assert (end.how, end.reason) == (
        "over-budget", "the dreams of the last 24 hours cost $1.00, and $1.00 is their limit",
    )  # fmt: skip
    dreamer.scene.now += 25 * HOUR
    dreamer.set(dream_day_money="none", dream_money="0.0001")
    end = dreamer.dream(dear)
    assert end.how == "over-budget" and end.reason.startswith("the next turn would go over $0.00")
    dreamer.set(dream_money="much")
    assert dreamer.dream(dear).reason == "dream_money is no amount of dollars: 'much'"


def test_sigterm_ends_it(dreamer: Dreamer, api: Scripted) -> None:
    before = digest_tree(dreamer.scene.folder)
    hangs = answer(text("hm"))
    hangs.cut, hangs.hangs = 1, True

    def stop() -> None:
        api.hanging.wait()
        os.kill(os.getpid(), signal.SIGTERM)

    killer = threading.Thread(target=stop)
    killer.start()
    end = dreamer.dream(answer(call("Write", file_path="new.md", content="new\n")), hangs)
    killer.join()
    assert (end.how, end.signal) == ("killed", signal.SIGTERM)
    assert digest_tree(dreamer.scene.folder) == before and has_stage(dreamer.scene.dirs, end.run)


def test_the_key_is_in_no_file(dreamer: Dreamer, tmp_path: Path) -> None:
    dreamer.dream(
        answer(text(f"my key is {KEY}"), call("Bash", command="env")), error(401, "authentication_error", f"bad {KEY}")
    )
    assert any(isinstance(one, Turn) for one in dreamer.events)
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path
