"""Questions; each dialog returns a typed value or None for "no"."""
