"""A screen of a terminal, as tmux captures it, drawn as a picture."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

SGR = re.compile(r"\x1b\[([0-9;:]*)m")
FONTS = (
    "/usr/share/fonts/truetype/dejavu/DejaVuSansMono{}.ttf",
    "/usr/share/fonts/dejavu-sans-mono-fonts/DejaVuSansMono{}.ttf",
    "/Library/Fonts/DejaVuSansMono{}.ttf",
)
SIZE, MARGIN = 15, 12
INK, PAPER = (0x22, 0x22, 0x22), (0xFF, 0xFF, 0xFF)
# xterm's sixteen, a little darker where they must be read on white.
SIXTEEN = (
    0x000000, 0xB00020, 0x1B7F3B, 0x8A6100, 0x1A4FB4, 0x8B2FA3, 0x0B7285, 0x9E9E9E,
    0x6B6B6B, 0xD32F2F, 0x2E7D32, 0xB26A00, 0x1976D2, 0x9C27B0, 0x0097A7, 0xFFFFFF,
)  # fmt: skip

Colour = tuple[int, int, int]


class Style(NamedTuple):
    """How a cell looks; None: the terminal's own colour."""

    ink: Colour | None = None
    paper: Colour | None = None
    bold: bool = False
    underlined: bool = False
    inverse: bool = False


def draw(captured: str, columns: int, path: str) -> None:
    """Draw CAPTURED (`tmux capture-pane -e`), COLUMNS wide, into the PNG file PATH."""
    lines = captured.rstrip("\n").split("\n")
    fonts = {bold: _font(bold) for bold in (False, True)}
    width = round(fonts[False].getlength("M"))
    height = SIZE + 5
    picture = Image.new(
        "RGB", (columns * width + 2 * MARGIN, len(lines) * height + 2 * MARGIN), PAPER
    )
    pen = ImageDraw.Draw(picture)
    style = Style()
    for row, line in enumerate(lines):
        column = 0
        for text, shown in _runs(line, style):
            style = shown
            for char in text:
                cells = 2 if unicodedata.east_asian_width(char) in "WF" else 1
                place = MARGIN + column * width, MARGIN + row * height
                _cell(pen, fonts[style.bold], char, style, place, (cells * width, height))
                column += cells
    picture.quantize(64).save(path, optimize=True)


def _cell(
    pen: ImageDraw.ImageDraw,
    font: ImageFont.FreeTypeFont,
    char: str,
    style: Style,
    place: tuple[int, int],
    size: tuple[int, int],
) -> None:
    ink, paper = style.ink or INK, style.paper
    if style.inverse:
        ink, paper = paper or PAPER, style.ink or INK
    left, top = place
    if paper is not None:
        pen.rectangle((left, top, left + size[0] - 1, top + size[1] - 1), fill=paper)
    if char.strip():
        pen.text((left, top + 1), char, font=font, fill=ink)
    if style.underlined:
        pen.line((left, top + SIZE + 2, left + size[0], top + SIZE + 2), fill=ink)


def _runs(line: str, style: Style) -> Iterator[tuple[str, Style]]:
    """Yield (text, style) pieces of LINE, which starts in STYLE."""
    end = 0
    for match in SGR.finditer(line):
        yield line[end : match.start()], style
        style = _styled(style, match[1])
        end = match.end()
    yield line[end:], style


def _styled(style: Style, codes: str) -> Style:
    """Return STYLE after the SGR CODES ("1;38;5;12"), ECMA-48 section 8.3.117."""
    numbers = [int(code or 0) for code in re.split("[;:]", codes)]
    while numbers:
        code = numbers.pop(0)
        if code in (38, 48):
            colour = _extended(numbers)
            style = style._replace(ink=colour) if code == 38 else style._replace(paper=colour)
        elif code in (39, 49):
            style = style._replace(ink=None) if code == 39 else style._replace(paper=None)
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style = style._replace(ink=_rgb(SIXTEEN[code % 10 + (8 if code >= 90 else 0)]))
        elif 40 <= code <= 47 or 100 <= code <= 107:
            style = style._replace(paper=_rgb(SIXTEEN[code % 10 + (8 if code >= 100 else 0)]))
        else:
            style = _switched(style, code)
    return style


def _switched(style: Style, code: int) -> Style:
    match code:
        case 0:
            return Style()
        case 1 | 22:
            return style._replace(bold=code == 1)
        case 4 | 24:
            return style._replace(underlined=code == 4)
        case 7 | 27:
            return style._replace(inverse=code == 7)
        case _:
            return style


def _extended(numbers: list[int]) -> Colour:
    """Take a colour off the front of NUMBERS: 5;INDEX or 2;R;G;B."""
    if numbers.pop(0) == 2:
        red, green, blue = numbers[:3]
        del numbers[:3]
        return red, green, blue
    index = numbers.pop(0)
    if index < 16:
        return _rgb(SIXTEEN[index])
    if index >= 232:
        return (8 + 10 * (index - 232),) * 3
    steps = (0, 95, 135, 175, 215, 255)
    index -= 16
    return steps[index // 36], steps[index // 6 % 6], steps[index % 6]


def _rgb(value: int) -> Colour:
    return value >> 16, value >> 8 & 0xFF, value & 0xFF


def _font(bold: bool) -> ImageFont.FreeTypeFont:
    for name in FONTS:
        path = name.format("-Bold" if bold else "")
        if os.path.exists(path):
            return ImageFont.truetype(path, SIZE)
    raise SystemExit("DejaVu Sans Mono is missing (Debian: fonts-dejavu-core)")
