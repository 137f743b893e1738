"""One content block as it is sent: whole characters, tools by their present names, no reference to a missing tool."""

from typing import Final

from memtui.resume.family import RuleSet
from memtui.transcripts.lines import Record
from memtui.util.text import replace_surrogates

TOOL_LOADED: Final = "Tool loaded."
REFERENCES_REMOVED: Final = "[Tool references removed - tools no longer available]"
RENAMED_TOOLS: Final = {"Task": "Agent"}
TOOLS: Final = frozenset({
    "Agent", "Bash", "CronCreate", "CronDelete", "CronList", "DeferredToolPlaceholder", "Edit", "EnterWorktree",
    "ExitWorktree", "ListAgents", "Monitor", "NotebookEdit", "Read", "ReportFindings", "ScheduleWakeup",
    "SendMessage", "Skill", "Task", "TaskStop", "ToolSearch", "WebFetch", "WebSearch", "Workflow", "Write",
})  # fmt: skip
"""Tools of a headless client with default settings and no MCP servers."""
TASK_TOOLS: Final = TOOLS | {"TaskCreate", "TaskGet", "TaskList", "TaskUpdate"}  # the same for older models
_OLD_SEND_MESSAGE_FIELDS: Final = ("type", "recipient", "content")  # before there were `to` and `message`


def clean_block(block: Record, tools: frozenset[str], rules: RuleSet) -> Record:
    """A block as it is written to the API; `tools` are the names of those that the client has."""
    if block["type"] == "text":
        return {**block, "text": replace_surrogates(block["text"])} if "blocks.surrogates" in rules else block
    if block["type"] == "tool_use":
        name, given = block.get("name"), block.get("input")
        sent = block
        if isinstance(name, str) and "blocks.renamed-tool" in rules:
            sent = {**block, "name": RENAMED_TOOLS.get(name, name)}
        if name == "SendMessage" and isinstance(given, dict) and "to" in given and "message" in given:
            old = _OLD_SEND_MESSAGE_FIELDS if "blocks.send-message" in rules else ()
            sent = {**sent, "input": {key: value for key, value in given.items() if key not in old}}
        return sent
    content = block.get("content")
    if block["type"] == "tool_result" and isinstance(content, list) and "blocks.tool-reference" in rules:
        kept = [part for part in content if not (_is_reference(part) and _is_missing(part.get("tool_name"), tools))]
        if len(kept) < len(content):
            return {**block, "content": kept or [{"type": "text", "text": REFERENCES_REMOVED}]}
    return block


def has_tool_reference(block: Record) -> bool:
    content = block.get("content")
    return block["type"] == "tool_result" and isinstance(content, list) and any(map(_is_reference, content))


def _is_reference(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") == "tool_reference"


def _is_missing(name: object, tools: frozenset[str]) -> bool:
    return isinstance(name, str) and name not in tools
