"""Textual's driver for a screen that is drawn on already."""

from textual.drivers.linux_driver import LinuxDriver

from memtui.tui.startup.terminal import ALTERNATE, Terminal


def taking_over(terminal: Terminal) -> type[LinuxDriver]:
    """A driver that takes the terminal over with what is on it."""

    class TakingOver(LinuxDriver):
        """Starts without entering the alternate screen again: some terminals would clear it."""

        def start_application_mode(self) -> None:
            terminal.hand_over()
            super().start_application_mode()  # type: ignore[no-untyped-call]

        def write(self, data: str) -> None:
            if data == ALTERNATE and not self._entered:
                self._entered = True
                return
            super().write(data)

        _entered = False

    return TakingOver
