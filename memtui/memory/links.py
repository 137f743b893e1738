r"""Which file a link leads to, which files link to a file, and edits of links.

How a link finds its file, one rule a line:
- `[label](path)`: the path from the linking file's folder, else from the folder's root; only `.md` names a memory file.
- `[[words]]`: a path or file name with or without `.md`, then the `name` field, then the title, then the file name
  without its type in front; blanks, `-` and `_` are the same, so is letter case.
- The composed and the decomposed spelling of an accent are the same; letter case in a path counts only if two files
  differ in nothing else.
- A path that leaves the folder is "outside" and not judged; `https:` and the like are "external".
- What no listed file answers to may still be on the disk (in `team/`, hidden) or a file of the project: only what is
  neither is "missing".
"""

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Literal

from msgspec import Struct

from memtui.memory.frontmatter import TYPES
from memtui.memory.markdown import Edit, Link, apply_edits, code_blocks, find_links, target_edit, write_label
from memtui.memory.scope import Scope
from memtui.memory.topic import MAX_FILE_BYTES, MemoryFile, read_bytes, stem_of
from memtui.util.text import nfc

State = Literal["file", "outside", "external", "missing", "other"]

MIN_MENTION_CHARS = 4  # a shorter name is too common a word to count as a mention

_SEPARATORS = re.compile(r"[\s_-]+")
_TYPE_PREFIX = re.compile(rf"(?:{'|'.join(TYPES)})[-_ ]+(?=.)", re.IGNORECASE)


class Target(Struct, frozen=True):
    """What a link leads to: `name` (posix, relative to the scope) is set for "file"."""

    state: State
    name: str | None = None


class Outgoing(Struct, frozen=True):
    link: Link
    target: Target


class Reference(Struct, frozen=True):
    """A line that names a file: in which file, which line (from 1), and its text."""

    name: str
    line: int
    text: str
    link: Link | None = None


def read_text(file: MemoryFile) -> str:
    """A file's text, bad bytes as U+FFFD; "" if it can't be read now."""
    try:
        return read_bytes(os.fspath(file.path), MAX_FILE_BYTES + 1).decode("utf-8", "replace")
    except OSError:
        return ""


def slug(words: str) -> str:
    """Words as names are compared: composed, lower case, each run of blanks, `-` and `_` one `-`."""
    return _SEPARATORS.sub("-", nfc(words).casefold().strip()).strip("-")


class Names:
    """The files of a folder by everything that a link may call them; `project` are the folders of its project."""

    def __init__(self, files: Iterable[MemoryFile], root: Path, project: Iterable[Path] = ()) -> None:
        self.root = root
        self.project = tuple(dict.fromkeys(project))
        self._paths: dict[str, str] = {}
        self._folded: dict[str, str | None] = {}
        # A copy that a sync tool left has the names of the file that it is a copy of, and answers to none of them.
        self._files = tuple(sorted(files, key=lambda file: file.kind == "other"))
        for file in self._files:
            self._paths[nfc(file.name)] = file.name
            key = nfc(file.name).casefold()
            self._folded[key] = None if key in self._folded else file.name

    @cached_property
    def _words(self) -> dict[str, str]:
        """Slugs to names; the surest comes last and wins."""
        found: dict[str, str] = {}
        for file in reversed(self._files):
            found[slug(_TYPE_PREFIX.sub("", stem_of(file.name)))] = file.name
        for key in ("title", "name", "stem"):
            for file in reversed(self._files):
                word = {"title": file.title, "name": file.front.name or "", "stem": stem_of(file.name)}[key]
                if word:
                    found[slug(word)] = file.name
        return found

    @cached_property
    def called(self) -> Mapping[str, set[str]]:
        """The topics that a slug may name: file name, the same without or with a type in front, the `name` field."""
        found: dict[str, set[str]] = {}
        for file in self._files:
            if file.kind != "topic":
                continue
            stem = slug(stem_of(file.name))
            bare = next((stem[len(kind) + 1 :] for kind in TYPES if stem.startswith(f"{kind}-")), stem)
            words = {stem, bare, slug(file.front.name or "")}
            if bare == stem:
                words |= {f"{kind}-{stem}" for kind in TYPES}
            for word in words - {""}:
                found.setdefault(word, set()).add(file.name)
        return found

    @cached_property
    def stems(self) -> dict[str, str]:
        return {slug(stem_of(file.name)): file.name for file in reversed(self._files) if file.kind == "topic"}

    def target_of(self, source: str, link: Link) -> Target:
        """What a link in a file (posix, relative to the folder) leads to."""
        if link.external:
            return Target("external")
        found = self.resolve(source, link.target, link.kind)
        # `x.md?raw=1` is an address on some server, unless there is such a file.
        return Target("other") if found.state == "missing" and link.query else found

    def resolve(self, source: str, target: str, kind: str = "markdown") -> Target:
        """As `target_of`, for a target and a kind as `Link` has them."""
        if kind == "wiki":
            return self._wiki(source, target)
        if "/" not in source and target in self._paths:  # nearly all links
            return Target("file", self._paths[target])
        if not target:
            return Target("file", source)
        if target.startswith(("/", "~")) or re.match(r"[A-Za-z]:[\\/]", target):
            return Target("outside")
        if not target.lower().endswith(".md"):
            return Target("other")
        here = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        top = posixpath.normpath(target)
        return self._path(here) or self._path(top) or self._absent(here)

    def _path(self, path: str) -> Target | None:
        path = nfc(path)
        if path in self._paths:
            return Target("file", self._paths[path])
        folded = self._folded.get(path.casefold())
        return Target("file", folded) if folded is not None else None

    def _absent(self, path: str) -> Target:
        if path.startswith("../") or path == "..":
            return Target("outside")
        for folder in (self.root, *self.project):
            with suppress(OSError, ValueError):
                if (folder / path).exists():
                    return Target("other")
        return Target("missing")

    def _wiki(self, source: str, target: str) -> Target:
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", target):
            return Target("external")
        if "/" not in source and f"{target}.md" in self._paths:
            return Target("file", self._paths[f"{target}.md"])
        here = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        for path in (here, f"{here}.md", posixpath.normpath(target), posixpath.normpath(target) + ".md"):
            found = self._path(path)
            if found is not None:
                return found
        word = slug(target.removesuffix(".md"))
        name = self._words.get(word) or self._words.get(word.rpartition("/")[2])
        if name is not None:
            return Target("file", name)
        return self._absent(f"{here}.md" if not here.lower().endswith(".md") else here)


class Graph:
    """The links of one scope after the full read; those into the folders of the `project` aren't dead."""

    def __init__(self, scope: Scope, project: Iterable[Path] = ()) -> None:
        self.scope = scope
        self.names = Names(scope.files, scope.root, project)

    @cached_property
    def _out(self) -> dict[str, tuple[Outgoing, ...]]:
        return {
            file.name: tuple(Outgoing(link, self.names.target_of(file.name, link)) for link in file.links or ())
            for file in self.scope.files
        }

    @cached_property
    def _back(self) -> dict[str, list[tuple[MemoryFile, Link]]]:
        found: dict[str, list[tuple[MemoryFile, Link]]] = {}
        for file in self.scope.files:
            for one in self._out[file.name]:
                if one.target.name is not None and one.target.name != file.name:
                    found.setdefault(one.target.name, []).append((file, one.link))
        return found

    def out(self, file: MemoryFile | str) -> tuple[Outgoing, ...]:
        return self._out.get(_name(file), ())

    def backlinks(self, file: MemoryFile | str, *, index: bool = False) -> tuple[Reference, ...]:
        """The lines that link to a file, one for each line; those of the index only if asked for."""
        found: dict[tuple[str, int], Reference] = {}
        texts: dict[str, list[str]] = {}
        for one, link in self._back.get(_name(file), []):
            if (one.name, link.line) in found or (one.kind == "index" and not index):
                continue
            if one.name not in texts:
                texts[one.name] = read_text(one).split("\n")
            lines = texts[one.name]
            text = lines[link.line - 1].rstrip("\r") if link.line <= len(lines) else ""
            found[one.name, link.line] = Reference(one.name, link.line, text, link)
        return tuple(found.values())

    def counts(self, file: MemoryFile | str) -> tuple[int, int, int]:
        """Count a file's links in the folder, the broken ones (no `[[words]]`), and the lines that link to the file."""
        own = [
            one
            for one in self.out(file)
            if one.target.state in ("file", "other") or (one.target.state == "missing" and one.link.kind == "markdown")
        ]
        broken = sum(one.target.state == "missing" for one in own)
        back = {(one.name, link.line) for one, link in self._back.get(_name(file), []) if one.kind != "index"}
        return len(own), broken, len(back)

    def linking(self, name: str) -> list[MemoryFile]:
        """The files that link to a file, maybe itself among them."""
        return [file for file in self.scope.files if any(one.target.name == name for one in self._out[file.name])]

    def links_in(self, file: MemoryFile | str) -> int:
        return len({one.name for one, _ in self._back.get(_name(file), []) if one.kind != "index"})


def _name(file: MemoryFile | str) -> str:
    return file if isinstance(file, str) else file.name


def unlinked_mentions(scope: Scope, file: MemoryFile) -> tuple[Reference, ...]:
    """The lines of other files, the index apart, that name a file (stem, name field, title) and don't link to it."""
    words = dict.fromkeys((stem_of(file.name), file.front.name or "", file.title))
    patterns = [_mention(word) for word in words if len(word) >= MIN_MENTION_CHARS and not word.isdigit()]
    if not patterns:
        return ()
    pattern = re.compile("|".join(patterns), re.IGNORECASE)
    names = Names(scope.files, scope.root)
    others = [other for other in scope.files if other.name != file.name and other.kind != "index"]
    return tuple(found for other in others for found in _mentions_in(other, pattern, names, file.name))


def _mention(word: str) -> str:
    """A pattern for a word, blanks, `-` and `_` alike; an ending may follow where a script has them (Korean)."""
    body = r"[\s_-]+".join(re.escape(part) for part in _SEPARATORS.split(nfc(word)) if part)
    return rf"(?<![\w/-]){body}" + (r"(?![\w/-])" if word[-1].isascii() else r"(?![A-Za-z0-9_-])")


def _mentions_in(other: MemoryFile, pattern: re.Pattern[str], names: Names, wanted: str) -> Iterator[Reference]:
    text = read_text(other)
    matches = list(pattern.finditer(text))
    if not matches:
        return
    links = find_links(text)
    done = {link.line for link in links if names.target_of(other.name, link).name == wanted}
    # `name.md` in a line counts.
    closed = [(0, other.front.body_start), *((link.start, link.end) for link in links), *code_blocks(text)]
    lines = text.split("\n")
    for match in matches:
        line = text.count("\n", 0, match.start()) + 1
        if line not in done and not any(start <= match.start() < end for start, end in closed):
            done.add(line)
            yield Reference(other.name, line, lines[line - 1].rstrip("\r"))


def update_links(text: str, source: str, old: str, new: str, names: Names) -> str:
    """Let every link of a text to a renamed file lead to its new name; labels that repeat the name change too.

    `source` is the linking file, by its old name if it is the renamed one; `names` are the files as they were before.
    """
    home = new if source == old else source
    edits: list[Edit] = []
    for link in find_links(text):
        if names.target_of(source, link).name == old:
            edits += _renamed(text, link, source, home, old, new)
        elif source == old and link.kind == "markdown" and not link.external:
            edits += _moved_along(text, link, old, new)
    return apply_edits(text, edits)


def _renamed(text: str, link: Link, source: str, home: str, old: str, new: str) -> list[Edit]:
    if link.kind == "wiki":
        written = _wiki_word(link, source, old, new)
        return [] if written is None else [(link.target_start, link.target_end, written)]
    if not link.target:
        return []  # a heading of the file itself
    from_here = posixpath.normpath(posixpath.join(posixpath.dirname(source), link.target))
    path = posixpath.relpath(new, posixpath.dirname(home) or ".") if _same(from_here, old) else new
    edits = [_path_edit(text, link, path)]
    label = _label_span(text, link)
    if label is not None:
        inner = text[label[0] : label[1]]
        shown = inner.strip("`*_ ")
        if nfc(shown) in (nfc(posixpath.basename(old)), stem_of(nfc(old))):
            replaced = posixpath.basename(new) if shown.endswith(".md") else stem_of(new)
            edits.append((*label, inner.replace(shown, replaced if "`" in inner else write_label(replaced))))
    return edits


def _moved_along(text: str, link: Link, old: str, new: str) -> list[Edit]:
    """The edit for a relative link in a file that moved to another folder, so that it leads where it did."""
    before, after = posixpath.dirname(old), posixpath.dirname(new)
    if before == after or not link.target or link.target.startswith(("/", "~")):
        return []
    goal = posixpath.normpath(posixpath.join(before, link.target))
    return [_path_edit(text, link, posixpath.relpath(goal, after or "."))]


def _path_edit(text: str, link: Link, path: str) -> Edit:
    """`target_edit`, with the `./` that the old target began with."""
    if text.startswith(("./", "<./"), link.target_start) and not path.startswith("."):
        path = f"./{path}"
    return target_edit(text, link, path)


def _wiki_word(link: Link, source: str, old: str, new: str) -> str | None:
    """The new words of a wiki link; None where it names the file by its name field or title."""
    target = link.target
    with_ending = target.lower().endswith(".md")
    path = target if with_ending else f"{target}.md"
    if "/" in target and _same(posixpath.normpath(posixpath.join(posixpath.dirname(source), path)), old):
        goal = posixpath.relpath(new, posixpath.dirname(source) or ".")
    elif "/" in target and _same(posixpath.normpath(path), old):
        goal = new
    elif slug(stem_of(path)) == slug(stem_of(old)):
        goal = posixpath.basename(new)
    else:
        return None
    return goal if with_ending else goal.removesuffix(".md")


def _label_span(text: str, link: Link) -> tuple[int, int] | None:
    """The span of a Markdown link's label, None for a definition."""
    end = text.rfind("](", link.start, link.target_start)
    return (link.start + 1, end) if end > link.start and text[link.start] == "[" else None


def _same(one: str, other: str) -> bool:
    return nfc(one).casefold() == nfc(other).casefold()


def retarget_link(text: str, link: Link, source: str, better: str) -> str:
    """Let one link lead to another file of the folder."""
    if link.kind == "wiki":
        goal = better if link.target.lower().endswith(".md") else stem_of(better)
        return text[: link.target_start] + goal + text[link.target_end :]
    path = posixpath.relpath(better, posixpath.dirname(source) or ".")
    return apply_edits(text, [_path_edit(text, link, path)])


def unlink(text: str, link: Link) -> str:
    """Replace a Markdown link by its label as it stands there; its target follows as code, a title behind that."""
    span = _label_span(text, link)
    if span is None:
        return text  # a definition: its uses stand elsewhere
    words = text[span[0] : span[1]]
    target = text[link.target_start : link.target_end].strip("<>")
    title = text[link.target_end : link.end - 1].strip()
    if title or target not in words:
        code = f"``{target}``" if "`" in target else f"`{target}`"
        words += f" ({code}{' ' if title else ''}{title})"
    return text[: link.start] + words + text[link.end :]
