"""A vault of generated notes: the same bytes on every machine.

Words follow a Zipf-like law.  The most frequent are real English stop words,
so that natural questions meet the long posting lists they meet in real notes;
the rest are made of syllables.  Each note has a topic of its own words, links
to other notes, headings with ids, tags and states, drawers, a list, a table
and a block.
"""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator

SEED = 20250101
STOP_WORDS = (  # noqa: SIM905 - words read better than a list of them
    "the of and to a in is it you that he was for on are with as i his they be at one have this "
    "from or had by not but what some we can out other were all there when up use your how said "
    "an each she which do their time if will way about many then them would like so these her "
    "long make thing see him two has look more day could go come did no most my over know than "
    "call first who may down side been now find any new work part take get place made where "
    "after back little only round man year came show every good me give our under"
).split()
VOCABULARY = 60_000
TOPICS = 400
TOPIC_WORDS = 150
HEADINGS = 5
STARTS = "b c ch d f g gr h k l m n p pl qu r s sh st str t th tr v w".split()  # noqa: SIM905
VOWELS = ("a", "e", "i", "o", "u", "ea", "ou")
ENDS = ("", "", "l", "m", "n", "nd", "r", "rt", "s", "t", "x")


class Words:
    """Draws words as notes have them."""

    def __init__(self, rng: random.Random) -> None:
        self.vocabulary = [*STOP_WORDS, *_invented(rng, VOCABULARY - len(STOP_WORDS))]
        weights = (1 / (rank + 2.7) for rank in range(len(self.vocabulary)))
        self._weights = list(itertools.accumulate(weights))
        content = range(len(STOP_WORDS) + 500, VOCABULARY)
        self._topics = [
            [self.vocabulary[i] for i in rng.sample(content, TOPIC_WORDS)] for _ in range(TOPICS)
        ]
        self._rng = rng

    def draw(self, count: int, topic: int) -> list[str]:
        """Return COUNT words, a fifth of them of TOPIC."""
        rng = self._rng
        words = rng.choices(self.vocabulary, cum_weights=self._weights, k=count)
        own = self._topics[topic % TOPICS]
        for place in range(rng.randrange(5), count, 5):
            words[place] = rng.choice(own)
        return words

    def content(self, count: int, topic: int) -> list[str]:
        """Return COUNT words of TOPIC alone: a title, a tag."""
        return self._rng.sample(self._topics[topic % TOPICS], count)


def _invented(rng: random.Random, count: int) -> list[str]:
    found: dict[str, None] = dict.fromkeys(STOP_WORDS)
    while len(found) < count + len(STOP_WORDS):
        found["".join(_syllable(rng) for _ in range(rng.choice((1, 2, 2, 2, 3))))] = None
    return list(found)[len(STOP_WORDS) :]


def _syllable(rng: random.Random) -> str:
    return rng.choice(STARTS) + rng.choice(VOWELS) + rng.choice(ENDS)


def texts(count: int, seed: int = SEED) -> Iterator[tuple[str, str]]:
    """Yield (file name, text) of COUNT notes of about 5 kB each."""
    rng = random.Random(seed)
    words = Words(rng)
    ids = [f"{rng.getrandbits(128):032x}" for _ in range(count)]
    for number, note_id in enumerate(ids):
        yield f"{number:06d}.org", _note(rng, words, note_id, ids)


def write(folder: str, count: int, seed: int = SEED) -> int:
    """Write COUNT notes into FOLDER; return how many bytes they have."""
    os.makedirs(folder, exist_ok=True)
    size = 0
    for name, text in texts(count, seed):
        raw = text.encode()
        with open(os.path.join(folder, name), "wb") as file:
            file.write(raw)
        size += len(raw)
    return size


def _note(rng: random.Random, words: Words, note_id: str, ids: list[str]) -> str:
    topic = rng.randrange(TOPICS)
    title = " ".join(words.content(3, topic)).capitalize()
    alias = " ".join(words.content(2, topic))
    lines = [
        ":PROPERTIES:",
        f":ID: {note_id}",
        f':ROAM_ALIASES: "{alias}"' if rng.random() < 0.3 else f":CREATED: [{_day(rng)}]",
        ":END:",
        f"#+title: {title}",
        f"#+filetags: :{':'.join(words.content(2, topic))}:",
        "",
        _paragraph(rng, words, topic, ids, rng.randint(75, 105)),
    ]
    for number in range(HEADINGS):
        lines += _heading(rng, words, topic, ids, number, f"{note_id}-{number}")
    return "\n".join(lines) + "\n"


def _heading(
    rng: random.Random, words: Words, topic: int, ids: list[str], number: int, heading_id: str
) -> list[str]:
    stars = "*" * (1 if number % 3 == 0 else 2)
    state = rng.choice(("", "", "", "TODO ", "DONE "))
    tag = f" :{words.content(1, topic)[0]}:" if rng.random() < 0.3 else ""
    lines = ["", f"{stars} {state}{' '.join(words.content(3, topic))}{tag}"]
    if state == "TODO ":
        lines.append(f"SCHEDULED: <{_day(rng)}>")
    if number % 5 == 0:
        lines += [":PROPERTIES:", f":ID: {heading_id}", ":END:"]
    if rng.random() < 0.2:
        lines += [":LOGBOOK:", f"- Note taken on [{_day(rng)} 10:00] \\\\", "  seen", ":END:"]
    lines.append(_paragraph(rng, words, topic, ids, rng.randint(75, 105)))
    lines += _extra(rng, words, topic, number)
    return lines


def _extra(rng: random.Random, words: Words, topic: int, number: int) -> list[str]:
    """Return a list, a table or a block for some headings."""
    if number == 1:
        return [f"- {' '.join(words.draw(6, topic))}" for _ in range(3)]
    if number == 2:
        rows = ["| " + " | ".join(words.draw(3, topic)) + " |" for _ in range(3)]
        return [rows[0], "|-", *rows[1:]]
    if number == 3:
        names = words.content(2, topic)
        return ["#+begin_src python", f"{names[0]} = {names[1]}({rng.randrange(99)})", "#+end_src"]
    return []


def _paragraph(rng: random.Random, words: Words, topic: int, ids: list[str], count: int) -> str:
    drawn = words.draw(count, topic)
    for place in range(11, count, 12):
        drawn[place] += "."
    drawn[rng.randrange(count)] = f"[[id:{rng.choice(ids)}][{drawn[0]}]]"
    if rng.random() < 0.2:
        drawn[rng.randrange(count)] = f"[[https://example.org/{drawn[1]}][{drawn[2]}]]"
    lines = [" ".join(drawn[start : start + 14]) for start in range(0, count, 14)]
    return "\n".join(lines)


def _day(rng: random.Random) -> str:
    return f"20{rng.randrange(10, 26)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d} Mon"
