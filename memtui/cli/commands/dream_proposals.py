"""What a tidy by rules leaves to a person or a model."""

from collections.abc import Iterator

import click

from memtui.cli.context import CliContext
from memtui.cli.options import CliCommand, pass_context
from memtui.cli.output import Line, StyledText
from memtui.services import dreams


@click.command("proposals", cls=CliCommand, short_help="What a tidy by rules leaves to your judgement.")
@pass_context
def proposals(context: CliContext) -> int:
    """Near-duplicates, contradictions, copies, an index that is too long: what no rule may decide.

    Nothing of it is ever done by itself; the next dream by a model is told of it. Ends with 1 if there is something.
    """
    found = dreams.proposals(context.snapshot())
    rows = [{"kind": one.kind, "names": list(one.names), "words": one.words, "command": one.command} for one in found]

    def text() -> Iterator[Line]:
        if not rows:
            yield StyledText("nothing is left to your judgement", "good")
        for row in rows:
            yield [StyledText(f"{row['kind']}  ", "bold"), f"{row['names'][0]}: {row['words']}"]
            if row["command"]:
                yield StyledText(f"  {row['command']}", "dim")

    context.out.result("proposals", {"proposals": rows}, text(), rows=rows, warnings=context.location.warnings)
    return int(bool(rows))
