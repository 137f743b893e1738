"""Links that lead nowhere, with the edits of the check for dead links.

One whose target is called like exactly one file leads there again. Any other keeps its words and becomes plain text,
its target beside it as code: a path in it may be one of the project. In *prune*, an entry of the index whose file isn't
there goes with its line. `[[words]]` that no file answers to may name a topic that is still to be written: only *prune*
makes them plain.
"""

from memtui.dream.rules.context import RuleContext, RuleStep
from memtui.memory.checks import dead_link
from memtui.memory.frontmatter import TYPES
from memtui.memory.index import INDEX_NAME, drop_empty_headings
from memtui.memory.links import retarget_link, slug, unlink
from memtui.memory.markdown import Link
from memtui.memory.topic import stem_of


def fix_links(context: RuleContext) -> None:
    """Fix the dead links of every file that may be changed, from its end, so that columns before stay true."""
    called = _files_by_name(context)
    dead = sorted(context.problems_of("dead-link"), key=lambda one: (one.file, -(one.line or 0), -(one.column or 0)))
    for problem in dead:
        text = context.text(problem.file)
        if link := dead_link.find_dead_link(text, problem, context.graph.names):
            _fix(context, problem.file, text, link, called)


def _files_by_name(context: RuleContext) -> dict[str, set[str]]:
    """Files by what a link may have called them: file name, the same without or with a type, the `name` field."""
    found: dict[str, set[str]] = {}
    for file in context.topics:
        stem = slug(stem_of(file.name))
        bare = next((stem[len(kind) + 1 :] for kind in TYPES if stem.startswith(f"{kind}-")), stem)
        words = {stem, bare, slug(file.front.name or "")}
        if bare == stem:
            words |= {f"{kind}-{stem}" for kind in TYPES}
        for word in words - {""}:
            found.setdefault(word, set()).add(file.name)
    return found


def _fix(context: RuleContext, name: str, text: str, link: Link, called: dict[str, set[str]]) -> None:
    known = called.get(slug(stem_of(link.target)), set()) - {name}
    rule = "dead-link"
    if len(known) == 1:
        better = next(iter(known))
        after, words = retarget_link(text, link, name, better), f"leads to {better}"
    elif name == INDEX_NAME and context.mode == "prune" and (rest := dead_link.without_entry(text, link)) is not None:
        rule, words = "dead-entry", "is gone with its line: there is no such file"
        after = drop_empty_headings(text, rest)
    elif link.kind == "wiki" and context.mode == "reflect":
        return
    elif text.startswith("[", link.start) and (link.kind == "wiki" or "](" in text[link.start : link.target_start]):
        after, words = unlink(text, link, keep_target=True), "is plain text: there is no such file"
    else:
        return  # a definition: its uses stand elsewhere
    context.change(rule, name, f"{name}: the link to {link.target} {words}", {name: after})


STEP = RuleStep((fix_links,), order=50)
