"""Where in an org text a link may be made of the words that stand there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from roam_semantic.org.elements import Elements, Span, line_end
from roam_semantic.org.links import BRACKET, CITATION, HIDDEN
from roam_semantic.values import Note

# Neither a letter nor a blank, so that no name reaches across it.
HOLE = "\0"
# Drawers that programs write, planning, clocks, and lines that are shown as they are.
LINES = re.compile(
    r"""^[ \t]*(?:
        :(?:properties|logbook|clock|clocking):[ \t]*\n(?:(?!\*+[ ]|[ \t]*:end:).*\n)*+[ \t]*:end:.*
      | (?:closed|deadline|scheduled|clock):.*
      | :(?:[ ].*|)(?=\n|\Z)
    )""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
INLINE = re.compile(
    r"""\[fn:[^\]\s:]*+[\]:]                 # the label of a footnote
      | <<<?[^<>\n]+>>>?                     # a target
      | <[A-Za-z][\w+-]{0,20}:[^<>\n]*>      # a link in angle brackets
      | [<\[]\d{4}-\d\d-\d\d[^>\]\n]*[>\]]   # a time stamp
      | src_\w+(?:\[[^\]\n]*\])?\{[^}\n]*\}  # code
      | \\[A-Za-z]+(?:\{[^}\n]*\})?          # LaTeX
      | \$[^$\s](?:[^$\n]{0,80}[^$\s])?\$
      | (?<!\w)[A-Za-z][\w+.-]{1,20}:(?=[^\s:])[^\s\]>]+  # a link without brackets
    """,
    re.VERBOSE,
)
STARS = re.compile(r"\*+[ \t]+")
TAGS = re.compile(r"[ \t]+:[\w@#%:]+:[ \t]*\Z")


def linkable(text: str, note: Note) -> str:
    """Return TEXT, of which NOTE was read, with a hole for each character no link may be at.

    These are links, code and what is shown to the letter, drawers, keywords,
    comments, headings that are nodes, and text that is not indexed.
    """
    spans = sorted(span for span in _spans(text, note) if span[0] < span[1])
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        if end > done:
            start = max(start, done)
            pieces += (text[done:start], HOLE * (end - start))
            done = end
    return "".join((*pieces, text[done:]))


def _spans(text: str, note: Note) -> Iterator[Span]:
    yield from Elements(text).opaque
    for pattern in (LINES, BRACKET, HIDDEN, INLINE):
        yield from (found.span() for found in pattern.finditer(text))
    at = text.find("[cite")
    while at >= 0:
        whole = CITATION.match(text, at)
        yield at, whole.end() if whole else at + len("[cite")
        at = text.find("[cite", at + 1)
    yield from _headings(text, note)


def _headings(text: str, note: Note) -> Iterator[Span]:
    nodes = {node.id for node in note.nodes if node.id is not None}
    sections = note.sections
    for place, section in enumerate(sections):
        head = section.pos - 1
        if section.excluded:
            last = place + 1 == len(sections)
            yield head, len(text) if last else sections[place + 1].pos - 1
        elif section.level:
            end = line_end(text, head)
            if section.id in nodes:
                yield head, end
            else:
                yield from _around_title(text, head, end, section.todo)


def _around_title(text: str, head: int, end: int, todo: str | None) -> Iterator[Span]:
    """Yield what stands around the title of the heading in TEXT[HEAD:END]."""
    stars = STARS.match(text, head, end)
    if stars is None:
        return
    start = stars.end()
    if todo and text.startswith(todo, start):
        start += len(todo)
    yield head, start
    line = text[head:end].rstrip("\n")
    tags = TAGS.search(line)
    if tags is not None:
        yield head + tags.start(), head + len(line)
