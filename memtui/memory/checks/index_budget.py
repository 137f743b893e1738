"""An index that is over the limit under which it is loaded, or that has no room for topics that it doesn't list.

The fix tidies it: entries may go, so a person sees it first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from memtui.memory.checks import orphan
from memtui.memory.checks.base import INDEX, Check, CheckedFile, Fix, FixContext, Problem
from memtui.memory.frontmatter import new_block
from memtui.memory.index import INDEX_NAME, lost_entries, read_entries
from memtui.memory.sentences import with_words
from memtui.util.lazy_module import LazyModule
from memtui.util.text import nfc

if TYPE_CHECKING:
    from memtui.memory import tidy
    from memtui.memory.tidy import MovedText, TidyResult, TidyTopic
else:  # for the fix only
    tidy = LazyModule("memtui.memory.tidy")


def find(file: CheckedFile) -> Iterator[Problem]:
    budget = file.budget
    if file.folder is not None and file.folder.scope.index is not None and file.folder.without_room:
        count = len(file.folder.without_room)
        topics_are = (
            "topic is not listed, and there is no room for it"
            if count == 1
            else ("topics are not listed, and there is no room for them")
        )
        yield file.problem("index-full", "warning", f"{count} {topics_are}: merge topics, or tidy the index")
    if not budget.over:
        return
    count = len(lost_entries(file.entries))
    lost = f"{count} {'entry is' if count == 1 else 'entries are'} lost" if count else "no entry is lost"
    if budget.limit == "lines":
        over = f"{budget.lines - budget.max_lines} lines too many"
    else:
        over = f"{budget.units - budget.max_units:,} characters too many"
    message = f"{over}: not loaded from line {budget.cut_line_in_file} on, {lost}"
    yield file.problem("over-budget", "error", message, budget.cut_line_in_file, fix="tidy the index")


def shorten(context: FixContext, *, rebuild: bool = False) -> Fix:
    """Tidy or rebuild the index of a folder; prose of the index may move to a topic."""
    text = context.read(INDEX_NAME)
    graph = context.graph
    topics = [
        tidy.TidyTopic.of(file, graph.links_in(file), pinned=file.name in context.pinned)
        for file in context.scope.topics
    ]
    # An entry may lead to a file that is no topic of this folder (`team/x.md`): neither dead nor ours to judge.
    known = {nfc(topic.name) for topic in topics}
    for entry in read_entries(text):
        if nfc(entry.target) not in known and graph.names.resolve(INDEX_NAME, entry.target).state != "missing":
            topics.append(tidy.TidyTopic(entry.target, entry.title, pinned=True))
    quiet = _suspicious(topics, text, context) if rebuild else frozenset()
    known_topics = [one for one in topics if one.name not in quiet]
    make = tidy.rebuild_index if rebuild else tidy.tidy_index
    return _as_fix(make(text, known_topics, now=context.now), context, rebuild, quiet)


def split(context: FixContext) -> Fix:
    """Make the sections of an index topics, so that all of it is loaded or linked; no entry goes."""
    graph, scope = context.graph, context.scope
    topics = [tidy.TidyTopic.of(file, graph.links_in(file)) for file in scope.topics]
    result = tidy.split_index(context.read(INDEX_NAME), topics)
    if not result.changed:
        why = "no section has prose that could become a topic" if result.before.over else "the index fits"
        return Fix({}, "make sections of the index topics", (f"nothing to do: {why}",))
    return replace(_as_fix(result, context), title="make sections of the index topics")


def _suspicious(topics: Sequence[TidyTopic], text: str, context: FixContext) -> frozenset[str]:
    """Topics that give orders to their reader: only a person lists them."""
    listed = {context.graph.names.resolve(INDEX_NAME, one.target).name for one in read_entries(text)}
    return frozenset(
        one.name for one in topics
        if one.name not in listed and context.scope.find(one.name) and orphan.doubt(context.read(one.name))
    )  # fmt: skip


def _as_fix(result: TidyResult, context: FixContext, rebuild: bool = False, quiet: Collection[str] = ()) -> Fix:
    texts = {INDEX_NAME: result.text_after} if result.changed else {}
    if result.changed:
        for one in result.moved:
            before = context.read(one.name)
            texts[one.name] = _with_prose(before, one)
        kept = " ".join(nfc(result.text_after).split())
        for target, said in result.said:
            name = context.topic_of(target)
            if name and (words := " ".join(nfc(said).split())) and words not in kept:
                texts[name] = with_words(texts.get(name, context.read(name)), words)
    notes = [*_notes(result), *(f"{name} is not listed: read it first, then add it by hand" for name in sorted(quiet))]
    return Fix(texts, "rebuild the index" if rebuild else "tidy the index", tuple(notes))


def _with_prose(text: str, moved: MovedText) -> str:
    if not text:
        return new_block(moved.title, moved.description, moved.type) + moved.text
    return text + ("" if text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n") + moved.text


def _notes(result: TidyResult) -> Iterator[str]:
    if not result.changed:
        yield "nothing to do: the index is as short as it should be"
        return
    before, after = result.before, result.after
    yield f"lines {before.lines} → {after.lines} of {after.max_lines}, characters {before.units:,} → {after.units:,}"
    yield from (f"prose of the index moves to {one.name}" for one in result.moved)
    yield from (f"line {one.line} {one.title}: {one.message}" for one in result.dropped)


CHECK = Check(("over-budget", "index-full"), INDEX, find, lambda problem, context: shorten(context), order=20)
