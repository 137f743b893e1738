#!/usr/bin/env python3
"""Write a memory folder of any size: topic files in Korean and English, an index, links.

    tests/bench/gen_memory.py OUT [--files 1200] [--seed 1]

Same arguments, same bytes and times. Standard library only. OUT must not exist. One topic, `project_long_0000.md`, is
25 KB, for measuring the editor.
"""

import argparse
import os
import random
from pathlib import Path

NOW = 1_796_000_000
TYPES = ("feedback", "project", "reference", "user")
THINGS = ("cache", "checkout", "queue", "search", "invoice", "login", "export", "webhook", "report", "upload", "mail")
SENTENCES = (
    "Run the integration tests against a real database, never against a mock.",
    "The deploy takes four minutes, and old and new code run side by side meanwhile.",
    "Ask before adding a dependency; say what it replaces and what it weighs.",
    "Amounts are integers in minor units with a currency beside them.",
    "The nightly job holds advisory lock 7001, the sweeper 7002.",
    "A pull request stays under 400 lines or says at the top why it can't.",
    "화면 문구는 해요체로 쓰고, 오류에는 다음에 할 일을 적는다.",
    "재고는 결제할 때가 아니라 주문서를 확정할 때 예약한다.",
    "운영 배포는 반드시 확인을 받고 나서 한다. 금요일 오후에는 하지 않는다.",
    "웹훅은 순서가 바뀌어 올 수 있으므로 상태를 되돌리지 않는다.",
)


def topic(rand: random.Random, number: int, names: list[str]) -> str:
    """One topic file's text; about half in each form of front matter, a tenth with a dead link."""
    name = names[number]
    kind = name.partition("_")[0]
    said = rand.choice(SENTENCES)
    slug = name.removesuffix(".md")
    if number % 2:
        head = f"---\nname: {slug}\ndescription: {said}\ntype: {kind}\n---\n\n"
    else:
        form = "metadata: \n  node_type: memory\n  type: {}\n  modified: 2026-11-{:02d}T09:00:00.000Z\n"
        head = f"---\nname: {slug}\ndescription: {said}\n" + form.format(kind, 1 + number % 28) + "---\n\n"
    lines = [said, "", *(rand.choice(SENTENCES) for _ in range(rand.randint(2, 12)))]
    lines += ["", f"**Why:** {rand.choice(SENTENCES)}", f"**How to apply:** see [[{rand.choice(names)[:-3]}]]."]
    if number % 10 == 7:
        lines.append(f"Also [notes](gone_{number:04d}.md).")
    return head + "\n".join(lines) + "\n"


def generate(out: Path, files: int, seed: int) -> list[str]:
    """Write the folder and return the topic files' names."""
    rand = random.Random(seed)
    out.mkdir(parents=True)
    names = [f"{TYPES[n % 4]}_{THINGS[n % len(THINGS)]}_{n:04d}.md" for n in range(1, files)]
    names.insert(0, "project_long_0000.md")
    for number, name in enumerate(names):
        text = topic(rand, number, names)
        while number == 0 and len(text.encode()) < 25_000:
            text += "\n" + "\n".join(rand.choice(SENTENCES) for _ in range(6)) + "\n"
        write(out / name, text, NOW - number * 3_600)
    entries = [f"- [{name[:-3].replace('_', ' ')}]({name}) — {rand.choice(SENTENCES)}" for name in names]
    write(out / "MEMORY.md", "# Memory\n\n" + "\n".join(entries) + "\n", NOW)
    return names


def write(path: Path, text: str, when: int) -> None:
    """Write a file with a given time."""
    path.write_text(text, encoding="utf-8", newline="")
    os.utime(path, (when, when))


def main() -> None:
    """Read the arguments and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--files", type=int, default=1_200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    names = generate(given.out, given.files, given.seed)
    print(f"{len(names)} topic files and an index in {given.out}")


if __name__ == "__main__":
    main()
