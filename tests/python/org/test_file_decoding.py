"""Bytes of a file to text, and the names of files that are notes."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roam_semantic.org.decode import NotText, decode
from roam_semantic.org.names import (
    is_conflict_copy,
    is_encrypted,
    is_hidden_folder,
    skip_reason,
)


def test_plain_text_is_utf_8():
    found = decode("* Пчёлы 🐝\n".encode())

    assert ("* Пчёлы 🐝\n", "\n", False, "utf-8") == (
        found.text, found.newline, found.bom, found.encoding,
    )  # fmt: skip


def test_an_empty_file_is_an_empty_text():
    assert "" == decode(b"").text


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ],
)
def test_a_byte_order_mark_is_no_character_and_names_the_encoding(mark, encoding):
    found = decode(mark + "* Bée 🐝\r\ny\r\n".encode(encoding))

    assert ("* Bée 🐝\ny\n", "\r\n", True, encoding) == (
        found.text, found.newline, found.bom, found.encoding,
    )  # fmt: skip


def test_dos_line_ends_become_plain_ones_and_are_told():
    found = decode(b"a\r\nb\r\n")

    assert ("a\nb\n", "\r\n") == (found.text, found.newline)


def test_mixed_line_ends_are_unix_ones_with_a_blank_for_each_carriage_return():
    found = decode(b"a\nb\r\nc\n")

    assert ("a\nb \nc\n", "\n") == (found.text, found.newline)


def test_a_bare_carriage_return_keeps_its_place_as_a_blank():
    assert "a b\n" == decode(b"a\rb\n").text


def test_a_long_file_is_judged_by_its_first_line_ends_too():
    found = decode(b"words\r\n" * 2000)

    assert ("words\n" * 2000, "\r\n") == (found.text, found.newline)


@pytest.mark.parametrize("control", [b"\0", b"\x01", b"\x0c", b"\x1b", b"\x7f"])
def test_a_stray_control_character_becomes_one_blank(control):
    assert "some bees hum here\n" == decode(b"some bees" + control + b"hum here\n").text


def test_tabs_stay():
    assert "a\tb\n" == decode(b"a\tb\n").text


def test_text_that_is_not_utf_8_is_legible_as_latin():
    found = decode("Käse für Bienen\n".encode("latin-1"))

    assert ("Käse für Bienen\n", "cp1252") == (found.text, found.encoding)


def test_bytes_windows_does_not_know_are_latin_1():
    found = decode(b"K\xe4se \x81\n")

    assert ("K\xe4se \x81\n", "latin-1") == (found.text, found.encoding)


@pytest.mark.parametrize("name", ["koi8-r", "koi8-r-unix", "KOI8-R-dos"])
def test_a_coding_cookie_is_believed(name):
    text = f"# -*- mode: org; coding: {name} -*-\nПчёлы\n"

    assert text == decode(text.encode("koi8-r")).text


def test_a_cookie_may_stand_in_the_second_line_and_not_in_the_third():
    raw = "Пчёлы".encode("cp1251")
    cookie = b"# -*- coding: windows-1251 -*-\n"

    assert "Пчёлы" in decode(b"\n" + cookie + raw).text
    assert "Пчёлы" not in decode(b"\n\n" + cookie + raw).text


@pytest.mark.parametrize("name", ["no-such-thing", "rot13", "zip", "hex", "utf-8"])
def test_a_cookie_that_cannot_be_followed_is_passed_over(name):
    found = decode(f"# -*- coding: {name} -*-\nKäse\n".encode("latin-1"))

    assert found.text.endswith("Käse\n")


def test_utf_8_is_believed_more_than_a_cookie():
    assert "Käse" in decode("# -*- coding: latin-1 -*-\nKäse\n".encode()).text


def test_utf_8_with_a_damaged_byte_loses_that_byte_alone():
    found = decode("Пчёлы и ".encode() + b"\xff" + " осы\n".encode())

    assert ("Пчёлы и \ufffd осы\n", "utf-8") == (found.text, found.encoding)


@pytest.mark.parametrize(
    "raw",
    [
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe0",
        b"%PDF-1.7\n",
        b"PK\x03\x04words",
        b"\x7fELF\x02",
        b"\x1f\x8b\x08",
        b"GIF89a",
        bytes(range(256)),
        b"a\0b\0c\0",
        b"\xe9\0words",
    ],
)
def test_a_binary_file_is_no_text(raw):
    with pytest.raises(NotText, match="^a binary file, not text$"):
        decode(raw)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t")))
@settings(deadline=None, max_examples=150)
def test_text_survives_its_way_through_a_file(text):
    # The character of the mark itself, put first, would be one.
    expected = text.removeprefix("\ufeff")

    assert expected == decode(text.encode()).text or text.startswith(("GIF8", "%PDF-"))


@given(st.binary(max_size=200))
@settings(deadline=None, max_examples=150)
def test_any_bytes_are_text_without_controls_or_no_text(raw):
    try:
        text = decode(raw).text
    except NotText:
        return

    assert not [char for char in text if (char < " " and char not in "\n\t") or char == "\x7f"]


# -- names


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (".#bees.org", "lock file"),
        ("#bees.org#", "auto-save"),
        ("bees.org~", "backup"),
        (".bees.org", "hidden file"),
        ("bees.org.gpg", "encrypted"),
        ("bees.org.age", "encrypted"),
        ("bees.sync-conflict-20240301-120000-ABCDEFG.org", "sync-conflict copy"),
        ("bees (Ann's conflicted copy 2024-03-01).org", "sync-conflict copy"),
        ("bees (conflicted copy 2024-03-01 120000).org", "sync-conflict copy"),
        ("bees (1).org", None),
        ("bees.orig.org", "sync-conflict copy"),
        ("bees.org", None),
        ("20240301120000-bees.org", None),
        ("#bees.org", None),
        ("conflict.org", None),
        ("the conflict of bees.org", None),
        ("пчёлы.org", None),
    ],
)
def test_a_name_tells_why_a_file_is_not_read(name, expected):
    assert expected == skip_reason(name)


def test_a_folder_with_a_dot_is_hidden():
    assert [True, True, False] == [is_hidden_folder(n) for n in (".git", ".attach", "daily")]


def test_an_encrypted_file_is_known_by_the_last_part_of_its_name():
    assert [True, True, False] == [
        is_encrypted(name) for name in ("a.org.GPG", "/v/a.org.pgp", "a.gpg.org")
    ]


def test_a_conflict_copy_is_known_without_its_folder():
    assert is_conflict_copy("a~20240301-120000.org")
    assert not is_conflict_copy("a.org")
