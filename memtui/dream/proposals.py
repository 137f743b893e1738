"""What a tidy by rules leaves to a judgement: proposals for a person or for a model.

A proposal is a problem that the checks find and no rule decides: two topics that say nearly the same, rules that say
the opposite, an index that doesn't fit, a copy that a sync tool left. A person sees them in `memtui dream proposals`;
the tidy writes them to a small file in the state directory, and the next dream with a model is told of those whose
files are still as they were.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

import msgspec
from msgspec import Struct

from memtui.fs.atomic import make_folders, replace_file
from memtui.memory.checks.base import Problem
from memtui.memory.dismissals import Dismissal
from memtui.memory.index import INDEX_NAME
from memtui.util.app_dirs import Dirs
from memtui.util.hashing import sha256
from memtui.util.json_object import read_plain

FOLDER = "proposals"  # of the state directory: a file for each memory folder
MAX_PROPOSALS = 100
_KINDS = {
    "near-duplicate": "merge", "contradiction": "contradiction", "over-budget": "index", "index-full": "index",
    "conflict-copy": "copy",
}  # fmt: skip


class Proposal(Struct, frozen=True):
    """One proposal."""

    kind: str  # "merge", "contradiction", "index" or "copy"
    names: tuple[str, ...]  # the files that it is about, posix and relative to the memory folder
    words: str  # what is wrong and what could be done, for people
    line: int | None = None  # where in the first file

    def dismissal(self, digests: Mapping[str, str]) -> Dismissal:
        """What a person dismisses with it; `digests` are those of the memory folder's files."""
        return Dismissal(self.kind, tuple((name, digests.get(name, "")) for name in self.names))

    @property
    def command(self) -> str:
        """The command with which a person does it, "" where the text has to be edited."""
        if self.kind == "merge" and len(self.names) == 2:
            return f"memtui merge {' '.join(map(_quoted, reversed(self.names)))}"
        return {"index": "memtui index --split, or memtui index --tidy"}.get(self.kind, "")


def _quoted(name: str) -> str:
    return f"'{name}'" if any(char in name for char in ' ()$&;"~*?') else name


def find_proposals(
    problems: Iterable[Problem],
    digests: Mapping[str, str] = MappingProxyType({}),
    dismissed: Collection[Dismissal] = (),
) -> tuple[Proposal, ...]:
    found: dict[tuple[str, tuple[str, ...]], Proposal] = {}
    for one in problems:
        kind = _KINDS.get(one.code)
        if kind is not None and one.scope == "auto":
            names = (one.file, *([one.subject] if one.subject.endswith(".md") and one.subject != one.file else []))
            found.setdefault((kind, names), Proposal(kind, names, one.message, one.line))
    return tuple(one for one in found.values() if one.dismissal(digests) not in dismissed)


class _Kept(Struct, frozen=True):
    """Proposals with the digests of their files, so that what changed since is known."""

    proposals: tuple[Proposal, ...]
    digests: dict[str, str]


def _path(dirs: Dirs, folder: Path) -> Path:
    return dirs.state / FOLDER / f"{sha256(str(folder).encode('utf-8', 'surrogateescape')).hexdigest()[:16]}.json"


def write_proposals(dirs: Dirs, folder: Path, proposals: Iterable[Proposal], digests: Mapping[str, str]) -> None:
    """Keep the proposals for a memory folder; `digests` are those of its files."""
    kept = tuple(proposals)[:MAX_PROPOSALS]
    named = {name for one in kept for name in one.names}
    path = _path(dirs, folder)
    if not kept and not path.exists():
        return
    make_folders(path.parent)
    replace_file(path, msgspec.json.encode(_Kept(kept, {name: digests[name] for name in named if name in digests})))


def read_proposals(
    dirs: Dirs, folder: Path, digests: Mapping[str, str], dismissed: Collection[Dismissal] = ()
) -> tuple[Proposal, ...]:
    """The kept proposals of which no file changed since and that were not dismissed; none if the file is damaged."""
    with suppress(OSError, RecursionError, msgspec.DecodeError):
        kept = msgspec.json.decode(read_plain(_path(dirs, folder)), type=_Kept)
        return tuple(
            one
            for one in kept.proposals
            if all(kept.digests.get(name) == digests.get(name, "") for name in one.names)
            and one.dismissal(digests) not in dismissed
        )
    return ()


def proposal_lines(proposals: Iterable[Proposal]) -> Iterator[str]:
    """The proposals for a model: kinds and file names only, since a text may give orders."""
    for one in proposals:
        if one.kind == "merge" and len(one.names) == 2:
            yield f"{one.names[0]} and {one.names[1]} say nearly the same: merge them if they are about one thing"
        elif one.kind == "contradiction":
            yield f"{' and '.join(one.names)}: a rule is contradicted elsewhere"
        elif one.kind == "index":
            yield f"{INDEX_NAME} doesn't fit: make its sections topics, or merge topics"
        elif one.kind == "copy":
            yield f"{one.names[0]} is a copy that a sync tool left: bring what only it says into the original"
