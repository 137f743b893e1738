"""The backend "client": the installed agent client, headless, in the stage, each call of a tool decided by our hook.

Three walls, each of which would do for writing: the client has no tool but Read, Grep, Glob, Edit and Write; it asks
nobody, so what isn't allowed is refused, and nothing is allowed beforehand; the hook allows what `permissions.decide`
allows. If the hook doesn't run, the client can read the stage and do nothing else.

Nothing of the run is kept by the client: no session, no memory of its own. The user's settings are not loaded, because
their hooks would run and their permissions would count; what reaches the model (variables, a program that prints the
key, the model) is handed over.

Source: recorded on client 2.1.332 against a scripted server; Claude Code's documentation of headless mode.
"""

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from memtui.agent import events as agent
from memtui.agent.task import Budget
from memtui.client.executable import find_client, resume_environment
from memtui.dream.backends.client_process import Guard, running_child
from memtui.dream.backends.client_stream import ClientResult, Stream
from memtui.dream.backends.credentials import key_helper, named_model, variables
from memtui.dream.backends.prompts import PromptContext, make_prompt_context, system_words, task_words
from memtui.dream.run.agent_events import EventAdapter
from memtui.dream.run.run import Emit, OverBudget, Work
from memtui.dream.run.spending import money_left
from memtui.dream.run.stage import Stage
from memtui.memory.workspace import Workspace
from memtui.util.config import Config
from memtui.util.errors import MemtuiError

TOOLS = "Read,Grep,Glob,Edit,Write"
HOOK = (sys.executable, "-P", "-m", "memtui.dream.backends.client_hook")
"""-P: a file of the project must not be taken for a module of ours."""
HOOK_SECONDS = 60
"""After which the client goes on without the hook's answer, which allows nothing."""

_OURS = {
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_MAX_RETRIES": "3",
}
"""No memory for the stage, no instructions from the folders above it; by itself it tries again for minutes, even with a
login that isn't accepted."""
_NOT_HANDED_ON = (
    "CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PID",
    "CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE", "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE",
)  # fmt: skip
"""Of a client that we may run in; and what would turn hooks off."""


def client_work(mode: str, workspace: Workspace, config: Config) -> Work:
    """The work of a dream that runs the agent client.

    Args:
        mode: "reflect" or "prune".
        workspace: Whose memory it is.
        config: Our settings: model and limits.

    Raises:
        Unsupported: If there is no client.
    """
    client = find_client(workspace.env)

    def work(stage: Stage, emit: Emit) -> None:
        brief = make_prompt_context(stage, workspace, mode)
        money = money_left(config, workspace.dirs, workspace.now())
        words = client_words(client, brief, workspace, config, money)
        telling = EventAdapter(emit)
        outcome: ClientResult | None = None
        stream = Stream(telling.take, Guard())
        with running_child(words, brief.root, client_environ(workspace), task_words(brief)) as child:
            for line in child.lines():
                outcome = stream.take(line) or outcome
            if outcome is None:
                said = agent.shown_line(child.complaint())
                raise MemtuiError(f"the agent client ended without a result: {said}")
        _judge(outcome)

    return work


def _judge(outcome: ClientResult) -> None:
    """Raise what a bad outcome means."""
    if outcome.kind == "error_max_turns":
        raise OverBudget(f"{Budget().turns} turns are used up")
    if outcome.kind.startswith("error_max_budget"):
        raise OverBudget("the money for this dream is used up")
    if outcome.failed:
        raise MemtuiError(f"the agent client failed: {outcome.words or outcome.kind}")


def client_words(
    client: str, brief: PromptContext, workspace: Workspace, config: Config, money: float | None
) -> list[str]:
    """The command; what the client shall do comes on its standard input.

    Args:
        money: US dollars that it may cost, `None` for no limit.
    """
    words = [client, "-p", "--output-format", "stream-json", "--verbose", "--no-session-persistence"]
    words += ["--permission-mode", "dontAsk", "--tools", TOOLS, "--disable-slash-commands", "--strict-mcp-config"]
    words += ["--setting-sources", "", "--settings", json.dumps(_settings(brief, workspace))]
    words += ["--max-turns", str(Budget().turns), "--system-prompt", system_words()]
    found = variables(workspace.env, workspace.location)
    model = named_model(config, found, workspace.location)
    if model is not None:
        words += ["--model", model]
    if money is not None:
        words += ["--max-budget-usd", f"{money:.4f}"]
    return words


def _settings(brief: PromptContext, workspace: Workspace) -> dict[str, object]:
    """The client's settings for this run alone."""
    hook = {"type": "command", "command": hook_command(brief.root, brief.reads), "timeout": HOOK_SECONDS}
    settings: dict[str, object] = {
        "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [hook]}]},
        "disableAllHooks": False,
    }
    helper = key_helper(workspace.location)
    return settings if helper is None else {**settings, "apiKeyHelper": helper}


def hook_command(root: Path, reads: Sequence[Path]) -> str:
    """The hook for the client's shell; a fault of any kind is the exit code that refuses."""
    return f"{shlex.join([*HOOK, str(root), *map(str, reads)])} || exit 2"


def client_environ(workspace: Workspace) -> dict[str, str]:
    """The client's environment: what the user's settings put into it, and nothing of a client that we run in."""
    values = {name: found.value for name, found in variables(workspace.env, workspace.location).items()}
    kept = {name: value for name, value in values.items() if name not in _NOT_HANDED_ON}
    config = {name: value for name, value in resume_environment(workspace.env).items() if name == "CLAUDE_CONFIG_DIR"}
    return {**kept, **config, **_OURS}
