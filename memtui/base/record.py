"""`typing.NamedTuple` for what a start imports first: typing, and `re` below it, cost a third of a first picture.

Type checkers see the real one. From Python 3.14 on so does everybody: annotations are kept in another way there.
"""

import sys

TYPE_CHECKING = False  # as in typing
if TYPE_CHECKING or sys.version_info >= (3, 14):
    from typing import NamedTuple as Record
else:
    from collections import namedtuple

    class _Maker(type):
        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, object]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = list(body.get("__annotations__", {}))
            defaults = [body.pop(field) for field in fields if field in body]
            tuple_ = namedtuple(name, fields, defaults=defaults, module=body["__module__"])
            return type(name, (tuple_,), {"__slots__": (), **body})

    class Record(metaclass=_Maker):
        """A tuple whose fields have names: the annotations of the class, values behind them as defaults."""


__all__ = ["Record"]
