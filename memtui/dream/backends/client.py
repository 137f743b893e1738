"""The backend "client": the installed agent client, headless, in the stage; our hook decides each of its tool calls.

Three barriers, each of which alone would prevent writes elsewhere: the client has no tool but Read, Grep, Glob, Edit
and Write; it asks nobody, so what isn't allowed is refused, and nothing is allowed beforehand; the hook allows what
`permissions.decide` allows. If the hook doesn't run, the client can read the stage and do nothing else.

The client keeps nothing of the run: no session, no memory of its own. The user's settings are not loaded, because their
hooks would run and their permissions would count; what is needed to reach the model (variables, the program that prints
the key, the model's name) is passed on.

It prints one JSON object a line:

    {"type": "assistant", "message": {"id", "content": [one block], "usage"}}   a line for each block of an answer
    {"type": "assistant", "is_api_error_message": true, "api_error"}   after the blocks of an answer that broke off
    {"type": "user", "message": {"content": [a tool's result]}, "tool_result_meta"}
    {"type": "system", "subtype": "api_retry", …}
    {"type": "result", "subtype", "is_error", "result", "usage", "total_cost_usd", "modelUsage"}   the last one

Of an answer that broke off the client runs the calls that were whole, and the model then often makes them again.

Source: recorded on client 2.1.332 against a scripted server; Claude Code's documentation of headless mode.
"""

import ctypes
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from msgspec import Struct
from msgspec.structs import replace

from memtui.agent.budget import WRITING_TOOLS, ProgressGuard
from memtui.agent.conversation import ToolCall
from memtui.agent.events import (
    AgentNote,
    EmitAgentEvent,
    ModelRetry,
    ModelTurn,
    ToolUsed,
    UsageTotal,
    safe_line,
    safe_text,
)
from memtui.agent.task import Budget
from memtui.agent.tools.outcome import ToolResult
from memtui.agent.tools.toolbox import call_argument, names_folder
from memtui.agent.usage import TokenUsage, price_of
from memtui.client.executable import find_client, resume_environment
from memtui.dream.backends.agent_events import EventAdapter
from memtui.dream.backends.credentials import key_helper, named_model, variables
from memtui.dream.backends.prompts import PromptContext, make_prompt_context, system_prompt, task_prompt
from memtui.dream.run.run import BackendWork, Emit, OverBudget
from memtui.dream.run.spending import money_left
from memtui.dream.run.stage import Stage
from memtui.fs.atomic import digest, to_error
from memtui.memory.workspace import Workspace
from memtui.util.config import Config
from memtui.util.errors import MemtuiError, Unsupported
from memtui.util.json_object import json_object
from memtui.util.text import size

TOOLS = "Read,Grep,Glob,Edit,Write"
HOOK = (sys.executable, "-P", "-m", "memtui.dream.backends.client_hook")
"""-P: a file of the project must not be imported in place of our module."""
HOOK_TIMEOUT_S = 60  # afterwards the client goes on without the hook's answer, which allows nothing
CLIENT_GRACE_S = 2.0  # time that the client has to end after SIGTERM: less than a run itself has
MAX_LINE_BYTES = 32 << 20  # a longer line is read in pieces, which are no JSON and are skipped

_SET_VARIABLES = {
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_MAX_RETRIES": "3",
}
"""No memory for the stage, no instructions from the folders above it. Without a limit of retries the client tries for
minutes, even with a login that isn't accepted."""
_DROPPED_VARIABLES = (
    "CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PID",
    "CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE", "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE",
)  # fmt: skip
"""Those of a client that we may run in, and those that would turn hooks off."""
_CHARS_PER_TOKEN = 4  # an estimate: until its end the client reports hardly any output
_LOST = "the connection was lost"
_MAX_CUT_ANSWERS = 4  # answers in a row that may break off
_PR_SET_PDEATHSIG = 1


def make_work(mode: str, workspace: Workspace, config: Config) -> BackendWork:
    """The work of a dream that runs the agent client; raises `Unsupported` if there is none."""
    client = find_client(workspace.env)

    def work(stage: Stage, emit: Emit) -> None:
        budget = Budget(money=money_left(config, workspace.dirs, workspace.now()))
        context = make_prompt_context(stage, workspace, mode, budget)
        command = client_command(client, context, workspace, config)
        stream = ClientStream(EventAdapter(emit).take, context.reads)
        result: ClientResult | None = None
        with run_client(command, context.root, client_environ(workspace), task_prompt(context)) as process:
            for line in process.lines():
                result = stream.take(line) or result
            if result is None:
                raise MemtuiError(f"the agent client ended without a result: {safe_line(process.last_error())}")
        if result.kind == "error_max_turns":
            raise OverBudget(f"{Budget().turns} turns are used up")
        if result.kind.startswith("error_max_budget"):
            raise OverBudget("the money for this dream is used up")
        if result.failed:
            raise MemtuiError(f"the agent client failed: {result.words or result.kind}")

    return work


def client_command(client: str, context: PromptContext, workspace: Workspace, config: Config) -> list[str]:
    """The command line; the prompt comes on standard input."""
    words = [client, "-p", "--output-format", "stream-json", "--verbose", "--no-session-persistence"]
    words += ["--permission-mode", "dontAsk", "--tools", TOOLS, "--disable-slash-commands", "--strict-mcp-config"]
    words += ["--setting-sources", "", "--settings", json.dumps(_settings(context, workspace))]
    words += ["--max-turns", str(context.budget.turns), "--system-prompt", system_prompt()]
    model = named_model(config, variables(workspace.env, workspace.location), workspace.location)
    if model is not None:
        words += ["--model", model]
    if context.budget.money is not None:
        words += ["--max-budget-usd", f"{context.budget.money:.4f}"]
    return words


def _settings(context: PromptContext, workspace: Workspace) -> dict[str, object]:
    hook = {"type": "command", "command": hook_command(context.root, context.reads), "timeout": HOOK_TIMEOUT_S}
    settings: dict[str, object] = {
        "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [hook]}]},
        "disableAllHooks": False,
    }
    helper = key_helper(workspace.location)
    return settings if helper is None else {**settings, "apiKeyHelper": helper}


def hook_command(root: Path, reads: Sequence[Path]) -> str:
    """The hook as a line for the client's shell; a fault of any kind gives the exit code that refuses."""
    return f"{shlex.join([*HOOK, str(root), *map(str, reads)])} || exit 2"


def client_environ(workspace: Workspace) -> dict[str, str]:
    """The client's environment: with the user's settings, and nothing of a client that we run in."""
    values = {name: found.value for name, found in variables(workspace.env, workspace.location).items()}
    kept = {name: value for name, value in values.items() if name not in _DROPPED_VARIABLES}
    config = {name: value for name, value in resume_environment(workspace.env).items() if name == "CLAUDE_CONFIG_DIR"}
    return {**kept, **config, **_SET_VARIABLES}


class ClientResult(Struct, frozen=True):
    """The client's last line: `kind` is "success" or its name for the fault, `words` what it said about it."""

    kind: str
    words: str
    failed: bool


class ClientStream:
    """Turns the client's lines into agent events; what has another shape is skipped.

    `sources` are the folders with sessions. Raises `MemtuiError` if the run makes no progress, `OverBudget` if it has
    used up its tokens; the client itself keeps to turns and money.
    """

    def __init__(self, emit: EmitAgentEvent, sources: Sequence[Path] = ()) -> None:
        self._emit = emit
        self._sources = sources
        self._budget = Budget()
        self._progress = ProgressGuard()
        self._last = ""
        self._turns = 0
        self._message = ""
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._tools: Counter[str] = Counter()
        self._made: list[ToolCall] = []
        self._calls: dict[str, ToolCall] = {}
        self._used: dict[str, tuple[TokenUsage, str]] = {}
        self._characters = 0
        self._cut = False
        self._cut_answers = 0

    def take(self, line: bytes) -> ClientResult | None:
        """Take one line; returns the result if it is the last one."""
        data = json_object(line)
        if data.get("parent_tool_use_id"):  # a dream has no sub-agents
            return None
        kind = data.get("type")
        if kind == "assistant" and data.get("is_api_error_message"):
            if self._message:  # else it comes again as the result
                self._broke_off()
        elif kind == "assistant":
            self._answer(_object(data.get("message")))
        elif kind == "user":
            self._turn()
            self._results(data)
        elif kind == "system" and data.get("subtype") == "api_retry":
            why = str(data.get("error") or "the service failed").replace("_", " ")
            status = data.get("error_status")
            words = f"{why} (status {status})" if status else _LOST if why == "unknown" else why
            self._emit(ModelRetry(_number(data.get("retry_delay_ms")) / 1000, safe_line(words)))
        elif kind == "result":
            self._turn()
            return self._result(data)
        return None

    def _answer(self, message: Mapping[str, Any]) -> None:
        """Take one block of an answer; the blocks of an answer share its id."""
        id = str(message.get("id") or "")
        if id != self._message:
            self._turn()
            if self._last not in ("", id):
                self._progress.turn_over()
                if reason := self._progress.stuck():
                    raise MemtuiError(reason)
            self._message = self._last = id
            self._characters = 0
        for block in _blocks(message):
            self._characters += sum(len(json.dumps(block.get(key, 0))) for key in ("text", "thinking", "input"))
            if block.get("type") == "text":
                self._texts.append(str(block.get("text") or ""))
            elif block.get("type") == "thinking":
                self._thoughts.append(str(block.get("thinking") or ""))
            elif block.get("type") == "tool_use":
                call = ToolCall(str(block.get("id")), str(block.get("name")), block.get("input"))
                self._tools[safe_line(call.name)] += 1
                self._made.append(call)
                self._calls[call.id] = call
        usage = _usage(message.get("usage"))
        output = max(usage.output, self._characters // _CHARS_PER_TOKEN)
        self._used[id] = (replace(usage, output=output), str(message.get("model")))

    def _broke_off(self) -> None:
        """Note that the answer under way broke off: what it called doesn't count as called."""
        self._cut = True
        self._cut_answers += 1
        words = f"{_LOST} in the middle of an answer"
        self._emit(ModelRetry(0.0, words))
        if self._cut_answers >= _MAX_CUT_ANSWERS:
            raise MemtuiError(f"{words}, {_MAX_CUT_ANSWERS} tries", hint="check the network, then start it again")

    def _turn(self) -> None:
        if not self._message:
            return
        self._turns += 1
        text, thinking = safe_text("\n".join(self._texts)), safe_text("\n".join(filter(None, self._thoughts)))
        self._emit(ModelTurn(self._turns, text, dict(self._tools), thinking))
        if not self._cut:
            self._cut_answers = 0
            for call in self._made:
                if reason := self._progress.repeated(call):
                    raise MemtuiError(reason)
        self._cut = False
        used = sum((usage for usage, _ in self._used.values()), TokenUsage())
        self._emit(UsageTotal(used, self._money()))
        self._message = ""
        self._texts.clear()
        self._thoughts.clear()
        self._made.clear()
        self._tools.clear()
        for tokens, most, what in (
            (used.prompt, self._budget.input_tokens, "input"),
            (used.output, self._budget.output_tokens, "output"),
        ):
            if most is not None and tokens > most:
                raise OverBudget(f"{size(most)} {what} tokens are used up")

    def _money(self) -> float | None:
        """Dollars so far, by our own prices; the client reports its own figure at the end."""
        total = 0.0
        for usage, model in self._used.values():
            price = price_of(model)
            if price is None:
                return None
            total += price.cost(usage)
        return total

    def _results(self, data: Mapping[str, Any]) -> None:
        metas = data.get("tool_result_meta")
        rejected = {
            str(one.get("id"))
            for one in (metas if isinstance(metas, list) else ())
            if isinstance(one, dict) and _object(one.get("permission_decision")).get("decision") == "reject"
        }
        for block in _blocks(_object(data.get("message"))):
            id = str(block.get("tool_use_id"))
            if block.get("type") != "tool_result" or id not in self._calls:
                continue
            call = self._calls.pop(id)
            name, argument = safe_line(call.name), safe_line(call_argument(call.name, call.given))
            ok = not block.get("is_error")
            text = _result_text(block.get("content"))
            reason = "" if ok else safe_line(text)
            if id in rejected:
                reason = f"denied: {reason.removeprefix(f'PreToolUse:{name} hook error: ')}"
            elif "No such tool available" in reason:
                reason = "denied: there is no such tool here"
            self._emit(ToolUsed(name, argument, ok, reason, names_folder(call.given, self._sources)))
            fresh = digest(f"{name} {text}".encode("utf-8", "surrogatepass")) if ok else ""
            self._progress.note_result(ToolResult(text, ok, fresh=fresh, wrote=ok and name in WRITING_TOOLS))

    def _result(self, data: Mapping[str, Any]) -> ClientResult:
        cost = data.get("total_cost_usd")
        money = _number(cost) if isinstance(cost, int | float) else None
        if "usage" in data:
            self._emit(UsageTotal(_usage(data["usage"]), money))
        for model, used in _object(data.get("modelUsage")).items():
            if _object(used).get("costBasis") == "unknown":
                self._emit(AgentNote(f"price of {safe_line(model)} unknown: the cost is Claude Code's estimate"))
        errors = data.get("errors")
        words = data.get("result") or "; ".join(map(str, errors if isinstance(errors, list) else ()))
        kind = str(data.get("subtype") or "")
        return ClientResult(kind, safe_line(str(words)), kind != "success" or bool(data.get("is_error")))


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _blocks(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    content = message.get("content")
    return (block for block in (content if isinstance(content, list) else ()) if isinstance(block, dict))


def _result_text(content: object) -> str:
    if isinstance(content, list):
        return " ".join(str(block.get("text", "")) for block in content if isinstance(block, dict))
    return str(content or "")


def _number(value: object) -> float:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15
    return float(value) if fits else 0.0  # type: ignore[arg-type]  # what fits is a number


def _usage(value: object) -> TokenUsage:
    counts = _object(value)
    return TokenUsage.of_counts(
        {name: int(_number(count)) for name, count in (*counts.items(), *_object(counts.get("cache_creation")).items())}
    )


class ClientProcess(Struct):
    process: "subprocess.Popen[bytes]"
    errors: IO[bytes]

    def lines(self) -> Iterator[bytes]:
        assert self.process.stdout is not None
        while line := self.process.stdout.readline(MAX_LINE_BYTES):
            yield line

    def last_error(self) -> str:
        """The last line of its error output, and its exit code."""
        code = self.process.wait()
        self.errors.seek(0)
        line = self.errors.read(1 << 16).decode("utf-8", "replace").strip().split("\n")[-1]
        return f"{line} (exit code {code})" if line else f"exit code {code}"


@contextmanager
def run_client(words: Sequence[str], cwd: Path, environ: Mapping[str, str], text: str) -> Iterator[ClientProcess]:
    """Start the client, give it the text on standard input, and end it when the block is left."""
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                words,
                cwd=cwd,
                env=dict(environ),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
                preexec_fn=_end_with_parent(),
            )
        except OSError as error:
            raise Unsupported(to_error(error, words[0], outcome="the agent client didn't start").message) from error
        try:
            assert process.stdin is not None
            with suppress(BrokenPipeError), process.stdin:
                process.stdin.write(text.encode("utf-8", "replace"))
            yield ClientProcess(process, errors)
        finally:
            _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the client and everything that it started: SIGTERM, then SIGKILL."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            break
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(CLIENT_GRACE_S)
    if process.stdout is not None:
        process.stdout.close()


def _end_with_parent() -> Callable[[], None] | None:
    """What the child runs before it becomes the client: Linux then ends it with us, even if we are killed."""
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None)
    return lambda: libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
