"""One claim of a memory, and what a run makes of it: what is shown of a review (`claims` finds them)."""

from typing import Literal

from msgspec import Struct

ClaimKind = Literal["lost", "changed", "moved", "merged", "new"]  # in the order in which a person reads them
CLAIM_KINDS: tuple[ClaimKind, ...] = ("lost", "changed", "moved", "merged", "new")


class Claim(Struct, frozen=True):
    """One claim and what becomes of it.

    `name` and `line` (from 1; 0 for a whole file) say where it stands: in the old folder, a new claim in the new one.
    `new` is the text that stands for it, `to` the file that has it afterwards, if that is another one. `terms` are the
    longest of its terms that stand nowhere afterwards; `count` is how many claims of a merged file went along.
    """

    kind: ClaimKind
    name: str
    line: int
    old: str = ""
    new: str = ""
    to: str = ""
    terms: tuple[str, ...] = ()
    count: int = 1
