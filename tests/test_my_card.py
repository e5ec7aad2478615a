"""`sdanalysis mine` as a reader meets it: text, JSON, the page, the notebook, the exit codes."""

import io
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from sdanalysis.cli import main
from sdanalysis.errors import SdAnalysisError
from sdanalysis.my_card import read
from sdanalysis.my_card.answer import answer
from sdanalysis.my_card.document import as_text, document, sections
from sdanalysis.my_card.logs import Logs, read_logs
from sdanalysis.paths import DATA

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "data" / "examples" / "card-image.log"
CORPUS = sorted((ROOT / "tests" / "corpus").glob("*/*.log"))
HEAVY = ("matplotlib", "numpy", "pandas", "scipy", "seaborn", "jinja2")
SERIAL = "89abcdef"

# As microsd-benchmarks.sh prints it, with figures that were chosen for these tests.
SCRIPT = """
Raspberry Pi Dramble microSD benchmarks

Running hdparm test...

/dev/mmcblk0:
 Timing buffered disk reads: 130 MB in  3.01 seconds =  43.19 MB/sec

Running dd test...

51200+0 records in
51200+0 records out
419430400 bytes (419 MB, 400 MiB) copied, 20.9715 s, 20.0 MB/s
"""
IOZONE = """
\tCommand line used: iozone -e -I -a -s 100M -r 4k -i 0 -i 1 -i 2
\tOutput is in kBytes/sec
                                                              random    random
              kB  reclen    write  rewrite    read    reread    read     write
          102400       4     {write}     2288     8810     8814     7353     {random}

iozone test complete.
"""


def saved(folder, text, name="card.log"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def answered(folder, text, **given):
    return document(read(saved(folder, text), **given))


def run(capsys, *arguments):
    code = main(["mine", *arguments])
    return code, *capsys.readouterr()


# --- what it says --------------------------------------------------------------------------------


def test_a_log_of_the_known_script_is_placed_without_its_commands(tmp_path):
    found = answered(tmp_path, SCRIPT, host="pi-4b")
    (place,) = found["places"]
    assert (place["test"], place["known_cards"]) == ("sequential write, 8 KiB, dd", 16)
    (bus,) = found["bus_tests"]
    assert (bus["test"], bus["known_figures"]) == ("sequential read, hdparm", 24)


FLUSHED = (
    "$ dd if=/dev/zero of=x bs=8k count=50k conv=fsync\n51200+0 records in\n51200+0 records out\n"
    "419430400 bytes (419 MB, 400 MiB) copied, 20.9715 s, 20.0 MB/s\n"
)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (FLUSHED, None),
        (FLUSHED.replace("conv=fsync", ""), "dd without conv=fsync ends while"),
        (SCRIPT.replace("419430400", "419430401"), "dd does not print what it read or wrote"),
    ],
    ids=["flushed", "not flushed", "no command"],
)
def test_a_dd_is_placed_where_its_command_is_known_and_waits_for_the_card(tmp_path, text, why):
    found = answered(tmp_path, text, host="pi-4b")
    assert bool(found["places"]) is (why is None)
    assert any(entry["why"].startswith(why or "") for entry in found["not_compared"]) is bool(why)


CSD = "csd: 400e00325b590000edc77f800a404000\n"  # of a card of 32 GB


@pytest.mark.parametrize(
    ("text", "given", "words"),
    [
        (SCRIPT, {}, "No computer was named"),
        (SCRIPT, {"label": "Samsung Evo+ 32 GB"}, "The label fits the Samsung Evo Plus 32 GB"),
        (SCRIPT, {"label": "Sony 32 GB"}, "The label fits."),
        (SCRIPT, {"label": "Foo 0 GB"}, "is not in the catalogue"),  # no size to divide by
        (IOZONE.format(write=2251, random="4300"), {"label": "SanDisk Extreme 32 GB"},
         "The label fits."),
        (CSD + SCRIPT, {"label": "SanDisk Extreme 32 GB"}, "its capacity (31.9 GB (29.7 GiB))"),
        (CSD + SCRIPT, {"label": "SanDisk Extreme 64 GB"},
         "the card says 31.9 GB (29.7 GiB): capacity differs (card.log:1)."),
        (f"MID: 3 OID: SD PNM: SD32G PRV: 8.5 MDATE: 1/2021\n{SCRIPT}",
         {"label": "SanDisk Extreme 32 GB"}, "its capacity (SD32G, which makers use for 32 GB)"),
    ],
)  # fmt: skip
def test_what_a_host_and_a_label_were_taken_for_is_said(tmp_path, text, given, words):
    host = {"host": "pi-4b"} if given else {}
    found = answered(tmp_path, text, **host, **given)
    assert any(words in sentence for sentence in (*found["answer"], *found["notes"]))
    assert bool(given) is (found["places"][0]["compared_with"] == "cards on pi-4b, slot")


def test_a_figure_above_the_bus_has_no_place(tmp_path):
    found = answered(tmp_path, SCRIPT, host="pi-3b")
    assert [entry["test"] for entry in found["places"]] == ["sequential write, 8 KiB, dd"]
    assert found["not_compared"][0]["why"].startswith("above what the bus can carry")
    assert any("1 test gave more than the slot can carry (25 MB/s" in s for s in found["answer"])
    assert found["doubts"][0]["rule"] == "above the bus limit"


def test_a_card_of_another_speed_than_its_name_is_told_with_its_evidence(tmp_path):
    text = IOZONE.format(write=2251, random=" 250")
    found = answered(tmp_path, text, host="pi-3b", label="SanDisk Extreme 32 GB")
    words = " ".join(found["rest"])
    assert "17.7 times slower than every SanDisk Extreme 32 GB we know" in words
    (words,) = [entry for entry in found["notes"] if "run noise alone" in entry]
    assert "makes a factor of 1.25 to SanDisk Extreme 32 GB (Chilina)" in words
    assert "known to differ by 3.0 (dd write, 2 specimens" in words
    assert {entry["verdict"] for entry in found["name"]["tests"]} == {"unlike", "specimens"}
    assert "fake" not in json.dumps(found).lower()


def test_the_serial_number_is_withheld_unless_asked_for(tmp_path, capsys):
    path = saved(tmp_path, f"/sys/block/mmcblk0/device/serial:0x{SERIAL}\n{SCRIPT}")
    page = str(tmp_path / "card.html")
    _, text, _ = run(capsys, path, "--long", "-o", page)
    assert "withheld" in text
    assert SERIAL not in text + Path(page).read_text(encoding="utf-8")
    _, text, _ = run(capsys, path, "--long", "--show-serial")
    assert f"0x{SERIAL}" in text


def test_the_page_names_the_sources_of_the_folder_of_data(tmp_path, capsys):
    data, page = tmp_path / "data", tmp_path / "card.html"
    (data / "raw").mkdir(parents=True)
    for name in ("processed", "reference", "media.toml", "hosts.toml", "raw/geerling-2019"):
        (data / name).symlink_to(DATA / name)
    run(capsys, saved(tmp_path, SCRIPT), "--data", str(data), "-o", str(page))
    footer = page.read_text(encoding="utf-8").partition("<footer>")[2]
    assert footer.count("<li>") == 1
    assert "Geerling" in footer


def test_no_folder_and_no_note_of_the_log_is_quoted(tmp_path, capsys):
    path = saved(tmp_path, f"link 1000 Mbps mac 12:34:56:78:9a:bc 5 MB/s\n{SCRIPT}")
    _, out, err = run(capsys, path, "--format", "json")
    assert "found '5 MB/s', which looks like a result" in err
    assert "12:34:56" not in out + err
    assert str(tmp_path) not in out


def test_runs_in_several_logs_are_averaged(tmp_path):
    saved(tmp_path, SCRIPT, "1.log")
    saved(tmp_path, SCRIPT.replace("20.9715 s, 20.0", "41.943 s, 10.0"), "2.log")
    found = document(read(tmp_path, host="pi-4b"))
    place = next(entry for entry in found["places"] if "dd" in entry["test"])
    assert (place["runs"], place["value"]) == (2, pytest.approx(14.14, abs=0.01))


def test_cells_and_lines_of_the_parts_count_from_two_on(tmp_path):
    found = answered(tmp_path, SCRIPT)
    unread = [{"at": f"x:{line}", "kind": "error", "text": "?"} for line in range(22)]
    left = {"what": "dd copy", "figures": 2, "at": "x:1", "why": "so"}
    found |= {"not_read": unread, "not_compared": [left, left | {"figures": 1}]}
    place = found["places"][0] | {"rank_low": 2, "rank_high": 4}
    found["places"] = [place, place | {"rank_high": 2}]
    parts = {part["id"]: part for part in sections(found)}
    assert len(parts["not-read"]["lines"]) == 21
    assert parts["not-read"]["lines"][-1] == "and 2 more, which `sdanalysis parse` lists"
    assert parts["not-compared"]["lines"] == ["dd copy (2 figures), x:1: so", "dd copy, x:1: so"]
    assert [row[3] for row in parts["places"]["rows"]] == ["2 to 4", "2"]
    whole = sections(found | {"not_read": unread[:20]})
    assert [len(part["lines"]) for part in whole if part["id"] == "not-read"] == [20]


# --- the command ---------------------------------------------------------------------------------


def test_text_json_and_page_say_the_same(tmp_path, capsys):
    path = saved(tmp_path, SCRIPT)
    page = tmp_path / "card.html"
    code, text, _ = run(capsys, path, "--host", "pi-4b", "-o", str(page), "--long")
    assert code == 0
    _, content, _ = run(capsys, path, "--host", "pi-4b", "--format", "json")
    found = json.loads(content)
    assert as_text(found, long=True, page=page) == text
    html = page.read_text(encoding="utf-8")
    for entry in found["places"]:
        assert f"<td>{entry['rank']} of {entry['known_cards'] + 1}</td>" in html
    for sentence in (found["verdict"], *found["rest"], *found["notes"]):
        assert sentence.split(":")[0].replace("'", "&#39;") in html


class Links(HTMLParser):
    """Collects what a page would load, and that every tag it opens is closed."""

    def __init__(self):
        super().__init__()
        self.loads, self.open = [], []

    def handle_starttag(self, tag, attributes):
        self.loads += [value for name, value in attributes if name in ("src", "href", "srcset")]
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_holds_all_it_needs(tmp_path, capsys):
    page = tmp_path / "card.html"
    run(capsys, saved(tmp_path, SCRIPT), "--host", "pi-4b", "--label", "<b>x</b>", "-o", str(page))
    html = page.read_text(encoding="utf-8")
    links = Links()
    links.feed(html)
    loads = {entry.partition(";")[0] for entry in links.loads if entry.startswith("data:")}
    assert loads == {"data:text/csv"}
    assert all(
        entry.startswith(("#", "data:", "http", "index.html", "cards.html"))
        for entry in links.loads
    )
    targets = {entry[1:] for entry in links.loads if entry.startswith("#")}
    ids = re.findall(r' id="([\w-]+)"', html)
    assert len(ids) == len(set(ids))
    assert set(ids) >= targets >= {*re.findall(r'<h2 id="([\w-]+)"', html), "places", "known-1"}
    assert links.open == []
    assert "default-src 'none'" in html
    assert "&lt;b&gt;x" in html
    assert '<svg xmlns="http://www.w3.org/2000/svg"' in html
    assert 'aria-label="The card among the known cards' in html


def test_from_python_a_log_without_a_benchmark_is_refused(tmp_path):
    with pytest.raises(SdAnalysisError, match=r"card\.log: found no benchmark in it"):
        read(saved(tmp_path, "hello\n"))


def test_a_log_without_a_benchmark_says_so_and_writes_no_page(tmp_path, capsys):
    page = tmp_path / "card.html"
    code, out, err = run(capsys, saved(tmp_path, "hello\n"), "-o", str(page))
    assert (code, out) == (1, "")
    assert "found no benchmark, expected the output of iozone" in err
    assert not page.exists()


def test_a_partly_read_log_is_placed_and_its_problem_shown(tmp_path, capsys):
    text = SCRIPT + "\n/dev/sda:\n Timing buffered disk reads:  54 MB in  3,01 s\n"
    line = len(text.splitlines())
    path = saved(tmp_path, text)
    code, out, err = run(capsys, path, "--host", "pi-4b", "--long")
    assert code == 1
    assert f"{path}:{line}: found" in err
    assert "Its place in each test" in out
    assert f"card.log:{line}: error: found" in out


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--host", "pi-4b", "--reader", "drawer"], "found no such reader of pi-4b"),
        (["--reader", "slot"], "found no --host"),
        (["--host", "kulesz-workstation"], "found several readers"),
        (["-o", "card.pdf"], "found the ending '.pdf', expected .html"),
    ],
)
def test_wrong_usage_is_2_and_says_what_was_expected(tmp_path, capsys, arguments, what):
    code, out, err = run(capsys, saved(tmp_path, SCRIPT), *arguments)
    assert (code, out) == (2, "")
    assert what in err


def test_standard_input_is_read_silently(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SCRIPT.encode())))
    code, out, err = run(capsys, "-", "--host", "pi-4b", "--long")
    assert (code, err) == (0, "")
    assert "standard input: 2 figures, 2 tests" in out


@pytest.mark.parametrize("arguments", [["--help"], ["README.md"]])
def test_reading_loads_no_numeric_library(arguments):
    code = (
        "import sys\n"
        "from sdanalysis.cli import main\n"
        "try:\n    code = main(['mine', *sys.argv[1:]])\n"
        "except SystemExit as end:\n    code = end.code\n"
        f"print('loaded', *(name for name in {HEAVY} if name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-1] == "loaded"


@pytest.mark.parametrize("path", CORPUS[::23], ids=lambda path: path.stem)
def test_every_log_of_the_corpus_gets_an_answer_or_a_reason(path, tmp_path, capsys):
    page = tmp_path / "card.html"
    code, out, err = run(capsys, str(path), "--format", "json", "-o", str(page))
    assert code in (0, 1)
    if not out:
        assert (code, "found no benchmark" in err) == (1, True)
        return
    found = json.loads(out)
    assert page.exists()
    assert found["answer"]
    assert found["places"] or found["not_compared"]
    said = as_text(found, long=True).replace(path.stem, "")  # a name of a log may hold the word,
    said = said.replace("found inf", "")  # and so may what could not be read
    assert not re.search(r"\bnan\b|\binf\b", said, re.IGNORECASE)


def test_a_size_that_no_machine_has_is_no_traceback(tmp_path):
    logs = read_logs([saved(tmp_path, IOZONE.format(write=2251, random="3432"))])
    rows = ({**row, "file_size": 10**30, "block_size": 10**30} for row in logs.rows)
    figures = answer(Logs(files=("x",), rows=tuple(rows))).not_compared
    assert set(figures["reason"]) == {"no_block_size"}
    assert answer(Logs()).verdict.startswith("The log was read, but no figure")


def test_the_samples_of_a_side_log_are_counted_not_kept(tmp_path):
    lines = "".join(f"{500 * time}, {time}, 0, 0, 0\n" for time in range(1, 301))
    logs = read_logs([saved(tmp_path, lines, "card_bw.1.log")])
    assert len(logs.rows) == 1
    (entry,) = document(answer(logs))["not_compared"]
    assert (entry["figures"], entry["why"]) == (300, "no finished run: one sample of a side log")


# --- the notebook --------------------------------------------------------------------------------


def test_the_example_says_that_it_is_no_card():
    readme = (EXAMPLE.parent / "README.md").read_text(encoding="utf-8")
    assert EXAMPLE.name in readme
    assert "**It is not a memory card.**" in readme


PARAMETER_SETS = [
    {"paths": "tests/corpus/iozone", "host": "pi-4b", "label": "Samsung Evo+ 32 GB"},
    {"paths": "tests/corpus/hdparm/*.log", "host": "pi-3b", "label": "SanDisk Ultra 16 GB"},
    {"paths": "tests/corpus/dd/german--coreutils-9.1.log"},
]


@pytest.mark.parametrize("parameters", PARAMETER_SETS, ids=lambda entry: entry["paths"])
def test_the_notebook_answers_for_other_parameters_too(parameters, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    cells = nbformat.read(ROOT / "notebooks" / "08_my_card.ipynb", as_version=4).cells
    names = {}
    with pd.option_context(
        "display.width", 80, "display.max_columns", 20, "display.max_colwidth", 50
    ):
        for cell in cells:
            if cell.cell_type == "code":
                exec(cell.source, names)
            if "parameters" in cell.metadata.get("tags", []):
                assert set(parameters) <= set(names)
                names |= parameters
    said = re.search(r"^Answer\. .*\n(.*\n){4}", capsys.readouterr().out, re.MULTILINE).group()
    stored = [output.get("text", "") for cell in cells for output in cell.get("outputs", [])]
    assert len(said) > 50
    assert said not in "".join(stored)
