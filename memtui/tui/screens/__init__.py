"""Whole screens that are opened over the main one: the editor, the comparison, the transcript reader."""
