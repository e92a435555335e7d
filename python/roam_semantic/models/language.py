"""Which language a note is written in: by script, then by its small words.

Meant to notice a vault the built-in English model serves badly, not to tell
close relatives apart.  No dependency, well under a millisecond a note.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

# Enough to know; the first lines of a note are as good as all of it.
SAMPLE = 3000
LEAST_HITS, LEAST_SHARE = 2, 0.06
# One Han character or syllable says about as much as three Latin letters.
WEIGHT = {"han": 3, "kana": 3, "hangul": 3}

NAMES: dict[str, str] = {
    "ar": "Arabic",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "ru": "Russian",
    "sv": "Swedish",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "zh": "Chinese",
}

_SMALL_WORDS: dict[str, str] = {
    "en": """the of and to is that for it with as are this be was on have you from or not by an
        but which what when they their can will how if we has been there would about more""",
    "de": """der die das und ist nicht ein eine zu den von mit sich des auf für dem auch als wie
        es im wird oder aus werden kann bei nach noch man nur wenn wir aber durch zum zur""",
    "fr": """le la les des et est une du dans que pour qui pas sur au avec ce il plus ne par sont
        se mais comme ou cette aux être on nous vous fait leur sa ses où donc elle""",
    "es": """el la los las y que en un una es por con para se del no su al lo como más pero sus le
        ha este si porque esta son entre cuando muy sin sobre también hay donde""",
    "pt": """o os que e do da em um uma para com não se na por mais as dos como mas ao das seu sua
        ou quando muito nos já também pelo pela até isso ela são está foi""",
    "it": """il di che è la un una per non sono con del della si le dei nel gli al più da come ma
        alla anche delle questo ha lo se dal cui essere quando nella""",
    "nl": """de het een en van is dat niet met voor op zijn aan te die ook door maar als bij wordt
        naar dan deze om uit nog kan worden wel geen meer""",
    "sv": """och att det som är en på för av med den till inte ett om har de jag men var sig så från
        när kan ska vi eller man hur""",
    "pl": """na do nie się że jest to jak po co tak za od przez ale dla są czy być oraz tym
        może tylko który które już""",
    "tr": """ve bir bu için ile olarak daha çok gibi olan ne var da de en kadar sonra ama değil her
        ya olduğu""",
}


def _by_word() -> dict[str, tuple[str, ...]]:
    """Return for each small word the languages that use it."""
    found: dict[str, tuple[str, ...]] = {}
    for language, words in _SMALL_WORDS.items():
        for word in words.split():
            found[word] = (*found.get(word, ()), language)
    return found


_LANGUAGES_OF = _by_word()
_ADDRESS = re.compile(r"(?:https?|file|id):[^\s\]]+")
_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile(r"[a-z]+")
_SCRIPT = re.compile(
    r"(?P<kana>[\u3041-\u30ff\uff66-\uff9d]+)|(?P<han>[\u3400-\u9fff\U00020000-\U0003134f]+)"
    r"|(?P<hangul>[\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e]+)|(?P<cyrillic>[\u0400-\u052f]+)"
    r"|(?P<el>[\u0370-\u03ff\u1f00-\u1fff]+)|(?P<ar>[\u0600-\u06ff]+)|(?P<he>[\u0590-\u05ff]+)"
    r"|(?P<th>[\u0e00-\u0e7f]+)|(?P<hi>[\u0900-\u097f]+)|(?P<latin>[\u00c0-\u024f]+)"
)
_ASCII = re.compile(r"[\x00-\x7f]+")
_UKRAINIAN = re.compile("[іїєґ]")


def guess(text: str) -> str:
    """Return the language of the org text TEXT ("en", "ja", …), "" when unsure."""
    sample = _ADDRESS.sub(" ", _prose(text)).lower()
    # Runs without the spaces between them: few, even in Russian.
    foreign = _ASCII.sub("", sample)
    if 50 * len(foreign) < len(sample):
        return _latin(sample)
    letters: Counter[str] = Counter(latin=sum(len(run) for run in _LATIN.findall(sample)))
    for run in _SCRIPT.finditer(foreign):
        script = run.lastgroup or ""
        letters[script] += (run.end() - run.start()) * WEIGHT.get(script, 1)
    latin = letters.pop("latin")
    if latin >= sum(letters.values()):
        return _latin(sample) or _other(letters, sample)
    return _other(letters, sample) or _latin(sample)


def mostly_foreign(counts: Mapping[str, int]) -> str | None:
    """Return the name of the main language when most notes are not English.

    counts: notes by what `guess` said; those it is unsure of do not count.
    None while at least half are English, or none is known.
    """
    known = {language: count for language, count in counts.items() if language and count > 0}
    if 2 * known.get("en", 0) >= sum(known.values()):
        return None
    foreign = ((count, language) for language, count in known.items() if language != "en")
    _, main = max(foreign)
    return NAMES.get(main, main)


def _other(letters: Mapping[str, int], sample: str) -> str:
    """Return the language of the most frequent script but Latin, "" without one."""
    count = Counter(letters)
    kana, cyrillic = count.pop("kana", 0), count["cyrillic"]
    count["han"] += kana
    (main, most), *_ = count.most_common(1)
    if not most:
        return ""
    if main == "han":
        # Chinese has no kana; a Japanese note may be nearly all kanji.
        return "ja" if kana * 20 > most else "zh"
    if main == "cyrillic":
        return "uk" if 40 * len(_UKRAINIAN.findall(sample)) > cyrillic else "ru"
    return "ko" if main == "hangul" else main


def _prose(text: str) -> str:
    """Return the first SAMPLE characters of TEXT that are prose.

    Property lines, keywords, code and tables are English in every vault.
    """
    lines: list[str] = []
    room, code = SAMPLE, False
    for line in text[: 5 * SAMPLE].split("\n"):
        start = line.lstrip()[:12].lower()
        if start.startswith(("#+begin_src", "#+begin_exam")):
            code = True
        elif start.startswith("#+end_"):
            code = False
        elif start.startswith("#+title:"):
            lines.append(line.split(":", 1)[1])
        elif not code and not start.startswith(("#+", "|")) and not _is_property(start):
            lines.append(line)
            room -= len(line)
            if room <= 0:
                break
    return "\n".join(lines)[:SAMPLE]


def _is_property(start: str) -> bool:
    return start.startswith(":") and not start.startswith(": ")


def _latin(sample: str) -> str:
    words = _WORD.findall(sample)
    hits: Counter[str] = Counter()
    for word, count in Counter(words).items():
        for language in _LANGUAGES_OF.get(word, ()):
            hits[language] += count
    if not hits:
        return ""
    # Ties go to English: its words stand in every vault, so it needs no warning.
    best = max(hits, key=lambda language: (hits[language], language == "en", language))
    enough = hits[best] >= max(LEAST_HITS, LEAST_SHARE * len(words))
    return best if enough else ""
