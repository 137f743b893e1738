#!/usr/bin/env python3
"""What the gate of background runs holds and lets through: honest work and harm on folders of real memory.

    tests/bench/review.py CORPUS [--rounds 5] [--only WORDS] [--reasons]

CORPUS holds memory folders. A table of each edit of `tests.dream.review.edits`: on how many folders it was tried, how
often it was held. Honest work that is held is a false hold, harm that is adopted a miss. Ends with 0.
"""

import argparse
import random
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO))

from tests.dream.review import edits  # noqa: E402
from tests.support import RAM  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--reasons", action="store_true")
    given = parser.parse_args()
    found = sorted({path.parent for path in given.corpus.rglob("MEMORY.md")})
    folders = {path.relative_to(given.corpus).as_posix(): edits.read_folder(path) for path in found}
    folders = {name: folder for name, folder in folders.items() if len(edits.topics(folder, 200)) >= 3}
    print(f"{len(folders)} folders, {given.rounds} rounds each")
    for words, table in (("honest", edits.GOOD), ("harm", edits.BAD)):
        for name, edit in table.items():
            if given.only in name:
                row(words, name, edit, folders, given)
    return 0


def row(kind: str, name: str, edit: edits.Edit, folders: dict[str, edits.Folder], given: argparse.Namespace) -> None:
    tried, wrong = 0, []
    for folder_name, folder in folders.items():
        for number in range(given.rounds):
            rand = random.Random(number)
            before = edits.BEFORE[name](folder, rand) if name in edits.BEFORE else folder
            after = edit(dict(before), rand)
            if after is None or after == before:
                continue
            tried += 1
            with tempfile.TemporaryDirectory(dir=RAM) as root:
                reasons = edits.judge(Path(root), before, after)
            if bool(reasons) == (kind == "honest"):
                wrong.append((folder_name, number, "; ".join(f"{one.rule}: {one.words}" for one in reasons)))
    print(f"{kind:7} {name:32} {tried:4} tried {len(wrong):4} {'held' if kind == 'honest' else 'adopted'}", flush=True)
    if given.reasons:
        for one in wrong:
            print("          ", *one)


if __name__ == "__main__":
    sys.exit(main())
