"""A loopback server that answers the Messages API from a script, over real HTTP, and keeps what it was sent.

A request that the API would refuse is refused: the rules are those of `tests.messages_api`. Reply N answers request N;
a request beyond the script is refused as well.
"""

import json
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.messages_api import Refusal, check

Block = dict[str, Any]


def text(words: str) -> Block:
    return {"type": "text", "text": words}


def thinking(words: str, signature: str = "c2ln") -> Block:
    return {"type": "thinking", "thinking": words, "signature": signature}


_numbers = iter(range(1, 10**9))


def call(name: str, *, id: str | None = None, raw: str | None = None, **given: Any) -> Block:
    """A tool call; `raw` is sent as its input, be it JSON or not."""
    return {
        "type": "tool_use",
        "id": id or f"toolu_{next(_numbers)}",
        "name": name,
        "raw": json.dumps(given) if raw is None else raw,
    }


@dataclass
class Reply:
    """What one request gets: a stream, or else a status and a JSON body.

    Args:
        events: The stream, of which only the first `cut` come (`None`: all).
        torn: Break the connection off instead of ending it.
        hangs: Send what there is, and then nothing until the server ends.
        mute: Answer nothing at all until then.
    """

    events: list[bytes] = field(default_factory=list)
    cut: int | None = None
    torn: bool = False
    hangs: bool = False
    mute: bool = False
    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


def event(kind: str, **data: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()


def answer(*blocks: Block, stop: str | None = None, usage: Mapping[str, Any] | None = None, **more: Any) -> Reply:
    """A whole answer as a stream."""
    stop = stop or ("tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn")
    used = {"input_tokens": 100, "output_tokens": 20, **(usage or {})}
    start = {
        "id": f"msg_{next(_numbers)}", "type": "message", "role": "assistant", "model": "scripted", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": {**used, "output_tokens": 1},
    }  # fmt: skip
    events = [event("message_start", message=start), event("ping")]
    for index, block in enumerate(blocks):
        events += _block_events(index, block)
    delta = {"stop_reason": stop, "stop_sequence": None, **more}
    events += [event("message_delta", delta=delta, usage=used), event("message_stop")]
    return Reply(events)


def _block_events(index: int, block: Block) -> list[bytes]:
    empty, deltas = block, []
    if block["type"] == "text":
        half = len(block["text"]) // 2
        empty = {**block, "text": ""}
        deltas = [{"type": "text_delta", "text": part} for part in (block["text"][:half], block["text"][half:])]
    elif block["type"] == "tool_use":
        empty = {"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}}
        half = len(block["raw"]) // 2
        parts = (block["raw"][:half], block["raw"][half:])
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in parts]
    elif block["type"] == "thinking":
        empty = {"type": "thinking", "thinking": "", "signature": ""}
        deltas = [
            {"type": "thinking_delta", "thinking": block["thinking"]},
            {"type": "signature_delta", "signature": block["signature"]},
        ]
    return [
        event("content_block_start", index=index, content_block=empty),
        *(event("content_block_delta", index=index, delta=delta) for delta in deltas),
        event("content_block_stop", index=index),
    ]


def error(status: int, kind: str, message: str = "scripted", *, code: str = "", **headers: str) -> Reply:
    """An error of the API; header names are given with _ for -."""
    fault: dict[str, Any] = {"type": kind, "message": message}
    if code:
        fault["details"] = {"error_code": code}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, body={"type": "error", "error": fault}, headers=named)


@dataclass
class Scripted:
    """The running server.

    `foreign`: it is asked by a program that isn't ours, which knows more of the API than is written down. What that
    asks is taken as it is, and what it asks beside the conversation, without tools, gets an answer outside the script.
    """

    address: str
    script: list[Reply] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    hanging: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)
    foreign: bool = False
    number: int = 0
    home: str = ""

    def __post_init__(self) -> None:
        self.home = self.address

    @property
    def url(self) -> str:
        """The base URL of the present script: what an earlier test still had under way isn't taken for this one's."""
        return f"{self.address}/{self.number}"

    def says(self, *replies: Reply) -> None:
        """Begin anew with this script."""
        self.number += 1
        self.script[:] = replies
        self.requests.clear()
        self.headers.clear()
        self.refused.clear()
        self.hanging.clear()

    def results(self, number: int) -> list[Block]:
        """The results of calls that request `number` (from 0) brought, cache marks taken off."""
        blocks = self.requests[number]["messages"][-1]["content"]
        return [
            {key: value for key, value in block.items() if key != "cache_control"}
            for block in blocks
            if block["type"] == "tool_result"
        ]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    scripted: Scripted

    def log_message(self, format: str, *args: Any) -> None:
        """Tests are quiet."""

    def do_POST(self) -> None:
        try:
            self._reply()
        except (ConnectionError, json.JSONDecodeError):  # the client went away
            self.close_connection = True

    def _reply(self) -> None:
        scripted = self.scripted
        request = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        if not self.path.startswith(f"/{scripted.number}/v1/messages"):
            self.close_connection = True
            return
        if scripted.foreign and not request.get("tools"):
            self._stream(answer(text("ok")))
            return
        scripted.requests.append(request)
        scripted.headers.append({name.lower(): value for name, value in self.headers.items()})
        try:
            if not scripted.foreign:
                check(request["messages"])
            reply = scripted.script[len(scripted.requests) - 1]
        except (Refusal, IndexError) as fault:
            scripted.refused.append(str(fault))
            reply = error(400, "invalid_request_error", str(fault))
        if reply.mute:
            self.close_connection = scripted.ended.wait()
        elif reply.events:
            self._stream(reply)
        else:
            self._json(reply)

    def _stream(self, reply: Reply) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        data = b"".join(reply.events[: reply.cut])
        if data:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()
        if reply.hangs:
            self.scripted.hanging.set()
            self.scripted.ended.wait()
        if reply.torn or reply.hangs:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def _json(self, reply: Reply) -> None:
        data = json.dumps(reply.body).encode()
        self.send_response_only(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no fault; anything else is told."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def scripted_api() -> Iterator[Scripted]:
    """Runs the server."""
    handler = type("Handler", (_Handler,), {})
    server = _Server(("127.0.0.1", 0), handler)
    scripted = Scripted(f"http://127.0.0.1:{server.server_address[1]}")
    handler.scripted = scripted  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield scripted
    finally:
        scripted.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()
