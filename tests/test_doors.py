"""Hostile files, streams, encodings, limits and kills: one line, the right code, nothing lost.

The suite runs every fortieth of the command lines, and all of them with `DOORS=all`.
"""

import gzip
import itertools
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

import sdanalysis
from sdanalysis import claims, dataset
from sdanalysis.cli import main
from sdanalysis.cli.write import defused_table
from sdanalysis.errors import BinaryError, DeclarationError, SdAnalysisError
from sdanalysis.logs import identity
from sdanalysis.logs.files import read_bytes, unpacked
from sdanalysis.paths import DATA, expand, in_project, is_unfinished, write_whole, writing
from sdanalysis.reference import read_reference
from sdanalysis.report import read_sets
from sdanalysis.report.body import tidy
from sdanalysis.sources.load import load_source

ROOT = Path(__file__).resolve().parent.parent
DD = (
    "64+0 records in\n64+0 records out\n"
    "67108864 bytes (67 MB, 64 MiB) copied, 0.529978 s, 127 MB/s\n"
)
POSIX = pytest.mark.skipif(os.name != "posix", reason="links, modes and signals of POSIX")
pytestmark = POSIX

# --- command lines -------------------------------------------------------------------------------

PREPARE = r"""
set -o pipefail
ulimit -v 6000000
S() { "$PYTHON" -m sdanalysis "$@"; }
mkdir logs empty; printf '%s' "$DD" | tee ok.log logs/a.log > logs/b.log
cp ok.log $'n\377.log'; cp ok.log Käse.log; cp ok.log '=cmd|x.log'; cp ok.log -- -; cp ok.log ok.csv
cp ok.log ok.json; cp ok.log ok.html; cp ok.log ok.md; cp ok.log $'new\nline.log'; cp ok.log "$LONG"
ln -s ok.log link.csv; ln ok.log hard.csv; ln -s nowhere.csv dangling.csv; ln -s loop.csv loop.csv
head -c 3000000 /dev/zero | gzip > zeros.gz; yes hello | head -c 3000000 | gzip > bomb.gz
head -c 30 bomb.gz > cut.gz; : > empty.log; head -c 5000 /dev/urandom > random.log
printf '{"a":%.0s' {1..20000} > deep.json; printf '[%.0s' {1..200000} > brackets.json
printf '/sys/block/mmcblk0/device/date:²/2020\n%s' "$DD" > date.log
printf '[[[[%.0s' {1..5000} > deep.toml; printf 'x = %05000d' 1 > digits.toml; : > empty.toml
printf '{"cells":[{"source":7,"metadata":{"tags":["parameters"]}}]}' > number.ipynb
printf '[]' > list.ipynb; printf '{"cells":7}' > seven.ipynb; cp deep.json deep.ipynb
touch no.csv; chmod 444 no.csv; mkfifo pipe.csv
"""
COMMANDS = (
    "S parse ok.log", "S parse logs ok.log nowhere.log", "S parse ok.log -o out.json",
    "S parse -", "S mine ok.log", "S mine ok.log --format json", "S compare logs/a.log ok.log",
    "S explain kulesz-2017/iozone-usb3.txt:9:3", "S --help", "S parse --help", "S parse",
    "S --version", "S report --list 02_read_write_ratio",
)  # fmt: skip
STREAMS = (
    ">/dev/full", "2>/dev/full", "&>/dev/full", "<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-",
    "| head -c 0", "| true", "2>&1 | head -c 1",
)  # fmt: skip
ENVIRONMENTS = ("PYTHONIOENCODING=ascii", "LC_ALL=C PYTHONUTF8=0", "PYTHONIOENCODING=latin-1")
ODD = """
n*.log Käse.log '=cmd|x.log' ./- . * new* zeros.gz bomb.gz cut.gz empty.log empty random.log
deep.json brackets.json date.log /dev/zero /dev/null /proc/self/mem '[' '**' loop.csv dangling.csv
~root/no '' /dev/tty "$LONG"
"""
NAMES = (*ODD.split(), "$(printf %05000d 0)")
READERS = ("S parse", "S parse --spreadsheet", "S parse -o out.json", "S mine", "S compare ok.log")
OUTPUTS = (
    "ok.csv", "link.csv", "hard.csv", "dangling.csv", "loop.csv", "no.csv", "logs", "nowhere/x.csv",
    "$'x\\377.csv'", "\"$LONG.csv\"", "$(printf %05000d 0).csv", "/dev/full", "''", "=1+1.csv",
)  # fmt: skip
OTHERS = (
    "S parse ok.csv -o ok.csv",
    "S parse ok.json -o ok.json",
    "S parse - -o ok.csv < ok.csv",
    "S parse ok.log >> ok.log",
    "S parse - < ok.log >> ok.log",
    "S mine ok.html -o ok.html",
    "S compare ok.md logs -o ok.md",
    "S compare logs ok.csv -o ok.csv",
    "S parse . -o logs/a.csv",
    "S build --raw empty",
    "S parse ok.log -o /dev/stdout",
    "S compare logs ok.log -o /dev/null",
    "S compare table:tool=dd table:tool=fio --table digits.toml",
    "S parse --max-bytes 0 ok.log",
    "S compare ok.log logs --format csv -o /dev/stdout > out.csv",
    "S parse --max-bytes x ok.log",
    "S parse --max-bytes 93 ok.log",
    "S parse --max-bytes 92 ok.log",
    "S parse --max-bytes 1M bomb.gz",
    "S mine --max-bytes 1M bomb.gz",
    "S compare --max-bytes 1M bomb.gz ok.log",
    "S parse -- -",
    "yes | S parse - --max-bytes 1M",
    "yes | S mine - --max-bytes 1M",
    "S parse - < /dev/zero",
    "yes 1 | tr -d '\\n' | S parse - --max-bytes 1M",
    "S parse --max-bytes 99999999999999999999 ok.log",
    "cat pipe.csv > got.csv & S compare ok.log logs --format csv -o pipe.csv; wait",
    *(f"S report {name}.ipynb -o out" for name in ("number", "list", "seven", "deep")),
    *(f"S report --set {name}.toml -o out" for name in ("deep", "digits", "empty", "nix")),
    *(f"S report 02_read_write_ratio -p {p}" for p in ("source $'\\377'", "'a b' 1", "'' ''")),
    "S mine ok.log --label $'\\377' -o out.html",
    "S mine ok.log --host $'\\377'",
    "S compare ok.log logs --base-given host=$'\\377'",
    "S explain $'\\377'",
    "S explain ../../x:1",
    "S explain a/b:99999999999999999999999:1",
    "S new-source ../x",
    "S new-source $'\\377' --raw .",
    "S parse --strict ok.log nowhere",
    "S nowhere",
    "S",
    "S compare - - < ok.log",
    "S check --rule x",
    "S build --data empty",
    "S explain --data empty a/b:1",
    "S parse ok.log --spreadsheet -o x.json",
    "S mine ok.log -o ok.log",
    "S compare ok.log logs --spreadsheet",
    "S parse logs/../ok.log ok.log",
)
KILLS = [
    f"(for n in 1 2 3; do S parse many.log -o out.csv & sleep 0.{wait}; kill -{name} $!; wait $!; "
    "done) 2> killed || true"
    for name, wait in itertools.product(("KILL", "TERM", "INT"), ("05", "15", "3"))
]
WRITERS = [
    f"for n in 1 2 3 4; do S parse {first} -o out.csv & S parse {second} -o out.csv & done; wait"
    for first, second in (("ok.log", "many.log"), ("logs", "ok.log"))
]
LINES = [
    *(f"{command} {stream} < ok.log" if "<" not in stream else f"{command} {stream}"
      for command, stream in itertools.product(COMMANDS, STREAMS)),
    *(f"export {given}; {command} < ok.log" for command in COMMANDS for given in ENVIRONMENTS),
    *(f"{reader} {name}" for reader, name in itertools.product(READERS, NAMES)),
    *(f"S parse ok.log -o {output}" for output in OUTPUTS),
    *(f"S parse . -o {output}" for output in OUTPUTS),
    *OTHERS, *KILLS, *WRITERS,
]  # fmt: skip
ALL = os.environ.get("DOORS") == "all"
DAMAGES = 300 if ALL else 12
CHOSEN = LINES if ALL else LINES[::40] + LINES[-1:]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prepared")
    assert (
        _bash(PREPARE + '\nfor n in {1..3000}; do printf "%s" "$DD"; done > many.log', folder) == 0
    )
    return folder


def _bash(line, folder, errors=None):
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONUTF8", "LC_ALL")}
    known = {"PYTHON": sys.executable, "PYTHONPATH": str(ROOT), "DD": DD, "LONG": "x" * 255}
    with Path(errors or os.devnull).open("wb") as file:
        done = subprocess.run(
            ["bash", "-c", line], cwd=folder, env=environment | known, check=False, timeout=120,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=file,
        )  # fmt: skip
    return done.returncode


@pytest.mark.parametrize("line", CHOSEN)
def test_a_hostile_command_line_ends_in_words_and_loses_nothing(prepared, tmp_path, line):
    shutil.copytree(prepared, tmp_path / "here", symlinks=True, copy_function=_copied)
    here, errors = tmp_path / "here", tmp_path / "errors"
    start = PREPARE[: PREPARE.index("mkdir")]
    code = _bash(f"{start}\n{line}", here, errors)
    said = errors.read_text("utf-8", "replace")
    assert code in (0, 1, 2, 130), said
    for word in ("Traceback", "Exception ignored", "Error:", "lost sys.stderr"):
        assert word not in said
    assert code == 0 or said or "2>" in line or "|" in line or "&>" in line
    assert (here / "ok.log").read_text() == DD
    assert all((here / name).read_text() == DD for name in ("ok.html", "ok.md"))
    if "kill" not in line:
        assert not [path for path in here.rglob(".*") if is_unfinished(path.name)]
    if (here / "out.csv").exists() and ("kill" in line or "wait" in line):
        rows = (here / "out.csv").read_text().splitlines()
        assert rows[-1].endswith("measured,")
        assert len(rows) in (2, 3, 3001)


def _copied(source, target):
    """Copy a file as a link of the disk would: what no file is, is left out."""
    if stat.S_ISFIFO(Path(source).stat().st_mode):
        os.mkfifo(target)
    else:
        shutil.copy2(source, target)


# --- what is written -----------------------------------------------------------------------------


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_link_stays_and_its_target_keeps_its_mode(tmp_path):
    target, link = tmp_path / "target.csv", tmp_path / "link.csv"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_whole(link, b"new")
    assert (link.is_symlink(), target.read_text(), mode(target)) == (True, "new", 0o640)


def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path):
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "x", b"1")
    finally:
        os.umask(before)
    assert mode(tmp_path / "x") == 0o640


def test_no_link_that_lies_in_wait_is_followed(tmp_path, monkeypatch):
    monkeypatch.setattr("secrets.token_hex", lambda _: "foreseen")
    (tmp_path / "victim").write_text("mine")
    (tmp_path / ".sdanalysis-foreseen.unfinished").symlink_to(tmp_path / "victim")
    with pytest.raises(SdAnalysisError, match="found File exists, expected to write it"):
        write_whole(tmp_path / "x.csv", b"1")
    assert (tmp_path / "victim").read_text() == "mine"


def test_an_unfinished_file_is_private_where_the_finished_one_is(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("secret")
    path.chmod(0o600)
    with writing(path):
        (unfinished,) = (other for other in tmp_path.iterdir() if other != path)
        assert mode(unfinished) == 0o600
        assert len(unfinished.name) > 30


def test_what_a_killed_writer_left_is_nobodys_log(tmp_path):
    (tmp_path / "a.log").write_text(DD)
    (tmp_path / ".sdanalysis-0f.unfinished").write_text("half")
    assert expand([str(tmp_path)]) == [str(tmp_path / "a.log")]


WRITE = "import sys; from pathlib import Path; from sdanalysis.paths import write_whole\n"


def test_two_writers_at_once_never_mix_and_never_fail(tmp_path):
    path = tmp_path / "x.csv"
    content = "sys.argv[2].encode() * int(sys.argv[3])"
    loop = f"for _ in range(100): write_whole(Path(sys.argv[1]), {content})"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITE + loop, path, *what], cwd=ROOT, stderr=subprocess.PIPE
        )
        for what in (("a", "300000"), ("b", "7"))
    ]
    while any(writer.poll() is None for writer in writers):
        if path.exists():
            assert path.read_bytes() in (b"a" * 300_000, b"b" * 7)
        time.sleep(0.002)
    assert [writer.communicate()[1] for writer in writers] == [b"", b""]
    assert list(tmp_path.iterdir()) == [path]


def test_a_writer_that_is_killed_leaves_the_earlier_file(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("earlier")
    slow = (
        "import time; from sdanalysis.paths import writing\n"
        "with writing(Path(sys.argv[1])) as file:\n"
        "    file.write(b'half'); file.flush(); print('begun', flush=True); time.sleep(60)"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITE + slow, path], cwd=ROOT, stdout=subprocess.PIPE
    )
    assert writer.stdout.readline() == b"begun\n"
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    assert path.read_text() == "earlier"
    write_whole(path, b"later")
    assert path.read_text() == "later"


@pytest.mark.parametrize("ending", [".csv", ".json"])
def test_the_output_of_an_earlier_run_in_the_folder_is_no_log(tmp_path, capsys, ending):
    (tmp_path / "a.log").write_text(DD)
    output = tmp_path / f"cards{ending}"
    arguments = ["parse", str(tmp_path), "-o", str(output)]
    assert main(arguments) == 0
    first = output.read_bytes()
    capsys.readouterr()
    assert main(arguments) == 0
    assert output.read_bytes() == first
    assert "note: not read, for it is the output" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["run.json", "link.json", "hard.json"])
def test_an_output_that_is_a_log_is_refused(tmp_path, capsys, name):
    log = tmp_path / "run.json"
    log.write_text(DD)
    (tmp_path / "link.json").symlink_to(log)
    (tmp_path / "hard.json").hardlink_to(log)
    for given in (log, tmp_path):
        assert main(["parse", str(given), "-o", str(tmp_path / name)]) == 2
        assert "found the output among what is read" in capsys.readouterr().err
    assert log.read_text() == DD


def test_a_name_is_found_in_a_project_whose_path_looks_like_a_pattern(tmp_path, monkeypatch):
    project = tmp_path / "cards [2]"
    log = project / "logs" / "a.log"
    log.parent.mkdir(parents=True)
    log.write_text(DD)
    monkeypatch.setattr("sdanalysis.paths.PROJECT", project)
    monkeypatch.chdir(tmp_path)
    for name in ("logs", "logs/a.log", "logs/*.log"):
        assert expand([in_project(name)]) == [str(log)]
    (tmp_path / "logs").mkdir()
    assert in_project("logs") == "logs"


def test_a_pattern_with_two_stars_finds_logs_two_folders_down(tmp_path):
    log = tmp_path / "a" / "b" / "card.log"
    log.parent.mkdir(parents=True)
    log.touch()
    assert expand([f"{tmp_path}/**/*.log"]) == [str(log)]


def test_the_table_that_compare_reads_is_no_output_of_it(tmp_path, capsys):
    folder = shutil.copytree(DATA, tmp_path / "data", copy_function=shutil.copyfile)
    table = folder / "processed" / "measurements.csv"
    before = table.read_bytes()
    sets = [f"table:measured_by=geerling,host={host}" for host in ("pi-3b", "pi-4b")]
    assert main(["compare", *sets, "--data", str(folder), "-o", str(table)]) == 2
    assert "found the output among what is read" in capsys.readouterr().err
    assert table.read_bytes() == before


def test_a_raw_file_is_no_output_of_build(data, capsys):
    raw = data / "raw" / "chilina-2018" / "fio.txt"
    before = raw.read_bytes()
    assert main(["build", "--data", str(data), "-o", str(raw)]) == 2
    assert "among what is read" in capsys.readouterr().err
    assert raw.read_bytes() == before


# --- limits --------------------------------------------------------------------------------------


def test_no_more_is_read_than_the_limit_as_it_lies_or_unpacked(tmp_path):
    path = tmp_path / "x.log"
    path.write_bytes(b"a" * 100_000)
    assert len(read_bytes(str(path), 100_000)) == 100_000
    with pytest.raises(SdAnalysisError, match="found more than 99999 bytes"):
        read_bytes(str(path), 99_999)
    packed = gzip.compress(b"a\n" * 50_000)
    assert len(unpacked(packed, 100_000)) == 100_000
    with pytest.raises(SdAnalysisError, match="found more than 99999 bytes"):
        unpacked(packed, 99_999)
    with pytest.warns(UserWarning, match="found more than 50 bytes"):
        assert sdanalysis.parse(path, max_bytes=50).empty


def test_no_binary_file_is_read_to_its_end(tmp_path):
    with (tmp_path / "long").open("wb") as file:
        file.truncate(2**30)
    for path in ("/dev/zero", tmp_path / "long"):
        with pytest.raises(BinaryError, match="found binary data"):
            read_bytes(str(path))


def test_a_log_beyond_the_limit_leaves_the_others_alone(tmp_path, capsys):
    (tmp_path / "a.log").write_text(DD)
    (tmp_path / "b.log").write_text(DD * 100)
    assert main(["parse", str(tmp_path), "--max-bytes", "1k"]) == 1
    printed = capsys.readouterr()
    assert "b.log:1: found more than 1024 bytes" in printed.err
    assert printed.out.count("127,MB/s") == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [("row = '''", "row = '''(?:(?:\\S+\\s*)+)+#|"), ("skip = [", "skip = ['(.+)+#', ")],
    ids=["row", "skip"],
)
def test_a_pattern_that_backtracks_is_stopped(data, edit, monkeypatch, old, new):
    monkeypatch.setattr("sdanalysis.sources.load.SECONDS", 0.3)
    edit("raw/chilina-2018/source.toml", old, new)
    with pytest.raises(DeclarationError, match=r"pattern .+ that took longer than 0\.3 s"):
        load_source(data / "raw" / "chilina-2018")
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


# --- declarations and tables -------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/etc/hostname", "../media.toml", "a/../b", "", ".", "a\\b", "a\1"]
)
def test_a_raw_file_lies_beside_its_declaration(data, edit, path):
    said = path.replace("\\", "\\\\").replace("\1", "\\u0001")
    edit("raw/chilina-2018/source.toml", '"fio.txt"', f'"{said}"')
    with pytest.raises(DeclarationError, match=r"source\.toml: .*found the path") as error:
        load_source(data / "raw" / "chilina-2018", pinned=True)
    assert "sha256" not in str(error.value)


def test_a_link_out_of_the_folder_is_no_raw_file(data, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    raw = data / "raw" / "chilina-2018" / "fio.txt"
    raw.unlink()
    raw.symlink_to(secret)
    with pytest.raises(
        DeclarationError, match=r"found a link 'fio\.txt' out of the folder"
    ) as error:
        load_source(raw.parent, pinned=True)
    assert "sha256" not in str(error.value)


PIECES = (
    b"[[[[", b"[" * 3000, b"9" * 5000, b"0x" + b"f" * 5000, b"1e999", b"-1", b"nan", b"inf", b"",
    b"\xff\xfe", b"\0", b'"', b",", b"\n", b"=", b"[a]", b"a.b.c=1\n", b"true", b"1979-05-27",
    b"../../x", b"x" * 3000, b"9" * 30,
)  # fmt: skip


def _damaged(content, chance):
    """Return content with a piece put in, bytes left out or changed, a whole value replaced."""
    content = bytearray(content)
    sign, end = (b"=", b"\n") if b"=" in content else (b",", b",")
    for _ in range(chance.randint(1, 3)):
        place, way = chance.randrange(len(content) + 1), chance.randrange(4)
        if way == 0:
            content[place : place + chance.choice([0, 1, 5, 20])] = chance.choice(PIECES)
        elif way == 1:
            del content[place : place + chance.choice([1, 3, 40, 400])]
        elif way == 2:
            content[place : place + 1] = bytes([chance.randrange(256)])
        else:
            start = content.find(sign, place) + 1
            content[start : max(content.find(end, start), start)] = chance.choice(PIECES)
    return bytes(content)


def _manufacturers(path):
    identity.MANUFACTURERS = path
    identity.manufacturers.cache_clear()
    identity.manufacturer(3)


READ = {
    "media.toml": lambda path: dataset.load_media(path.parent),
    "hosts.toml": lambda path: dataset.load_hosts(path.parent),
    "claims.toml": claims.read,
    "manufacturers.toml": _manufacturers,
    "sets.toml": read_sets,
    "raw/chilina-2018/source.toml": lambda path: load_source(path.parent, pinned=True),
    "reference/classes.csv": lambda path: dataset.load_classes(path.parent.parent),
    "reference/prices.csv": lambda path: dataset.load_prices(path.parent.parent),
    "reference/promises.csv": lambda path: dataset.load_promises(path.parent.parent),
    "reference/specimens.csv": lambda path: dataset.load_specimens(path.parent.parent),
    "reference/noise.csv": lambda path: read_reference(path.parent.parent, "noise"),
    "processed/measurements.csv": dataset.load,
}


@pytest.mark.filterwarnings("ignore")  # of patterns and of dates that damage made
@pytest.mark.parametrize("name", READ)
def test_a_damaged_declaration_or_table_is_read_or_refused_in_one_line(data, monkeypatch, name):
    monkeypatch.setattr(identity, "MANUFACTURERS", identity.MANUFACTURERS)
    (data / "processed").mkdir()
    shutil.copy(ROOT / "data" / "processed" / "measurements.csv", data / "processed")
    sets = (ROOT / "notebooks" / "sets" / "sources.toml").read_text()
    (data / "sets.toml").write_text(sets.replace("../", f"{ROOT / 'notebooks'}/"))
    path, chance = data / name, random.Random(name)
    whole = path.read_bytes()
    READ[name](path)
    refused = 0
    for content in (b"", *(_damaged(whole, chance) for _ in range(DAMAGES))):
        path.write_bytes(content)
        try:
            READ[name](path)
        except SdAnalysisError as error:
            refused += 1
            assert str(path.parent) in str(error)
            assert "\n" not in str(error) or "FILL IN" in str(error)
    identity.manufacturers.cache_clear()
    assert refused > DAMAGES / 4


@pytest.mark.parametrize(
    ("old", "new"), [("1500", "1e999"), ("1500", "-1"), ("1500", "x"), ("Speed Class,C2", ",C2")]
)
def test_a_reference_that_measures_nothing_is_refused(data, edit, old, new):
    edit("reference/classes.csv", old, new)
    with pytest.raises(SdAnalysisError, match=r"classes\.csv: .*found"):
        dataset.load_classes(data)


# --- pages and spreadsheets --------------------------------------------------------------------


@pytest.mark.parametrize("element", ["meta", "META", "base", "link", "Link"])
def test_no_output_leads_a_reader_away(element):
    html = f'<p>x</p><{element} http-equiv="refresh" content="0; url=https://example.org/?a>b">'
    assert f"<{element}" not in tidy(html)
    assert f"&lt;{element}" in tidy(html)


@pytest.mark.parametrize("page", ["report/templates/head.html.j2", "my_card/page.html.j2"])
def test_the_policy_of_a_page_names_what_no_default_covers(page):
    text = (ROOT / "sdanalysis" / page).read_text()
    assert "base-uri 'none'; form-action 'none'" in text


def test_only_texts_are_defused_and_only_on_request(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("=cmd|x.log").write_text(DD)
    assert main(["parse", "=cmd|x.log"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("=cmd|x.log,3,52,dd,")
    assert main(["parse", "=cmd|x.log", "--spreadsheet"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("'=cmd|x.log,3,52,dd,")
    assert main(["parse", "=cmd|x.log", "--spreadsheet", "-o", "x.json"]) == 2
    printed = 'a,-1.5e3,+2,-x\n"@x\ny",\tb,,\'c\n'
    assert defused_table(printed) == "a,-1.5e3,+2,'-x\n\"'@x\ny\",'\tb,,'c\n"
