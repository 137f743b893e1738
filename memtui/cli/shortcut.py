"""Answers that don't wait for click: its import takes longer than they do.

What stands here is asked for as often by scripts as by people, and answers in some milliseconds. Words that are not all
known go to click, which reads the same options and tells what is wrong with them.
"""

from collections.abc import Callable, Sequence

from memtui.cli.context import CliContext

FLAGS = {f"--{name.replace('_', '-')}": name for name in ("json", "jsonl", "plain", "quiet", "no_color", "ascii")}
"""Those of the options of every command that take no value and change how an answer looks."""


def shortcut(args: Sequence[str], context: CliContext) -> Callable[[], int] | None:
    """What answers these words; `None` if click has to."""
    if list(args[:2]) != ["sessions", "ls"]:
        return None
    everywhere = False
    for word in args[2:]:
        if word == "--all":
            everywhere = True
        elif word in FLAGS:
            setattr(context.options, FLAGS[word], True)
        else:
            return None

    def run() -> int:
        from memtui.cli.session_list import list_sessions  # 15 ms that no other command needs

        return list_sessions(context, everywhere=everywhere)

    return run
