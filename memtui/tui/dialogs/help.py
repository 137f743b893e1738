"""Which keys work here: made from the bindings that are live, so it cannot be wrong."""

from collections.abc import Sequence

from textual.screen import Screen

from memtui.tui import keys
from memtui.tui.dialogs.choose import Choose, Option


def live_keys(screen: "Screen[object]") -> Sequence[Option[str]]:
    """The bindings that a key would reach now, the focused pane's first.

    Returns:
        One option per wish: the label is keys and words, the key is the action to run.
    """
    known = {key.id: key for table in keys.PLACES.values() for key in table}
    places = {key.id: place for place, table in keys.PLACES.items() for key in table}
    spelled: dict[str, list[str]] = {}
    options: dict[str, tuple[str, str, str]] = {}
    for active in screen.active_bindings.values():
        binding = active.binding
        if not binding.description or binding.system:
            continue
        wish = binding.id or binding.action
        spelled.setdefault(wish, []).append(known[wish].display if wish in known and known[wish].display else "")
        spelled[wish][-1] = spelled[wish][-1] or screen.app.get_key_display(binding)
        options.setdefault(wish, (binding.description, places.get(wish, "Here"), binding.action))
    order = [*keys.PLACES, "Here"]
    rows = sorted(options.items(), key=lambda item: -order.index(item[1][1]) if item[1][1] != "Everywhere" else 1)
    return [
        Option(action, f"{' '.join(dict.fromkeys(spelled[wish])):<10} {words}", place)
        for wish, (words, place, action) in rows
    ]


def help_dialog(screen: "Screen[object]") -> Choose[str]:
    """Keys of the focused pane first; Enter does what the line says."""
    return Choose("Keys", live_keys(screen))
