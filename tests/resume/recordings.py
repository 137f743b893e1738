"""What the real client sent after `--resume`, and how to compare it with what we say."""

import hashlib
import json
from pathlib import Path
from typing import Any

Case = dict[str, Any]
NEW_RUN = "<system-reminder>\n# Environment"
"""Begins what older models are told at the start of the new run: it may stand at the end of the last result."""


def load(path: Path) -> list[Case]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def session_bytes(case: Case) -> bytes:
    """The session file of a case."""
    if "data" in case:
        return str(case["data"]).encode("utf-8", "surrogateescape")
    lines = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in case["lines"])
    return (lines + (case["tail"] or "")).encode("utf-8", "surrogatepass")


def same(expected: Any, ours: Any) -> bool:
    """Whether blocks are equal, white space around texts aside; long texts and inputs are recorded as digests."""
    if isinstance(expected, dict) and set(expected) == {"sha256", "length"}:
        value = ours if isinstance(ours, str) else json.dumps(ours, sort_keys=True, ensure_ascii=False)
        return bool(hashlib.sha256(value.encode()).hexdigest() == expected["sha256"])
    if isinstance(expected, str) and isinstance(ours, str):
        return expected.split(NEW_RUN)[0].strip() == ours.strip()
    if isinstance(expected, list) and isinstance(ours, list):
        return len(expected) == len(ours) and all(same(a, b) for a, b in zip(expected, ours, strict=True))
    return bool(expected == ours) or (expected is None and ours == "")
