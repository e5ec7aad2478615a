"""The commands as a user meets them: what they print, where, and their exit codes."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import sdanalysis
from sdanalysis import audit
from sdanalysis.archive.chunks import CHUNK
from sdanalysis.cli import COMMANDS, _parser, compare, main, manual
from sdanalysis.cli.write import FORMATS, write_text
from sdanalysis.codebook.columns import LOG_COLUMNS, LOG_STATUSES
from sdanalysis.codebook.tables import WHAT
from sdanalysis.paths import expand

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "tests" / "corpus"
COMMITTED = ROOT / "data" / "processed" / "measurements.csv"
ID = "kulesz-2017/iozone-usb3.txt:9:3"
HEAVY = ("matplotlib", "nbconvert", "nbformat", "numpy", "pandas", "papermill", "scipy", "seaborn")


def run(*arguments, python=("-m", "sdanalysis"), **options):
    """A command in a Python of its own, as a shell starts it."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run(
        [sys.executable, *python, *arguments],
        cwd=ROOT,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        **options,
    )


# --- start ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["--help"], ["compare", "--help"], ["explain", ID]])
def test_help_and_explain_load_no_numeric_library(arguments):
    code = (
        "import sys\nfrom sdanalysis.cli import main\n"
        "try:\n    code = main(sys.argv[1:])\nexcept SystemExit as end:\n    code = end.code\n"
        f"print(code, *(name for name in {HEAVY} if name in sys.modules), file=sys.stderr)"
    )
    done = run(*arguments, python=("-c", code), stdout=subprocess.PIPE)
    assert done.stderr == "0\n"
    assert done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_that_the_general_help_names(capsys, command):
    for arguments in (["--help"], [command, "--help"]):
        with pytest.raises(SystemExit) as end:
            main(arguments)
        assert end.value.code == 0
        printed = " ".join(capsys.readouterr().out.split())
        assert command in printed
    codes = printed[printed.index("exit code: 0 ") :].partition("example")[0]
    assert re.match(r"exit code: 0 .+, 1 .+, 2 wrong usage, .*130 interrupted", codes)


def test_the_help_has_the_words_of_the_code():
    commands = manual.commands(_parser(COMMANDS))
    actions = {
        name: {action.dest: action for action in command._actions}
        for name, command in commands.items()
    }
    assert actions["parse"]["format"].choices == [*FORMATS.values(), "table"]
    assert actions["parse"]["what"].choices == [*WHAT]
    assert actions["compare"]["format"].choices == [*compare._ENDINGS.values()]
    assert actions["archive"]["chunk"].default == CHUNK
    assert f"(default: {CHUNK})" in actions["archive"]["chunk"].help
    for status, meaning in LOG_STATUSES.items():
        assert re.search(rf"^  {status} +{re.escape(meaning)}$", commands["parse"].epilog, re.M)


@pytest.mark.parametrize(
    "arguments",
    [
        ["report", "no-such"],
        ["report", "02_read_write_ratio", "-p", "no-such", "1"],
        ["report", "02_read_write_ratio", "-p", "confidence", "much"],
        ["report", "02_read_write_ratio", "-p", "form", "SD", "-p", "form", "CF"],
        ["report", "--list", "--set", "x.toml"],
        ["check", "--rule", "bad luck"],
        ["mine", str(CORPUS / "hdparm/t--9.65.log"), "--host", "pi-4b", "--reader", "no"],
        ["mine", "x.log", "-o", "x.pdf"],
        ["new-source", "No Such"],
    ],
)
def test_what_a_command_line_names_and_is_not_there_is_wrong_usage(tmp_path, capsys, arguments):
    assert main([*arguments, *(["-o", str(tmp_path)] if arguments[0] == "report" else [])]) == 2
    said = capsys.readouterr().err
    assert any(word in said for word in (": found ", "no notebook has it", "goes without"))


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("pars x.log", "parse"),
        ("parse x.log --fromat csv", "--format"),
        ("parse x.log --format cvs", "csv"),
        ("report 02_read_write", "02_read_write_ratio"),
        ("report 02_read_write_ratio -p acces x", "access"),
        ("check --rule exchanged", "exchanged columns"),
    ],
)
def test_a_word_that_is_not_known_suggests_the_near_one(capsys, line, near):
    with suppress(SystemExit):
        main(line.split())
    assert capsys.readouterr().err.endswith(f"; did you mean {near!r}?\n")


@pytest.mark.parametrize(
    ("command", "what"),
    [
        (["build"], "dataset.build"),
        (["report"], "report.run"),
        (["mine", "x.log"], "cli.mine.read_all"),
        (["parse", "x.log"], "cli.parse.read_all"),
    ],
)
def test_an_interrupt_ends_with_130_and_no_traceback(capsys, monkeypatch, tmp_path, command, what):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    import_module(f"sdanalysis.{what.rpartition('.')[0]}")
    monkeypatch.setattr(f"sdanalysis.{what}", interrupted)
    monkeypatch.chdir(tmp_path)
    Path("x.log").touch()
    assert main(command) == 130
    assert capsys.readouterr().err == f"sdanalysis {command[0]}: interrupted\n"


@pytest.mark.parametrize(
    "arguments",
    [[], ["bild"], ["explain"], ["explain", ID, ID], ["build", "--fast"], ["check", "--rule"]],
)
def test_wrong_usage_ends_with_2_and_says_how_it_is_used(capsys, arguments):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    printed = capsys.readouterr()
    assert end.value.code == 2
    assert printed.out == ""
    assert printed.err.startswith("usage: sdanalysis")


# --- build ---------------------------------------------------------------------------------------


def test_build_writes_the_table_and_tells_what_is_in_it(capsys, data):
    assert main(["build", "--data", str(data)]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    table = data / "processed" / "measurements.csv"
    assert table.read_bytes() == COMMITTED.read_bytes()
    figures = re.findall(r"^(\S+) +(\d+) figures, +(\d+) with a value", printed.out, re.MULTILINE)
    assert len(figures) == 5 + 3
    assert sum(int(number) for _, number, _ in figures[:5]) == 635
    assert f"{table}: 635 rows\n{figures[5][0]}" in printed.out  # then the companions
    companions = table.with_name("companions.csv")
    assert companions.read_bytes() == COMMITTED.with_name("companions.csv").read_bytes()
    assert printed.out.endswith(f"{companions}: 1407 rows\n")


def test_build_writes_where_it_is_told_to_and_makes_the_folder(tmp_path):
    table = tmp_path / "new" / "table.csv"
    assert main(["build", "-o", str(table)]) == 0
    assert table.read_bytes() == COMMITTED.read_bytes()
    assert [path.name for path in table.parent.iterdir()] == ["table.csv"]


def test_an_error_stands_on_stderr_with_its_place_and_ends_with_1(capsys, data, edit):
    path = edit("raw/kulesz-2017/iozone-usb2.txt", "9.58", "fast")
    assert main(["build", "--data", str(data)]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    problem = "table iozone-usb2: found 'fast', expected a number"
    assert printed.err == f"sdanalysis build: {path}:2: {problem}\n"


def test_a_shell_sees_the_error_and_the_exit_code_and_no_traceback(data, edit):
    edit("raw/kulesz-2017/iozone-usb2.txt", "9.58", "fast")
    done = run("explain", "kulesz-2017/iozone-usb2.txt:2", "--data", data, stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"sdanalysis explain: .+iozone-usb2\.txt:2: table .+\n", done.stderr)


def test_a_folder_that_is_not_there_is_an_error_and_no_traceback(capsys, tmp_path):
    for command in (["build"], ["check"], ["explain", ID]):
        assert main([*command, "--data", str(tmp_path)]) == 1
        printed = capsys.readouterr()
        assert printed.out == ""
        assert re.fullmatch(rf"sdanalysis {command[0]}: .+expected .+\n", printed.err)


# --- check ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def checked():
    """What `check` prints of the project's own data."""
    with redirect_stdout(io.StringIO()) as printed, redirect_stderr(io.StringIO()) as said:
        assert main(["check"]) == 0
    assert said.getvalue() == ""
    return printed.getvalue()


def test_check_prints_the_codebook_and_every_rule_with_its_findings(checked, audited):
    assert checked.startswith("CODEBOOK: ")
    for rule in audit.RULES:
        assert re.search(rf"^  {re.escape(rule)} +\d+ checked +\d+ found  \S", checked, re.M)
    for rule, found in audited[1].groupby("rule"):
        assert f"\n{rule.upper()} ({len(found)})\n" in checked
        for places in found["places"]:
            assert f"\n  {places[0]}" in checked


def test_check_prints_how_well_the_yardsticks_hold(checked):
    for line in (
        "run noise, own card left out: 6 of 70 pairs of repeats outside",
        "run noise, own card in its own yardstick: 0 of 70 pairs of repeats outside",
        "run noise, doubted runs in, own card left out: 8 of 72 pairs of repeats outside",
        "random write, 4 KiB, iozone:       two figures differ by up to 1.25 (the model's error), "
        "1.26 (repeats); doubted in 1.41, 1.95",
        "same name may be 4.6 times as fast or as slow in small writes (8 cards).",
    ):
        assert line in checked
    assert checked.index("own card left out") < checked.index("own card in its own")


def test_check_prints_a_line_a_test_with_what_the_model_predicts(checked):
    lines = re.findall(
        r"^    (?:prediction|with (doubted) figures): \d+ figures left out"
        r"(?: \(\d+ without a number\))?, "
        r"rms factor (\S+) \(the place alone \S+\), \d+ of \d+ specimens outside 95 %, "
        r"\d+ % inside 50 %, Tukey p \S+, log score [-\d.]+",
        checked,
        re.M,
    )
    assert [bool(doubted) for doubted, _ in lines] == [False, True] * 4
    assert [factor for doubted, factor in lines if not doubted] == ["1.10", "1.07", "1.08", "1.09"]
    assert checked.index("\nPREDICTIONS: ") < checked.index("\nYARDSTICKS: ")


def test_check_prints_the_audit_of_the_companions_below_that_of_the_sources(checked):
    assert checked.index("\nAUDIT: what") < checked.index("\nAUDIT of the companions: what")
    below = checked.partition("AUDIT of the companions")[2]
    assert re.search(r"above the bus limit +800 checked +0 found", below)
    assert re.search(r"IOPS x block size +606 checked +0 found", below)


def test_check_of_one_rule_prints_its_findings_only(capsys, monkeypatch, audited):
    summary, findings = audited
    results = iter([audited, (summary, findings.head(0))])  # of the sources, of the companions
    monkeypatch.setattr(audit, "run", lambda *_: next(results))
    assert main(["check", "--rule", "exchanged columns"]) == 0
    lines = capsys.readouterr().out.strip().splitlines()
    assert lines[0] == "EXCHANGED COLUMNS (2)"
    assert [line for line in lines[1:] if line[2] != " "] == [
        "  kulesz-2017/iozone-usb3.txt:9: kulesz/sandisk-ultra-usb3-32gb",
        "  kulesz-2017/iozone-usb3.txt:14: kulesz/samsung-evo-sd-32gb",
    ]


# --- explain -------------------------------------------------------------------------------------


def test_explain_prints_the_line_with_a_caret_under_the_figure(capsys):
    assert main(["explain", ID]) == 0
    lines = capsys.readouterr().out.splitlines()
    (caret,) = [number for number, line in enumerate(lines) if set(line) == {" ", "^"}]
    begin, end = lines[caret].index("^"), len(lines[caret])
    assert lines[caret - 1][begin:end] == "148.46"


def test_explain_of_an_unknown_id_ends_with_1(capsys):
    assert main(["explain", "kulesz-2017/iozone-usb3.txt:99:1"]) == 1
    printed = capsys.readouterr()
    assert (printed.out, printed.err[:36]) == ("", "sdanalysis explain: found no figure ")


# --- what lies beside the logs -------------------------------------------------------------------

DD = (
    "64+0 records in\n64+0 records out\n"
    "67108864 bytes (67 MB, 64 MiB) copied, 0.529978 s, 127 MB/s\n"
)
UNRELATED = {
    "README.md": b"# Cards\n\nThe logs of four cards.\n",
    "prices.csv": b"card,price\nA,8.60\n",
    "package.json": b'{"name": "cards", "version": "1.0.0"}',
    "card.png": b"\x89PNG\r\n\x1a\n" + bytes(range(32)) * 3000,
    "small.png": b"\x89PNG\r\n\x1a\n" + bytes(range(32)),
    "empty.txt": b"",
}


@pytest.fixture
def results(tmp_path):
    """A folder of logs as people keep it: with other files beside and below."""
    folder = tmp_path / "results"
    (folder / "more").mkdir(parents=True)
    (folder / "card.log").write_text(DD)
    (folder / "more" / "usb.log").write_text(DD)
    for name, content in UNRELATED.items():
        (folder / name).write_bytes(content)
    return folder


def test_other_files_in_a_folder_are_notes(results, capsys):
    for command in (["parse", results], ["parse", "--strict", results], ["mine", results]):
        assert main(list(map(str, command))) == 0
        said = capsys.readouterr().err.splitlines()
        assert {line.partition(": ")[2][:11] for line in said} == {"note: found"}
        assert {Path(line.partition(":")[0]).name for line in said} == set(UNRELATED)
    assert len(sdanalysis.parse(results)) == 2  # and warns of nothing


@pytest.mark.parametrize("name", UNRELATED)
def test_a_file_that_is_named_and_holds_no_benchmark_is_an_error(results, capsys, name):
    for paths in ([results / name], [results, results / name], [results / name, results]):
        assert main(["parse", *map(str, paths)]) == 1
        assert f"{name}:1: found" in capsys.readouterr().err
    with pytest.warns(UserWarning, match="1 logs were not wholly read"):
        sdanalysis.parse([results, results / name])


def test_a_log_in_a_folder_that_cannot_be_read_is_an_error(results, capsys):
    (results / "cut.json").write_text('{ "fio version" : "fio-3.33",\n')
    assert main(["parse", str(results)]) == 1
    assert "cut.json:1: found JSON that is cut" in capsys.readouterr().err
    with pytest.warns(UserWarning, match="cut.json"):
        sdanalysis.parse(results)


@pytest.mark.parametrize("what", WHAT)
def test_a_folder_without_any_benchmark_is_an_error(results, capsys, what):
    for log in results.rglob("*.log"):
        log.unlink()
    assert main(["parse", "--what", what, str(results)]) == 1
    assert "in any of 6 files, expected a benchmark's log among them" in capsys.readouterr().err
    with pytest.warns(UserWarning, match="in any of 6 files"):
        assert sdanalysis.parse(results, what).empty


@pytest.mark.parametrize(
    ("patterns", "names"),
    [
        (["*.log"], {"card.log", "usb.log"}),
        (["more/*"], {"usb.log"}),
        (["u?b.log", "card.*"], {"card.log", "usb.log", "card.png"}),
    ],
)
def test_include_names_the_files_of_a_folder_by_name_or_path_in_it(results, patterns, names):
    assert {Path(path).name for path in expand([str(results)], patterns)} == names
    assert {Path(path).name for path in expand([f"{results}/"], patterns)} == names


def test_include_holds_for_every_command_that_takes_folders(results, capsys, monkeypatch):
    for command in (["parse"], ["mine"], ["compare", str(results / "card.log")]):
        main([*command, str(results), "--include", "*.log"])
        assert "note: found no benchmark" not in capsys.readouterr().err
        assert main([*command, str(results), "--include", "*.txt", "--include", "*.dat"]) == 1
        (results / "empty.txt").unlink()
        assert main([*command, str(results), "--include", "*.txt", "--include", "*.dat"]) == 1
        assert "found no file that matches *.txt or *.dat" in capsys.readouterr().err
        (results / "empty.txt").touch()
    monkeypatch.chdir(results)
    assert expand(["."], ["more/*"]) == ["more/usb.log"]
    assert expand(["card.log"], ["more/*"]) == ["card.log"]  # who names a file means it


# --- formats -------------------------------------------------------------------------------------


def parsed(log, *more):
    return run("parse", str(log), *more, stdout=subprocess.PIPE)


def test_the_format_of_standard_output_can_be_chosen(results):
    log = results / "card.log"
    table = parsed(log).stdout
    assert table == parsed(log, "--format", "csv").stdout
    for output in ([], ["-o", "-"], ["-o", "/dev/stdout"]):
        assert not output or parsed(log, *output).stdout == table
        (line,) = parsed(log, "--format", "json", *output).stdout.splitlines()
        assert json.loads(line)["raw"] == "127"


def test_the_ending_of_the_output_decides_and_may_not_contradict(results, capsys, monkeypatch):
    monkeypatch.chdir(results)
    for arguments, code in {
        ("-o", "x.json"): 0,
        ("-o", "x.json", "--format", "json"): 0,
        ("-o", "x.data", "--format", "json"): 0,
        ("-o", "x.csv", "--format", "json"): 2,
        ("-o", "x.data"): 2,
        ("--spreadsheet", "--format", "json"): 2,
    }.items():
        assert main(["parse", "card.log", *arguments]) == code
        if not code:
            assert json.loads(Path(arguments[1]).read_text())["raw"] == "127"
    said = capsys.readouterr().err
    assert "x.csv: found --format json for the ending '.csv', expected --format csv, or" in said
    assert "x.data: found the ending '.data', expected --format or one of .csv, .json" in said


@pytest.mark.parametrize("what", WHAT)
def test_pyarrow_is_asked_for_before_anything_is_read(results, capsys, monkeypatch, what):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for output in (["-o", "x.parquet"], ["--format", "parquet"]):
        assert main(["parse", "--what", what, str(results), "no-such-file", *output]) == 1
        printed = capsys.readouterr()
        assert "found no pyarrow, which parquet needs, expected it to be installed" in printed.err
        assert (printed.out, printed.err.count("\n")) == ("", 1)


def test_parquet_goes_into_a_file_or_a_pipe(results, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="parquet needs pyarrow")
    log = CORPUS / "fio" / "json-plus--3.33.log"
    for what in ("measurements", "percentiles", "bins"):
        target = tmp_path / f"{what}.parquet"
        with target.open("wb") as file:
            done = run("parse", str(log), "--what", what, "--format", "parquet", stdout=file)
        assert done.returncode == 0, done.stderr
        assert parquet.read_table(target).num_rows == len(sdanalysis.parse(log, what))


TABLE = """\
{}
  line  tool    test                     MB/s   IOPS    ms
     9  dd      copy 8 KiB of 16 MiB      314
    37  iozone  write 4 KiB of 4 MiB      342
    37  iozone  rewrite 4 KiB of 4 MiB  2,399
    37  iozone  read 4 KiB of 4 MiB     3,561
    37  iozone  reread 4 KiB of 4 MiB   2,536
    45  fio     randread 4 KiB           25.1  6,108  0.16
  and 3 more figures, such as extremes: --format csv
"""


def test_a_terminal_shows_a_table_for_people_and_a_pipe_gets_csv(capsys, monkeypatch):
    log = str(CORPUS / "mixed" / "all-tools--all.log")
    assert main(["parse", log]) == 0
    assert capsys.readouterr().out.startswith("file,line,")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert main(["parse", log]) == 0
    assert capsys.readouterr().out == TABLE.format(log)
    for more in (["--format", "csv"], ["--spreadsheet"], ["--what", "samples"]):
        main(["parse", log, *more])
        assert not capsys.readouterr().out.startswith(log)
    assert main(["parse", log, "--what", "bins", "--format", "table"]) == 2


def test_two_figures_of_one_test_are_two_lines_and_a_result_that_is_none_says_so():
    known = {"file": "a.log", "line": 3, "tool": "dd", "op": "write", "metric": "bandwidth"}
    known |= {"stat": "single", "value": 2.5e6, "numjobs": 2, "status": "partial"}
    row = tuple((dict.fromkeys(LOG_COLUMNS) | known).values())
    printed = io.StringIO()
    write_text(printed, [[row, row]], LOG_COLUMNS, "table")
    head, *lines = printed.getvalue().splitlines()[1:]
    assert head.split() == ["line", "tool", "test", "MB/s"]
    assert lines == ["     3  dd    write 2 jobs   2.5  partial"] * 2
    deep = tuple((dict.fromkeys(LOG_COLUMNS) | known | {"iodepth": 32}).values())
    sample = tuple((dict.fromkeys(LOG_COLUMNS) | known | {"stat": "sample"}).values())
    printed = io.StringIO()
    write_text(printed, [[deep, sample], [sample, sample]], LOG_COLUMNS, "table")
    head, _, line, more, *other = printed.getvalue().splitlines()
    assert (head, line) == ("a.log", "     3  dd    write depth 32 2 jobs   2.5  partial")
    assert more == "  and 1 more figures, such as extremes: --format csv"
    assert other[-2:] == ["a.log", "  and 2 more figures, such as extremes: --format csv"]


# --- completion, manual --------------------------------------------------------------------------


@cache
def printed(*arguments):
    done = run(*arguments, stdout=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture(scope="module")
def names():
    """Every command with its options."""
    found = manual.commands(_parser(COMMANDS))
    return {
        name: [text for action in command._actions for text in action.option_strings]
        for name, command in found.items()
    }


def test_the_manual_names_every_command_and_option(names):
    plain = re.sub(r"\\(?=-)", "", printed("--man"))
    assert list(names) == list(COMMANDS)
    for name, part in zip(COMMANDS, re.split(r"^\.SS .*$", plain, flags=re.M)[1:], strict=True):
        assert f"\n.SS {name}\n" in plain
        options = {option for option in names[name] if option not in ("-h", "--help")}
        assert options <= set(re.findall(r"(?<![\w-])--?\w[\w-]*", part))
        assert "130 interrupted" in " ".join(part.split())
    assert {"--version", "--print-completion", "--man"} <= set(re.findall(r"--\w[\w-]*", plain))


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_the_manual_is_troff_without_a_warning():
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", "-rLL=100n"],
        input=printed("--man"), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    text = re.sub(r"\x1b\[\d*m", "", done.stdout)
    assert "sdanalysis - Storage benchmarks" in text
    assert "row = " not in text and "  sdanalysis parse logs/ -o cards.csv\n" in text


def test_the_manual_does_not_depend_on_the_terminal(monkeypatch):
    parser = _parser(COMMANDS)
    pages = set()
    for columns in ("40", "200"):
        monkeypatch.setenv("COLUMNS", columns)
        pages.add(manual.page(parser, "1"))
    assert len(pages) == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_names_every_command_and_option(names, shell):
    script = printed("--print-completion", shell)
    words = set(re.findall(r"[\w-]+", script))
    assert set(COMMANDS) <= words
    for option in {option for options in names.values() for option in options}:
        assert option in words or f"-l {option[2:]}" in script or f"-s {option[1:]}" in script


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("", set(COMMANDS)),
        ("pa", {"parse"}),
        ("parse --fo", {"--format"}),
        ("parse --format ''", {"csv", "json", "parquet", "table"}),
        ("check --raw tests/cor", {"tests/corpus"}),
        ("mine READ", {"README.md"}),
    ],
)
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_commands_options_choices_and_files(tmp_path, line, found):
    script = tmp_path / "completion"
    script.write_text(printed("--print-completion", "bash"))
    words = ["sdanalysis", *line.replace("''", "").split(" ")]
    code = (
        'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
        '_shtab_sdanalysis "$1" "${@: -1}" "${@: -2:1}"; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", code, "bash", script, *words],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert {word.rstrip("/") for word in done.stdout.split()} == found


def test_no_command_loads_what_makes_them():
    log = CORPUS / "hdparm" / "direct-t-offset--9.65.log"
    code = (
        "import sys; from sdanalysis.cli import main; main(sys.argv[1:])\n"
        "print(*({'shtab', 'sdanalysis.cli.manual'} & sys.modules.keys()), file=sys.stderr)"
    )
    done = run("parse", str(log), python=("-c", code), stdout=subprocess.PIPE)
    assert done.stderr == "\n"


# --- pipes ---------------------------------------------------------------------------------------


LONG = (
    "import sdanalysis.sources.explain, sdanalysis.cli\n"
    "sdanalysis.sources.explain.explain = lambda *_: 'x' * 10**6\n"  # more than Python holds back
    "raise SystemExit(sdanalysis.cli.main(['explain', 'x']))"
)


@pytest.mark.parametrize(
    "python",
    [["-m", "sdanalysis", "explain", ID], ["-m", "sdanalysis", "--help"], ["-c", LONG]],
    ids=["explain", "help", "much text"],
)
def test_a_reader_that_has_read_enough_is_no_reason_to_complain(python):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = run(python=python, stdout=writing)
    finally:
        os.close(writing)
    assert done.stderr == ""
    assert done.returncode == 1


def test_what_stands_in_for_a_closed_stream_is_handed_on_to_the_kernels_of_notebooks():
    code = "import os, sdanalysis.cli as c; c._prepare_streams(); os._exit(os.get_inheritable(1))"
    closed = ["bash", "-c", '"$0" -c "$1" >&-', sys.executable, code]
    assert subprocess.run(closed, cwd=ROOT, check=False).returncode == 1
