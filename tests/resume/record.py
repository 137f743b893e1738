"""Ask a real client what it sends when it resumes a session, and compare that with the rules.

    MEMTUI_TEST_CLIENT=/path/to/claude python -m tests.resume.record FILE.jsonl… [--write OUT.jsonl]

Each FILE holds cases as `tests/data/oracle/*.jsonl` do (`name`, `session`, `lines`, `tail` or `data`). The client runs
headless in a home of its own and talks to a server on loopback; nothing leaves the machine. Printed is each case whose
answer differs from ours, with the rules that the answer depends on. Ends with 1 if there is one.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from memtui.resume.resume import plan_resume
from memtui.transcripts.transcript import read_transcript
from tests.agent.scripted_api import answer, scripted_api, text
from tests.resume.recordings import load, same, session_bytes

CLIENT = os.environ.get("MEMTUI_TEST_CLIENT", "")
"""The executable of a real client."""

PROMPT = "THE NEW PROMPT"
RUN_TIMEOUT_S = 120


def client_version() -> str:
    """The version of the client."""
    done = subprocess.run([CLIENT, "--version"], capture_output=True, text=True, check=True)
    return done.stdout.split()[0]


def sent_by_client(home: Path, cwd: Path, session: str) -> list[list[Any]] | None:
    """The blocks that the client sends before a new prompt; None if it resumes nothing.

    Args:
        home: A private home, in which the session's file is.
        cwd: The project's directory.
        session: The id of the session.
    """
    environ = {
        "HOME": str(home), "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "TERM": "xterm-256color", "LANG": "C.UTF-8",
        "ANTHROPIC_API_KEY": "sk-ant-opens-nothing", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "IS_SANDBOX": "1",
        "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1",
    }  # fmt: skip
    with scripted_api() as api:
        api.foreign = True
        api.says(answer(text("ok")))
        environ["ANTHROPIC_BASE_URL"] = api.url
        command = [CLIENT, "--resume", session, "-p", PROMPT]
        subprocess.run(
            command,
            cwd=cwd,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=RUN_TIMEOUT_S,
            check=False,
        )
        return blocks_before_prompt(api.requests[0]["messages"]) if api.requests else None


def blocks_before_prompt(messages: list[dict[str, Any]]) -> list[list[Any]]:
    """The blocks of a request in the flat form of the recordings, up to the new prompt."""
    found: list[list[Any]] = []
    for message in messages:
        role, content = message["role"], message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            words = block.get("text", "").strip()
            if words == PROMPT:
                return found
            if role not in ("user", "assistant") or words.startswith("<system-reminder>"):
                continue
            if block["type"] == "text":
                found += [[role, "text", words]] if words != "No response requested." else []
            elif block["type"] == "tool_use":
                found.append([role, "tool_use", block["id"], block["name"], block.get("input")])
            elif block["type"] == "tool_result":
                body = block.get("content", "")
                body = (
                    body if isinstance(body, str) else "".join(p.get("text", "") for p in body if p["type"] == "text")
                )
                made_up = body.startswith(("[Tool call interrupted", "[Tool result missing"))
                found.append([role, "tool_result", block["tool_use_id"], "<interrupted>" if made_up else body.strip()])
            else:
                found.append([role, block["type"]])
    return found


def project_folder(home: Path, cwd: Path) -> Path:
    """The folder in which the client looks for the sessions of a directory; it is made."""
    folder = home / ".claude" / "projects" / re.sub("[^A-Za-z0-9]", "-", str(cwd.resolve()))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--write", type=Path, help="the recordings of this client, in the same form")
    options = parser.parse_args()
    if not CLIENT:
        parser.error("MEMTUI_TEST_CLIENT names no client")
    version, recorded, differences = client_version(), [], 0
    for case in (case for file in options.files for case in load(file)):
        with tempfile.TemporaryDirectory() as scratch:
            home, cwd = Path(scratch, "home"), Path(scratch, "project")
            cwd.mkdir()
            path = project_folder(home, cwd) / f"{case['session']}.jsonl"
            data = session_bytes(case)
            path.write_bytes(data)
            theirs = sent_by_client(home, cwd, case["session"])
            path.write_bytes(data)  # the client has added the prompt
            transcript = read_transcript(path)
            plan = plan_resume(transcript)
            if not same(theirs, plan.blocks()):
                differences += 1
                ids = [rule.id for rule in plan.family.rules]
                used = [id for id in ids if plan_resume(transcript, without_rules=[id]).blocks() != plan.blocks()]
                print(
                    f"{case['name']}: client {version} sends something else; depends on {', '.join(used) or 'no rule'}"
                )
        recorded.append({**case, "expected": theirs, "client": version})
    if options.write:
        options.write.write_text("".join(f"{json.dumps(case)}\n" for case in recorded), encoding="utf-8")
    print(f"client {version}: {len(recorded) - differences} of {len(recorded)} as our rules say")
    return int(differences > 0)


if __name__ == "__main__":
    sys.exit(main())
