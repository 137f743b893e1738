#!/usr/bin/env python3
"""What the gate of background runs holds and lets through: honest work and harm on folders of real memory.

    tests/bench/review.py CORPUS [--rounds 5] [--only WORDS] [--reasons] [--whole]

CORPUS holds memory folders. A table of each edit of `tests.dream.review`: on how many folders it was tried, how often
it was held. Honest work that is held is a false hold, harm that is adopted a miss; "unseen" is harm that no rule sees.
`--whole`: honest work as whole dreams through the SDK, with a scripted model. Ends with 0.
"""

import argparse
import random
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO))

from tests.agent.scripted_api import Scripted, scripted_api  # noqa: E402
from tests.dream.review import edits, statement_edits  # noqa: E402
from tests.dream.review.whole_dreams import dream_through  # noqa: E402
from tests.support import RAM  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--reasons", action="store_true")
    parser.add_argument("--whole", action="store_true")
    given = parser.parse_args()
    found = sorted({path.parent for path in given.corpus.rglob("MEMORY.md")})
    folders = {path.relative_to(given.corpus).as_posix(): edits.read_folder(path) for path in found}
    folders = {name: folder for name, folder in folders.items() if len(edits.topics(folder, 200)) >= 3}
    print(f"{len(folders)} folders, {given.rounds} rounds each")
    tables = (
        ("honest", edits.GOOD | statement_edits.GOOD),
        ("harm", edits.BAD | statement_edits.BAD),
        ("unseen", statement_edits.UNSEEN),
    )
    with scripted_api() as api:
        for words, table in tables[: 1 if given.whole else None]:
            found = [row(words, name, edit, folders, given, api) for name, edit in table.items() if given.only in name]
            tried, wrong = map(sum, zip(*found, strict=True)) if found else (0, 0)
            print(f"{words:7} {'all':40} {tried:4} tried {wrong:4}", flush=True)
    return 0


def row(
    kind: str, name: str, edit: edits.Edit, folders: dict[str, edits.Folder], given: argparse.Namespace, api: Scripted
) -> tuple[int, int]:
    """Try one edit on all folders; returns how often it was tried, and judged wrongly."""
    prepare = (edits.BEFORE | statement_edits.BEFORE).get(name)
    tried, wrong = 0, []
    for folder_name, folder in folders.items():
        for number in range(given.rounds):
            rand = random.Random(number)
            before = prepare(dict(folder), rand) if prepare else folder
            after = edit(dict(before), rand)
            if after is None or after == before:
                continue
            tried += 1
            with tempfile.TemporaryDirectory(dir=RAM) as root:
                reasons = judged(Path(root), before, after, api if given.whole else None)
            if bool(reasons) == (kind == "honest"):
                wrong.append((folder_name, number, reasons))
    print(f"{kind:7} {name:40} {tried:4} tried {len(wrong):4} {'held' if kind == 'honest' else 'adopted'}", flush=True)
    if given.reasons:
        for one in wrong:
            print("          ", *one)
    return tried, len(wrong)


def judged(root: Path, before: edits.Folder, after: edits.Folder, api: Scripted | None) -> str:
    """Why the edit waits, or isn't done as it was scripted; "" for neither."""
    if api is None:
        reasons = edits.judge(root, before, after, statement_edits.PROMPTS)
        return "; ".join(f"{one.rule}: {one.words}" for one in reasons)
    done = dream_through(api, root, before, after, statement_edits.PROMPTS)
    if done.end.how != "done":
        return f"{done.end.how}: {done.end.reason} {done.faults}"
    return "" if done.folder == after else "it left something else"


if __name__ == "__main__":
    sys.exit(main())
