#!/usr/bin/env python3
"""Digests of real sessions: how large they are beside their transcripts, and how long they take.

    tests/bench/digests.py TRANSCRIPT… [--max 16000]

Tokens are characters divided by 4, an estimate for both sides. Measured on 40 sessions of 14 kB and more, written by
Claude Code 1.0 to 2.1 and found in public repositories: 3,750,000 tokens give 58,000, which is 1.5 %, in 0.5 s.
"""

import argparse
import time
from pathlib import Path

from memtui.transcripts.digest import MAX_DIGEST_CHARS, make_digest, read_talk

CHARS_PER_TOKEN = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("transcripts", nargs="+", type=Path)
    parser.add_argument("--max", type=int, default=MAX_DIGEST_CHARS, help="characters of a digest")
    given = parser.parse_args()
    read = digested = 0
    began = time.perf_counter()
    for path in given.transcripts:
        size = len(path.read_text(encoding="utf-8", errors="replace"))
        talk = read_talk(path)
        made = len(make_digest(path, talk, max_chars=given.max))
        read, digested = read + size, digested + made
        print(f"{made / max(size, 1):6.1%} {made:>7,} of {size:>11,}  {talk.prompts:>3} prompts  {path.name}")
    seconds = time.perf_counter() - began
    print(
        f"{len(given.transcripts)} sessions: {read // CHARS_PER_TOKEN:,} tokens give {digested // CHARS_PER_TOKEN:,}, "
        f"{digested / max(read, 1):.1%}, in {seconds:.1f} s"
    )


if __name__ == "__main__":
    main()
