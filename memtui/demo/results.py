"""Tool results: the text that the model sees and the details that Claude Code keeps beside it."""

from typing import Any

Entry = dict[str, Any]


def tool_result(tool: str, given: Entry, body: str, *, error: bool) -> tuple[str, Entry]:
    """The `content` of a tool result and its `toolUseResult`, for a call's input and what the script says it answered.

    Source:
        The fields per tool in files of Claude Code 2.1.258 and later.
    """
    if error:
        return (f"Exit code 1\n{body}" if tool == "Bash" else body), {}
    if tool == "Read":
        return _read(given, body)
    if tool == "Bash":
        return body, {"stdout": body, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
    if tool in ("Grep", "Glob"):
        return _search(tool, given, body)
    if tool in ("Edit", "Write"):
        return body, _change(tool, given)
    usage = {"input_tokens": 12, "output_tokens": 940, "cache_read_input_tokens": 30_120}
    done = {"status": "completed", "prompt": given.get("prompt", ""), "content": [{"type": "text", "text": body}]}
    return body, done | {"totalTokens": 31_072, "totalToolUseCount": 3, "usage": usage}


def _read(given: Entry, body: str) -> tuple[str, Entry]:
    """A file with line numbers in front, as the model sees it."""
    lines = body.split("\n")
    start = given.get("offset", 1)
    text = "\n".join(f"{start + index:>6}→{line}" for index, line in enumerate(lines))
    file = {"filePath": given["file_path"], "content": body, "numLines": len(lines), "startLine": start}
    return text, {"type": "text", "file": file | {"totalLines": start + len(lines) - 1}}


def _search(tool: str, given: Entry, body: str) -> tuple[str, Entry]:
    """Matches; a Grep for content has no list of names."""
    lines = body.split("\n")
    if tool == "Glob":
        return body, {"filenames": lines, "durationMs": 18, "numFiles": len(lines), "truncated": False}
    mode = given.get("output_mode", "files_with_matches")
    if mode == "content":
        return body, {"mode": mode, "numFiles": 0, "filenames": [], "content": body, "numLines": len(lines)}
    return f"Found {len(lines)} files\n{body}", {"mode": mode, "filenames": lines, "numFiles": len(lines)}


def _change(tool: str, given: Entry) -> Entry:
    path = given["file_path"]
    if tool == "Write":
        content = given["content"]
        return {"type": "create", "filePath": path, "content": content, "structuredPatch": [], "originalFile": None}
    old, new = given["old_string"], given["new_string"]
    before, after = old.split("\n"), new.split("\n")
    hunk: Entry = {"oldStart": 1, "oldLines": len(before), "newStart": 1, "newLines": len(after)}
    hunk["lines"] = [f"-{line}" for line in before] + [f"+{line}" for line in after]
    change = {"filePath": path, "oldString": old, "newString": new, "originalFile": old, "structuredPatch": [hunk]}
    return change | {"userModified": False, "replaceAll": False}
