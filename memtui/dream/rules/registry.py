"""The rules in the order in which a round runs them: the `STEP` of every module of this package, by its `order`.

Dates come before merges, since afterwards a sentence stands in a file of another day. A new rule is a new file that
defines `STEP`, and nothing is changed here.
"""

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules

from memtui.dream import rules
from memtui.dream.rules.context import RuleContext, RuleStep


def find_rules() -> tuple[Callable[[RuleContext], None], ...]:
    """The rules of every module of the package, by the `order` of its `STEP`, then by its name."""
    modules = iter_modules(rules.__path__, f"{rules.__name__}.")
    names = sorted(module.name for module in modules if module.name != __name__)
    steps: list[RuleStep] = [module.STEP for module in map(import_module, names) if hasattr(module, "STEP")]
    return tuple(rule for step in sorted(steps, key=lambda step: step.order) for rule in step.rules)


RULES = find_rules()
