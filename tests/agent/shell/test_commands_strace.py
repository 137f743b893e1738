"""Flags of every command, run without our sandbox: nothing is opened to write, nothing else starts, no network.

The table says what may run; here the programs of this machine say what that does. Needs strace: skipped elsewhere.
`python -m tests.agent.shell.strace_commands` runs every flag of it.
"""

from pathlib import Path

import pytest

from tests.agent.shell.strace_commands import BASH, STRACE, trace


@pytest.mark.fault
@pytest.mark.long
@pytest.mark.skipif(STRACE is None or BASH is None, reason="no strace or no bash")
def test_no_flag_does_more_than_read(tmp_path: Path) -> None:
    commands, ran, found = trace(tmp_path.resolve(), every=7)
    print(f"{commands=} lines={ran}")
    assert found == []
    assert ran > 200
