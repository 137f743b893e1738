"""The loop: ask the model, run its tool calls, tell it the results, until it is done or a limit is reached.

Calls are run when their answer is complete and only then; a stream that broke off leaves no trace. The run may be
stopped at any await and leaves every file whole, since a write contains none. A loop that leads nowhere is stopped: the
same call three times, or six turns in a row without anything new.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import aclosing

from msgspec.structs import replace

from memtui.agent.budget import MAX_IDLE_TURNS, Limit, ProgressGuard, Spending
from memtui.agent.conversation import Conversation, ParsedResponse, ToolCall, only_text, parse_response
from memtui.agent.events import (
    AgentNote,
    EmitAgentEvent,
    ModelRetry,
    ModelTurn,
    ToolUsed,
    UsageTotal,
    safe_line,
    safe_text,
    unknown_price,
)
from memtui.agent.model import AnswerPiece, Block, Model, ModelAnswer, ModelError, ModelNotice, RetryWait, UsageSoFar
from memtui.agent.models import traits_of
from memtui.agent.shell.paths import AllowedFolders
from memtui.agent.task import EndReason, Task, TaskResult
from memtui.agent.tools.outcome import ToolResult
from memtui.agent.tools.toolbox import Toolbox, call_argument, names_folder
from memtui.agent.usage import PRICES, Price, price_of
from memtui.util.text import clip, replace_surrogates

_WARN_TURNS_LEFT = 3  # from so many turns before the end the model is told how many are left
_CUT_OFF_NOTE = (
    "Your answer was cut off because it reached its limit of {limit} tokens. None of its tool calls was run. Go on "
    "with smaller steps: shorter text, a change in several calls of Edit instead of one long Write."
)


async def run_task(
    task: Task,
    scope: AllowedFolders,
    model: Model,
    emit: EmitAgentEvent,  # called with what happens, in this thread
    *,
    stop: asyncio.Event | None = None,  # set it to end the run now, as "killed"
    clock: Callable[[], float] = time.monotonic,
    prices: Mapping[str, Price] = PRICES,
) -> TaskResult:
    """Run a task in the given folders to its end: a failure of the model's side is one, cancelling is raised."""
    run = _TaskRun(task, scope, model, emit, clock, prices)
    work = asyncio.create_task(run.go())
    stopped = asyncio.create_task((stop or asyncio.Event()).wait())
    try:
        await asyncio.wait({work, stopped}, timeout=task.budget.wall, return_when=asyncio.FIRST_COMPLETED)
        asked = stopped.done()
    finally:
        stopped.cancel()
        work.cancel()
        await asyncio.wait({work})
    if not work.cancelled():
        return work.result()
    return run.end("killed", "stopped", "stopped on request") if asked else run.out_of_time()


class _TaskRun:
    def __init__(
        self,
        task: Task,
        scope: AllowedFolders,
        model: Model,
        emit: EmitAgentEvent,
        clock: Callable[[], float],
        prices: Mapping[str, Price],
    ) -> None:
        self._task = task
        self._model = model
        self._emit = emit
        self._clock = clock
        self._deadline = clock() + task.budget.wall
        self._toolbox = Toolbox(scope, task.tools)
        self._sources = scope.reads
        self._conversation = Conversation(task.system, task.prompt, self._toolbox.schemas())
        price = price_of(task.model, prices)
        most = min(task.budget.max_output, traits_of(task.model).max_output)
        self._spending = Spending(replace(task.budget, max_output=most), price)
        self._progress = ProgressGuard()
        self._ids: set[str] = set()
        self._turns = 0
        if price is None:
            emit(AgentNote(unknown_price(task.model)))

    def end(self, why: EndReason, cause: str, words: str, hint: str = "") -> TaskResult:
        """Make the result; words and hint may quote the model."""
        usage, money = self._spending.usage, self._spending.money
        return TaskResult(why, cause, safe_text(words), usage, money, self._turns, safe_text(hint))

    def out_of_time(self, last: AnswerPiece | None = None) -> TaskResult:
        wall = self._task.budget.wall
        words = f"{wall / 60:.0f} min are over" if wall >= 120 else f"{wall:g} s are over"
        if isinstance(last, RetryWait):
            words = f"no time is left for another try: {last.why}"
        return self.end("over budget", "wall", words)

    async def go(self) -> TaskResult:
        while True:
            if self._turns >= self._task.budget.turns:
                return self.end("over budget", "turns", f"{self._turns} turns are used up")
            room = self._spending.next_answer_tokens(self._conversation.unsent)
            if isinstance(room, Limit):
                return self.end("over budget", room.cause, room.words)
            try:
                answer = await self._ask(room)
            except ModelError as failed:
                return self.end("failed", failed.cause, failed.message, failed.hint)
            if isinstance(answer, TaskResult):
                return answer
            ended = await self._turn(answer, room)
            if ended is not None:
                return ended
            if self._clock() >= self._deadline:
                return self.out_of_time()

    async def _ask(self, room: int) -> ModelAnswer | TaskResult:
        request = self._conversation.request(self._task.model, room)
        try:
            async with aclosing(self._model.answer(request)) as pieces:
                async for piece in pieces:
                    wait = 0.0
                    match piece:
                        case ModelAnswer():
                            self._spending.settle(piece.usage)
                            return piece
                        case UsageSoFar():
                            self._spending.under_way(piece.usage)
                        case RetryWait():
                            self._spending.settle()
                            self._emit(ModelRetry(piece.after, safe_line(piece.why)))
                            wait = piece.after
                        case ModelNotice():
                            self._emit(AgentNote(safe_line(piece.words)))
                    if self._clock() + wait >= self._deadline:
                        return self.out_of_time(piece)
        finally:
            self._spending.settle()
            self._emit(UsageTotal(self._spending.usage, self._spending.money))
        raise AssertionError("a model's last piece is its answer")

    async def _turn(self, answer: ModelAnswer, room: int) -> TaskResult | None:
        """Do what an answer asks for; returns the end if it is the last one."""
        self._turns += 1
        parsed = parse_response(answer.content, self._ids)
        wanted = Counter(safe_line(call.name) for call in parsed.calls)
        self._emit(ModelTurn(self._turns, safe_text(parsed.text), dict(wanted), safe_text(parsed.thinking)))
        if answer.stop == "max_tokens" and not parsed.odd:
            self._conversation.add_answer(only_text(parsed.content))
            self._progress.turn_over()
            return self._next([{"type": "text", "text": _CUT_OFF_NOTE.format(limit=room)}])
        if (ended := self._ended(answer, parsed)) is not None:
            return ended
        self._conversation.add_answer(parsed.content)
        blocks: list[Block] = []
        for call in parsed.calls:
            if reason := self._progress.repeated(call):
                return self.end("failed", "repeats", reason)
            outcome = ToolResult.fault(call.fault) if call.fault else await self._toolbox.call(call.name, call.given)
            self._progress.note_result(outcome)
            argument = safe_line(call_argument(call.name, call.given))
            source = names_folder(call.given, self._sources)
            self._emit(ToolUsed(safe_line(call.name), argument, outcome.ok, safe_line(outcome.reason), source))
            blocks.append(_result_block(call, outcome))
        self._progress.turn_over()
        return self._next(blocks)

    def _ended(self, answer: ModelAnswer, parsed: ParsedResponse) -> TaskResult | None:
        detail = f": {clip(answer.detail, 300)}" if answer.detail else ""
        if answer.stop == "refusal":
            return self.end("refused", "refusal", f"the model refused{detail}", "see what the task and its sources say")
        if answer.stop == "model_context_window_exceeded":
            return self.end("over budget", "context", "the conversation no longer fits into the model's context")
        if parsed.odd:
            return self.end("failed", "block", f"the model answered with a block of unknown kind: {parsed.odd}")
        if answer.stop == "pause_turn":
            return self.end("failed", "stop_reason", "the model paused for tools of its own, which it wasn't given")
        if answer.stop not in ("end_turn", "stop_sequence", "tool_use"):
            return self.end("failed", "stop_reason", f"the model stopped for an unknown reason: {answer.stop}")
        if parsed.calls:
            return None
        if answer.stop == "tool_use":
            return self.end("failed", "stop_reason", "the model stopped for a tool and called none")
        if not parsed.text:
            return self.end("failed", "empty", "the model answered nothing")
        return self.end("done", "answered", parsed.text)

    def _next(self, blocks: list[Block]) -> TaskResult | None:
        if reason := self._progress.stuck():
            return self.end("failed", "no_progress", reason)
        notes, left = [], self._task.budget.turns - self._turns
        if self._progress.idle == MAX_IDLE_TURNS - 2:
            notes.append("For some turns nothing new was read or written. Change something, or finish.")
        if left <= _WARN_TURNS_LEFT:
            notes.append(f"{left} more {'answer is' if left == 1 else 'answers are'} left: finish what matters most.")
        self._conversation.add_message([*blocks, *({"type": "text", "text": note} for note in notes)])
        return None


def _result_block(call: ToolCall, outcome: ToolResult) -> Block:
    text = replace_surrogates(outcome.text) or "(nothing)"
    block: Block = {"type": "tool_result", "tool_use_id": call.id, "content": text}
    return block if outcome.ok else {**block, "is_error": True}
