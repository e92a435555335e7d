"""A folder of Markdown pages as an org vault, so that known answers over one count.

Only what a search sees is kept: the front matter's title, headings, link
texts and paragraphs.  A page's id is its path.
"""

from __future__ import annotations

import os
import re

FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
TITLE = re.compile(r"^title:\s*[\"']?(.*?)[\"']?\s*$", re.MULTILINE)
HEADING = re.compile(r"^(#{1,6})\s+(.*)$", re.MULTILINE)
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
WIKI_LINK = re.compile(r"\[\[(?:[^\]|]*\|)?([^\]]*)\]\]")


def as_org(text: str, page: str) -> str:
    """Return the Markdown TEXT of PAGE as an org file with PAGE as its id."""
    front = FRONT_MATTER.match(text)
    body = text[front.end() :] if front else text
    titled = TITLE.search(front[1]) if front else None
    title = titled[1] if titled else os.path.splitext(os.path.basename(page))[0]
    body = LINK.sub(r"\1", body)
    body = WIKI_LINK.sub(r"\1", body)
    body = re.sub(r"^\*", "-", body, flags=re.MULTILINE)
    body = HEADING.sub(lambda found: f"{'*' * len(found[1])} {found[2]}", body)
    return f":PROPERTIES:\n:ID: {page}\n:END:\n#+title: {title}\n\n{body}\n"


def convert(folder: str, vault: str) -> int:
    """Write each page below FOLDER as a note into VAULT; return how many there are."""
    os.makedirs(vault, exist_ok=True)
    count = 0
    for parent, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name.endswith(".md"):
                path = os.path.join(parent, name)
                page = os.path.relpath(path, os.path.dirname(folder))
                with open(path, encoding="utf-8", errors="replace") as file:
                    note = as_org(file.read(), page)
                with open(os.path.join(vault, f"{count:05d}.org"), "w", encoding="utf-8") as file:
                    file.write(note)
                count += 1
    return count
