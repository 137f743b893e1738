"""Links that follow a file to its new name, or that let go of one that is no more; edited by span."""

import posixpath

from memtui.base.text import nfc
from memtui.memory.index import apply_edits
from memtui.memory.links import Names, slug
from memtui.memory.markdown import Link, find_links, write_label, write_target

Edit = tuple[int, int, str]


def stem_of(name: str) -> str:
    """A file's name without folder and `.md`."""
    return name.rpartition("/")[2].removesuffix(".md")


def relink(text: str, source: str, old: str, new: str, names: Names) -> str:
    """Let every link to a file name its new name.

    Args:
        text: The text of the linking file.
        source: The linking file's name; if it is the renamed file itself, its old one.
        old: The renamed file, posix, relative to the folder.
        new: Its new name.
        names: The files as they were before.

    Returns:
        The text; labels that repeat the file's name change too, `[[name]]` stays where it isn't the file's name.
    """
    home = new if source == old else source
    edits: list[Edit] = []
    for link in find_links(text):
        if link.kind == "import" or link.external:
            continue
        target = names.resolve(source, link.target, link.kind)
        if target.name == old:
            edits += _renamed(text, link, source, home, old, new)
        elif source == old and link.kind == "markdown":
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
    edits = [_target_edit(text, link, path)]
    label = _label_span(text, link)
    if label is not None and nfc(text[label[0] : label[1]].strip("`*_ ")) in (
        nfc(posixpath.basename(old)),
        stem_of(nfc(old)),
    ):
        inner = text[label[0] : label[1]]
        shown = inner.strip("`*_ ")
        replaced = posixpath.basename(new) if shown.endswith(".md") else stem_of(new)
        edits.append((*label, inner.replace(shown, replaced if "`" in inner else write_label(replaced))))
    return edits


def _moved_along(text: str, link: Link, old: str, new: str) -> list[Edit]:
    """A relative link in a file that went to another folder still leads to where it did."""
    before, after = posixpath.dirname(old), posixpath.dirname(new)
    if before == after or not link.target or link.target.startswith(("/", "~")):
        return []
    goal = posixpath.normpath(posixpath.join(before, link.target))
    return [_target_edit(text, link, posixpath.relpath(goal, after or "."))]


def _target_edit(text: str, link: Link, path: str) -> Edit:
    written = text[link.target_start : link.target_end]
    if written.lstrip("<").startswith("./") and not path.startswith("."):
        path = f"./{path}"
    target = write_target(path, written)
    if link.fragment:
        fragment = written.rstrip(">").partition("#")[2]
        target = f"{target[:-1]}#{fragment}>" if target.startswith("<") else f"{target}#{fragment}"
    return link.target_start, link.target_end, target


def _wiki_word(link: Link, source: str, old: str, new: str) -> str | None:
    """What stands in `[[…]]` afterwards; None where it names the file by its name field or title."""
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
    """One link leads to another file of the folder."""
    if link.kind == "wiki":
        goal = better if link.target.lower().endswith(".md") else stem_of(better)
        return text[: link.target_start] + goal + text[link.target_end :]
    path = posixpath.relpath(better, posixpath.dirname(source) or ".")
    return apply_edits(text, [_target_edit(text, link, path)])


def unlink(text: str, link: Link) -> str:
    """One link becomes plain text: its label as it stands there."""
    span = _label_span(text, link) if link.kind == "markdown" else None
    words = text[span[0] : span[1]] if span is not None else link.label
    return text[: link.start] + words + text[link.end :]
