"""Tests; they mirror the package. A package, so that two folders may hold a test file of the same name."""
