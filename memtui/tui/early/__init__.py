"""The first screen before Textual is imported: the same cells in the same places, drawn by hand.

Importing Textual is most of a start. Meanwhile the terminal shows what Textual will draw first: the last picture if
nothing has changed since, else the names in the memory folder. Textual then takes the screen over as it is.

    argv ─▶ first ─▶ picture (or place ─▶ names) ─▶ frame ─▶ ansi ─▶ terminal ─▶ … Textual … ─▶ driver takes over

- `first`     when to draw and what of
- `frame`     which pieces of text stand where: the layout of the first screen
- `ansi`      pieces and styles as escape sequences, in the colours that the terminal has
- `terminal`  the alternate screen, echo and cursor: taken, handed over, or given back if the start fails

Invariants: nothing here imports Textual, the engine or dataclasses; what `frame` draws is what Textual's first frame
shows, cell by cell (tests/tui/test_early.py), and where that can't be promised nothing is drawn.
"""
