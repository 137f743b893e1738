"""What every other package stands on; it knows nothing of memory or of the agent client.

In: paths, bytes, text, an environment. Out: the same, made safe.

- `errors`     faults that we foresee, each with a hint for the user and an exit code
- `text`       foreign text made visible, and the words for ages, sizes and widths
- `dirs`       where our own files are
- `record`, `tabbed`   named tuples and rows of values in a file, for what a start can't wait for
- `filesystem` the calls of the system beneath, which a test may make fail
- `files`      reading without tearing, writing without losing
- `transfer`   files copied below a folder, and removed again, no link followed
- `records`    lists that are only ever added to
- `boundary`   may this actor read or write this path
- `locks`      one writer at a time among our own processes
- `process`    is that process alive, and is it still the same one
- `beside`     what is looked up by another process meanwhile
- `apart`      a function of ours in a fresh process
- `foreground` another program with this terminal, until it ends
- `crash`      a bug of ours, written down
- `config`     our own settings
- `match`      the filter syntax
- `meant`      which one of many a word means
- `secrets`    text that looks like a credential

Invariants: a write leaves the old file or the new one, whole, whatever instant it is stopped; no string that came from
disk or a model reaches a terminal before `text.visible`.
"""
