"""What the client tells the model about attachments: texts between `<system-reminder>` marks.

Only those that were seen to change what stands in a tool's result are written out; of the others it is enough to know that
they are reminders, which aren't the conversation.

Source:
    FORMATS 1.6; client 2.1.332, recorded.
"""

from memtui.sessions.entries import text
from memtui.sessions.lines import Record


def reminder_of(data: Record) -> str:
    """The reminder that an attachment becomes; "" if it becomes none, or one whose words we don't know."""
    attachment = data.get("attachment")
    if not isinstance(attachment, dict):
        return ""
    if attachment.get("type") == "task_reminder":
        return _tasks(attachment)
    return ""


def _tasks(attachment: Record) -> str:
    content = attachment.get("content")
    tasks = [task for task in content if isinstance(task, dict)] if isinstance(content, list) else []
    lines = [f"#{task.get('id', '')}. [{text(task.get('status'))}] {text(task.get('subject'))}" for task in tasks]
    told = _TASKS + ("\n\nHere are the existing tasks:\n\n" + "\n".join(lines) if lines else "")
    return f"<system-reminder>\n{told}\n</system-reminder>"


_TASKS = (
    "The task tools haven't been used recently. If you're working on tasks that would benefit from tracking progress, "
    "consider using TaskCreate to add new tasks and TaskUpdate to update task status (set to in_progress when starting, "
    "completed when done). Also consider cleaning up the task list if it has become stale. Only use these if relevant "
    "to the current work. This is just a gentle reminder - ignore if not applicable.\n"
)
