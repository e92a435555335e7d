"""Planning lines and their time stamps."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

PLANNING = re.compile(r"[ \t]*(?:CLOSED|DEADLINE|SCHEDULED):.*(?:\n|\Z)", re.IGNORECASE)
STAMP = re.compile(
    r"[ \t]*[\[<](\d{4})-(\d{2})-(\d{2})(?: +[^\]+0-9>\r\n -]+)?"
    r"(?: +(\d{1,2}):(\d{2}))?[^>\]\n]*[\]>]"
)


def planned(line: str, keyword: str) -> str | None:
    """Return the ISO time after the last KEYWORD ("SCHEDULED:") of a planning LINE.

    Local time without a zone, `2024-03-01T09:30:00`; None when there is none.
    A day that does not exist is counted on, as Emacs does: 30 February is 1 March.
    """
    at = line.upper().rfind(keyword)
    stamp = STAMP.match(line, at + len(keyword)) if at >= 0 else None
    if stamp is None:
        return None
    year, month, day = int(stamp[1]), int(stamp[2]), int(stamp[3])
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    try:
        found = datetime(year, month, 1) + timedelta(
            days=day - 1, hours=int(stamp[4] or 0), minutes=int(stamp[5] or 0)
        )
    except (ValueError, OverflowError):
        return None
    return found.isoformat()
