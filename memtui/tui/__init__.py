"""The screen; the only package that imports Textual.

    read      engine ─▶ Snapshot (frozen) ─▶ AppState (app) ─▶ view.show(state) ─▶ widgets ─▶ styles
    command   key, palette or click ─▶ commands.registry ─▶ service, in a thread ─▶ files ─▶ read again, once

`app` owns the state and is the only one that assigns it; `app_base` is what its widgets and commands know of it.
`views` fill the body (one at a time, mounted when first shown), `widgets` are what views are made of, `screens` lie
over them, `dialogs` ask and return a typed value. `loaders` read in threads and report by `messages`; `render` turns
what was read into drawn rows. `commands.registry` has every command: bindings, hints, help, palette and `config keys`
come from it. `theme` holds our colours and the marks that a terminal may not be able to show.

`startup` draws the first frame before Textual is imported: the bytes of Textual's own last first frame, kept in
`frame_cache` and shown only if no file that it was made from has changed. What runs before that paint imports neither
Textual nor msgspec, typing or pathlib. What is shown after the first frame is imported behind it, by `preload`.

Invariants: a key never waits for a disk or an import; foreign text reaches a widget only as `Content` made from
`util.text.visible`; nothing in a reactive is mutated; a refresh moves neither cursor nor scroll.
"""
