"""What a service asks before it goes on, and the answers."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from memtui.history.versions import NotRestored
    from memtui.secrets.scanner import Finding

SecretChoice = Literal["", "redact", "keep", "always"]
"""What is to be done with what looks like a secret: take it out, keep it this once, or never ask about it again."""


class Allow(Struct, frozen=True):
    """What the person has said yes to: `confirmed` answers a `NeedsConfirmation`, `secret` a `SecretFound`."""

    confirmed: bool = False
    secret: SecretChoice = ""


NOTHING_YET = Allow()  # what has been said yes to before anything was asked


class SecretFound(Struct, frozen=True):
    """A text holds what looks like a new secret: Redact, Keep once, or Always allow? `draft_kept`: the text is kept."""

    name: str
    secrets: "tuple[Finding, ...]"
    draft_kept: bool = False

    @property
    def count(self) -> str:
        """How many, in words."""
        return "a possible secret" if len(self.secrets) == 1 else f"{len(self.secrets)} possible secrets"


class NeedsConfirmation(Struct, frozen=True):
    """Something that is done only on a yes, which is the word on the button; `diff` is what would change, or ""."""

    title: str
    lines: tuple[str, ...] = ()
    yes: str = "Yes"
    diff: str = ""
    draft_kept: bool = False


def ask_over_edits(left: Iterable["NotRestored"], verb: str) -> NeedsConfirmation | None:
    """The question about files that an undo or a restore left since later edits overlap; `None` if there are none.

    A yes is given by doing it again with these names in `over`; `verb` is "Undo" or "Restore".
    """
    names = [one.name for one in left if one.overridable]
    if not names:
        return None
    lines = (*names, "They were edited since. What they hold now stays in the history.")
    return NeedsConfirmation(f"{verb} these as well?", lines, yes=f"{verb} them")


class SaveConflict(Struct, frozen=True):
    """A file changed on disk since the person began, and the texts overlap; `resolve_conflict` takes the decision."""

    path: Path
    name: str
    message: str
    mine: bytes  # the person's text
    base: bytes | None  # what they started from, if known
    disk: bytes | None  # what is there now
    merged: bytes | None = None  # both with diff3 marks
    draft_kept: bool = False

    @property
    def hint(self) -> str:
        """What a person can do about it."""
        kept = "; your text is kept as a draft" if self.draft_kept else ""
        return f"compare the two and save again{kept}"
