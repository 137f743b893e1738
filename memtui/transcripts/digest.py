"""What was said in a session, in prose: the prompts, the answers, and the lines of the transcript where they stand.

A digest is for a model that looks for what is worth remembering: a few percent of the transcript, without results of
tools and without thinking. What a person typed is told apart from everything else, whatever a text in it looks like:
quoted lines begin with "> ". Credentials are masked.

    # TITLE
    2026-11-23 14:02 to 15:40 UTC, branch main; 3 prompts, 41 answers; tools: Read 30, Bash 12
    Transcript: /…/SESSION.jsonl (line numbers are those of this file)

    ## Line 12, 2026-11-23 14:02, the person
    > use port 5433
    ### Line 15, answer
    > Done: …

A digest has a largest size. To keep it, texts are cut in the middle, first those between a prompt and its last answer;
then the oldest turns are left out. Both are said where they happen.
"""

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO

from msgspec import Struct, field
from msgspec.structs import replace

from memtui.client.session_files import CLIENT_MARKUP, COMMAND_NAME, title_line
from memtui.secrets.scanner import redact, scan
from memtui.transcripts.entries import blocks_of, is_machine_text, parse_timestamp, prompt_texts, text
from memtui.transcripts.lines import MAX_LINE_BYTES, Record, parse_line
from memtui.transcripts.summary import TitleCollector, decode_fast
from memtui.util.text import pluralize, visible

MAX_DIGEST_CHARS = 16_000
MAX_PROMPT_BYTES = 16 << 20  # bytes read of a transcript for its prompts alone
_NEEDED = re.compile(rb'"(?:user|assistant|queued_command|custom-title|ai-title|last-prompt|summary)"')
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_MACHINE_KEYS = ("isMeta", "isCompactSummary", "isSidechain")
_LEVELS = ((4000, 1500, 300), (2000, 1000, 0), (1000, 500, 0), (500, 200, 0))
"""Most characters of a prompt, of the last answer before the next prompt, and of one before that."""
_MARK_CHARS = 40  # those of the mark of a cut: fewer are not left out
_MAX_SCANNED_CHARS = 12_000  # of one text


class Passage(Struct, frozen=True):
    """Something said: its line in the file, from 1, its timestamp as written, and whether a person typed it."""

    line: int
    stamp: str
    person: bool
    text: str


class SessionTalk(Struct):
    """What was said in a session. `tools` counts calls by name, `answers` the texts of the model; `title` is safe."""

    title: str = ""
    branch: str = ""
    first: str = ""
    last: str = ""
    prompts: int = 0
    answers: int = 0
    tools: Counter[str] = field(default_factory=Counter)
    passages: list[Passage] = field(default_factory=list)


def typed_texts(data: Record) -> tuple[str, ...]:
    """What a person typed in a record, also while the model worked; machines queue notifications in the same way.

    Where a record says who wrote it (`origin`), that decides; else the words by which machines begin.
    """
    origin, attachment = data.get("origin"), data.get("attachment")
    if data.get("type") == "attachment":
        return _queued_texts(attachment) if isinstance(attachment, dict) else ()
    if data.get("type") != "user" or any(data.get(key) for key in _MACHINE_KEYS):
        return ()
    author = origin.get("kind") if isinstance(origin, dict) else None
    if author not in (None, "human"):
        return ()
    plain = (CLIENT_MARKUP.sub(" ", words).strip() for words in prompt_texts(data))
    return tuple(
        words
        for words in plain
        if words and (not is_machine_text(words) or (author and not COMMAND_NAME.search(words)))
    )


def _queued_texts(attachment: Mapping[str, object]) -> tuple[str, ...]:
    origin, prompt = attachment.get("origin"), attachment.get("prompt")
    by_person = attachment.get("humanTurn") is True or (isinstance(origin, dict) and origin.get("kind") == "human")
    if attachment.get("type") != "queued_command" or not by_person:
        return ()
    texts = (block["text"].strip() for block in blocks_of({"content": prompt}) if block["type"] == "text")
    return tuple(filter(None, texts))


def person_prompts(path: Path) -> Iterator[str]:
    """Yield what a person typed in a session; of a large file only the beginning."""
    try:
        with path.open("rb") as file:
            for _, data in _records(file):
                yield from typed_texts(data)
                if file.tell() > MAX_PROMPT_BYTES:
                    return
    except OSError:
        return


def _records(file: IO[bytes]) -> Iterator[tuple[int, Record]]:
    """The records that may say something, with the number of their line; a line too long for us says nothing."""
    number, whole = 0, True
    while line := file.readline(MAX_LINE_BYTES):
        number += whole
        begins, whole = whole, line.endswith(b"\n")
        if begins and _NEEDED.search(line) and b'"tool_result"' not in line:
            fast = decode_fast(line)
            for data in parse_line(line).objects if fast is None else [fast]:
                yield number, data


def read_talk(path: Path) -> SessionTalk:
    """Read a session, without its sub-agents; raises `OSError`."""
    talk, title, seen = SessionTalk(), TitleCollector(), set[tuple[str, str]]()
    with path.open("rb") as file:
        for line, data in _records(file):
            title.add(data)
            if data.get("isSidechain") is True:
                continue
            said = [] if data.get("isApiErrorMessage") else _said(data, talk.tools)
            stamp = text(data.get("timestamp"))
            for person, words in said:
                if (stamp, words) in seen:  # repeated by a compaction
                    continue
                seen.add((stamp, words))
                talk.prompts += person
                talk.answers += not person
                talk.passages.append(Passage(line, stamp, person, words))
                talk.first, talk.last = talk.first or stamp, stamp or talk.last
                talk.branch = text(data.get("gitBranch")) or talk.branch
    talk.title = _clean(redact(str(title), scan(str(title))))
    return talk


def _said(data: Record, tools: Counter[str]) -> list[tuple[bool, str]]:
    """The texts of a record, with whether a person typed them; the calls are counted."""
    if data.get("type") != "assistant":
        return [(True, words) for words in typed_texts(data) or _command(data)]
    texts = []
    for block in blocks_of(data.get("message")):
        if block["type"] == "tool_use":
            tools[title_line(str(block.get("name")))] += 1
        elif block["type"] == "text" and block["text"].strip():
            texts.append((False, block["text"].strip()))
    return texts


def _command(data: Record) -> tuple[str, ...]:
    """A slash command that a person gave something to: "/review only the tests"."""
    for words in () if data.get("type") != "user" or data.get("isMeta") else prompt_texts(data):
        name, given = COMMAND_NAME.search(words), _ARGUMENTS.search(words)
        if name and given and given[1].strip():
            return (f"{name[1]} {given[1].strip()}",)
    return ()


def make_digest(path: Path, talk: SessionTalk, *, since: float = 0.0, max_chars: int = MAX_DIGEST_CHARS) -> str:
    """The digest of a session; what was said before `since` is left out. Over `max_chars` only by its first lines."""
    fresh = [_safe(one) for one in talk.passages if (parse_timestamp(one.stamp) or since) >= since]
    head = [f"# {talk.title or 'no title'}", talk_line(talk)]
    head.append(f"Transcript: {_clean(str(path))} (line numbers are those of this file)")
    if earlier := len(talk.passages) - len(fresh):
        day = time.strftime("%Y-%m-%d %H:%M", time.gmtime(since))
        head.append(f"What was said before {day} UTC is left out, until line {talk.passages[earlier - 1].line}.")
    room = max_chars - sum(len(line) + 1 for line in head)
    turns = _turns(fresh)
    for level in _LEVELS:
        parts = ["\n".join(_turn_lines(turn, *level)) for turn in turns]
        if sum(len(part) + 1 for part in parts) <= room:
            break
    kept: list[str] = []
    for part in reversed(parts):
        room -= len(part) + 1
        if room < 0:
            break
        kept.insert(0, part)
    if left := len(parts) - len(kept):
        last = turns[left - 1][-1].line
        kept.insert(0, f"({pluralize(left, 'older turn')} until line {last} left out: this digest would be too long)")
    return "\n".join([*head, "", *kept]) + "\n"


def talk_line(talk: SessionTalk) -> str:
    """When a session was, what was done in it, in one line."""
    first, last = _minute(talk.first), _minute(talk.last)
    when = first if last in ("", first) else f"{first} to {last.removeprefix(first[:11])} UTC"
    branch = f", branch {_clean(talk.branch)}" if talk.branch else ""
    tools = ", ".join(f"{_clean(name)} {count}" for name, count in talk.tools.most_common(6)) or "none"
    counts = f"{pluralize(talk.prompts, 'prompt')}, {pluralize(talk.answers, 'answer')}"
    return f"{when}{branch}; {counts}; tools: {tools}"


def _turns(passages: Iterable[Passage]) -> list[list[Passage]]:
    """Each prompt with the answers to it."""
    turns: list[list[Passage]] = []
    for one in passages:
        if one.person or not turns:
            turns.append([])
        turns[-1].append(one)
    return turns


def _turn_lines(turn: list[Passage], prompt: int, last: int, other: int) -> Iterator[str]:
    for one in turn:
        most = prompt if one.person else last if one is turn[-1] else other
        if not most:
            continue
        yield f"## Line {one.line}, {_minute(one.stamp)}, the person" if one.person else f"### Line {one.line}, answer"
        yield from (f"> {line}" for line in _cut(one.text, most).split("\n"))


def _safe(passage: Passage) -> Passage:
    """A passage without credentials and control characters, cut far beyond the size of which a level shows a part."""
    words = _cut(passage.text, _MAX_SCANNED_CHARS)
    return replace(passage, text=visible(redact(words, scan(words))))


def _cut(words: str, most: int) -> str:
    """A text without its middle, if it is longer."""
    if len(words) <= most + _MARK_CHARS:
        return words
    head = most * 2 // 3
    left = len(words) - most
    return f"{words[:head]}\n[… {left:,} characters left out …]\n{words[len(words) - (most - head) :]}"


def _minute(stamp: str) -> str:
    seconds = parse_timestamp(stamp)
    return "no time" if seconds is None else time.strftime("%Y-%m-%d %H:%M", time.gmtime(seconds))


def _clean(words: str) -> str:
    return visible(words, keep="")
