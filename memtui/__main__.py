"""The program: the screen for somebody who looks, the command line for everything else.

What the screen needs is told apart by hand, before click is imported, because `memtui` alone is what people type most.
This module stands above both: neither the screen nor the command line knows the other. What stands at its top takes
4 ms; everything else is imported behind the first paint, or by the command that needs it.
"""

import gc
import os
import signal
import sys
from collections.abc import Sequence

from memtui import __version__
from memtui.cli import COMMANDS, GlobalOptions

TYPE_CHECKING = False  # as in typing, whose import takes longer than all that `--version` does
if TYPE_CHECKING:
    from memtui.cli.context import KeyRow
    from memtui.tui.startup.frame_cache import FrameCache
    from memtui.tui.startup.terminal import Terminal


class ScreenOptions(GlobalOptions):
    """What was asked of the screen; `lone` says that the project stands alone, where a command could stand."""

    lone: bool = False
    demo: bool = False
    no_mouse: bool = False


def main(argv: Sequence[str] | None = None) -> int:
    """Answer one call of the program.

    Args:
        argv: The words after the program's name; those of the process if left out.

    Returns:
        The exit code.
    """
    args = sys.argv[1:] if argv is None else list(argv)
    _open_closed_streams()
    if args == ["--version"]:
        try:
            print(f"memtui {__version__}", flush=True)
        except OSError:
            return _run_command(args)  # says what is wrong
        return 0
    _end_by_signals(signal.SIGTERM, signal.SIGHUP)
    options = None if "_MEMTUI_COMPLETE" in os.environ else _screen_options(args)
    if options is not None and _has_terminal():
        return _open_screen(options, args)
    code = _run_command(args)
    if argv is None:
        gc.freeze()  # the process ends here: to look through all that it holds once more takes a tenth of an answer
    return code


def _run_command(args: Sequence[str]) -> int:
    """Answer on the command line."""
    _import_msgspec()
    from memtui.cli.context import CliContext
    from memtui.cli.errors import guarded
    from memtui.cli.shortcut import shortcut

    # Little of what an answer is made of becomes garbage before it ends: the usual threshold costs a tenth of it.
    gc.set_threshold(50_000)
    call = CliContext()
    short = None if "_MEMTUI_COMPLETE" in os.environ else shortcut(args, call)
    if short is not None:
        return guarded(short, call, args)
    from memtui.cli.main import answer  # with click, 60 ms, which a short answer does without

    return answer(args, keys=_keys)


def _import_msgspec() -> None:
    """Import msgspec without typing_extensions: it takes `typing` instead, which knows all that our types use.

    That other import, with `inspect`, is a third of msgspec's own and 5 ms of every answer.
    """
    if "msgspec" in sys.modules or "typing_extensions" in sys.modules:
        return
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]  # as the import system marks what isn't there
    try:
        import msgspec  # noqa: F401 - here because of the line above
    finally:
        del sys.modules["typing_extensions"]


_FLAGS = {
    f"--{name.replace('_', '-')}": name
    for name in ("demo", "ascii", "read_only", "no_color", "no_mouse", "show_secrets")
}
_VALUES = {"--project": "project", "--config-dir": "config_dir"}


def _screen_options(args: Sequence[str]) -> ScreenOptions | None:
    """What is asked of the screen; `None` if the words are a command's, or wrong: the command line says that better."""
    options = ScreenOptions()
    words = iter(args)
    for word in words:
        name, equals, value = word.partition("=")
        if word in _FLAGS:
            setattr(options, _FLAGS[word], True)
        elif name in _VALUES:
            given = value if equals else next(words, None)
            if given is None:
                return None
            setattr(options, _VALUES[name], given)
        elif word.startswith("-") or not word or options.project is not None or word in COMMANDS:
            return None
        else:
            options.project, options.lone = word, True
    return options


def _has_terminal() -> bool:
    """Whether both ends are a terminal that can draw."""
    try:
        terminals = sys.stdin.isatty() and sys.stdout.isatty()
    except (AttributeError, ValueError):
        return False
    return terminals and os.environ.get("TERM", "") not in ("", "dumb", "unknown")


def _open_closed_streams() -> None:
    """Let a stream that is closed (`>&-`) be /dev/null; the next file to be opened would get its number otherwise."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = open(os.devnull, mode)  # noqa: PTH123, SIM115 - for good
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)


def _end_by_signals(*numbers: int) -> None:
    """End on these as on an error: what is half done is undone on the way out."""

    def stop(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    try:
        for number in numbers:
            if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup: that stays
                signal.signal(number, stop)
    except ValueError:
        return  # not the main thread: whoever started us handles signals


def _open_screen(options: ScreenOptions, args: Sequence[str]) -> int:
    """Draw the last start's first frame, if it is still true, and run the screen."""
    from memtui.tui.startup.terminal import Terminal

    if options.no_color:
        os.environ["NO_COLOR"] = "1"  # Textual reads it when it is imported
    _end_by_signals(signal.SIGQUIT)
    # Nothing that the start makes is garbage soon: collecting meanwhile costs a tenth of it. The app turns it on again.
    gc.disable()
    try:
        with Terminal() as terminal:
            return _run_screen(options, args, terminal, _draw_first(options, terminal))
    finally:
        gc.enable()


def _draw_first(options: ScreenOptions, terminal: "Terminal") -> "FrameCache | None":
    """Draw something before anything else is imported; returns where the frame of this start is kept."""
    from memtui.tui.startup.frame_cache import FrameCache
    from memtui.tui.startup.terminal import PLACEHOLDER, terminal_size

    if options.project is not None or options.demo or options.show_secrets:
        return None  # what they lead to is known too late; secrets are never kept in a frame
    try:
        size = terminal_size(os.environ)
    except (OSError, ValueError):
        return None
    cache = FrameCache.of_start(size, config_dir=options.config_dir, ascii=options.ascii, read_only=options.read_only)
    if cache is not None:
        terminal.draw(cache.read() or PLACEHOLDER)
    return cache


def _run_screen(options: ScreenOptions, args: Sequence[str], terminal: "Terminal", cache: "FrameCache | None") -> int:
    """Find what was asked for and hand it to the app; the terminal is given back before an error is told."""
    from memtui.cli.context import CliContext  # behind the first paint, like all below
    from memtui.cli.errors import guarded

    call = CliContext()
    call.options = options

    def run() -> int:
        from memtui.cli.entry import open_workspace
        from memtui.tui import run as screen
        from memtui.tui.startup.start import StartContext

        if options.lone and not options.demo:
            call.lone_word()
        with terminal, open_workspace(call, demo=options.demo) as found:
            opened = found.context
            start = StartContext(
                opened.location, opened.env.home, opened.dirs.cache, options.read_only, call.now,
                lambda: opened.workspace, None if found.sample else cache,
            )  # fmt: skip
            return screen.run(
                start, call.config, ascii_only=options.ascii, terminal=terminal, open_sample=found.open_sample,
                sample=found.sample, mouse=not options.no_mouse, secrets=options.show_secrets,
            )  # fmt: skip

    return guarded(run, call, args)


def _keys() -> "Sequence[KeyRow]":
    """The screen's keys, for `config keys`."""
    from memtui.cli.context import KeyRow
    from memtui.tui import preload
    from memtui.tui.commands import registry

    preload.load_all()
    return [
        KeyRow(command.id, registry.place_of(command).title, command.keys, command.title)
        for command in registry.all_commands()
    ]


if __name__ == "__main__":
    sys.exit(main())
