"""Texts as the numbers a model reads: tokenised, cut into windows, measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

# Tokens two neighbouring windows share, so that no sentence is only seen cut.
OVERLAP = 32
_CLS, _SEP, _UNKNOWN = "[CLS]", "[SEP]", "[UNK]"


class Tokens:
    """A tokenizer with a limit.  Nothing is ever padded or silently cut."""

    def __init__(self, tokenizer: Tokenizer, limit: int) -> None:
        # Files found in the wild carry padding and a limit of their own.
        tokenizer.no_padding()
        special = tokenizer.num_special_tokens_to_add(False)
        stride = min(OVERLAP, (limit - special) // 4)
        tokenizer.enable_truncation(limit, stride=stride)  # pyright: ignore[reportUnknownMemberType]
        # "[SEP]" in a note is five letters in brackets, not the end of a text.
        tokenizer.encode_special_tokens = True
        self._tokenizer = tokenizer
        self._special = special
        self._room = limit - special
        self._unknown = _unknown_id(tokenizer)

    def windows(self, text: str) -> list[list[int]]:
        """Return the token numbers of TEXT, a list for each window, none empty.

        No window at all: the model knows no character of TEXT.
        """
        encoding = self._encode(text)
        return [
            window.ids
            for window in (encoding, *encoding.overflowing)
            if self._says_something(window.ids)
        ]

    def too_long(self, text: str) -> bool:
        """Say whether TEXT needs more than one window."""
        # A token covers at least a byte, so a short text cannot be too long …
        if len(text) <= self._room and len(text.encode(errors="replace")) <= self._room:
            return False
        # … and a word is at least a token, so a very long one must be.
        if len(text) > 4 * self._room and len(text.split()) > self._room:
            return True
        # Of a text without spaces a start that is too long is reason enough.
        start = text[: 8 * self._room]
        return bool(
            self._encode(start).overflowing
            or (len(start) < len(text) and self._encode(text).overflowing)
        )

    def _encode(self, text: str) -> Encoding:
        # Half a surrogate pair is no character, and the tokenizer refuses it.
        return self._tokenizer.encode(text.encode(errors="replace").decode())

    def _says_something(self, ids: Sequence[int]) -> bool:
        if len(ids) <= self._special:
            return False
        return self._unknown is None or ids.count(self._unknown) < len(ids) - self._special


def from_vocabulary(vocabulary: bytes, limit: int, *, lowercase: bool = True) -> Tokens:
    """Return BERT's WordPiece tokenizer over VOCABULARY, a token a line.

    Raise ValueError when a token every such vocabulary has is missing.
    """
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import BertProcessing

    # Not splitlines: a token may be a character that some call a line end.
    lines = vocabulary.decode().replace("\r\n", "\n").removesuffix("\n").split("\n")
    numbers = {token: at for at, token in enumerate(lines)}
    for token in (_CLS, _SEP, _UNKNOWN):
        if token not in numbers:
            raise ValueError(f"the token {token} is missing")
    tokenizer = Tokenizer(WordPiece(numbers, unk_token=_UNKNOWN))
    tokenizer.normalizer = BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = BertProcessing((_SEP, numbers[_SEP]), (_CLS, numbers[_CLS]))
    return Tokens(tokenizer, limit)


def from_file(path: str, limit: int) -> Tokens:
    """Return the tokenizer of a tokenizer.json; raise ValueError when it is none."""
    from tokenizers import Tokenizer

    try:
        return Tokens(Tokenizer.from_file(path), limit)
    except Exception as error:  # noqa: BLE001 - the library raises bare Exception
        raise ValueError(str(error)) from error


def _unknown_id(tokenizer: Tokenizer) -> int | None:
    for token in (_UNKNOWN, "<unk>"):
        number = tokenizer.token_to_id(token)
        if number is not None:
            return number
    return None
