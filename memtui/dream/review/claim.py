"""One claim of a memory, and what a run makes of it: what is shown of a review (`claims` finds them)."""

from typing import Literal

from msgspec import Struct

ClaimKind = Literal["lost", "changed", "moved", "merged", "new"]  # in the order in which a person reads them
CLAIM_KINDS: tuple[ClaimKind, ...] = ("lost", "changed", "moved", "merged", "new")


class Claim(Struct, frozen=True):
    """One claim and what becomes of it."""

    kind: ClaimKind
    name: str  # where it stands: in the old folder, a new claim in the new one
    line: int  # from 1; 0 for a whole file
    old: str = ""
    new: str = ""  # the text that stands for it
    to: str = ""  # the file that has it afterwards, if that is another one
    terms: tuple[str, ...] = ()  # the longest of its terms that stand nowhere afterwards
    count: int = 1  # how many claims of a merged file went along
