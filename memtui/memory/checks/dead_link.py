"""A link whose file isn't there.

Where exactly one topic has the name that the link gives, the fix leads it there, and that is certain. Everything else
is a person's choice: the file with the most similar name, an index without the entry, or plain text with the target
beside it, which may be a path of the project. `[[words]]` that no file answers to are no error: Claude Code tells its
model that they mark something worth writing later (seen in the system prompt of 2.1.332). They are a hint if they look
like a name, and text otherwise: `[[:space:]]`, `[[ -f x ]]`, `[[tool.mypy]]`, `a[[0]]`.
"""

import re
from collections.abc import Iterator

from memtui.memory.checks.base import LISTED, Check, CheckedFile, Fix, FixContext, Problem
from memtui.memory.index import read_entries, remove_entries
from memtui.memory.links import Names, retarget_link, slug, unlink
from memtui.memory.markdown import Link, find_links
from memtui.memory.topic import stem_of
from memtui.util.text import nfc

MIN_SIMILARITY = 84.0  # how similar (0 to 100) a name must be to be offered in place of a missing one
_DROP = "drop this line"
_NAME = re.compile(r"[^\W_](?:[\w /'’()-]*[\w)])?(?:\.md)?")


def find(file: CheckedFile) -> Iterator[Problem]:
    """Report each link that leads to nothing, and what would do instead."""
    for link, state in file.links():
        if state != "missing" or file.folder is None:
            continue
        if link.kind == "wiki":
            if _NAME.fullmatch(link.target) and not link.target.isdigit():
                message = f"no memory is called {link.target} yet"
                yield file.problem("unwritten-link", "info", message, link.line, link.column, subject=link.target)
            continue
        names = file.folder.graph.names
        same = file_called(link, file.name, names)
        better = same or most_similar(link.target, names)
        entries = file.entries if file.kind == "index" else ()
        if better and any(nfc(better) in map(nfc, (entry.target, *entry.more)) for entry in entries):
            better = same = ""  # the index has it: a second entry helps nobody
        if better:
            remedy = f"link to {better} instead"
        elif any(entry.link.start == link.start and not entry.more for entry in entries):
            remedy = _DROP
        else:  # what a definition means stands elsewhere
            remedy = "make it plain text" if link.target_end < link.end else ""
        yield file.problem(
            "dead-link", "error", f"link target missing: {link.target}", link.line, link.column, fix=remedy,
            subject=link.target, better=better, asks=not same,
        )  # fmt: skip


def file_called(link: Link, source: str, names: Names) -> str:
    """The one topic that a link without a folder names, with or without a type in front; "" if none or several do."""
    if "/" in link.target.removeprefix("./"):
        return ""
    found = names.called.get(slug(stem_of(link.target)), set()) - {source}
    return next(iter(found)) if len(found) == 1 else ""


def most_similar(target: str, names: Names) -> str:
    """The file whose name is most like a missing one's, "" if none is similar enough."""
    from rapidfuzz import fuzz, process  # 10 ms, and most folders have no dead link

    found = process.extractOne(slug(stem_of(target)), list(names.stems), scorer=fuzz.ratio, score_cutoff=MIN_SIMILARITY)
    return names.stems[found[0]] if found is not None else ""


def find_dead_link(text: str, problem: Problem, names: Names) -> Link | None:
    """The link that a problem is about: dead, to that target, nearest to where it was."""
    line, column = problem.line or 0, problem.column or 0
    alike = (link for link in find_links(text) if link.target == problem.subject and link.kind == "markdown")
    dead = (link for link in alike if names.target_of(problem.file, link).state == "missing")
    return min(dead, key=lambda link: (abs(link.line - line), abs(link.column - column)), default=None)


def without_entry(text: str, link: Link) -> str | None:
    """An index without the entry that a link belongs to; None if it is no entry, or one of several files."""
    entry = next((entry for entry in read_entries(text) if entry.link.start == link.start and not entry.more), None)
    return None if entry is None else remove_entries(text, [entry])


def fix(problem: Problem, context: FixContext) -> Fix:
    text = context.read(problem.file)
    link = find_dead_link(text, problem, context.graph.names)
    if link is None:
        return Fix({problem.file: text})
    if problem.better:
        return Fix({problem.file: retarget_link(text, link, problem.file, problem.better)})
    after = without_entry(text, link) if problem.fix == _DROP else None
    return Fix({problem.file: unlink(text, link) if after is None else after})


CHECK = Check(("dead-link", "unwritten-link"), LISTED, find, fix, is_certain=True, order=110)
