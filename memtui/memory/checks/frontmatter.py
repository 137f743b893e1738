"""What is wrong with a topic's front matter, in plain words."""

from collections.abc import Iterator

from memtui.memory.checks.base import At, Problem, Severity
from memtui.memory.frontmatter import TYPES, Frontmatter, FrontmatterNote

_NOTES: dict[str, tuple[str, Severity]] = {
    "unclosed": ("frontmatter", "error"),
    "nul": ("frontmatter", "error"),
    "not-utf8": ("frontmatter", "error"),
    "odd-line": ("frontmatter", "warning"),
    "odd-indent": ("frontmatter", "warning"),
    "duplicate": ("frontmatter", "warning"),
    "tight-colon": ("frontmatter", "warning"),
    "hidden": ("frontmatter", "warning"),
    "yaml-tag": ("frontmatter", "warning"),
    "not-a-word": ("frontmatter", "warning"),
    "bom": ("frontmatter", "info"),
    "folded": ("frontmatter", "info"),
    "long-value": ("frontmatter", "info"),
}


def check_front(at: At, front: Frontmatter, name: str, *, has_body: bool) -> Iterator[Problem]:
    if not front.block and front.verdict != "invalid":
        if has_body:
            late = any(note.message.startswith("no front matter: its first line") for note in front.problems)
            message = front.problems[0].message if late else "no front matter: the agent can't tell what it is about"
            fix = "" if late else "add it"
            yield at.problem("missing-frontmatter", "warning", message, 1, fix=fix, subject=type_of_name(name) or "")
        return
    for note in front.problems:
        yield from _note(at, front, note, name)


def _note(at: At, front: Frontmatter, note: FrontmatterNote, name: str) -> Iterator[Problem]:
    guess = type_of_name(name)
    if note.code == "no-description":
        message = "no description: the agent can't tell when it is useful"
        yield at.problem("frontmatter", "warning", message, 1, subject="description")
    elif note.code == "no-name":
        yield at.problem("frontmatter", "info", "no name in the front matter", 1, subject="name")
    elif note.code == "no-type":
        fix = f"set it to {guess}" if guess else ""
        severity: Severity = "warning" if guess else "info"
        yield at.problem("wrong-type", severity, "no type in the front matter", 1, fix=fix, subject=guess or "")
    elif note.code == "wrong-type":
        better = _near_type(front.type_text or "") or guess
        fix = f"set it to {better}" if better else ""
        yield at.problem("wrong-type", "warning", note.message, note.line, fix=fix, subject=better or "")
    elif note.code == "type-case":
        right = front.type or ""
        message = f"{note.message}: it is {right}"
        yield at.problem("wrong-type", "warning", message, note.line, fix=f"write it as {right}", subject=right)
    elif note.code in _NOTES:
        code, severity = _NOTES[note.code]
        yield at.problem(code, severity, note.message, note.line, subject=note.code)


def type_of_name(name: str) -> str | None:
    """The type that a file's name begins with: `feedback_testing.md` is "feedback"."""
    leaf = name.rpartition("/")[2].lower()
    return next((kind for kind in TYPES if leaf.startswith((f"{kind}_", f"{kind}-"))), None)


def _near_type(word: str) -> str | None:
    import difflib

    return next(iter(difflib.get_close_matches(word.strip().lower(), TYPES, 1, 0.75)), None)
