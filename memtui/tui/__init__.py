"""The screen; the only package that imports Textual.

    read    engine reads ─▶ World (frozen) ─▶ AppState (app) ─▶ view.show(state) ─▶ panels ─▶ styles
    wish    key or panel's message ─▶ app ─▶ worker ─▶ engine ─▶ files ─▶ read again

`app` owns the state and is the only one that assigns it; `rooms` and `terminal_app` are what it stands on. `views`
fill the body (one at a time, mounted when first shown), `panels` are what views are made of and know no engine,
`dialogs` ask and return a typed value.
`keys` is every binding as data, `arrange` turns a world into `rows`, `session_rows` does so with the list of sessions,
`dream_rows` with runs of dreams, `markup` turns Markdown into drawn lines, `speech` does so with what a record of a
transcript says, `window` holds the rows around a place in one that nobody could hold.`theme` holds our
colours and the marks that a terminal may not be able to show.

`startup` draws the first frame before Textual is imported: the bytes of Textual's own last first frame, kept in
`frame_cache` and shown only if no file that it was made from has changed. What runs before that paint imports neither
Textual nor msgspec, typing or pathlib.

Invariants: a key never waits for a disk (threads read and write); foreign text reaches a widget only as `Content`
made from `base.text.visible`; nothing in a reactive is mutated; a refresh moves neither cursor nor scroll.
"""
