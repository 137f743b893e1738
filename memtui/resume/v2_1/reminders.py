"""What the client tells the model about attachments: texts between `<system-reminder>` marks.

Older models get them at the end of a tool's result. Written out are the kinds that are a sentence or hold what somebody
wrote; of the others (plans, modes) it is enough to know that they are reminders.
"""

import json
from collections.abc import Callable
from typing import Any, Final

from memtui.resume.family import RuleSet
from memtui.transcripts.entries import text
from memtui.transcripts.lines import Record


def reminders_of(data: Record, *, separate: bool, rules: RuleSet) -> list[str]:
    """The reminders that an attachment becomes within the conversation; nothing for one whose text is not known.

    `separate`: the model takes reminders in messages of their own, as the newest do; then only texts that were rendered
    for the conversation are in it.
    """
    rendered = data.get("rendered")
    if isinstance(rendered, list) and data.get("renderedRole") != "system" and "reminders.rendered" in rules:
        texts = [text(part.get("content")) for part in rendered if isinstance(part, dict)]
        return [part for part in texts if part]
    attachment = data.get("attachment")
    if separate or not isinstance(attachment, dict) or "reminders.attachment" not in rules:
        return []
    kind = text(attachment.get("type"))
    write = _WRITERS.get(kind)
    reminders = write(attachment) if write else _SENTENCES.get(kind, "").format_map(_TextFields(attachment))
    found = [reminders] if isinstance(reminders, str) else reminders
    return [f"<system-reminder>\n{reminder}\n</system-reminder>" for reminder in found if reminder]


class _TextFields(dict[str, Any]):
    """The fields of an attachment as texts; any other is ""."""

    def __getitem__(self, key: str) -> str:
        return text(self.get(key))


def _texts(value: object) -> list[str]:
    return [part for part in value if isinstance(part, str)] if isinstance(value, list) else []


def _hook_context(attachment: Record) -> str:
    parts = _texts(attachment.get("content"))
    return f"{text(attachment.get('hookName'))} hook additional context: " + "\n".join(parts) if parts else ""


def _hook_success(attachment: Record) -> str:
    output = text(attachment.get("content"))
    sent = output and attachment.get("hookEvent") in ("SessionStart", "UserPromptSubmit")
    return f"{text(attachment.get('hookName'))} hook success: {output}" if sent else ""


def _hook_error(attachment: Record) -> str:
    blocking = attachment.get("blockingError")
    details = blocking if isinstance(blocking, dict) else {}
    command, error = text(details.get("command")), text(details.get("blockingError"))
    return f'{text(attachment.get("hookName"))} hook blocking error from command: "{command}": {error}'


def _memory(attachment: Record) -> str:
    content = attachment.get("content")
    body = text(content.get("content")) if isinstance(content, dict) else ""
    return f"Contents of {text(attachment.get('path'))}:\n\n{body}"


def _queued(attachment: Record) -> str:
    """What the person typed while the model worked; nothing if a picture is among it, for that is sent otherwise."""
    prompt = attachment.get("prompt")
    blocks = prompt if isinstance(prompt, list) else [{"type": "text", "text": prompt}]
    texts = [text(block.get("text")) for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    if attachment.get("commandMode") == "task-notification" or len(texts) < len(blocks):
        return ""
    prompt_text = "\n".join(texts)
    if attachment.get("isMeta"):
        return f"[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\n{prompt_text}"
    return (
        f"The user sent a new message while you were working:\n{prompt_text}\n\n"
        "This is how Claude Code surfaces messages the user sends mid-turn — within the running turn, often alongside "
        "the next tool result, rather than as a separate conversation turn. Address the message above as you continue "
        "this turn."
    )


def _skills(attachment: Record) -> str:
    skills = text(attachment.get("content"))
    return f"The following skills are available for use with the Skill tool:\n\n{skills}" if skills else ""


def _file(attachment: Record) -> list[str]:
    """A file that the person named, as if it had been read."""
    content = attachment.get("content")
    file = content.get("file") if isinstance(content, dict) and content.get("type") == "text" else None
    if not isinstance(file, dict):
        return []
    name, first = text(attachment.get("filename")), file.get("startLine")
    lines = text(file.get("content")).split("\n")
    start = first if isinstance(first, int) else 1
    numbered = "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, start))
    empty = "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>"
    called = json.dumps({"file_path": name}, ensure_ascii=False, separators=(",", ":"))
    found = [
        f"Called the Read tool with the following input: {called}",
        f"Result of calling the Read tool:\n{numbered if lines != [''] else empty}",
    ]
    if attachment.get("truncated"):
        found.append(
            f"Note: The file {name} was too large and has been truncated to the first 2000 lines. No need to mention "
            "the truncation. Use Read to read more of the file if you need."
        )
    return found


def _directory(attachment: Record) -> list[str]:
    path = text(attachment.get("path"))
    given = {"command": f"ls {path}", "description": f"Lists files in {path}"}
    called = json.dumps(given, ensure_ascii=False, separators=(",", ":"))
    return [
        f"Called the Bash tool with the following input: {called}",
        f"Result of calling the Bash tool:\n{text(attachment.get('content'))}",
    ]


def _tasks(attachment: Record) -> str:
    content = attachment.get("content")
    tasks = [task for task in content if isinstance(task, dict)] if isinstance(content, list) else []
    lines = [f"#{task.get('id', '')}. [{text(task.get('status'))}] {text(task.get('subject'))}" for task in tasks]
    return _TASKS + ("\n\nHere are the existing tasks:\n\n" + "\n".join(lines) if lines else "")


_TASKS = (
    "The task tools haven't been used recently. If you're working on tasks that would benefit from tracking "
    "progress, consider using TaskCreate to add new tasks and TaskUpdate to update task status (set to "
    "in_progress when starting, "
    "completed when done). Also consider cleaning up the task list if it has become stale. Only use these if relevant "
    "to the current work. This is just a gentle reminder - ignore if not applicable.\n"
)

_SENTENCES: Final = {
    "compact_file_reference": "Note: {filename} was read before the last conversation was summarized, but the contents "
    "are too large to include. Use Read tool if you need to access it.",
    "date_change": "The date has changed. Today's date is now {newDate}. "
    "No need to announce the new date — the user's own clock shows it.",
    "edited_text_file": "Note: {filename} changed on disk since you last read it. That's usually deliberate, "
    "so take it as the current state rather than reverting it; if the change looks wrong, say so rather than "
    "undoing it yourself — otherwise no need to call it out. Here are the relevant changes (shown with line "
    "numbers):\n{snippet}",
    "hook_stopped_continuation": "{hookName} hook stopped continuation: {message}",
}
"""Reminders that are one sentence with fields of the attachment."""

_WRITERS: Final[dict[str, Callable[[Record], str | list[str]]]] = {
    "directory": _directory,
    "file": _file,
    "hook_additional_context": _hook_context,
    "hook_blocking_error": _hook_error,
    "hook_success": _hook_success,
    "nested_memory": _memory,
    "queued_command": _queued,
    "skill_listing": _skills,
    "task_reminder": _tasks,
}
