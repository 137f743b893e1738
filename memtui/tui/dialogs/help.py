"""Which keys work here: made from the bindings that are live, so it cannot be wrong."""

from collections.abc import Sequence

from textual.screen import Screen

from memtui.tui import keys
from memtui.tui.dialogs.choose import Choose, Option
from memtui.tui.theme import glyphs_of


def live_keys(screen: "Screen[object]") -> Sequence[Option[str]]:
    """The bindings that a key would reach now, the focused pane's first.

    Returns:
        One option per wish: the label is keys and words, the key is the action to run.
    """
    spell = glyphs_of(screen).spell
    places = {key.id: place for place, table in keys.PLACES.items() for key in table}
    found: dict[str, tuple[str, list[str], str]] = {}
    for active in screen.active_bindings.values():
        binding = active.binding
        if binding.id in places:
            display = binding.key_display or screen.app.get_key_display(binding)
            found.setdefault(binding.id, (binding.description, [], binding.action))[1].append(spell(display))
    order = [place for place in keys.PLACES if place != "Everywhere"] + ["Everywhere"]
    rows = sorted(found.items(), key=lambda item: order.index(places[item[0]]))
    rows.sort(key=lambda item: places[item[0]] in ("Lists", "Panes", "Everywhere"))
    return [
        Option(action, f"{' '.join(dict.fromkeys(shown)):<9} {words}", places[id_])
        for id_, (words, shown, action) in rows
    ]


def help_dialog(screen: "Screen[object]") -> Choose[str]:
    """Keys of the focused pane first; Enter does what the line says."""
    return Choose("Keys", live_keys(screen))
