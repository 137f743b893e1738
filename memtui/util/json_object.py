"""JSON objects that another program wrote, or one of ours that a crash may have cut: read leniently."""

import json
from pathlib import Path
from typing import Any


def json_object(data: bytes | str | None) -> dict[str, Any]:
    """Parse a JSON object; {} for anything else, no data and too deep nesting included."""
    try:
        value = json.loads(data or b"null")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def read_json_object(path: Path) -> dict[str, Any]:
    """Read a file that holds a JSON object; {} if it holds none or can't be read."""
    try:
        return json_object(path.read_bytes())
    except OSError:
        return {}
