"""Commits and folders of git, read as dulwich reads them."""

from contextlib import suppress

import pytest
from dulwich.objects import Commit, ObjectID, Tree
from hypothesis import given
from hypothesis import strategies as st

from memtui.history.objects import read_commit, read_tree

ids = st.binary(min_size=20, max_size=20).map(bytes.hex)
names = st.binary(min_size=1, max_size=20).filter(lambda name: not {*b"\0/"} & {*name} and name not in (b".", b".."))
modes = st.sampled_from([0o100644, 0o040000, 0o120000, 0o100755])
signatures = st.sampled_from([None, b"-----BEGIN PGP SIGNATURE-----\n\ntree of somebody\n-----END PGP SIGNATURE-----"])


def identity(text: str) -> ObjectID:
    return ObjectID(text.encode("ascii"))


@given(ids, st.lists(ids, max_size=3), st.binary(max_size=200), signatures)
def test_commits(tree: str, parents: list[str], message: bytes, signature: bytes | None) -> None:
    commit = Commit()
    commit.tree, commit.parents = identity(tree), [identity(parent) for parent in parents]
    commit.author = commit.committer = b"memtui <>"
    commit.author_time = commit.commit_time = commit.author_timezone = commit.commit_timezone = 0
    commit.message = message
    commit.gpgsig = signature
    read = read_commit(commit.as_raw_string())
    assert read == (tree, tuple(parents), message)


@given(st.dictionaries(names, st.tuples(modes, ids), max_size=5))
def test_trees(entries: dict[bytes, tuple[int, str]]) -> None:
    tree = Tree()
    for name, (mode, one) in entries.items():
        tree.add(name, mode, identity(one))
    assert read_tree(tree.as_raw_string()) == entries


@given(st.binary(max_size=60))
def test_other_bytes_are_a_value_error_at_most(body: bytes) -> None:
    with suppress(ValueError):
        read_tree(body)
    with suppress(ValueError):
        assert len(read_commit(body).tree) <= len(body)


def test_a_cut_folder_is_none() -> None:
    tree = Tree()
    tree.add(b"a.md", 0o100644, identity("0" * 40))
    with pytest.raises(ValueError, match="cut"):
        read_tree(tree.as_raw_string()[:-1])
