"""The rules in the order in which a round runs them.

Dates come before merges, since afterwards a sentence stands in a file of another day. A new rule is a new file and a
line here.
"""

from collections.abc import Callable

from memtui.dream.rules.context import RuleContext
from memtui.dream.rules.dates import date_files
from memtui.dream.rules.empty import remove_empty
from memtui.dream.rules.frontmatter import fill_frontmatter
from memtui.dream.rules.index import fit_index, list_once, list_orphans, make_index
from memtui.dream.rules.links import fix_links
from memtui.dream.rules.merge import merge_duplicates

RULES: tuple[Callable[[RuleContext], None], ...] = (
    date_files,
    remove_empty,
    merge_duplicates,
    fill_frontmatter,
    fix_links,
    make_index,
    list_once,
    list_orphans,
    fit_index,
)
