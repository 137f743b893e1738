"""Textual's driver for a screen that is drawn on already."""

from textual.drivers.linux_driver import LinuxDriver

from memtui.tui.startup.terminal import ALTERNATE_SCREEN, Terminal


def driver_for(terminal: Terminal) -> type[LinuxDriver]:
    class StartedDriver(LinuxDriver):
        """Doesn't enter the alternate screen a second time: some terminals would clear it."""

        _entered = False

        def start_application_mode(self) -> None:
            terminal.hand_over()
            super().start_application_mode()  # type: ignore[no-untyped-call]

        def write(self, data: str) -> None:
            if data == ALTERNATE_SCREEN and not self._entered:
                self._entered = True
            else:
                super().write(data)

    return StartedDriver
