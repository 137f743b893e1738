"""What a tidy by rules leaves to a person or a model."""

from collections.abc import Iterator

import click

from memtui.cli.asking import may_write
from memtui.cli.context import CliContext
from memtui.cli.options import CliCommand, pass_context
from memtui.cli.output import Data, Line, StyledText
from memtui.dream.proposals import Proposal
from memtui.services import dreams
from memtui.services.proposals import open_proposals
from memtui.util.errors import NotFound
from memtui.util.text import pluralize


@click.command("proposals", cls=CliCommand, short_help="What a tidy by rules leaves to your judgement.")
@click.option("--dismiss", multiple=True, metavar="NAME", help="Don't propose what is about this file again.")
@pass_context
def proposals(context: CliContext, dismiss: tuple[str, ...]) -> int:
    """Near-duplicates, contradictions, copies, an index that is too long: what no rule may decide.

    Nothing of it is ever done by itself; the next dream by a model is told of it. With --dismiss neither you nor a
    model are told again until the file changes; memtui undo takes that back. Ends with 1 if there is something.
    """
    if dismiss:
        may_write(context)
    workspace, snapshot = context.workspace, context.snapshot()
    found = open_proposals(snapshot, workspace.dismissals.of(workspace.location.folder))
    if dismiss:
        wanted = {name if name.endswith(".md") else f"{name}.md" for name in dismiss}
        if unknown := wanted - {name for one in found for name in one.names}:
            raise NotFound(f"nothing is proposed about {min(unknown)}", hint="memtui dream proposals lists what is")
        chosen = [one for one in found if wanted & set(one.names)]
        if not context.options.dry_run:
            dreams.dismiss_proposals(workspace, snapshot, chosen)
        rows = [_row(one) for one in chosen]
        would = "would dismiss" if context.options.dry_run else "dismissed"
        context.out.result("dismissed", {"proposals": rows}, [f"{would} {pluralize(len(chosen), 'proposal')}"])
        return 0
    rows = [_row(one) for one in found]

    def text() -> Iterator[Line]:
        if not rows:
            yield StyledText("nothing is left to your judgement", "good")
        for one in found:
            yield [StyledText(f"{one.kind}  ", "bold"), f"{one.names[0]}: {one.words}"]
            if one.command:
                yield StyledText(f"  {one.command}", "dim")

    context.out.result("proposals", {"proposals": rows}, text(), rows=rows, warnings=context.location.warnings)
    return int(bool(rows))


def _row(one: Proposal) -> Data:
    return {"kind": one.kind, "names": list(one.names), "words": one.words, "command": one.command}
