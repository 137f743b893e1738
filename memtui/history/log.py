"""The operations log for what is not about file contents: sessions, moves of projects, pins.

Whoever does such a thing writes it down here, item by item where it takes several steps: what was written down has
happened, or is about to and is completed by its owner's own recovery. Taking it back is the owner's as well
(`undo.Inverse`).
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from memtui.history.database import BEGUN, DONE, HistoryDatabase, folder_id
from memtui.history.versions import Item, stored_text


class OperationsLog:
    """Writes operations of one or more subjects."""

    def __init__(self, database: HistoryDatabase) -> None:
        self.database = database

    def record(
        self,
        subject: str,  # who can take it back
        kind: str,  # what was done
        why: str,  # one line for people; that of the last call counts
        items: Iterable[Item],  # those that it has already are passed over
        *,
        when: float,  # seconds since 1970
        id: str = "",
        undoes: str | None = None,  # the operation that this one takes back
        extra: Mapping[str, str] | None = None,
        finished: bool = True,  # nothing more is to come
    ) -> str:
        """Write an operation down, durably; or add items to the one with this `id`. Returns its id.

        Raises `OSError` if it can't be written, `MemtuiError` if the history can't be used.
        """
        with self.database.write() as connection:
            row = connection.execute("select id from operations where name = ?", (id,)).fetchone() if id else None
            if row is None:
                id = id or new_id(connection)
                operation = insert_operation(
                    connection, id, subject, kind, None, "you", why, when, undoes=undoes, extra=extra, finished=finished
                )
            else:
                operation = row[0]
                state = DONE if finished else BEGUN
                connection.execute(
                    "update operations set why = ?, state = max(state, ?) where id = ?",
                    (stored_text(why), state, operation),
                )
            self._add(connection, operation, items)
        return id

    def add(self, id: str, items: Iterable[Item]) -> None:
        """Add items to an operation that is there, durably. Raises as `record`."""
        with self.database.write() as connection:
            [operation] = connection.execute("select id from operations where name = ?", (id,)).fetchone()
            self._add(connection, operation, items)

    def finish(self, id: str) -> None:
        """Say that an operation has come to its end."""
        with self.database.write() as connection:
            connection.execute("update operations set state = ? where name = ?", (DONE, id))

    def drop(self, id: str) -> None:
        """Remove an operation that didn't happen."""
        with self.database.write() as connection:
            connection.execute("delete from operations where name = ?", (id,))

    @staticmethod
    def _add(connection: sqlite3.Connection, operation: int, items: Iterable[Item]) -> None:
        for item in items:
            folder = folder_id(connection, item.folder, create=True)
            connection.execute(
                "insert into items (operation, position, folder, key, data) "
                "select ?1, (select count(*) from items where operation = ?1), ?2, ?3, ?4 "
                "where not exists (select 1 from items where operation = ?1 and folder = ?2 and key = ?3)",
                (operation, folder, item.key, to_json(item.data)),
            )


def new_id(connection: sqlite3.Connection) -> str:
    """An id of 12 hex digits that no operation has."""
    while True:
        id = os.urandom(6).hex()
        if connection.execute("select 1 from operations where name = ?", (id,)).fetchone() is None:
            return id


def insert_operation(
    connection: sqlite3.Connection,
    id: str,
    subject: str,
    kind: str,
    folder: int | None,
    who: str,
    why: str,
    when: float,
    *,
    undoes: str | None = None,
    extra: Mapping[str, str] | None = None,
    finished: bool = True,
) -> int:
    """Put an operation into the log without what it touched; its row."""
    made = connection.execute(
        "insert into operations (name, state, subject, kind, folder, who, why, time, undoes, extra) "
        "values (?, ?, ?, ?, ?, ?, ?, ?, (select id from operations where name = ?), ?)",
        (
            id, DONE if finished else BEGUN, subject, kind, folder, stored_text(who), stored_text(why), float(when),
            undoes, to_json(extra) if extra else None,
        ),
    )  # fmt: skip
    return int(made.lastrowid or 0)


def to_json(data: Mapping[str, Any]) -> str:
    """JSON in ASCII: a lone surrogate in foreign text is an escape there, which the database can hold."""
    return json.dumps(dict(data), separators=(",", ":"))


def real_folder(path: str | os.PathLike[str]) -> str:
    """How an item names its folder: by its real path."""
    return os.path.realpath(path)
