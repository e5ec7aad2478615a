"""The wheel, with the core's dependencies alone and away from the checkout, does its work."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections import namedtuple
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
LOG = ROOT / "data" / "examples" / "card-image.log"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
Ended = namedtuple("Ended", "code out err")


def core(requirements):
    """Names of the installed distributions that these requirements bring, their own among them."""
    found, waiting = set(), [Requirement(text) for text in requirements]
    while waiting:
        needed = waiting.pop()
        if needed.name in found or (needed.marker and not needed.marker.evaluate({"extra": ""})):
            continue
        found.add(needed.name)
        waiting += map(Requirement, distribution(needed.name).requires or [])
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from a copy: a build leaves folders beside what it builds."""
    copy = tmp_path_factory.mktemp("copy")
    for name in ("LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py"):
        shutil.copy(ROOT / name, copy)
    for name in ("data", "notebooks", "sdanalysis"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    build = "from setuptools.build_meta import build_wheel; build_wheel('.')"
    subprocess.run([sys.executable, "-c", build], cwd=copy, check=True, capture_output=True)
    (built,) = copy.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def site(wheel, tmp_path_factory):
    """A folder of packages: the wheel's, and links to those that the core needs."""
    folder = tmp_path_factory.mktemp("site")
    with ZipFile(wheel) as packed:
        packed.extractall(folder)
    for name in core(PROJECT["dependencies"]):
        files = distribution(name).files
        for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
            link = folder / top
            if not link.exists():
                link.symlink_to(Path(distribution(name).locate_file(top)))
    return folder


def python(site, folder, *arguments):
    """Run Python with no packages but those of a folder."""
    inherited = {name: value for name, value in os.environ.items() if name != "SDANALYSIS_DATA"}
    return subprocess.run(
        [sys.executable, "-S", *arguments],
        cwd=folder, capture_output=True, text=True, check=False,
        env=inherited | {"PYTHONPATH": str(site)},
    )  # fmt: skip


# Runs commands in one process: to start one for each would take a second each.
COMMANDS = """
import contextlib, io, json, sys
from sdanalysis.cli import main
ended = {}
for line in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(line)
        except SystemExit as end:
            code = end.code
    ended[" ".join(line)] = code, out.getvalue(), err.getvalue()
import sdanalysis
ended["place"] = 0, sdanalysis.__file__, ""
print(json.dumps(ended))
"""


@pytest.fixture(scope="module")
def away(site, tmp_path_factory):
    """(folder, what each command gave) outside the checkout."""
    folder = tmp_path_factory.mktemp("away")
    (folder / "part").mkdir()
    shutil.copy(ROOT / "data" / "media.toml", folder / "part")
    lines = [
        ["parse", str(LOG)],
        ["parse", str(LOG), "-o", "rows.parquet"],
        ["mine", str(LOG), "--host", "pi-4b", "-o", "card.html"],
        ["compare", "table:reader=cr0015", "table:reader=cr0034a", "--noise"],
        ["explain", "kulesz-2017/iozone-usb3.txt:9:3"],
        ["check", "--rule", "at the bus limit"],
        ["build"],
        ["build", "-o", "built.csv"],
        ["new-source", "my-bench"],
        ["new-source", "my-bench", "--raw", "mine"],
        ["report"],
        ["report", "--list", "02_read_write_ratio"],
        ["mine", str(LOG), "--data", "part"],
        ["compare", "table:reader=cr0015", "table:reader=cr0034a", "--data", "part"],
        ["explain", "kulesz-2017/iozone-usb3.txt:9:3", "--data", "part"],
        ["check", "--data", "part"],
        ["build", "--data", "part"],
        ["report", "--data", "nowhere"],
    ]
    done = python(site, folder, "-c", COMMANDS, json.dumps(lines))
    assert done.stderr == ""
    return folder, {line: Ended(*ended) for line, ended in json.loads(done.stdout).items()}


def test_the_wheel_holds_each_file_that_a_command_reads(wheel):
    with ZipFile(wheel) as packed:
        held = {name for name in packed.namelist() if ".dist-info/" not in name}
    own = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "sdanalysis").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    laid_in = [
        *(path for path in (ROOT / "data").rglob("*") if path.is_file()),
        *(ROOT / "notebooks").glob("*.ipynb"),
        *(ROOT / "notebooks" / "sets").glob("*.toml"),
    ]
    assert len(laid_in) > 50
    assert held == own | {f"sdanalysis/{path.relative_to(ROOT).as_posix()}" for path in laid_in}


def test_a_command_of_the_wheel_says_what_one_of_the_checkout_says(away, capsys, monkeypatch):
    from sdanalysis.cli import main

    folder, ended = away
    assert Path(ended["place"].out).is_relative_to(folder.parent)
    monkeypatch.chdir(folder)
    for line in (
        f"parse {LOG}",
        "compare table:reader=cr0015 table:reader=cr0034a --noise",
        "explain kulesz-2017/iozone-usb3.txt:9:3",
    ):
        assert main(line.split()) == 0
        assert (0, *capsys.readouterr()) == ended[line]


def test_mine_and_check_answer_and_mine_writes_its_page(away):
    folder, ended = away
    mine = ended[f"mine {LOG} --host pi-4b -o card.html"]
    assert (mine.code, mine.err) == (0, "card.html: written\n")
    page = (folder / "card.html").read_text(encoding="utf-8")
    assert all("Pi 4" in text for text in (mine.out, page))
    check = ended["check --rule at the bus limit"]
    assert check.code == 0
    assert check.out.startswith("\nAT THE BUS LIMIT")


def test_build_writes_the_same_table_and_nothing_into_the_package(away, site):
    folder, ended = away
    assert ended["build -o built.csv"].code == 0
    saved = Path("data", "processed", "measurements.csv")
    assert (folder / "built.csv").read_bytes() == (ROOT / saved).read_bytes()
    for line in ("build", "new-source my-bench"):
        assert ended[line].code == 2
        assert "found a place in the installed package, expected -" in ended[line].err
    assert (site / "sdanalysis" / saved).read_bytes() == (ROOT / saved).read_bytes()
    assert ended["new-source my-bench --raw mine"].code == 0


def test_what_only_an_extra_brings_is_named_in_one_line(away):
    _, ended = away
    parquet, report = ended[f"parse {LOG} -o rows.parquet"], ended["report"]
    for one, module, extra in ((parquet, "pyarrow", "parquet"), (report, "papermill", "report")):
        assert (one.code, one.err.count("\n")) == (1, 1)
        assert f"found no {module}, which " in one.err
        assert f"pip install 'sd-card-analysis[{extra}]'\n" in one.err
        assert extra in PROJECT["optional-dependencies"]
    listed = ended["report --list 02_read_write_ratio"]
    assert (listed.code, listed.out.splitlines()[0]) == (0, "02_read_write_ratio")


@pytest.mark.parametrize(
    ("line", "lacking"),
    [
        (f"mine {LOG}", "hosts.toml, reference/noise.csv, reference/specimens.csv, "),
        ("compare table:reader=cr0015 table:reader=cr0034a", "processed/measurements.csv in it, "),
        ("explain kulesz-2017/iozone-usb3.txt:9:3", "hosts.toml, raw in it, "),
        ("check", "hosts.toml, raw in it, "),
        ("build", "hosts.toml, raw in it, "),
    ],
)
def test_a_folder_that_lacks_something_is_refused_with_all_that_it_lacks(away, line, lacking):
    ended = away[1][f"{line} --data part"]
    assert (ended.code, ended.err.count("\n")) == (1, 1)
    assert ended.err.startswith(f"sdanalysis {line.split()[0]}: part: found no {lacking}")
    assert "expected a folder of data, laid out as " in ended.err


def test_the_loaders_need_no_checkout_and_take_a_folder_or_its_name(site, tmp_path):
    shutil.copytree(ROOT / "data", tmp_path / "mine")
    program = """if True:
        import sdanalysis
        for name in sdanalysis.__all__:
            getattr(sdanalysis, name)
        loaders = [sdanalysis.load, sdanalysis.load_media, sdanalysis.load_hosts,
                   sdanalysis.load_claims, sdanalysis.load_prices, sdanalysis.load_promises]
        print(*(len(load()) == len(load("mine")) for load in loaders))
        print(len(sdanalysis.load_data("mine").media) == len(sdanalysis.load_data().media))
        try:
            sdanalysis.load_data("nowhere")
        except sdanalysis.errors.SdAnalysisError as error:
            print(error)
        from sdanalysis.plots.show import show
        try:
            show(None, alt="nothing", data=None)
        except sdanalysis.errors.SdAnalysisError as error:
            print(error)
    """
    done = python(site, tmp_path, "-c", program)
    assert done.stderr == ""
    same, media, nowhere, shown = done.stdout.splitlines()
    assert (same, media) == ("True True True True True True", "True")
    assert nowhere.startswith("nowhere: found no folder, expected a folder of data")
    assert shown.startswith("found no IPython, which show needs")
