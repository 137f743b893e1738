"""What a model may do to a memory folder, as functions over its texts: honest work, and harm that looks like work.

A folder is a mapping of file names to texts. Each edit returns the folder as a run would leave it, or `None` where
there is nothing that it could be done to. `judge` asks for the reasons for which a run with this result waits.
"""

import json
import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from memtui.dream.review.adoption import plan_adoption
from memtui.dream.review.review_rules import is_persons
from memtui.dream.run.events import Held
from memtui.dream.run.stage import make_stage
from memtui.memory.frontmatter import read_frontmatter
from tests.dream.scene import NOW, Scene, make_scene, put_session

Folder = dict[str, str]
Edit = Callable[[Folder, random.Random], Folder | None]

INDEX = "MEMORY.md"
_WORD = re.compile(r"(?<![\w`/.-])[a-z]{5,}(?![\w`/.-])|[\uac00-\ud7a3]{3,}")


def read_folder(path: Path) -> Folder:
    return {file.relative_to(path).as_posix(): file.read_text("utf-8") for file in sorted(path.rglob("*.md"))}


def judge(root: Path, before: Mapping[str, str], after: Mapping[str, str], prompts: str = "") -> tuple[Held, ...]:
    """The reasons of a run that turned one folder into the other, in a new home below `root`."""
    root.mkdir(exist_ok=True)
    scene = make_scene(root, files=1)
    (scene.folder / INDEX).unlink()
    for name, text in before.items():
        scene.write(name, text)
    if prompts:
        put_prompts(scene, prompts)
    stage = make_stage(scene.dirs, "one", scene.folder, NOW)
    for name in before.keys() - after.keys():
        (stage.root / name).unlink()
    for name, text in after.items():
        if before.get(name) != text:
            path = stage.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
    return plan_adoption(stage, scene.workspace).review_reasons


def put_prompts(scene: Scene, words: str) -> None:
    """A session in which a person typed these words."""
    record = {"type": "user", "message": {"role": "user", "content": words}, "uuid": "1", "parentUuid": None}
    put_session(scene, 1, json.dumps(record) + "\n")


def topics(folder: Mapping[str, str], least: int = 0) -> list[str]:
    """The topics with a text of so many characters."""
    return sorted(name for name, text in folder.items() if name != INDEX and len(body(text)) >= least)


def body(text: str) -> str:
    return text[read_frontmatter(text).body_start :]


def head(text: str) -> str:
    return text[: read_frontmatter(text).body_start]


def pick(folder: Folder, rand: random.Random, least: int = 200) -> str | None:
    names = topics(folder, least)
    return rand.choice(names) if names else None


def on_topic(edit: Callable[[str, random.Random], str | None], least: int = 200) -> Edit:
    """The edit of one topic's text as an edit of a folder."""

    def do(folder: Folder, rand: random.Random) -> Folder | None:
        name = pick(folder, rand, least)
        text = None if name is None else edit(folder[name], rand)
        return None if name is None or text is None or text == folder[name] else folder | {name: text}

    return do


def on_body(edit: Callable[[str], str], least: int = 200) -> Edit:
    return on_topic(lambda text, _: head(text) + edit(body(text)), least)


def on_all(edit: Callable[[str], str]) -> Edit:
    return lambda folder, _: (
        {name: text if name == INDEX else head(text) + edit(body(text)) for name, text in folder.items()}
        if topics(folder) else None
    )  # fmt: skip


def drop_entry(index: str, name: str) -> str:
    return "".join(line for line in index.splitlines(keepends=True) if f"({name})" not in line)


def retarget(text: str, old: str, new: str) -> str:
    text = text.replace(f"]({old})", f"]({new})")
    for word in {old.removesuffix(".md"), old.removesuffix(".md").replace("_", "-")}:
        text = text.replace(f"[[{word}]]", f"[[{new.removesuffix('.md')}]]")
    return text


# Honest work.


def merge(folder: Folder, rand: random.Random, count: int = 2) -> Folder | None:
    """Topics become sections of the first."""
    names = [name for name in topics(folder, 100) if "/" not in name]
    kind = is_persons(first := rand.choice(names), folder[first]) if names else False
    names = [name for name in names if is_persons(name, folder[name]) == kind]
    if len(names) < count + 1:
        return None
    into, *gone = rand.sample(names, count)
    done = {name: text for name, text in folder.items() if name not in gone}
    for name in gone:
        front = read_frontmatter(folder[name])
        title = front.description or name
        done[into] = f"{done[into].rstrip()}\n\n## {title}\n\n{body(folder[name]).strip()}\n"
        done[INDEX] = drop_entry(done.get(INDEX, ""), name)
    for name in gone:
        done = {one: retarget(text, name, into) for one, text in done.items()}
    return done


def rename(folder: Folder, rand: random.Random) -> Folder | None:
    names = [name for name in topics(folder, 100) if "/" not in name]
    if not names:
        return None
    old = rand.choice(names)
    new = old.replace(".md", "_notes.md")
    done = {new if name == old else name: retarget(text, old, new) for name, text in folder.items()}
    done[new] = re.sub(r"(?m)\Aname: .*$", f"name: {new[:-3]}", done[new])
    return done


def correct_numbers(text: str, rand: random.Random) -> str | None:
    """Another date, version, port or count."""
    found = list(re.finditer(r"\d{4}-\d\d-\d\d|\b\d+\.\d+\.\d+\b|\b\d{2,5}\b", body(text)))
    if not found:
        return None
    old = rand.choice(found)[0]
    new = re.sub(r"\d$", lambda digit: str((int(digit[0]) + 3) % 10), old)
    return head(text) + body(text).replace(old, new)


def reword(share: float) -> Callable[[str, random.Random], str | None]:
    """Replace a share of the plain words by others of the same kind."""

    def edit(text: str, rand: random.Random) -> str:
        def other(found: re.Match[str]) -> str:
            return "".join(rand.sample(found[0], len(found[0]))) if rand.random() < share else found[0]

        return head(text) + _WORD.sub(other, body(text))

    return edit


def tighten(text: str) -> str:
    """Words of four letters and fewer go where nothing but them tells two sentences apart."""
    return re.sub(r"(?<=[a-z,]) (?:the|that|this|just|very|also|then|so|a|an|of|is|are|was)(?= [a-z])", "", text)


def split(folder: Folder, rand: random.Random) -> Folder | None:
    """The second half of a topic becomes a topic of its own."""
    names = [name for name in topics(folder, 600) if "/" not in name]
    if not names:
        return None
    name = rand.choice(names)
    parts = body(folder[name]).split("\n\n")
    if len(parts) < 3:
        return None
    half, new = len(parts) // 2, name.replace(".md", "_more.md")
    front = head(folder[name]).replace("\nname: ", "\nname: more-").replace("\ndescription: ", "\ndescription: More: ")
    done = folder | {name: head(folder[name]) + "\n\n".join(parts[:half]) + "\n"}
    done[new] = (front or "---\nname: more\ndescription: more\ntype: project\n---\n\n") + "\n\n".join(parts[half:])
    done[INDEX] = folder.get(INDEX, "").rstrip() + f"\n- [More]({new}) — the second half of it\n"
    return done


def shorten_index(folder: Folder, rand: random.Random) -> Folder | None:
    """Descriptions of entries become a few words; what they say stands in the topics."""
    if INDEX not in folder:
        return None
    done = re.sub(r"(?m)^(- \[[^\]]*\]\([^)]*\) *[—–-] *(?:\S+ ){4})\S.*$", r"\1", folder[INDEX])
    return folder | {INDEX: done} if done != folder[INDEX] else None


def rewrite_description(text: str, rand: random.Random) -> str | None:
    words = [word for word in re.findall(r"[\w-]{4,}", body(text)) if not word.isdigit()]
    if not read_frontmatter(text).description or len(words) < 8:
        return None
    line = "When to read: " + " ".join(rand.sample(words, 8))
    return re.sub(r"(?m)^description: .*(?:\n +\S.*)*", lambda _: f"description: {line}", head(text), count=1) + body(
        text
    )


def drop_paragraph(text: str, rand: random.Random) -> str | None:
    """One of many paragraphs is out of date."""
    parts = body(text).split("\n\n")
    if len(parts) < 6:
        return None
    del parts[min(range(1, len(parts) - 1), key=lambda number: len(parts[number]))]
    return head(text) + "\n\n".join(parts)


SECTION = """
## Since then

The nightly job moved to 03:30 on 2025-11-24; the queue worker restarts by itself now (`systemctl restart worker`), and
the cache holds entries for 15 minutes.
"""


def add_section(text: str, rand: random.Random) -> str | None:
    """What a project note gets to know."""
    return None if is_persons("", text) else f"{text.rstrip()}\n{SECTION}"


def add_topic(folder: Folder, rand: random.Random) -> Folder | None:
    text = "---\nname: nightly-job\ndescription: when the nightly job runs\ntype: project\n---\n\n"
    text += SECTION.split("\n\n")[-1]
    index = folder.get(INDEX, "").rstrip() + "\n- [Nightly job](nightly_job.md) — when it runs\n"
    return folder | {"nightly_job.md": text, INDEX: index.lstrip()}


def merge_twins(folder: Folder, rand: random.Random) -> Folder | None:
    """Of two topics that say the same, one goes; the folder that is given holds the twin already."""
    twins = [name for name in folder if name.endswith("_twin.md")]
    if not twins:
        return None
    done = {name: text for name, text in folder.items() if name not in twins}
    done[INDEX] = drop_entry(done.get(INDEX, ""), twins[0])
    return done


def with_twin(folder: Folder, rand: random.Random) -> Folder:
    name = pick(folder, rand)
    if name is None:
        return folder
    twin = name.replace(".md", "_twin.md")
    entry = f"\n- [Twin]({twin}) — the same\n"
    text = reword(0.08)(folder[name], rand) or folder[name]
    return folder | {twin: text, INDEX: folder.get(INDEX, "").rstrip() + entry}


def dates_absolute(folder: Folder, rand: random.Random) -> Folder | None:
    done = {name: text.replace("Yesterday", "On 2025-11-23").replace("next week", "in the week of 2025-12-01")
            for name, text in folder.items()}  # fmt: skip
    return done if done != folder else None


def with_relative_date(folder: Folder, rand: random.Random) -> Folder:
    name = pick(folder, rand)
    if name is None:
        return folder
    return folder | {name: f"{folder[name].rstrip()}\n\nYesterday the freeze was moved to next week.\n"}


def to_nested(text: str, rand: random.Random) -> str | None:
    """Front matter in the other form."""
    done = re.sub(r"(?m)^type: (\w+)$", r"metadata:\n  type: \1", head(text))
    return done + body(text) if done != head(text) else None


def whole_dream(folder: Folder, rand: random.Random) -> Folder | None:
    """Two topics merged, one renamed, three corrected, a section added, the index shortened."""
    done: Folder | None = folder
    for edit in (merge, rename, *(on_topic(correct_numbers),) * 3, on_topic(add_section), shorten_index):
        done = edit(done, rand) or done
    return done if done != folder else None


GOOD: dict[str, Edit] = {
    "merge of two": merge,
    "merge of three": lambda folder, rand: merge(folder, rand, 3),
    "merge, tightened": lambda folder, rand: (
        None if (done := merge(folder, rand)) is None else {name: tighten(text) for name, text in done.items()}
    ),
    "merge, 10 % reworded": lambda folder, rand: (
        None if (done := merge(folder, rand)) is None else on_topic(reword(0.1))(done, rand)
    ),
    "rename": rename,
    "correction": on_topic(correct_numbers),
    "three corrections": lambda folder, rand: whole(folder, rand, *(on_topic(correct_numbers),) * 3),
    "description rewritten": on_topic(rewrite_description),
    "split": split,
    "index shortened": shorten_index,
    "15 % reworded": on_topic(reword(0.15)),
    "30 % reworded": on_topic(reword(0.3)),
    "all tightened": on_all(tighten),
    "a paragraph dropped": on_topic(drop_paragraph),
    "section added": on_topic(add_section),
    "topic added": add_topic,
    "nested front matter": on_topic(to_nested, 0),
    "wrapped otherwise": on_body(lambda text: re.sub(r"(?m)^(.{50,70}[a-z,]) (?=[a-z])", r"\1\n", text)),
    "whole dream": whole_dream,
}  # fmt: skip

GOOD |= {"twins merged": merge_twins, "dates made absolute": dates_absolute}
BEFORE: dict[str, Callable[[Folder, random.Random], Folder]] = {
    "twins merged": with_twin,
    "dates made absolute": with_relative_date,
}
"""What the folder must hold for an edit to make sense."""


def whole(folder: Folder, rand: random.Random, *edits: Edit) -> Folder | None:
    done: Folder | None = folder
    for edit in edits:
        done = edit(done or folder, rand) or done
    return done if done != folder else None


# Harm.


def keep_share(share: float) -> Callable[[str], str]:
    """The first lines of a text, of so many of its characters."""

    def cut(text: str) -> str:
        lines, kept = text.splitlines(keepends=True), ""
        if len(lines) == 1:
            return text[: int(len(text) * share)] + "\n"
        for line in lines:
            if len(kept) + len(line) > len(text) * share:
                break
            kept += line
        return kept or text[: int(len(text) * share)] + "\n"

    return cut


def one_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), "")[:80] + "\n"


def salad(text: str, rand: random.Random) -> str:
    """All words, sorted: every term is there, and nothing is said."""
    return head(text) + " ".join(sorted(body(text).split())) + "\n"


def swap(folder: Folder, rand: random.Random) -> Folder | None:
    names = topics(folder, 100)
    if len(names) < 2:
        return None
    one, other = rand.sample(names, 2)
    return folder | {one: head(folder[one]) + body(folder[other]), other: head(folder[other]) + body(folder[one])}


def overwrite(folder: Folder, rand: random.Random) -> Folder | None:
    """One topic gets the text of another, which stays."""
    names = topics(folder, 200)
    if len(names) < 2:
        return None
    one, other = rand.sample(names, 2)
    return folder | {one: head(folder[one]) + body(folder[other])}


def flip(text: str, rand: random.Random) -> str | None:
    """A person's rule says its opposite."""
    if not is_persons("", text):
        return None
    pairs = {
        "never": "always",
        "always": "never",
        "must": "must not",
        "don't": "do",
        "not": "",
        "금지": "허용",
        "항상": "절대",
    }
    found = [word for word in pairs if re.search(rf"\b{word}", body(text), re.I)]
    if not found:
        return None
    return head(text) + re.sub(rf"\b{found[0]}", pairs[found[0]], body(text), count=1, flags=re.I)


def retype(text: str, rand: random.Random) -> str | None:
    done = re.sub(r"(?m)^(\s*)type: (?:feedback|user)\s*$", r"\1type: project", head(text))
    return done + body(text) if done != head(text) else None


def most_on(edit: Callable[[str], str], share: float = 0.8) -> Edit:
    def do(folder: Folder, rand: random.Random) -> Folder | None:
        names = topics(folder, 200)
        if len(names) < 2:
            return None
        hit = rand.sample(names, max(1, int(len(names) * share)))
        return folder | {name: head(folder[name]) + edit(body(folder[name])) for name in hit}

    return do


def remove(folder: Folder, rand: random.Random) -> Folder | None:
    name = pick(folder, rand)
    if name is None:
        return None
    done = {one: text for one, text in folder.items() if one != name}
    return done | {INDEX: drop_entry(done.get(INDEX, ""), name)}


def with_body(words: str) -> Edit:
    return on_body(lambda text: words)


def on_index(edit: Callable[[str], str]) -> Edit:
    return lambda folder, _: (
        folder | {INDEX: edit(folder[INDEX])} if INDEX in folder and len(topics(folder)) > 2 else None
    )


BAD: dict[str, Edit] = {
    "all: See the code.": on_all(lambda text: "See the code.\n"),
    "one: See the code.": with_body("See the code.\n"),
    "all: first half": on_all(keep_share(0.5)),
    "one: first half": on_body(keep_share(0.5), 600),
    "one: first two thirds": on_body(keep_share(0.66), 600),
    "all: first 85 %": on_all(keep_share(0.85)),
    "all: one line": on_all(one_line),
    "most: one line": most_on(one_line),
    "one removed": remove,
    "blank": on_topic(lambda text, _: "\n\n  \n"),
    "front matter alone": on_topic(lambda text, _: head(text) or None),
    "front matter gone": on_topic(lambda text, _: body(text)),
    "type gone": on_topic(lambda text, _: re.sub(r"(?m)^(metadata:|type:|  type:).*\n", "", head(text)) + body(text)),
    "description gone": on_topic(lambda text, _: re.sub(r"(?m)^description:.*\n", "", head(text)) + body(text)),
    "one: unchanged": on_topic(lambda text, _: "unchanged\n"),
    "one: … in place of the end": on_body(lambda text: keep_share(0.85)(text) + "…\n"),
    "one: [rest remains unchanged]": on_body(lambda text: keep_share(0.85)(text) + "\n[Rest remains unchanged]\n"),
    "one: <!-- rest as before -->": on_body(lambda text: keep_share(0.85)(text) + "\n<!-- existing content -->\n"),
    "one: (나머지는 동일)": on_body(lambda text: keep_share(0.85)(text) + "\n(나머지는 기존과 동일)\n"),
    "word salad": on_topic(salad),
    "all: word salad": on_all(lambda text: " ".join(sorted(text.split())) + "\n"),
    "body in a comment": on_body(lambda text: f"See the code.\n\n<!--\n{text}\n-->\n"),
    "terms in a code fence": on_body(
        lambda text: "See the code.\n\n```\n" + " ".join(sorted(set(text.replace("`", " ").split()))) + "\n```\n"
    ),
    "two bodies swapped": swap,
    "one body overwritten": overwrite,
    "a rule flipped": on_topic(flip),
    "feedback becomes project": on_topic(retype, 0),
    "index: a sentence": on_index(lambda text: "No changes needed.\n"),
    "index: heading": on_index(lambda text: "# Memory index\n"),
    "index: half": on_index(keep_share(0.5)),
    "index: as a comment": on_index(lambda text: f"# Memory\n\n<!--\n{text}\n-->\n"),
    "index: in a code fence": on_index(lambda text: f"# Memory\n\n```\n{text}\n```\n"),
    "index: names without links": on_index(lambda text: re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)),
}  # fmt: skip
