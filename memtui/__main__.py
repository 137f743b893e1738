"""The program: the screen for somebody who looks, the command line for everything else.

What the screen needs is told apart by hand, before click is imported, because `memtui` alone is what people type most.
This module stands above both: neither the screen nor the command line knows the other.
"""

import os
import sys

from memtui import __version__

TYPE_CHECKING = False  # as in typing, whose import costs more than all that `--version` does
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memtui.cli.context import KeyRow
    from memtui.tui.startup.first import First


class Screen:
    """What was asked of the screen."""

    def __init__(self) -> None:
        self.project: str | None = None
        self.lone = False  # it stands alone, where a command could stand
        self.config_dir: str | None = None
        self.demo = False
        self.ascii = False
        self.read_only = False
        self.no_color = False
        self.no_mouse = False


def main(argv: "Sequence[str] | None" = None) -> int:
    """Answer one call of the program.

    Args:
        argv: The words after the program's name; those of the process if left out.

    Returns:
        The exit code.
    """
    args = sys.argv[1:] if argv is None else list(argv)
    if args == ["--version"]:
        print(f"memtui {__version__}")
        return 0
    screen = _screen(args)
    if screen is not None and _somebody_looks() and "_MEMTUI_COMPLETE" not in os.environ:
        return _open(screen, args)
    _end_by_signal()
    code = _answer(args)
    if argv is None:
        import gc

        gc.freeze()  # the process ends here: to look through all that it holds once more takes a tenth of an answer
    return code


def _answer(args: "Sequence[str]") -> int:
    """Answer on the command line."""
    import gc

    from memtui.cli.context import CliContext
    from memtui.cli.errors import guarded
    from memtui.cli.shortcut import shortcut

    # Little of what an answer is made of becomes garbage before it ends: the usual threshold costs a tenth of it.
    gc.set_threshold(50_000)
    call = CliContext()
    short = None if "_MEMTUI_COMPLETE" in os.environ else shortcut(args, call)
    if short is not None:
        return guarded(short, call, args)
    from memtui.cli.main import answer

    return answer(args, keys=_keys)


_FLAGS = {"--demo": "demo", "--ascii": "ascii", "--read-only": "read_only", "--no-color": "no_color"} | {
    "--no-mouse": "no_mouse"
}
_VALUES = {"--project": "project", "--config-dir": "config_dir"}


def _screen(args: "Sequence[str]") -> Screen | None:
    """What the words ask of the screen; `None` if they are a command's, or wrong: the command line says that better."""
    screen = Screen()
    words = iter(args)
    for word in words:
        name, equals, value = word.partition("=")
        if word in _FLAGS:
            setattr(screen, _FLAGS[word], True)
        elif name in _VALUES:
            given = value if equals else next(words, None)
            if given is None:
                return None
            setattr(screen, _VALUES[name], given)
        elif word.startswith("-") or not word or screen.project is not None:
            return None
        else:
            from memtui.cli import COMMANDS

            if word in COMMANDS:
                return None
            screen.project, screen.lone = word, True
    return screen


def _somebody_looks() -> bool:
    """Whether both ends are a terminal that can draw."""
    try:
        terminals = sys.stdin.isatty() and sys.stdout.isatty()
    except (AttributeError, ValueError):
        return False
    return terminals and os.environ.get("TERM", "") not in ("", "dumb", "unknown")


def _end_by_signal() -> None:
    """End on SIGTERM as on a fault: what is half done is undone on the way out."""
    import signal

    def stop(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    try:
        signal.signal(signal.SIGTERM, stop)
    except ValueError:
        return  # not the main thread: whoever started us handles signals


def _open(screen: Screen, args: "Sequence[str]") -> int:
    """Run the screen over what was asked for; the first one stands before anything else is imported."""
    import gc

    if screen.no_color:
        os.environ["NO_COLOR"] = "1"  # Textual reads it when it is imported
    # Nothing that the start makes is garbage soon: collecting meanwhile costs a tenth of it. The app turns it on again.
    gc.disable()
    try:
        return _open_first(screen, args)
    finally:
        gc.enable()


def _open_first(screen: Screen, args: "Sequence[str]") -> int:
    """Draw the first screen, if it can be drawn by hand, and go on."""
    if os.name != "posix":
        return _run(screen, args, None)
    from memtui.tui.startup.first import First

    _end_by_signal()
    with First(ascii=screen.ascii, read_only=screen.read_only) as first:
        if screen.project is None and not screen.demo:
            first.remember(screen.config_dir)
        return _run(screen, args, first)


def _run(screen: Screen, args: "Sequence[str]", first: "First | None") -> int:
    """Find what was asked for and hand it to the app; the terminal is given back before a fault is told."""
    from memtui.cli.context import CliContext
    from memtui.cli.errors import guarded

    call = CliContext()
    options = call.options
    options.project, options.config_dir = screen.project, screen.config_dir
    options.ascii, options.read_only, options.no_color = screen.ascii, screen.read_only, screen.no_color

    def run() -> int:
        from contextlib import nullcontext

        from memtui.cli.entry import open_workspace
        from memtui.tui.startup.start import StartContext

        if screen.lone and not screen.demo:
            call.lone_word()
        with first or nullcontext(), open_workspace(call, demo=screen.demo) as found:
            cache, make, environ = found.dirs.cache, lambda: found.workspace, found.env.environ
            start = StartContext(found.location, found.env.home, cache, options.read_only, call.now, make, environ)
            if first is not None:
                start = first.known(start, call.config, sample=found.sample)
            from memtui.tui.glyphs import wanted_glyphs
            from memtui.tui.run import Options
            from memtui.tui.run import run as show

            return show(
                Options(
                    start=start,
                    config=call.config,
                    glyphs=wanted_glyphs(call.config["glyphs"], sys.stdout.encoding, ascii_only=screen.ascii),
                    terminal=None if first is None else first.terminal,
                    open_sample=found.open_sample,
                    sample=found.sample,
                    mouse=not screen.no_mouse,
                )
            )

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
