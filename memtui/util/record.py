"""`typing.NamedTuple` for what a start imports first: typing, and `re` below it, cost a third of a first picture.

Type checkers see the real one.
"""

TYPE_CHECKING = False  # as in typing
if TYPE_CHECKING:
    from typing import NamedTuple as Record
else:
    from collections import namedtuple

    def _annotations(body: dict[str, object]) -> dict[str, object]:
        """Those of a class; from Python 3.14 on there is a function that tells them."""
        told = body.get("__annotate_func__")
        return body.get("__annotations__", {}) if told is None else told(1)

    class _Maker(type):
        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, object]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = list(_annotations(body))
            defaults = [body.pop(field) for field in fields if field in body]
            tuple_ = namedtuple(name, fields, defaults=defaults, module=body["__module__"])
            return type(name, (tuple_,), {"__slots__": (), **body})

    class Record(metaclass=_Maker):
        """A tuple whose fields have names: the annotations of the class, values behind them as defaults."""


__all__ = ["Record"]
