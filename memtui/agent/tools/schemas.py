"""What the model is told about each tool: our words, and the keys that its input may have."""

from collections.abc import Iterable
from typing import Any

_PATH = "Path of the file: relative to the memory folder, or absolute inside a folder that may be read."


def _text(words: str) -> dict[str, Any]:
    return {"type": "string", "description": words}


def _integer(words: str, least: int = 0) -> dict[str, Any]:
    return {"type": "integer", "minimum": least, "description": words}


def _flag(words: str) -> dict[str, Any]:
    return {"type": "boolean", "description": words}


def _tool(name: str, words: str, required: Iterable[str], **keys: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "description": words,
        "input_schema": {
            "type": "object",
            "properties": keys,
            "required": list(required),
            "additionalProperties": False,
        },
    }


SCHEMAS: dict[str, dict[str, Any]] = {
    schema["name"]: schema
    for schema in (
        _tool(
            "Read",
            "Read a text file. Each line comes with its number and a tab in front, which are not part of the file. "
            "Long files come in pieces: go on with offset.",
            ["file_path"],
            file_path=_text(_PATH),
            offset=_integer("First line, counted from 1.", 1),
            limit=_integer("How many lines.", 1),
        ),
        _tool(
            "Grep",
            "Search file contents with a regular expression (Python's syntax), below a folder or in one file. Links "
            "are not followed, files that may hold secrets are left out.",
            ["pattern"],
            pattern=_text("The regular expression; it is matched within one line."),
            path=_text("Folder or file to search; the memory folder if left out."),
            glob=_text("Only files whose names match, such as *.md or logs/**/*.md; with ! in front, all others."),
            output_mode={
                "type": "string",
                "enum": ["files_with_matches", "content", "count"],
                "description": "Names of files (as usual), the lines themselves, or how many there are in each file.",
            },
            **{
                "-i": _flag("Upper and lower case are the same."),
                "-o": _flag("Only what matched, not the whole line."),
                "-A": _integer("With content: lines after each match."),
                "-B": _integer("With content: lines before each match."),
                "-C": _integer("With content: lines before and after each match."),
            },
            multiline=_flag("The pattern may run over several lines, . matches line ends."),
            head_limit=_integer("Lines of the answer, 250 if left out.", 1),
            offset=_integer("Lines of the answer to leave out."),
        ),
        _tool(
            "Glob",
            "Find files by name, the latest first. * ? [abc] {a,b} work within a name, ** stands for any folders.",
            ["pattern"],
            pattern=_text("Such as **/*.md."),
            path=_text("Folder to start in; the memory folder if left out."),
        ),
        _tool(
            "Bash",
            "Run a command line that only reads: ls, cat, head, tail, wc, sort, uniq, find, grep, sed -n and their "
            "like, joined by pipes and &&. Nothing is written, no variables, no substitution, no redirection to a "
            "file. It starts in the memory folder.",
            ["command"],
            command=_text("The line."),
            description=_text("What it is for, in a few words."),
            timeout=_integer("Milliseconds after which it is stopped, at most 10000.", 1),
        ),
        _tool(
            "Edit",
            "Replace a text in a file of the memory folder. The file must have been read in this run, and old_string "
            "must be in it exactly once, unless replace_all is set.",
            ["file_path", "old_string", "new_string"],
            file_path=_text("Path of the file, inside the memory folder."),
            old_string=_text("The text as it stands in the file, without line numbers."),
            new_string=_text("What stands there afterwards."),
            replace_all=_flag("Replace it wherever it stands."),
        ),
        _tool(
            "Write",
            "Make a Markdown file in the memory folder, with the folders that lead to it, or replace one that has "
            "been read in this run. Edit is better for a small change.",
            ["file_path", "content"],
            file_path=_text("Path of the file, inside the memory folder; its name ends in .md."),
            content=_text("The whole file."),
        ),
    )
}
"""By name, in the order in which they are offered."""
