"""A loopback server that takes requests to the Messages API and refuses those that break its rules.

It never thinks: a request without a fault gets "ok". The rules are those of the public reference: roles, kinds of block
and their fields, calls and results in pairs.
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
ID = re.compile(r"[a-zA-Z0-9_-]+")
BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
FIELDS = {
    "text": {"text", "citations", "cache_control"},
    "image": {"source", "cache_control"},
    "document": {"source", "title", "context", "citations", "cache_control"},
    "tool_use": {"id", "name", "input", "cache_control"},
    "tool_result": {"tool_use_id", "content", "is_error", "cache_control"},
    "thinking": {"thinking", "signature"},
}
BY_ROLE = {"user": {"text", "image", "document", "tool_result"}, "assistant": {"text", "tool_use", "thinking"}}
IN_RESULTS = {"text", "image", "document"}
MEDIA = {
    ("image", "base64"): {"image/jpeg", "image/png", "image/gif", "image/webp"},
    ("document", "base64"): {"application/pdf"},
    ("document", "text"): {"text/plain"},
}


class Refusal(Exception):
    """A request that the API wouldn't take."""


def check(messages: Any) -> None:
    """Raise a `Refusal` for the first rule that a conversation breaks."""
    _need(isinstance(messages, list) and messages, "messages: at least one message is required")
    turns: list[tuple[str, list[dict[str, Any]]]] = []
    for message in messages:
        _need(set(message) == {"role", "content"}, "extra inputs are not permitted")
        role, content = message["role"], message["content"]
        _need(role in BY_ROLE, f"unexpected role {role}")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        _need(isinstance(blocks, list) and blocks, "all messages must have non-empty content")
        for block in blocks:
            _block(block, BY_ROLE[role])
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(blocks)  # the API makes one turn of neighbours
        else:
            turns.append((role, list(blocks)))
    _need(turns[0][0] == "user", "the first message must use the user role")
    _pairs(turns)
    role, blocks = turns[-1]
    if role == "assistant" and blocks[-1]["type"] == "text":
        said = blocks[-1]["text"]
        _need(said == said.rstrip(), "final assistant content cannot end with trailing whitespace")


def _pairs(turns: list[tuple[str, list[dict[str, Any]]]]) -> None:
    seen: set[str] = set()
    open_calls: list[str] = []
    for _, blocks in turns:
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        _need(len(results) == len(set(results)), "each tool_use must have a single result")
        _need(set(results) <= set(open_calls), "unexpected tool_use_id found in tool_result blocks")
        _need(set(open_calls) <= set(results), "tool_use ids were found without tool_result blocks immediately after")
        first = [block["type"] == "tool_result" for block in blocks[: len(results)]]
        _need(all(first), "tool_result blocks must come first")
        open_calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        _need(not seen.intersection(open_calls), "tool_use ids must be unique")
        _need(len(set(open_calls)) == len(open_calls), "tool_use ids must be unique")
        seen.update(open_calls)
    _need(not open_calls, "tool_use ids were found without tool_result blocks immediately after")


def _block(block: Any, kinds: set[str]) -> None:
    _need(isinstance(block, dict), "a block is an object")
    kind = block.get("type")
    _need(kind in kinds, f"input tag {kind!r} does not match any of the expected tags")
    _need(set(block) - {"type"} <= FIELDS[kind], f"{kind}: extra inputs are not permitted")
    if kind == "text":
        _need(isinstance(block.get("text"), str), "text.text: field required")
        _need(block["text"].strip(), "text content blocks must contain non-whitespace text")
    elif kind in ("image", "document"):
        _source(kind, block.get("source"))
    elif kind == "thinking":
        _need(isinstance(block.get("signature"), str), "thinking.signature: field required")
    elif kind == "tool_use":
        _need(isinstance(block.get("id"), str) and ID.fullmatch(block["id"]), "tool_use.id: should match pattern")
        _need(isinstance(block.get("name"), str) and NAME.fullmatch(block["name"]), "tool_use.name: should match")
        _need(isinstance(block.get("input"), dict), "tool_use.input: input should be a valid dictionary")
    else:
        call, content = block.get("tool_use_id"), block.get("content", "")
        _need(isinstance(call, str) and ID.fullmatch(call), "tool_result.tool_use_id: should match pattern")
        _need(isinstance(content, str | list), "tool_result.content: wrong type")
        for part in content if isinstance(content, list) else ():
            _block(part, IN_RESULTS)


def _source(kind: str, source: Any) -> None:
    _need(isinstance(source, dict), f"{kind}.source: field required")
    how = source.get("type")
    if how == "url":
        _need(str(source.get("url")).startswith("http"), f"{kind}.source.url: not a URL")
        return
    _need(source.get("media_type") in MEDIA.get((kind, how), set()), f"{kind}.source.media_type: unexpected")
    data = source.get("data")
    _need(isinstance(data, str) and data, f"{kind}.source.data: field required")
    _need(how == "text" or BASE64.fullmatch(data), f"{kind}.source.data: not base64")


def _need(holds: object, rule: str) -> None:
    if not holds:
        raise Refusal(rule)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        """Tests are quiet."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            _need(self.path == "/v1/messages", f"not found: {self.path}")
            check(json.loads(body.decode("utf-8"))["messages"])
        except (Refusal, KeyError, ValueError) as fault:
            error = {"type": "invalid_request_error", "message": str(fault)}
            self._answer(400, {"type": "error", "error": error})
            return
        usage = {"input_tokens": len(body) // 4, "output_tokens": 1}
        self._answer(
            200,
            {
                "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "stop_reason": "end_turn",
                "stop_sequence": None, "content": [{"type": "text", "text": "ok"}], "usage": usage,
            },
        )  # fmt: skip

    def _answer(self, status: int, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def messages_api() -> Iterator[str]:
    """Runs the server; gives its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
