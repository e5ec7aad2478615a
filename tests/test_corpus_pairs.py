"""The command that writes what is read of a new log beside it, and never over what is there."""

import shutil

import pytest
from corpus_logs import assert_rows_beside, beside, log_name, logs_of, read
from corpus_pairs import main

from sdanalysis.parsers import PARSERS


def copied(log, folder, kind):
    """A log of the corpus without its partner, in a corpus of its own."""
    place = folder / log.parent.parent.name / kind
    place.mkdir(parents=True, exist_ok=True)
    return shutil.copyfile(log, place / log.name)


@pytest.mark.parametrize("tool", PARSERS)
def test_the_table_of_a_valid_log_is_what_the_parser_reads(tool, tmp_path):
    new = [copied(log, tmp_path, "valid") for log in logs_of(tool, "valid")]
    assert main([str(log) for log in new]) == 0
    for log in new:
        assert_rows_beside(log, read(tool, log.read_bytes(), log_name(log))[0])


@pytest.mark.parametrize("tool", [tool for tool in PARSERS if tool != "fio"])
def test_the_errors_of_an_invalid_log_are_those_beside_it(tool, tmp_path):
    for log in logs_of(tool, "invalid"):
        new = copied(log, tmp_path, "invalid")
        assert main([str(new)]) == 0
        assert beside(new, ".error").read_bytes() == beside(log, ".error").read_bytes()


def test_beside_an_invalid_log_of_fio_stands_its_first_error(tmp_path):
    for log in logs_of("fio", "invalid"):
        new = copied(log, tmp_path, "invalid")
        assert main([str(new)]) == 0
        problems = read("fio", log.read_bytes(), log_name(log))[1]
        first = next(problem for problem in problems if problem.kind == "error")
        assert beside(new, ".error").read_text() == f"{first.line}: {first.text}\n"


@pytest.mark.parametrize(("kind", "suffix"), [("valid", ".csv"), ("invalid", ".error")])
def test_what_is_there_is_not_written_again(kind, suffix, tmp_path, capsys):
    log = copied(logs_of("dd", kind)[0], tmp_path, kind)
    beside(log, suffix).write_text("mine")
    assert main([str(log)]) == 1
    assert beside(log, suffix).read_text() == "mine"
    assert "is not written again" in capsys.readouterr().err


def test_the_next_log_is_written_although_one_was_refused(tmp_path):
    first, second = (copied(log, tmp_path, "valid") for log in logs_of("dd", "valid")[:2])
    beside(first, ".csv").write_text("mine")
    assert main([str(first), str(second)]) == 1
    assert beside(second, ".csv").exists()


def test_a_log_in_the_wrong_folder_is_refused_and_nothing_written(tmp_path, capsys):
    bad = copied(logs_of("dd", "invalid")[0], tmp_path, "valid")
    good = copied(logs_of("dd", "valid")[0], tmp_path, "invalid")
    script = copied(logs_of("script", "valid")[0], tmp_path, "valid")
    assert main([str(bad), str(good), str(script), str(tmp_path / "dd/valid/none.log")]) == 1
    told = capsys.readouterr().err
    assert "not a valid log" in told and "found no error" in told and "expected <tool>" in told
    assert not [*tmp_path.rglob("*.csv"), *tmp_path.rglob("*.error")]


def test_no_log_is_wrong_usage(capsys):
    assert main([]) == 2
    assert "LOG..." in capsys.readouterr().err
