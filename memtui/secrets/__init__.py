"""Find text that looks like a credential.

In: any text. Out: `Finding`s with rule, place and a masked form; never the value itself, so a finding can be shown,
logged and sent.

- `scanner`   scan, mask, redact
- `patterns`  formats with a prefix of their own, and places by form: URLs, headers, command lines
- `keywords`  words beside which secrets stand; `context` the values near them
- `values`    whether a string is a credential or a placeholder, a reference, a hash, prose

Invariants: always on, no dependency, no network, nothing is validated with its service; comments such as
`gitleaks:allow` are not honoured, because an agent could write them: exceptions are made by fingerprint in the user's
settings; time grows linearly with the text.
"""
