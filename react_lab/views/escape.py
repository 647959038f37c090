"""Turn any text into safe HTML in which nothing is hidden.

What a model or a tool wrote is shown, never obeyed: markup is escaped, control characters
and marks that change the direction of writing become visible, and a right-to-left text
cannot reorder what stands beside it.

>>> show("<b>\\x1b[31mred")
'&lt;b&gt;⟨ESC⟩[31mred'
>>> show("safe\\u202egpj.exe")
'safe⟨U+202E⟩gpj.exe'
"""

from __future__ import annotations

import html
import re

# Line breaks and tabs stay. The zero-width joiner stays inside an emoji, where it belongs.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
    "|(?<![\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])\u200d"
)

_NAMES = {0: "NUL", 7: "BEL", 8: "BS", 11: "VT", 12: "FF", 13: "CR", 27: "ESC", 127: "DEL"}
_MATHS = re.compile(r"[$\\]")

BLOCK_STYLE = (
    "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;overflow:hidden;margin:2px 0 8px;padding:4px 8px;"
    "background:var(--jp-layout-color2,#f0f0f0);color:var(--jp-content-font-color1,#111)"
)


def visible(text: str) -> str:
    """Replace what cannot be seen by its name or code point: ⟨ESC⟩, ⟨NUL⟩, ⟨U+202E⟩."""
    return text if text.isascii() and text.isprintable() else _HIDDEN.sub(_sign, text)


def one_line(text: str, limit: int | None = None) -> str:
    """Return a text as one visible line; a longer one is cut at `limit` characters."""
    longest = None if limit is None else 4 * limit
    line = " ".join(visible(text[:longest]).split())  # visible first: split would drop U+2028
    return line if limit is None or len(line) <= limit else f"{line[: limit - 1]}…"


def show(text: object, limit: int | None = None) -> str:
    """Escape a text; cut it at `limit` characters and say how many were left out."""
    # Jupyter reads $...$ and \(...\) in a page as mathematics, links in it included, unless
    # the sign stands in an element of its own.
    return _MATHS.sub(r"<span>\g<0></span>", attribute(text, limit))


def attribute(text: object, limit: int | None = None) -> str:
    """Escape a text for a place where no element can stand: an attribute, a title, a block."""
    plain, left_out = shorten(str(text), limit)
    return html.escape(visible(plain), quote=True) + left_out


def shorten(text: str, limit: int | None) -> tuple[str, str]:
    """Return the first `limit` characters, and the note on how many more there are."""
    if limit is None or len(text) <= limit:
        return text, ""
    return text[:limit], f" … [{len(text) - limit:,} more characters]"


def isolated(text: object, limit: int | None = None) -> str:
    """Return a text that keeps its own direction of writing to itself."""
    return f"<bdi>{show(text, limit)}</bdi>"


def block(text: object, limit: int | None = 20_000) -> str:
    """Return a text as a block that keeps its line breaks and wraps long lines."""
    return f'<pre style="{BLOCK_STYLE}"><bdi>{attribute(text, limit)}</bdi></pre>'


def _sign(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"⟨{_NAMES.get(code, f'U+{code:04X}')}⟩"
