"""The program that Grep starts: searches the given files for a regular expression.

A regular expression may run for ever, and a thread can't be killed; a process can. It runs in an interpreter of its
own, without our package and the user's environment. Input is one JSON object on standard input, written by `search`;
output one on standard output: {"lines": […], "more": bool} or {"fault": "…"}.
"""

import json
import os
import re
import resource
import stat
import sys
from collections import deque
from collections.abc import Iterator
from typing import Any

_CPU_S, _MEMORY_BYTES = 20, 2 << 30
_PROBE_BYTES = 8192
_MAX_MULTILINE_BYTES = 32 << 20  # a pattern over several lines is tried on so much of a file
_MAX_LINE_CHARS = 500


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    job = json.load(sys.stdin.buffer)
    try:
        flags = re.MULTILINE | (re.IGNORECASE if job["ignore_case"] else 0) | (re.DOTALL if job["multiline"] else 0)
        pattern = re.compile(job["pattern"], flags)
    except (re.error, OverflowError, RecursionError) as error:
        answer: dict[str, Any] = {"fault": f"the pattern is not a regular expression: {error}"}
    else:
        lines, more = _page(_answer_lines(job, pattern), job["skip"], job["limit"], job["most"])
        answer = {"lines": lines, "more": more}
    sys.stdout.buffer.write(json.dumps(answer).encode())


def _page(lines: Iterator[str], skip: int, limit: int, most: int) -> tuple[list[str], bool]:
    taken: list[str] = []
    for number, line in enumerate(lines):
        if number < skip:
            continue
        most -= len(line) + 1
        if len(taken) == limit or most < 0:
            return taken, True
        taken.append(line)
    return taken, False


def _answer_lines(job: dict[str, Any], pattern: re.Pattern[str]) -> Iterator[str]:
    for name in job["names"]:
        label = job["lead"] + name
        try:
            fd = _open(job["top"], name)
        except OSError:
            continue
        with os.fdopen(fd, "rb") as file:
            if b"\0" in file.read(_PROBE_BYTES):
                continue
            file.seek(0)
            hits = _hits_in_text(file, pattern) if job["multiline"] else _hits_by_line(file, pattern, job)
            if job["mode"] == "content":
                yield from (f"{label}{sign}{number}{sign}{text}" for number, sign, text in hits)
            elif job["mode"] == "files_with_matches":
                if any(sign == ":" for _, sign, _ in hits):
                    yield label
            elif count := sum(sign == ":" for _, sign, _ in hits):
                yield f"{label}:{count}"


def _open(top: str, name: str) -> int:
    """Open a regular file below `top`, no link followed on the way."""
    *folders, leaf = name.split("/")
    fd = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for folder in folders:
            deeper = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
            os.close(fd)
            fd = deeper
        file = os.open(leaf, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=fd)
    finally:
        os.close(fd)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError("not a file")
    return file


def _hits_by_line(file: Any, pattern: re.Pattern[str], job: dict[str, Any]) -> Iterator[tuple[int, str, str]]:
    """Matching lines (sign ":") and their context (sign "-"), each once."""
    before: deque[tuple[int, str]] = deque(maxlen=job["before"])
    owed = 0
    for number, raw in enumerate(file, 1):
        line = raw.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")
        if match := pattern.search(line):
            for earlier, text in before:
                yield earlier, "-", _clip_around(text, 0, 0)
            before.clear()
            owed = job["after"]
            yield number, ":", match[0][:_MAX_LINE_CHARS] if job["only"] else _clip_around(line, *match.span())
        elif owed:
            owed -= 1
            yield number, "-", _clip_around(line, 0, 0)
        else:
            before.append((number, line))


def _hits_in_text(file: Any, pattern: re.Pattern[str]) -> Iterator[tuple[int, str, str]]:
    text = file.read(_MAX_MULTILINE_BYTES).decode("utf-8", "replace")
    number, at = 1, 0
    for match in pattern.finditer(text):
        number += text.count("\n", at, match.start())
        at = match.start()
        yield number, ":", match[0][: 4 * _MAX_LINE_CHARS]


def _clip_around(line: str, start: int, end: int) -> str:
    """At most `_MAX_LINE_CHARS` of a line, with the match in them."""
    if len(line) <= _MAX_LINE_CHARS:
        return line
    first = max(0, min(start - (_MAX_LINE_CHARS - min(end - start, _MAX_LINE_CHARS)) // 2, len(line) - _MAX_LINE_CHARS))
    cut = line[first : first + _MAX_LINE_CHARS]
    return ("…" if first else "") + cut + ("…" if first + _MAX_LINE_CHARS < len(line) else "")


if __name__ == "__main__":
    main()
