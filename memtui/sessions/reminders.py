"""What the client tells the model about attachments: texts between `<system-reminder>` marks.

Only those that were seen to change what stands in a tool's result are written out; of the others it is enough to
know that they are reminders, which aren't the conversation.

Source:
    FORMATS 1.6; client 2.1.332, recorded.
"""

from memtui.sessions.entries import text
from memtui.sessions.lines import Record


def reminder_of(data: Record, *, separate: bool) -> str:
    """The reminder that an attachment becomes within the conversation.

    Args: data: The attachment's record. separate: Whether the model takes reminders in messages of their own, as
    the newest do; then only texts that were rendered for the conversation stand in it.

    Returns:
        "" if it becomes none, or one whose words we don't know.
    """
    rendered = data.get("rendered")
    if isinstance(rendered, list) and data.get("renderedRole") != "system":
        texts = [text(part.get("content")) for part in rendered if isinstance(part, dict)]
        return "\n\n".join(part for part in texts if part)
    attachment = data.get("attachment")
    if separate or not isinstance(attachment, dict):
        return ""
    words = _words(attachment)
    return f"<system-reminder>\n{words}\n</system-reminder>" if words else ""


def _words(attachment: Record) -> str:
    kind, hook = attachment.get("type"), text(attachment.get("hookName"))
    content = attachment.get("content")
    if kind == "task_reminder":
        return _tasks(attachment)
    if kind == "hook_additional_context":
        parts = [part for part in content if isinstance(part, str)] if isinstance(content, list) else []
        return f"{hook} hook additional context: " + "\n".join(parts) if parts else ""
    if kind == "hook_success" and text(content) and attachment.get("hookEvent") in ("SessionStart", "UserPromptSubmit"):
        return f"{hook} hook success: {content}"
    if kind == "hook_blocking_error":
        error = attachment.get("blockingError")
        told = error if isinstance(error, dict) else {}
        command, words = text(told.get("command")), text(told.get("blockingError"))
        return f'{hook} hook blocking error from command: "{command}": {words}'
    if kind == "date_change":
        day = text(attachment.get("newDate"))
        return (
            f"The date has changed. Today's date is now {day}. "
            "No need to announce the new date — the user's own clock shows it."
        )
    return ""


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
