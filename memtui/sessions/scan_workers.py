"""Scan many sessions, newest first; where there is much to read, in worker processes.

A worker runs `work`: it gets a few paths at a time on its standard input, one a line, and answers with one line each.
It ends when its input does, so that it never outlives the program that started it. Two workers are the measured
optimum, and only where the second core is free.
"""

import json
import os
import selectors
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from memtui.client.session_files import SessionFile
from memtui.transcripts.summary import SummaryScanner
from memtui.util.worker_process import worker_command

MIN_WORKER_BYTES: Final = 50 << 20  # with less to read, starting workers costs more than it saves
FILES_AHEAD: Final = 4  # files given to a worker in advance, and read ahead from the disk
Scanned = tuple[SessionFile, SummaryScanner | OSError]


def scan_many(files: Iterable[SessionFile], *, processes: int = 2) -> Generator[Scanned, None, None]:
    """Scan files from their start, newest first; with workers the answers may come a little out of this order.

    Yields each file with its scanner, whose `summary` is complete, or with the error that kept it from being read.
    Close the iterator to stop early (`contextlib.closing`): workers are gone when that returns. `processes` are the
    workers if there is much to read; 0 to read in this process in any case.
    """
    waiting = deque(sorted(files, key=lambda file: -file.modified))
    if processes > 0 and sum(file.size for file in waiting) >= MIN_WORKER_BYTES:
        with _started_workers(processes) as workers:
            yield from _shared(waiting, workers)
    while waiting:  # all of them, or what a worker that died has left
        file = waiting.popleft()
        if len(waiting) >= FILES_AHEAD:
            _will_need(waiting[FILES_AHEAD - 1].file_path)
        yield file, _scan(file.file_path)


class _Worker:
    """A process that scans. `given` are the files that it hasn't answered for yet, in order."""

    def __init__(self) -> None:
        self.given: deque[SessionFile] = deque()
        self.rest = b""
        self.process = subprocess.Popen(
            worker_command("memtui.sessions.scan_workers:work"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            process_group=0,  # Ctrl-C is for us, and we end it
        )
        assert self.process.stdin and self.process.stdout
        self.input, self.output = self.process.stdin, self.process.stdout

    def give(self, waiting: deque[SessionFile]) -> None:
        if waiting:
            file = waiting.popleft()
            self.given.append(file)
            _will_need(file.file_path)
            with suppress(BrokenPipeError):  # it has died, which its output tells
                self.input.write(json.dumps(file.file_path).encode() + b"\n")

    def answers(self) -> list[bytes] | None:
        """The answers that have arrived; None if it has died."""
        data = os.read(self.output.fileno(), 1 << 16)
        *lines, self.rest = (self.rest + data).split(b"\n")
        return lines if data else None

    def end(self) -> None:
        self.process.kill()
        self.input.close()
        self.output.close()
        self.process.wait()


@contextmanager
def _started_workers(count: int) -> Iterator[list[_Worker]]:
    workers: list[_Worker] = []
    try:
        with suppress(OSError):
            workers.extend(_Worker() for _ in range(count))
        yield workers
    finally:
        for worker in workers:
            worker.end()


def _shared(waiting: deque[SessionFile], workers: list[_Worker]) -> Iterator[Scanned]:
    """Let the workers scan files; what is left in `waiting` at the end is of workers that died."""
    with selectors.DefaultSelector() as ready:
        for worker in workers:
            ready.register(worker.output, selectors.EVENT_READ, worker)
        for worker in workers * FILES_AHEAD:
            worker.give(waiting)
        while any(worker.given for worker in workers):
            for key, _ in ready.select():
                worker = key.data
                answers = worker.answers()
                if answers is None:
                    ready.unregister(worker.output)
                    waiting.extendleft(reversed(worker.given))
                    worker.given.clear()
                for answer in answers or ():
                    file = worker.given.popleft()
                    worker.give(waiting)  # first, so that it works while we handle the answer
                    yield file, _read(answer, file.file_path)


def _scan(file_path: str) -> SummaryScanner | OSError:
    scanner = SummaryScanner()
    try:
        scanner.file(Path(file_path))
    except OSError as error:
        return error
    return scanner


def _answer(file_path: str) -> bytes:
    """The answer for a file: its scanner's state, or "!" and the number of an error."""
    found = _scan(file_path)
    return b"!%d" % (found.errno or 0) if isinstance(found, OSError) else found.state().encode()


def _read(answer: bytes, file_path: str) -> SummaryScanner | OSError:
    if answer.startswith(b"!"):
        number = int(answer[1:])
        return OSError(number, os.strerror(number), file_path)
    return SummaryScanner.resumed(answer.decode())


def _will_need(file_path: str) -> None:
    """Ask the system to read a file ahead: that halves the time where it comes from a disk."""
    if sys.platform != "linux":
        return
    with suppress(OSError):
        file = os.open(file_path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_WILLNEED)
        finally:
            os.close(file)


def work() -> None:
    """The main function of a worker."""
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(_answer(json.loads(line)) + b"\n")
        sys.stdout.buffer.flush()
