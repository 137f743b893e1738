"""What is wrong with a memory, in plain words, with what memtui can do about it.

A problem is only what a person would want to know: what the agent doesn't get, what it is told wrongly, what must not
be in
a file. `severity` is "error" (something is lost or leaks), "warning" (worth mending) or "info" (a hint, never counted).
`fix` says what `fixes.plan_fix` would do; it is "" where only a person can tell.

Texts are judged once a digest (`facts`); links, index and names are judged anew each time, which costs little.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.memory.budget import measure_index
from memtui.memory.checks.base import At, Problem, Severity
from memtui.memory.checks.frontmatter import check_front, type_of_name
from memtui.memory.checks.text import TextFindings, find_in_text
from memtui.memory.frontmatter import read_frontmatter
from memtui.memory.index import INDEX_NAME, IndexEntry, lost_entries, read_entries, same_name
from memtui.memory.instructions import Instruction, walk_imports
from memtui.memory.links import Graph, Names, slug
from memtui.memory.markdown import Link, find_links
from memtui.memory.scope import Scope
from memtui.memory.tidy import LONG_HOOK, one_sentence
from memtui.memory.topic import MemoryFile
from memtui.util.text import age, nfc

if TYPE_CHECKING:
    from memtui.memory.snapshot import Snapshot

__all__ = ["Problem", "check_instructions", "check_scope", "check_text", "closest", "type_of_name"]

LONG_LINE = 200
"""Characters of an index line above which it is called long."""
STALE_AFTER = 86_400.0
"""Seconds after which "yesterday" is another day than it was."""
MOST_DATES = 3
"""Relative dates that are listed one by one for a file; what follows is one problem."""
CLOSE = 84.0
"""How alike (0 to 100) a name must be to be offered in place of a missing one."""


_OFTEN_NOW = frozenset({"today", "this sprint", "오늘"})
"""Words that mean "nowadays" more often than a day: in 234 real files, all 11 did."""
_UNREADABLE = ("not UTF-8", "binary", "a link", "a folder", "not a regular", "can't be read")
_FILE_NAME = re.compile(r"[\w./-]+\.md")


def check_scope(scope: Scope, graph: Graph, facts: Mapping[str, TextFindings], now: float) -> tuple[Problem, ...]:
    """Check a folder after the full read.

    Args:
        scope: The folder.
        graph: Its links.
        facts: What is known of each file's text; a file without an entry isn't judged by its text.
        now: Seconds since 1970.

    Returns:
        The problems, by file and line, the index first.
    """
    problems: list[Problem] = []
    if scope.index is not None:
        problems += _index(scope, graph)
    elif scope.topics and scope.id != "logs":
        at = At(scope.id, INDEX_NAME, scope.root / INDEX_NAME)
        message = "no MEMORY.md: nothing is loaded at start"
        problems.append(at.problem("no-index", "warning", message, fix="make it from the topics"))
    problems += _doubles(scope)
    for file in scope.files:
        at = At(scope.id, file.name, file.path)
        problems += _state(at, file)
        if file.kind == "topic" and not (file.readonly or "").startswith(_UNREADABLE):
            problems += check_front(at, file.front, file.name, has_body=file.size > 0)
        if file.kind != "index":
            problems += _dead_links(at, ((one.link, one.target.state) for one in graph.out(file)), graph.names)
        found = facts.get(str(file.path))
        if found is not None:
            problems += _text(at, found, now - file.modified)
    order = {file.name: number for number, file in enumerate(scope.files)}
    problems.sort(key=lambda p: (p.file != INDEX_NAME, order.get(p.file, 0), p.line or 0, p.column or 0))
    return tuple(problems)


def check_instructions(items: tuple[Instruction, ...], facts: Mapping[str, TextFindings]) -> tuple[Problem, ...]:
    """Check the CLAUDE.md family: imports that lead nowhere, files skipped for their size, secrets."""
    problems = []
    for item in items:
        at = At("instructions", item.path.name, item.path)
        if item.exists and item.skipped and item.skipped.startswith("larger than"):
            problems.append(at.problem("too-large", "error", item.skipped))
        for each in walk_imports(item.imports):
            if each.state == "missing" and each.word is not None and each.word.means_a_file and each.hops == 1:
                problems.append(
                    at.problem("dead-link", "warning", f"import not found: {each.written} ({each.reason})", each.line)
                )
            elif each.state == "too-deep":
                message = f"import {each.path.name} is not loaded: {each.reason}"
                problems.append(at.problem("import-depth", "warning", message, each.line if each.hops == 1 else None))
        found = facts.get(str(item.path))
        if found is not None:
            problems += _secrets(at, found)
    return tuple(problems)


def check_text(snapshot: "Snapshot", path: Path, text: str, now: float) -> tuple[Problem, ...]:
    """Check one text as it stands in an editor, with what is known of the other files.

    Args:
        world: The last reading.
        path: The file that the text belongs to; it need not exist yet.
        text: The whole text.
        now: Seconds since 1970.

    Returns:
        The problems of this text alone, in order. Takes some milliseconds for 25 KB.
    """
    around = [one for one in snapshot.scopes if path.is_relative_to(one.root) and path.suffix == ".md"]
    if not around or any(item.path == path for item in snapshot.instructions):
        found = _secrets(At("instructions", path.name, path), find_in_text(text, dates=False))
        return tuple(problem for problem in found if problem.subject not in snapshot.allowed)
    scope = max(around, key=lambda one: len(one.root.parts))  # `team/` lies in the memory folder
    name = path.relative_to(scope.root).as_posix()
    at = At(scope.id, name, path)
    known = snapshot.at(path)
    new = "log" if scope.id == "logs" else "index" if name == INDEX_NAME else "topic"
    kind = known.kind if known is not None else new
    names = snapshot.graph.of(scope.id).names
    problems: list[Problem] = []
    if kind == "index":
        problems += _index_text(at, text, scope, names)
    else:
        if kind == "topic":
            front = read_frontmatter(text)
            problems += check_front(at, front, name, has_body=bool(text.strip()))
            if front.name and scope.id != "logs":
                problems += _same_name(at, front.name, name, scope)
        problems += _dead_links(at, ((link, _state_of(link, name, names)) for link in find_links(text)), names)
    problems += _text(at, find_in_text(text, dates=kind != "log"), 0.0)
    problems = [problem for problem in problems if problem.code != "secret" or problem.subject not in snapshot.allowed]
    return tuple(sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0)))


def _state_of(link: Link, name: str, names: Names) -> str:
    if link.external or link.kind == "import":
        return "external"
    return names.resolve(name, link.target, link.kind).state


# The index


def _index(scope: Scope, graph: Graph) -> Iterator[Problem]:
    assert scope.index is not None
    at = At(scope.id, scope.index.name, scope.index.path)
    yield from _index_text(at, scope.index_text, scope, graph.names)
    listed = {nfc(name) for entry in scope.entries for name in (entry.target, *entry.more)}
    linked = {nfc(one.target.name) for one in graph.out(scope.index) if one.target.name is not None}
    named = {nfc(name) for name in _FILE_NAME.findall(scope.index_text)}
    for file in scope.topics:
        if nfc(file.name) in listed or nfc(file.name) in linked:
            continue
        where = At(scope.id, file.name, file.path)
        if nfc(file.name) in named:
            yield where.problem(
                "orphan", "info", "named in MEMORY.md, but not as a link", fix="add it to the index", subject=file.name
            )
        else:
            message = "not in MEMORY.md: the agent doesn't hear of it at start"
            yield where.problem("orphan", "warning", message, fix="add it to the index", subject=file.name)


def _index_text(at: At, text: str, scope: Scope, names: Names) -> Iterator[Problem]:
    budget = measure_index(text) if text != scope.index_text or scope.budget is None else scope.budget
    entries = read_entries(text, budget)
    if budget.over:
        lost = lost_entries(entries)
        what = f"{len(lost)} {'entry is' if len(lost) == 1 else 'entries are'} lost" if lost else "no entry is lost"
        if budget.limit == "lines":
            over = f"{budget.lines - budget.max_lines} lines too many"
        else:
            over = f"{budget.units - budget.max_units:,} characters too many"
        message = f"{over}: not loaded from line {budget.cut_line_in_file} on, {what}"
        yield at.problem("over-budget", "error", message, budget.cut_line_in_file, fix="tidy the index")
    first: dict[str, IndexEntry] = {}
    for entry in entries:
        target = nfc(entry.target)
        if target in first and not entry.more:
            fix, message = "drop this line", f"{entry.target} is listed already in line {first[target].line}"
            yield at.problem("duplicate-entry", "warning", message, entry.line, fix=fix, subject=entry.target)
        first.setdefault(target, entry)
        yield from _long_line(at, text, entry)
    states = ((link, _state_of(link, at.file, names)) for link in find_links(text))
    yield from _dead_links(at, states, names, entries)


def _long_line(at: At, text: str, entry: IndexEntry) -> Iterator[Problem]:
    line = text[entry.start : entry.end].rstrip("\r\n")
    if len(line) <= LONG_LINE:
        return
    short = one_sentence(entry.hook) if len(entry.hook) > LONG_HOOK and not entry.more else entry.hook
    saved = len(entry.hook.encode("utf-8", "replace")) - len(short.encode("utf-8", "replace"))
    fits = len(line) - len(entry.hook) + len(short) <= LONG_LINE and saved > 0
    message = f"index line is long: {len(line)} characters"
    if fits:
        message += f"; shortening it saves {saved} bytes"
    fix = "shorten it" if fits else ""
    yield at.problem("long-line", "warning", message, entry.line, fix=fix, subject=entry.target)


# Links


def _dead_links(
    at: At, links: Iterator[tuple[Link, str]], names: Names, entries: tuple[IndexEntry, ...] = ()
) -> Iterator[Problem]:
    listed = {nfc(name) for entry in entries for name in (entry.target, *entry.more)}
    for link, state in links:
        if state != "missing":
            continue
        better = closest(link.target, names)
        better = "" if nfc(better) in listed else better  # the index has it: a second entry helps nobody
        if better:
            fix = f"link to {better} instead"
        elif any(entry.link.start == link.start and not entry.more for entry in entries):
            fix = "drop this line"
        else:
            fix = "make it plain text"
        severity: Severity = "error" if link.kind == "markdown" else "warning"
        message = f"link target missing: {link.target}"
        yield at.problem("dead-link", severity, message, link.line, link.column, fix, link.target, better)


def closest(target: str, names: Names) -> str:
    """The file whose name is most like a missing one's, "" if none is close."""
    from rapidfuzz import fuzz, process  # only where something is missing

    wanted = slug(target.rpartition("/")[2].removesuffix(".md"))
    found = process.extractOne(wanted, names.slugs, scorer=fuzz.ratio, score_cutoff=CLOSE)
    return names.by_slug(found[0]) if found is not None else ""


# Files and texts


def _state(at: At, file: MemoryFile) -> Iterator[Problem]:
    if file.readonly is not None and file.front.problems and file.front.problems[0].code == "unread":
        yield at.problem("read-only", "warning", f"not read: {file.readonly}")
    elif file.readonly is not None:
        bad = file.readonly.startswith(_UNREADABLE)
        yield at.problem("read-only", "error" if bad else "info", f"opens read only: {file.readonly}")
    if file.kind == "other" and file.name.rpartition("/")[2] != INDEX_NAME:
        message = "a copy that a sync tool left: the agent takes it for a topic of its own"
        yield at.problem("conflict-copy", "warning", message)
    if file.kind == "topic" and not file.scanned:
        yield at.problem("not-scanned", "info", "older than the newest 200: the agent's scan leaves it out")


def _doubles(scope: Scope) -> Iterator[Problem]:
    if scope.id == "logs":
        return
    slugs = {file.name: slug(file.front.name) for file in scope.topics if file.front.name}
    counted = Counter(slugs.values())
    for file in scope.topics:
        if file.name in slugs and counted[slugs[file.name]] > 1 and file.front.name is not None:
            other = next(name for name, word in slugs.items() if word == slugs[file.name] and name != file.name)
            yield _double(At(scope.id, file.name, file.path), file.front.name, other)


def _same_name(at: At, name: str, own: str, scope: Scope) -> Iterator[Problem]:
    for file in scope.topics:
        if not same_name(file.name, own) and file.front.name and slug(file.front.name) == slug(name):
            yield _double(at, name, file.name)
            return


def _double(at: At, name: str, other: str) -> Problem:
    return at.problem("duplicate-topic", "warning", f"{other} has the same name: {name}", 1, subject=other)


def _text(at: At, facts: TextFindings, old: float) -> Iterator[Problem]:
    yield from _secrets(at, facts)
    stale = old > STALE_AFTER
    sure = [phrase for phrase in facts.dates if phrase.words.lower() not in _OFTEN_NOW]
    for number, phrase in enumerate(facts.dates):
        severity: Severity = "warning" if stale and phrase in sure else "info"
        if number == MOST_DATES and len(facts.dates) > MOST_DATES + 1:
            message = f"{len(facts.dates) - number} more relative dates"
            yield at.problem("relative-date", severity, message, phrase.line, phrase.column)
            return
        when = f"was written {age(old)} ago or earlier" if stale else "means another day tomorrow"
        message = f'"{phrase.words}" {when}: write the date'
        yield at.problem("relative-date", severity, message, phrase.line, phrase.column, subject=phrase.words)


def _secrets(at: At, facts: TextFindings) -> Iterator[Problem]:
    for secret in facts.secrets:
        message = f"looks like a secret ({secret.rule.replace('-', ' ')}): {secret.masked}"
        yield at.problem(
            "secret", "error", message, secret.line, secret.column, "take it out", subject=secret.fingerprint
        )
