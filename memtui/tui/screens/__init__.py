"""Whole screens that are opened over the main one: the editor and the comparison."""
