"""A commit and a folder of the history, read from the bytes that git keeps of them.

dulwich reads them as well; but every start looks at the newest versions, and it would be loaded for these few lines: a
megabyte, and as long as all else that a start reads. What is written is made by dulwich alone.

Source: git's own documentation of its object format; the tests compare with dulwich.
"""

from typing import NamedTuple


class CommitRead(NamedTuple):
    """A commit: its folder, what it follows, and its text as it stands."""

    tree: str
    parents: tuple[str, ...]
    message: bytes


Entries = dict[bytes, tuple[int, str]]
"""A folder: mode and object by the name of the entry."""


def read_commit(body: bytes) -> CommitRead:
    """The commit of these bytes.

    Raises:
        ValueError: If they are none.
    """
    head, _, message = body.partition(b"\n\n")
    fields = [line.partition(b" ")[::2] for line in head.split(b"\n")]  # what goes on a field begins with a blank
    tree = [value.decode("ascii") for key, value in fields if key == b"tree"]
    if len(tree) != 1:
        raise ValueError("a commit without a tree")
    return CommitRead(tree[0], tuple(value.decode("ascii") for key, value in fields if key == b"parent"), message)


def read_tree(body: bytes) -> Entries:
    """The folder of these bytes.

    Raises:
        ValueError: If they are none.
    """
    found: Entries = {}
    at = 0
    while at < len(body):
        blank = body.index(b" ", at)
        end = body.index(b"\0", blank)
        identity = body[end + 1 : end + 21]
        if len(identity) != 20:
            raise ValueError("a tree that is cut")
        found[body[blank + 1 : end]] = (int(body[at:blank], 8), identity.hex())
        at = end + 21
    return found
