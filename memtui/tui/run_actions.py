"""What keys do with a run of a dream, wherever it is shown: each a wish about the run and the file under the cursor."""

from pathlib import Path

from textual.widget import Widget

from memtui.tui import keys
from memtui.tui.reach import app_of


class RunActions(Widget):
    """Base of the view and of the dialog that show a run."""

    BINDINGS = keys.bindings(keys.RUN)

    @property
    def run_id(self) -> str | None:
        """The run that is meant: "" for another program's, None for none."""
        raise NotImplementedError

    @property
    def file(self) -> str:
        """The touched file under the cursor, "" for none."""
        raise NotImplementedError

    def wish_run(self, what: str, name: str = "") -> None:
        """Ask for something to be done with the run, or with one file of it."""
        if self.run_id is not None:
            app_of(self).wish(f"dream_{what}:{self.run_id}", (Path(name),) if name else ())

    def action_now(self) -> None:
        """Dream now."""
        app_of(self).wish("dream_now")

    def action_stop(self) -> None:
        """Stop the run that is on, or clear a lock that nobody holds."""
        app_of(self).wish("dream_stop")

    def action_adopt(self) -> None:
        """Adopt the file under the cursor."""
        self.wish_run("adopt", self.file)

    def action_adopt_all(self) -> None:
        """Adopt all that the run drafted."""
        self.wish_run("adopt_all")

    def action_discard(self) -> None:
        """Throw away what the run drafted."""
        self.wish_run("discard")

    def action_restore(self) -> None:
        """Bring the file under the cursor back to what it was before the dream."""
        if self.file:
            self.wish_run("restore", self.file)

    def action_restore_all(self) -> None:
        """Bring all files back to what they were before the dream."""
        self.wish_run("restore")

    def action_compare(self) -> None:
        """Compare the file under the cursor as it was, as the dream made it, and as it is."""
        self.wish_run("compare", self.file)
