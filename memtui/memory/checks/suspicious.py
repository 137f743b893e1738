"""Text that gives orders to the agent that reads it, and characters that a terminal obeys or that hide text.

One kind of order by itself is a hint: of 31 honest sentences about users, scripts and permissions ("Never ask the user
for confirmation before running the tests") 20 look like one, none like two. A file with several kinds is a warning.

The fix takes such characters out; they may be meant, so a person sees it first.
"""

from collections import Counter
from collections.abc import Iterator

from memtui.memory.checks.base import ANY, Check, CheckedFile, Fix, FixContext, Problem, Severity, TextHit
from memtui.memory.frontmatter import read_frontmatter
from memtui.memory.suspicious import find_control_characters, find_suspicious
from memtui.util.text import clip, visible

MAX_SHOWN_CHARS = 60


def find_in_text(text: str) -> tuple[TextHit, ...]:
    orders = [
        TextHit(one.line, 1, clip(visible(one.text, keep=""), MAX_SHOWN_CHARS), one.does)
        for one in find_suspicious(text)
    ]
    start = read_frontmatter(text).body_line - 1  # of the front matter its own check tells
    found = [(line, char) for line, char in find_control_characters(text) if line > start]
    count = Counter(line for line, _ in found)
    first = dict(reversed(found))
    hidden = [TextHit(line, 1, f"U+{ord(first[line]):04X}", fingerprint=str(count[line])) for line in first]
    return tuple(sorted((*orders, *hidden), key=lambda hit: hit.line))


def find(file: CheckedFile) -> Iterator[Problem]:
    hits = file.hits("suspicious")
    orders: Severity = "warning" if len({hit.rule for hit in hits if hit.rule}) > 1 else "info"
    for hit in hits:
        if hit.rule:
            yield file.problem("suspicious", orders, f'{hit.rule}: "{hit.words}"', hit.line, subject=hit.rule)
            continue
        what = (
            f"character {hit.words} is"
            if hit.fingerprint == "1"
            else f"{hit.fingerprint} characters ({hit.words} …) are"
        )
        remedy = "take it out" if hit.fingerprint == "1" else "take them out"
        message = f"{what} invisible or obeyed by terminals"
        yield file.problem("control-character", "warning", message, hit.line, fix=remedy, subject=hit.words)


def fix(problem: Problem, context: FixContext) -> Fix:
    lines = context.read(problem.file).split("\n")
    at = (problem.line or 1) - 1
    if at < len(lines):
        bad = {char for _, char in find_control_characters(lines[at])}
        lines[at] = "".join(char for char in lines[at] if char not in bad)
    return Fix({problem.file: "\n".join(lines)})


CHECK = Check(("suspicious", "control-character"), ANY, find, fix, find_in_text=find_in_text, order=250)
