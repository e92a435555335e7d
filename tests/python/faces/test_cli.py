"""The command line as a process: pipes, terminals, signals, locales, faults."""

import json
import os
import pty
import signal
import subprocess
import sys
import time

import pytest

from tests.contract.faces import TOY, Cli, environment


@pytest.fixture
def cli(tmp_path):
    return Cli(TOY, environment(tmp_path))


def on_terminal(cli, *words, interrupt=False):
    """Run WORDS with stderr on a terminal; return what it showed and the exit code."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        cli.command(*words), env=cli.env, stdout=subprocess.PIPE, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    while part := read_some(ours):
        shown += part
        if interrupt and b"counting" in shown:
            # Not before the call waits: Python sees a signal late that comes just before a sleep.
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            interrupt = False
    os.close(ours)
    out, _ = process.communicate()
    return shown.decode(), process.returncode, out


def read_some(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""  # Linux tells the end of a terminal as an error.


def test_help_lists_every_operation_and_every_server(cli):
    done = cli.run("--help")

    shown = done.stdout.decode()
    assert (0, b"") == (done.returncode, done.stderr)
    for name in ("echo", "fail", "count", "mcp", "http", "epc", "jsonrpc", "--dir", "--json"):
        assert f"\n  {name}" in shown


def test_no_word_at_all_shows_the_help(cli):
    assert cli.run().stdout == cli.run("--help").stdout


def test_the_help_of_an_operation_tells_its_arguments(cli):
    shown = cli.run("echo", "--help").stdout.decode()

    assert "usage: roam-semantic echo QUERY" in shown
    assert "a number, 1 to 100 (default 10)" in shown
    assert "a word: auto, words (default auto)" in shown


def test_the_version_is_told(cli):
    assert cli.run("--version").stdout.startswith(b"roam-semantic ")


def test_a_mistake_is_told_on_stderr_in_one_sentence_and_a_hint(cli):
    done = cli.run("echo", "x", "--lmit", "3")

    assert (2, b"") == (done.returncode, done.stdout)
    assert (
        "roam-semantic: echo has no argument --lmit\n"
        "  echo takes query [k] [loud] [mode] [words] [within_s]\n"
    ) == done.stderr.decode()


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("bad-request", 2),
        ("not-found", 3),
        ("not-ready", 4),
        ("unavailable", 5),
        ("internal", 1),
        ("cancelled", 130),
    ],
)
def test_the_exit_code_tells_the_kind_of_failure(cli, kind, code):
    plain, as_json = cli.run("fail", kind), cli.run("fail", kind, "--json")

    assert (code, code) == (plain.returncode, as_json.returncode)
    assert (b"", b"") == (plain.stdout, as_json.stderr)
    assert kind == json.loads(as_json.stdout)["error"]["kind"]


def test_a_fault_of_ours_shows_no_traceback(cli, tmp_path):
    done = cli.run("fail", "fault")

    log = tmp_path / ".local/state/roam-semantic/faults.log"
    assert 1 == done.returncode
    assert b"Traceback" not in done.stdout + done.stderr
    assert str(log).encode() in done.stderr
    assert "ZeroDivisionError: a secret detail" in log.read_text()
    assert 0o600 == log.stat().st_mode & 0o777


def test_a_fault_is_told_where_no_log_can_be_written(cli, tmp_path):
    (tmp_path / "file").write_text("")
    done = cli.run("fail", "fault", XDG_STATE_HOME=str(tmp_path / "file" / "below"))

    assert 1 == done.returncode
    assert b"set ROAM_LOG" in done.stderr


def test_a_setting_that_cannot_be_meant_is_named(cli):
    done = cli.run("last-end", "--json", ROAM_SEARCH_PORT="many")

    assert 2 == done.returncode
    assert "ROAM_SEARCH_PORT" in json.loads(done.stdout)["error"]["message"]


def test_in_a_pipe_there_is_no_progress(cli):
    done = cli.run("count", "--steps", "3")

    assert b"text: counted to 3\n" == done.stdout
    assert b"counting" not in done.stderr


def test_on_a_terminal_progress_is_shown_and_taken_away(cli):
    shown, code, out = on_terminal(cli, "count", "--steps", "30")

    assert (0, b"text: counted to 30\n") == (code, out)
    assert "\r\x1b[Kcounting 0 of 30" in shown
    assert shown.endswith("\r\x1b[K")


def test_ctrl_c_stops_and_says_so(cli):
    shown, code, out = on_terminal(cli, "count", "--steps", "10000", interrupt=True)

    assert (130, b"") == (code, out)
    assert "roam-semantic: the request was cancelled" in shown
    assert "Traceback" not in shown


def test_a_call_that_does_not_listen_is_stopped_all_the_same(cli):
    # One step of a minute: it looks at nothing meanwhile.
    shown, code, _ = on_terminal(cli, "count", "--steps", "2", "--pause-s", "60", interrupt=True)

    assert 130 == code
    assert "roam-semantic: stopped by Ctrl-C" in shown


def test_a_reader_that_goes_away_is_no_error(cli):
    process = subprocess.Popen(
        cli.command("big", "--size", "5000000"),
        env=cli.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    _, errors = process.communicate()

    assert (141, b"") == (process.returncode, errors)


@pytest.mark.parametrize("locale", ["C", "POSIX", "xx_XX.ISO-8859-1"])
def test_output_is_utf_8_whatever_the_locale(cli, locale):
    done = cli.run("echo", "чай 🙂", LC_ALL=locale)

    assert "query: чай 🙂\n" in done.stdout.decode()


def test_bytes_that_are_no_text_are_mended(cli):
    done = subprocess.run(
        [*map(os.fsencode, cli.command("echo", "--json")), b"caf\xe9"],
        env=cli.env,
        capture_output=True,
        check=True,
    )

    assert "caf\ufffd" == json.loads(done.stdout)["query"]


def test_the_bytes_of_a_file_name_come_out_as_they_are():
    code = (
        "import sys; from roam_semantic.faces import cli;"
        "cli._write('/v/caf\\udce9.org'); cli._write('lone \\ud800')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True,
                          env={"PYTHONPATH": "python"})  # fmt: skip

    assert b"/v/caf\xe9.org\nlone \xef\xbf\xbd\n" == done.stdout


def test_what_a_terminal_would_obey_is_not_printed(cli):
    shown = cli.run("odd").stdout

    assert b"\x1b" not in shown
    assert b"\0" not in shown


def test_an_installation_with_a_hole_says_so_in_a_sentence(tmp_path):
    (tmp_path / "apsw.py").write_text("raise ImportError('no apsw here')")
    env = environment(tmp_path)
    env["PYTHONPATH"] = f"{tmp_path}:{env['PYTHONPATH']}"

    done = Cli("roam_semantic", env).run("--version")

    assert (1, b"") == (done.returncode, done.stdout)
    assert b"roam-semantic: it is not wholly installed: no apsw here\n" == done.stderr


@pytest.mark.parametrize(("entry", "name"), [("mcp_main", "mcp"), ("http_main", "http")])
def test_the_short_names_are_servers(tmp_path, entry, name):
    code = f"import sys; from roam_semantic.__main__ import {entry} as run; sys.exit(run())"
    done = subprocess.run(
        [sys.executable, "-c", code, "--help"], env=environment(tmp_path), capture_output=True
    )

    assert 0 == done.returncode
    assert f"usage: roam-semantic {name}".encode() in done.stdout
