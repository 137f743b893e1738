"""Links that lead nowhere, with the fix of the check for dead links where it is certain.

One whose target is called like exactly one file leads there again. In *prune*, an entry of the index whose file isn't
there goes with its line, if no other file and none of the project is called so. Any other dead link is a person's to
judge, and `[[words]]` that no file answers to may name a topic that is still to be written: both stay.
"""

from memtui.dream.rules.context import RuleContext, RuleStep
from memtui.memory.checks import dead_link
from memtui.memory.index import INDEX_NAME, drop_empty_headings


def fix_links(context: RuleContext) -> None:
    """Fix the dead links of every file that may be changed, from its end, so that columns before stay true."""
    dead = sorted(context.problems_of("dead-link"), key=lambda one: (one.file, -(one.line or 0), -(one.column or 0)))
    for problem in dead:
        name = problem.file
        if not problem.asks:
            words = f"{name}: the link to {problem.subject} leads to {problem.better}"
            context.change("dead-link", name, words, context.fix(problem))
        elif name == INDEX_NAME and context.mode == "prune" and not problem.better:
            text = context.text(name)
            link = dead_link.find_dead_link(text, problem, context.graph.names)
            rest = None if link is None else dead_link.without_entry(text, link)
            if rest is not None:
                words = f"{name}: the link to {problem.subject} is gone with its line: there is no such file"
                context.change("dead-entry", name, words, {name: drop_empty_headings(text, rest)})


STEP = RuleStep((fix_links,), order=50)
