"""The cache's SQLite file: opened, of this version, or made anew."""

import sqlite3
from binascii import crc32
from contextlib import suppress
from pathlib import Path

WAIT = 2.0
"""Seconds to wait for another program that writes."""


CACHE = 512
"""KiB of pages that SQLite keeps: a list is read once from end to end, the system's own cache does the rest."""


def open_database(file: Path | None, schema: str) -> sqlite3.Connection:
    """Open the cache; one of another version, or one that is damaged, is thrown away.

    Args:
        file: The file, its folder is made where it is missing; None for one in memory.
        schema: The statements that make its tables; another schema is another version.

    Returns:
        A connection that commits by itself; one to a database in memory where the file can't be used.
    """
    if file is None:
        return _opened(":memory:", schema)
    with suppress(OSError, sqlite3.Error):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            return _opened(str(file), schema)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
                raise
        for name in (file, Path(f"{file}-wal"), Path(f"{file}-shm")):
            name.unlink(missing_ok=True)
        return _opened(str(file), schema)
    return open_database(None, schema)


def _opened(place: str, schema: str) -> sqlite3.Connection:
    version = crc32(schema.encode()) & 0x7FFF_FFFF | 1
    connection = sqlite3.connect(place, timeout=WAIT, isolation_level=None)
    try:
        if connection.execute("pragma user_version").fetchone()[0] != version:
            connection.execute("pragma journal_mode = wal")
            _make(connection, schema, version)
        connection.execute("pragma synchronous = normal")
        connection.execute(f"pragma cache_size = -{CACHE}")
    except BaseException:
        connection.close()
        raise
    return connection


def _make(connection: sqlite3.Connection, schema: str, version: int) -> None:
    connection.execute("begin immediate")
    if connection.execute("pragma user_version").fetchone()[0] == version:  # another program was faster
        connection.execute("rollback")
        return
    tables = connection.execute("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    for (name,) in tables.fetchall():
        connection.execute(f'drop table "{name}"')
    for statement in schema.split(";"):
        connection.execute(statement)
    connection.execute(f"pragma user_version = {version}")
    connection.execute("commit")
