"""Two topics that say the same, wholly or nearly. Which one stays, and what of the other, a person decides."""

from collections.abc import Iterator
from pathlib import Path

from memtui.memory.checks.base import TOPICS, Check, CheckedFolder, Problem
from memtui.memory.similarity import matching_pairs, topic_text


def find_in_folder(folder: CheckedFolder) -> Iterator[Problem]:
    if len(folder.texts) < 2:
        return
    files = {file.name: file for file in folder.scope.topics}
    texts = [topic_text(name, files[name].type, files[name].front.name, text) for name, text in folder.texts.items()]
    for one, other, match in matching_pairs(texts):
        short, long = sorted((one, other), key=lambda text: len(text.one_line))
        message = {
            "same": f"says the same as {long.name}",
            "contained": f"{long.name} says all of it",
            "similar": f"says nearly the same as {long.name}",
        }[match]
        yield Problem(
            folder.scope.id, short.name, Path(files[short.name].path), None, None, "near-duplicate", "warning",
            f"{message}: merge the two, or delete one", subject=long.name,
        )  # fmt: skip


CHECK = Check(("near-duplicate",), TOPICS, find_in_folder=find_in_folder, order=300)
