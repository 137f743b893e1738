"""An export as one HTML page: Markdown as it is meant, code in colours, no script, and nothing that is loaded."""

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Final

from markdown_it import MarkdownIt
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

if TYPE_CHECKING:
    from memtui.resume.export import Passage

MAX_COLOURED_CHARS: Final = 100_000  # a longer piece of code stays without colours: 1 s a megabyte
_CODE: Final = HtmlFormatter(nowrap=True)
_STYLE: Final = (
    "body{max-width:52rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 system-ui,sans-serif}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f4f4f4;padding:.6rem}"
    "h2{border-top:1px solid;padding-top:1rem}h3{font-size:1rem;margin:1.5rem 0 .3rem}details{margin:.5rem 0}"
    "table{border-collapse:collapse}td,th{border:1px solid #8888;padding:.2rem .5rem}"
    + _CODE.get_style_defs("pre")
    + "@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}pre{background:#222}a{color:#8cf}"
    + HtmlFormatter(nowrap=True, style="monokai").get_style_defs("pre")
    + "}"
)


def _coloured(code: str, language: str, _attributes: str = "") -> str:
    """Code as HTML, in colours where its language is known."""
    if not language or len(code) > MAX_COLOURED_CHARS:
        return escape(code)
    try:
        return str(highlight(code, get_lexer_by_name(language, stripnl=False), _CODE))
    except ClassNotFound:
        return escape(code)


def write_page(title: str, passages: Iterable["Passage"]) -> str:
    """The page; what stands in the passages is text or Markdown, never HTML."""
    markdown = MarkdownIt("commonmark", {"html": False, "highlight": _coloured}).enable("table").disable("image")
    body: list[str] = []
    for one in passages:
        body += [f"<h2>{escape(one.branch)}</h2>"] if one.branch else []
        body += [f"<h3>{escape(one.speaker)}</h3>"] if one.speaker else []
        if one.kind == "text":
            body.append(f"<section>{markdown.render(one.body)}</section>")
        elif one.kind == "code":
            code = _coloured(one.body, one.language)
            opened = " open" if one.language else ""
            body.append(f"<details{opened}><summary>{escape(one.label)}</summary><pre>{code}</pre></details>")
        elif one.body:
            body.append(f"<p>{escape(one.body)}</p>")
    return (
        f'<!doctype html>\n<html><head><meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
        f"</head>\n<body><h1>{escape(title)}</h1>\n" + "\n".join(body) + "\n</body></html>\n"
    )
