"""Links that lead nowhere.

One whose target is called like exactly one file leads there again. Any other keeps its words and becomes plain text,
its target beside it as code: a path in it may be one of the project. In *prune*, an entry of the index whose file isn't
there goes with its line. `[[words]]` that no file answers to may name a topic that is still to be written: only *prune*
makes them plain.
"""

from memtui.dream.rules.context import RuleContext
from memtui.memory.frontmatter import TYPES
from memtui.memory.index import INDEX_NAME, drop_empty_headings, entry_end, read_entries
from memtui.memory.links import slug
from memtui.memory.markdown import Link, find_links
from memtui.memory.plans import retarget_link, stem_of, unlink


def mend_links(desk: RuleContext) -> None:
    """Mend the dead links of every file that may be changed."""
    called = _called(desk)
    for file in desk.scope.files:
        if file.kind in ("topic", "index") and desk.may(file.name):
            _mend(desk, file.name, called)


def _called(desk: RuleContext) -> dict[str, set[str]]:
    """Files by what a link may have called them: file name, the same without or with a type, the `name` field."""
    found: dict[str, set[str]] = {}
    for file in desk.scope.topics:
        stem = slug(stem_of(file.name))
        words = {stem, _bare(stem), slug(file.front.name or "")}
        if _bare(stem) == stem:
            words |= {f"{kind}-{stem}" for kind in TYPES}
        for word in words - {""}:
            found.setdefault(word, set()).add(file.name)
    return found


def _bare(stem: str) -> str:
    return next((stem[len(kind) + 1 :] for kind in TYPES if stem.startswith(f"{kind}-")), stem)


def _mend(desk: RuleContext, name: str, called: dict[str, set[str]]) -> None:
    text = desk.text(name)
    for link in reversed(find_links(text)):
        if link.external or link.kind == "import":
            continue
        if desk.graph.names.resolve(name, link.target, link.kind).state != "missing":
            continue
        text = _mended(desk, name, text, link, called) or text


def _mended(desk: RuleContext, name: str, text: str, link: Link, called: dict[str, set[str]]) -> str | None:
    """The text without one dead link, done and said; `None` if it stays."""
    known = called.get(slug(stem_of(link.target)), set()) - {name}
    rule = "dead-link"
    if len(known) == 1:
        better = next(iter(known))
        after, words = retarget_link(text, link, name, better), f"leads to {better}"
    elif name == INDEX_NAME and desk.mode == "prune" and (line := _without_entry(text, link)) is not None:
        rule, after, words = "dead-entry", line, "is gone with its line: there is no such file"
    elif link.kind == "wiki" and desk.mode == "reflect":
        return None
    elif text.startswith("[", link.start) and (link.kind == "wiki" or "](" in text[link.start : link.target_start]):
        after, words = _plain(text, link), "is plain text: there is no such file"
    else:
        return None  # a definition: its uses stand elsewhere
    return after if desk.change(rule, name, f"{name}: the link to {link.target} {words}", {name: after}) else None


def _without_entry(text: str, link: Link) -> str | None:
    for entry in read_entries(text):
        if entry.link.start == link.start and not entry.more:
            return drop_empty_headings(text, text[: entry.start] + text[entry_end(text, entry) :])
    return None


def _plain(text: str, link: Link) -> str:
    after = unlink(text, link)
    written = text[link.target_start : link.target_end].strip("<>")
    words = after[link.start : link.start + len(after) - (len(text) - (link.end - link.start))]
    if link.kind == "wiki" or written in words or "`" in written:
        return after
    return after[: link.start] + f"{words} (`{written}`)" + after[link.start + len(words) :]
