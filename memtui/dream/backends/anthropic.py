"""The backend "anthropic": our own loop over the Messages API, in the run's process."""

from memtui.agent.loop import run_task
from memtui.agent.shell.paths import AllowedFolders
from memtui.agent.task import Budget, Task
from memtui.dream.backends.agent_events import EventAdapter
from memtui.dream.backends.credentials import KEY_VARIABLES, find_key, model_of, variables
from memtui.dream.backends.prompts import make_prompt_context, system_prompt, task_prompt
from memtui.dream.run.run import BackendWork, Emit, OverBudget
from memtui.dream.run.spending import money_left
from memtui.dream.run.stage import Stage
from memtui.memory.workspace import Workspace
from memtui.util.config import Config
from memtui.util.errors import MemtuiError, Unsupported


def make_work(mode: str, workspace: Workspace, config: Config) -> BackendWork:
    """The work of a dream that calls the Messages API itself; raises `Unsupported` if there is no key."""
    found = variables(workspace.env, workspace.location)
    key = find_key(found)
    if key is None:
        raise Unsupported(f"there is no key for the model service: neither {' nor '.join(KEY_VARIABLES)} is set")

    async def work(stage: Stage, emit: Emit) -> None:
        # 1 s: the SDK; only a run's process needs it.
        from memtui.agent.anthropic import BASE_URL, AnthropicModel, Endpoint

        address = found.get("ANTHROPIC_BASE_URL")
        is_api_key = key.name == KEY_VARIABLES[0]
        endpoint = Endpoint(
            key=key.value if is_api_key else "",
            token="" if is_api_key else key.value,
            base_url=address.value if address is not None and address.value else BASE_URL,
        )
        budget = Budget(money=money_left(config, workspace.dirs, workspace.now()))
        context = make_prompt_context(stage, workspace, mode, budget)
        model_name = model_of(config, found, workspace.location)
        task = Task(system_prompt(), task_prompt(context), model_name, budget=budget)
        model = AnthropicModel(endpoint)
        try:
            end = await run_task(task, AllowedFolders(context.root, context.reads), model, EventAdapter(emit).take)
        finally:
            await model.aclose()
        if end.why == "over budget":
            raise OverBudget(end.words)
        if end.why != "done":
            raise MemtuiError(f"{end.words}: {end.hint}" if end.hint else end.words, hint=end.hint)

    return work
