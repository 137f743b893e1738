"""What mends a problem of `checks`, as a plan.

A problem is looked for again in the text as it is now; its old place only tells which of several it was.
"""

import re
from collections.abc import Callable, Collection
from pathlib import Path

from memtui.memory import plans
from memtui.memory.checks.folder import Problem, type_of_name
from memtui.memory.frontmatter import new_block, read_frontmatter, remove_field, set_field
from memtui.memory.index import IndexEntry, entry_end, newline_of, read_entries
from memtui.memory.links import Names
from memtui.memory.markdown import Link, find_links, headings
from memtui.memory.plans import Plan, PlanBuilder, retarget_link, stem_of, unlink
from memtui.memory.snapshot import Snapshot
from memtui.memory.tidy import one_sentence
from memtui.secrets.scanner import redact, scan
from memtui.util.errors import MemtuiError

LONGEST_DESCRIPTION = 150
_MARKS = re.compile(
    r"^[ \t]*(?:[-*+>#]+|\d+[.)])[ \t]+|`([^`]+)`|[*`]+|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)|\[([^\[\]]*)\]\([^()]*\)"
)


def plan_fix(snapshot: Snapshot, problem: Problem, *, pinned: Collection[str] = ()) -> Plan:
    """What mends a problem whose `fix` isn't empty.

    Raises:
        MemtuiError: If only a person can mend it, or the file changed meanwhile.
    """
    if not problem.fix:
        raise MemtuiError(f"only you can mend this: {problem.message}")
    if problem.code == "over-budget":
        return plans.plan_tidy(snapshot, scope=problem.scope, pinned=pinned)
    if problem.code == "no-index":
        return plans.plan_rebuild(snapshot, scope=problem.scope, pinned=pinned)
    if problem.code == "orphan":
        return plans.plan_add_to_index(snapshot, [snapshot.topic(problem.path)])
    if problem.code == "secret":
        return plan_redact(snapshot, problem.path, only=problem.subject)
    mend = _MENDS.get(problem.code)
    scope = snapshot.scope(problem.scope)
    if mend is None or scope is None:
        raise MemtuiError(f"memtui can't mend this by itself: {problem.message}")
    sheets = PlanBuilder(scope.root)
    before = sheets.text(problem.file)
    after = mend(before, problem, snapshot.graph.of(scope.id).names)
    if after == before:
        raise MemtuiError(f"{problem.file} changed meanwhile: the problem isn't there any more", hint="look again")
    sheets.put(problem.file, after)
    return sheets.plan(f"{problem.file}: {problem.fix}")


def plan_redact(snapshot: Snapshot, path: Path, only: str | None = None) -> Plan:
    """Everything in a file that looks like a secret is replaced by "[removed]"; `only` is the fingerprint of one."""
    file = snapshot.at(path)
    scope = snapshot.scope(file.scope) if file is not None else None
    root, name = (scope.root, file.name) if file is not None and scope is not None else (path.parent, path.name)
    sheets = PlanBuilder(root)
    text = sheets.text(name)
    findings = [finding for finding in scan(text) if only in (None, finding.fingerprint)]
    if not findings:
        raise MemtuiError(f"nothing in {name} looks like that secret any more", hint="look again")
    sheets.put(name, redact(text, findings))
    count = len(findings)
    notes = [
        f"{count} {'value is' if count == 1 else 'values are'} replaced by [removed]",
        "memtui's own history keeps the old text: change the password or token as well",
    ]
    return sheets.plan(f"take secrets out of {name}", notes, allow=None if scope is not None else frozenset({name}))


# One function for a kind of problem: (text, problem, names) -> text; the text itself if the problem isn't there.


def _mend_link(text: str, problem: Problem, names: Names) -> str:
    link = _link(text, problem, names)
    if link is None:
        return text
    if problem.better:
        return retarget_link(text, link, problem.file, problem.better)
    if problem.fix == "drop this line":
        for entry in read_entries(text):
            if entry.link.start == link.start:
                return _without(text, entry)
    return unlink(text, link)


def _link(text: str, problem: Problem, names: Names) -> Link | None:
    """The link that the problem is about: dead, to that target, nearest to where it was."""
    line = problem.line or 0
    dead = [
        link
        for link in find_links(text)
        if link.target == problem.subject and names.resolve(problem.file, link.target, link.kind).state == "missing"
    ]
    return min(dead, key=lambda link: (abs(link.line - line), abs(link.column - (problem.column or 0))), default=None)


def _without(text: str, entry: IndexEntry) -> str:
    return text[: entry.start] + text[entry_end(text, entry) :]


def _mend_duplicate(text: str, problem: Problem, names: Names) -> str:
    same = [entry for entry in read_entries(text) if entry.target == problem.subject and not entry.more]
    later = same[1:]
    if not later:
        return text
    return _without(text, min(later, key=lambda entry: abs(entry.line - (problem.line or 0))))


def _mend_long_line(text: str, problem: Problem, names: Names) -> str:
    for entry in read_entries(text):
        if entry.target == problem.subject and entry.line == problem.line:
            return text[: entry.hook_start] + one_sentence(entry.hook) + text[entry.hook_end :]
    return text


def _mend_type(text: str, problem: Problem, names: Names) -> str:
    return set_field(text, "type", problem.subject)


def _mend_front(text: str, problem: Problem, names: Names) -> str:
    """A block made of what the text says: heading or file name, first sentence, and a type if the name tells one."""
    if read_frontmatter(text).block:
        return text
    kind = type_of_name(problem.file)
    block = new_block(name_of(text, problem.file), first_sentence(text), kind or "reference")
    if kind is None:
        block = remove_field(block, "type")
    newline = newline_of(text)
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return mark + block.replace("\n", newline) + text[len(mark) :].lstrip("\r\n")


def name_of(text: str, file: str) -> str:
    """A name for a text: its first heading near the top, else its file name in words."""
    found = headings(text.removeprefix("\ufeff"))
    if found and found[0].line <= 3 and found[0].text.strip():
        return " ".join(_plain(found[0].text).split())[:80]
    return re.sub(r"[\W_]+", " ", stem_of(file)).strip() or file


def first_sentence(text: str) -> str:
    """The first sentence of running text, without marks; "" if there is none."""
    in_code = False
    for line in text.lstrip("\ufeff").splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        bare = line.strip()
        if in_code or not bare or bare.startswith(("#", "|", "<!--", "---", "```", "~~~", "===")):
            continue
        plain = " ".join(_plain(bare).split())
        if any(char.isalnum() for char in plain):
            return one_sentence(plain, LONGEST_DESCRIPTION)
    return ""


def _plain(line: str) -> str:
    return _MARKS.sub(lambda match: match[1] or match[2] or "", line)


_MENDS: dict[str, Callable[[str, Problem, Names], str]] = {
    "dead-link": _mend_link,
    "duplicate-entry": _mend_duplicate,
    "long-line": _mend_long_line,
    "wrong-type": _mend_type,
    "missing-frontmatter": _mend_front,
}
