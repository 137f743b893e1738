"""Explanations of what an agent may do: a tool call, let through or denied, and what would run in place of a line."""

import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from memtui.cli.call import Call
from memtui.cli.context import pass_call
from memtui.cli.explain_sessions import explain
from memtui.cli.output import Data, Line, Part

__all__ = ["explain", "explain_permission"]


_DIRECTORY = click.Path(path_type=Path)


@explain.command("permission")
@click.argument("tool", metavar="TOOL")
@click.argument("given", default="", metavar="[JSON]")
@click.option(
    "--root",
    type=_DIRECTORY,
    metavar="DIR",
    help="The folder to work in; this project's memory if left out.",
)
@click.option("--read", "reads", multiple=True, type=_DIRECTORY, metavar="DIR", help="One more folder to read in.")
@click.option("--actor", type=click.Choice(("agent", "dream")), default="dream", show_default=True)
@click.option("--casefold", is_flag=True, help="As on a file system that ignores case.")
@pass_call
def explain_permission(
    call: Call, tool: str, given: str, root: Path | None, reads: tuple[Path, ...], actor: str, casefold: bool
) -> int:
    """May a background agent call a tool with this input.

    "-" in place of TOOL reads one JSON object a line: {"tool", "input"}, and "root", "actor", "casefold" where they
    differ. Without --root the project's transcripts may be read as well.
    """
    if root is None:
        root, reads = call.place.folder, (call.place.transcripts, *reads)
    defaults: Data = {"root": str(root), "actor": actor, "casefold": casefold}
    if tool == "-":
        found = [
            _judge_tool_use(line.decode("utf-8", "surrogateescape"), defaults, reads)
            for line in sys.stdin.buffer.read().split(b"\n")
            if line.strip()
        ]
    else:
        found = [_judge_tool_use(given, defaults, reads, tool)]
    call.out.answer("explain-permission", found[0] if len(found) == 1 else found, _text(found), rows=found)
    if any("error" in data for data in found):
        return 1
    return int(tool != "-" and found[0]["verdict"] == "deny")


def _judge_tool_use(text: str, defaults: Data, reads: Sequence[Path], tool: str | None = None) -> Data:
    """One call as JSON, or the input for a tool; what makes no sense is denied and said."""
    from memtui.agent.permissions import Scope, decide

    try:
        wish = json.loads(text)
        if not isinstance(wish, dict):
            raise ValueError("not an object")
    except (ValueError, RecursionError) as error:
        return {"verdict": "deny", "reason": "no JSON object", "tool": tool, "error": f"not JSON: {error}"}
    wish = {**defaults, **wish} if tool is None else {**defaults, "tool": tool, "input": wish}
    if not isinstance(wish["root"], str) or wish["actor"] not in ("agent", "dream"):
        words = "root has to be a folder, actor agent or dream"
        return {"verdict": "deny", "reason": words, "tool": wish.get("tool"), "error": words}
    scope = Scope(Path(wish["root"]), tuple(reads), wish["actor"], bool(wish["casefold"]))
    decision = decide(wish.get("tool"), wish.get("input"), scope)
    answer: Data = {
        "verdict": "allow" if decision.allowed else "deny",
        "reason": decision.reason,
        "tool": wish.get("tool"),
        "root": wish["root"],
    }
    if decision.path is not None:
        answer |= {"name": decision.path.name, "base": str(decision.path.base)}
    if decision.plan is not None:
        answer["cwd"] = str(decision.plan.cwd)
        answer["runs"] = [
            {"after": step.after, "pipeline": [list(stage.argv) for stage in step.stages]}
            for step in decision.plan.steps
        ]
    return answer


def _text(found: Sequence[Data]) -> Iterator[Line]:
    for data in found:
        allowed = data["verdict"] == "allow"
        yield [Part(data["verdict"], "good" if allowed else "problem"), f"  {data['tool']}  {data['reason']}"]
        if "name" in data:
            yield f"  file  {data['name']}  in {data['base']}"
        for step in data.get("runs", ()):
            yield [Part(f"  {step['after'] or 'runs':<4}  ", "dim"), " | ".join(map(_shown, step["pipeline"]))]


def _shown(argv: Sequence[str]) -> str:
    """A program with its arguments; the many that leave secrets out are only counted."""
    from memtui.agent.shell.table import SKIPS

    words = [word for word in argv if word not in SKIPS]
    left = len(argv) - len(words)
    return shlex.join(words) + (f"  (and {left} flags that leave out what may hold a secret)" if left else "")
