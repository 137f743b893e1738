"""One block as it is sent: whole characters, tools by their present names, and no reference to a tool that is gone.

Rules, each as client 2.1.332 was seen to follow it:

1. Half surrogate pairs become U+FFFD.
2. The tool `Task` is called `Agent` now; `SendMessage` has lost an older way to say to whom.
3. A result that refers to tools keeps the references to those that the client has; where none of its blocks is left
   a stand-in text is. A reference that stays adds the text "Tool loaded." behind the results.
"""

from typing import Final

from memtui.sessions.entries import whole_characters
from memtui.sessions.lines import Record

TOOL_LOADED: Final = "Tool loaded."
TOOLS_GONE: Final = "[Tool references removed - tools no longer available]"

RENAMED: Final = {"Task": "Agent"}

TOOLS: Final = frozenset(
    {
        "Agent",
        "Bash",
        "CronCreate",
        "CronDelete",
        "CronList",
        "DeferredToolPlaceholder",
        "Edit",
        "EnterWorktree",
        "ExitWorktree",
        "ListAgents",
        "Monitor",
        "NotebookEdit",
        "Read",
        "ReportFindings",
        "ScheduleWakeup",
        "SendMessage",
        "Skill",
        "Task",
        "TaskStop",
        "ToolSearch",
        "WebFetch",
        "WebSearch",
        "Workflow",
        "Write",
    }
)
"""Tools that the client has without a terminal, without servers and with its own settings."""

TASK_TOOLS: Final = TOOLS | {"TaskCreate", "TaskGet", "TaskList", "TaskUpdate"}
"""The same for older models."""

_OLD_ADDRESS: Final = ("type", "recipient", "content")
"""What `SendMessage` was given before it was given `to` and `message`; dropped where both stand there."""


def cleaned(block: Record, tools: frozenset[str]) -> Record:
    """A block as it is written to the API.

    Args:
        block: As it stands in the record; it stays as it is.
        tools: The names of the tools that there are.
    """
    if block["type"] == "text":
        return {**block, "text": whole_characters(block["text"])}
    if block["type"] == "tool_use":
        name = block.get("name")
        told = {**block, "name": RENAMED.get(name, name)} if isinstance(name, str) else block
        given = block.get("input")
        if name == "SendMessage" and isinstance(given, dict) and "to" in given and "message" in given:
            told = {**told, "input": {key: value for key, value in given.items() if key not in _OLD_ADDRESS}}
        return told
    content = block.get("content")
    if block["type"] == "tool_result" and isinstance(content, list):
        kept = [part for part in content if not (_refers(part) and _is_gone(part.get("tool_name"), tools))]
        if len(kept) < len(content):
            return {**block, "content": kept or [{"type": "text", "text": TOOLS_GONE}]}
    return block


def looks_up(block: Record) -> bool:
    """Whether a block is a result that refers to a tool."""
    content = block.get("content")
    return block["type"] == "tool_result" and isinstance(content, list) and any(map(_refers, content))


def _refers(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") == "tool_reference"


def _is_gone(name: object, tools: frozenset[str]) -> bool:
    return isinstance(name, str) and name not in tools
