"""Where the stylesheets are: beside the package in a checkout, inside it in a wheel."""

from pathlib import Path, PurePath

_INSIDE = Path(__file__).parent.parent / "styles"
_BESIDE = Path(__file__).parent.parent.parent / "styles"
FOLDER = _INSIDE if _INSIDE.is_dir() else _BESIDE


def sheets(*names: str) -> list[str | PurePath]:
    return [FOLDER / f"{name}.tcss" for name in names]
