"""The heading at a place of a file, and where what belongs to it ends."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from roam_semantic.values import Note, Section

# Past the last character of any file that is read.
END = 1 << 31


class Heading(msgspec.Struct, frozen=True):
    """A heading with the headings below it.

    pos: where it starts; end: where the next one of its level or above does
        (or past the last character).
    """

    title: str
    outline_path: tuple[str, ...]
    line: int
    pos: int
    end: int


def heading_at(note: Note, pos: int) -> Heading | None:
    """Return the heading of NOTE at POS, or None before the first one."""
    sections = note.sections
    place = max((n for n, section in enumerate(sections) if section.pos <= pos), default=0)
    if not sections or sections[place].level == 0:
        return None
    section = sections[place]
    return Heading(
        title=section.title,
        outline_path=(*section.outline_path, section.title),
        line=section.line,
        pos=section.pos,
        end=end_of(sections, place),
    )


def end_of(sections: Sequence[Section], place: int) -> int:
    """Return the pos of the section that ends the subtree of section PLACE."""
    level = sections[place].level
    for section in sections[place + 1 :]:
        if section.level <= level:
            return section.pos
    return END
