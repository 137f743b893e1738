"""The hook that the agent client runs before each tool call of a dream: is the call allowed.

    python -m memtui.dream.backends.client_hook ROOT [READ]...

In: the client's PreToolUse input, one JSON object on standard input. Out: the decision in the client's form. It decides
by the same function as our own loop. Whatever goes wrong is a denial: exit code 2, which the client takes for one.
Nothing else allows anything, so if the hook doesn't run at all the client may only read in the stage.

Source: Claude Code's documentation of hooks; recorded on client 2.1.332.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memtui.agent.permissions import decide
from memtui.agent.shell.paths import AllowedFolders

BLOCK = 2

_NO_SHELL = "no shell in this run: use Read, Grep and Glob"


def decision(text: bytes, scope: AllowedFolders) -> dict[str, Any]:
    """Decide one call; raises `ValueError` if that is no JSON object."""
    asked = json.loads(text)
    if not isinstance(asked, dict):
        raise ValueError("no object")
    tool = asked.get("tool_name")
    made = decide(tool, asked.get("tool_input"), scope)
    # The client would pass the line to a shell, whatever was decided about its words.
    allowed, reason = (False, _NO_SHELL) if tool == "Bash" else (made.allowed, made.reason)
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow" if allowed else "deny",
            "permissionDecisionReason": reason,
        }
    }


def main(args: Sequence[str]) -> int:
    if not args:
        print("the hook was given no folder", file=sys.stderr)
        return BLOCK
    scope = AllowedFolders(Path(args[0]), tuple(map(Path, args[1:])))
    try:
        answer = decision(sys.stdin.buffer.read(), scope)
    except (ValueError, RecursionError) as error:
        print(f"the input is not understood: {error}", file=sys.stderr)
        return BLOCK
    print(json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
