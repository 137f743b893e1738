"""Two files that are one topic become one: every line of both, the newer first, both sources named.

The name that stays is that of the file to which one links that may not be changed, else the older one's if topics link
to it, else the newer one's; links and the index follow. In *prune* a copy that says nothing of its own, in its front
matter neither, goes without a note.

Two files aren't merged where files that may not be changed link to both, or where either still holds a relative date
whose day the other's front matter would change.
"""

from memtui.dream.rules.absolute import rests_on_its_day
from memtui.dream.rules.alike import MERGED, Text, Way, pairs, text_of
from memtui.dream.rules.desk import Desk, plain
from memtui.dream.rules.union import union
from memtui.memory.files import MAX_SIZE, MemoryFile
from memtui.memory.index import INDEX_NAME, drop_entries, newline_of, read_entries
from memtui.memory.links import slug
from memtui.memory.relink import relink

_WAYS: dict[Way, str] = {
    "same": "the same text",
    "held": "every line of it was there",
    "near": "nearly the same text",
}


def merge_duplicates(desk: Desk) -> None:
    """Merge what is one topic, until nothing more is."""
    refused: set[tuple[str, str]] = set()
    while True:
        desk.look()
        texts = [text_of(file.name, file.type, file.front.name, desk.text(file.name)) for file in desk.topics]
        for one, other, way in pairs(texts):
            if (one.name, other.name) not in refused and _merge(desk, one, other, way):
                break
            refused.add((one.name, other.name))
        else:
            return


def _merge(desk: Desk, one: Text, other: Text, way: Way) -> bool:
    files = [file for text in (one, other) if (file := desk.scope.find(text.name)) is not None]
    # The newer first; of one age, the one that says more.
    files.sort(key=lambda file: (-file.mtime_ns, -file.size, file.name))
    newer, older = files
    held = [_is_held_by_others(desk, file) for file in files]
    kept, gone = (older, newer) if desk.graph.links_in(older) else (newer, older)
    if any(held):
        kept, gone = (newer, older) if held[0] else (older, newer)
    # Nothing here may rest on which is newer: our own writes change that before the next run.
    if all(held) or (newer.front.modified != older.front.modified and _rests(desk, newer, older)):
        desk.remark(f"{one.name} and {other.name} are {_WAYS[way]}, but can't be merged for certain: both stay")
        return False
    same = plain(one.body) == plain(other.body)  # notes of earlier merges too
    copy = desk.mode == "prune" and same and _says_the_same(newer, older)
    text = desk.text(newer.name)
    if not copy:
        both = union(text, desk.text(older.name))
        text = _noted(both.text, newer, older, both.headings)
    if len(text.encode("utf-8")) > MAX_SIZE:
        return False
    after = _relinked(desk, gone.name, kept.name)
    after[kept.name] = relink(text, newer.name, gone.name, kept.name, desk.graph.names)
    after[gone.name] = None
    rule = "exact-duplicate" if copy else "merge"
    words = f"{gone.name} is in {kept.name}: {_WAYS[way]}"
    done = desk.change(rule, kept.name, words, after)
    if done:
        desk.grow(kept.name, newer)
    return done


def _is_held_by_others(desk: Desk, gone: MemoryFile) -> bool:
    """Whether a link leads to a file from one that may not be changed, or can't be made to lead elsewhere."""
    linking = (file for file in desk.scope.files if any(out.target.name == gone.name for out in desk.graph.out(file)))
    return any(not desk.may(file.name) for file in linking)


def _rests(desk: Desk, newer: MemoryFile, older: MemoryFile) -> bool:
    return any(rests_on_its_day(desk.text(file.name)) for file in (newer, older))


def _says_the_same(newer: MemoryFile, older: MemoryFile) -> bool:
    return (older.front.name in (None, newer.front.name)) and older.description in (None, newer.description)


def _noted(text: str, newer: MemoryFile, older: MemoryFile, headings: tuple[str, ...]) -> str:
    """The text with both sources named at its end, and what else the older one and its parts were called."""
    newline = newline_of(text)
    lines = [f"Merged from `{newer.name}` and `{older.name}`."]
    called = older.front.name if older.front.name != newer.front.name else None
    said = older.description if older.description != newer.description else None
    parts = [heading for heading in headings if slug(heading) not in (slug(called or ""), slug(older.title))]
    if called or said or headings:
        rest = (f": {plain(said)}" if said else "") + (f" (parts: {'; '.join(parts)})" if parts else "")
        lines.append(f'`{older.name}` was called "{plain(called or older.title)}"{rest}')
    stem = text.rstrip("\r\n")
    last = stem.rpartition("\n")[2].rstrip("\r")
    gap = newline if MERGED.match(last) else newline * 2
    return stem + gap + newline.join(lines) + newline


def _relinked(desk: Desk, gone: str, kept: str) -> dict[str, str | None]:
    """The texts of the files that link to what goes, linking to what stays; one entry of it in the index."""
    names = desk.graph.names
    after: dict[str, str | None] = {}
    for file in desk.scope.files:
        if file.name in (gone, kept) or all(out.target.name != gone for out in desk.graph.out(file)):
            continue
        text = desk.text(file.name)
        if file.name == INDEX_NAME:
            entries = read_entries(text)
            found = {target: names.resolve(INDEX_NAME, target).name for target in {one.target for one in entries}}
            if kept in found.values():
                for target in sorted(target for target, name in found.items() if name == gone):
                    text = drop_entries(text, target)
        after[file.name] = relink(text, file.name, gone, kept, names)
    return after
