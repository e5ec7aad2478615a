"""A source of the user's own: begun by a command, filled in by hand, built without Python."""

import gzip
import hashlib
import re
import shlex
import tomllib
from pathlib import Path

import pytest

import sdanalysis
from sdanalysis.cli import main
from sdanalysis.errors import DeclarationError
from sdanalysis.sources.catalogue import read_catalogue

ROOT = Path(__file__).resolve().parent.parent
PAGE, LOG_PAGE = (
    (ROOT / "docs" / name).read_text(encoding="utf-8")
    for name in ("new-source.md", "source-from-log.md")
)
FILES = dict(re.findall(r"`(mine/\S+)`:\n\n```\w+\n(.*?)```", PAGE, re.S))
STEPS, OF_A_LOG = (
    re.findall(r"^\$ sdanalysis (.+)\n((?:(?!\$ |```).*\n)*)", part, re.M)
    for part in (PAGE, LOG_PAGE)
)


SPECIMEN = '[[specimen]]\nmedium = "{}"\nid = "{}"\nlabels = ["{}"]\nevidence = "named"\n'
READER = '[[reader]]\nhost = "{}"\nid = "{}"\nname = "x"\nbus = "x"\nlimit = 1.0\nevidence = "x"\n'


def put(folder, name):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(FILES[name], encoding="utf-8")


@pytest.fixture
def mine(tmp_path):
    """The finished folder of the page."""
    for name in FILES:
        put(tmp_path, name)
    return tmp_path / "mine"


def says(capsys, command, shown):
    """Run a command of a page: it prints what the page shows, and complains of nothing."""
    assert main(shlex.split(command)) == 0
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == (shown, "")


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


# --- the page ------------------------------------------------------------------------------------


def test_what_the_page_does_prints_what_the_page_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table, *declarations = FILES
    assert [command.split()[0] for command, _ in STEPS] == [
        "new-source", "build", "explain", "compare",
    ]  # fmt: skip
    put(tmp_path, table)
    begin, *others = STEPS
    says(capsys, *begin)
    template = (tmp_path / "mine" / "vm-disk" / "source.toml").read_text(encoding="utf-8")
    assert f'sha256 = "{hashlib.sha256(FILES[table].encode()).hexdigest()}"' in template
    for name in declarations:
        put(tmp_path, name)
    for step in others:
        says(capsys, *step)
    built = sdanalysis.load(tmp_path / "mine" / "measurements.csv")
    lines = FILES[table].splitlines()[1:]
    assert [*built["raw"]] == [figure for line in lines for figure in line.split(" | ")[2:]]
    assert set(built["value"]) == {float(figure) * 1e6 for figure in built["raw"]}


def test_what_the_page_does_with_a_log_prints_what_the_page_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    begin, build = OF_A_LOG
    Path("card.log").write_text(CARD, encoding="utf-8")
    says(capsys, *begin)
    for name in ("my-card/source.toml", "media.toml"):
        (shown,) = re.findall(rf"[Ii]n `cards/{name}`:\n\n```toml\n(.*?)```", LOG_PAGE, re.S)
        path = Path("cards") / name
        text = path.read_text(encoding="utf-8")
        assert text.endswith(shown)
        text = re.sub(r'"FILL IN: measured_by of.*?: \w+/', '"us/', text)
        path.write_text(re.sub(r'"FILL IN.*?"', '"us"', text), encoding="utf-8")
    says(capsys, *build)
    built = sdanalysis.load("cards/measurements.csv")
    assert built[["op", "raw", "specimen", "host", "reader", "direct"]].values.tolist() == [
        ["read", "43.85", "us/sandisk-sd32g-32-gb", "pi-4b", "slot", False],
        ["write", "26.5", "us/sandisk-sd32g-32-gb", "pi-4b", "slot", True],
    ]
    media = sdanalysis.load_media(raw="cards")
    assert len(media) == len(sdanalysis.load_media()) + 1


# --- from a log ----------------------------------------------------------------------------------

CORPUS = ROOT / "tests" / "corpus"
CARD = re.search(r"`card\.log`:\n\n```text\n(.*?)```", LOG_PAGE, re.S)[1]


def from_log(tmp_path, content, name="x.log"):
    """Begin a source from a log; return the exit code and its source.toml."""
    log = tmp_path / name
    log.write_bytes(content if isinstance(content, bytes) else content.encode())
    code = main(["new-source", "bench", "--raw", str(tmp_path / "mine"), "--from-log", str(log)])
    path = tmp_path / "mine" / "bench" / "source.toml"
    return code, path.read_text(encoding="utf-8") if path.exists() else ""


@pytest.mark.parametrize(
    ("log", "parsers"),
    [
        ("fio/json-plus--3.33.log", ["fio"]),
        ("iozone/direct-all-13--3.507.log", ["iozone"]),
        ("mixed/dramble-microsd--hdparm-9.65-coreutils-9.1-iozone-3.429.log",
         ["dd", "hdparm", "iozone"]),
        ("scripts/pibenchmarks-session-partly-made--storage-sh-2023-coreutils-9.1-fio-3.33.log",
         ["dd", "hdparm", "iozone", "scripts"]),
    ],
)  # fmt: skip
def test_what_a_log_does_not_say_is_all_that_is_left_to_fill_in(tmp_path, capsys, log, parsers):
    content = (CORPUS / log).read_bytes()
    code, text = from_log(tmp_path, gzip.compress(content), "card.log.gz")
    assert (code, tomllib.loads(text)["file"][0]["parsers"]) == (0, parsers)
    assert (tmp_path / "mine" / "bench" / "card.log").read_bytes() == content
    capsys.readouterr()
    assert main(["build", "--raw", str(tmp_path / "mine")]) == 1
    left = re.findall(r"^  (\S.*?): ", capsys.readouterr().err, re.M)
    texts = ["title", "author", "url", "date"]
    assert left == [*texts, *(f"given.{key}" for key in ("measured_by", "host", "reader", "label"))]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (CARD.split("$ dd")[1].partition("\n")[2], ['[tool.dd]\nop = "FILL IN: write or read']),
        *((CARD.replace("Raspberry Pi 4 Model B Rev 1.2", line), words) for line, words in (
            ("Raspberry Pi 99 Model B",
             ['host = "FILL IN', "# line 2: Raspberry Pi 99", 'reader = "FILL']),
            ("Raspberry Pi 5 Model B Rev 1.0", ['host = "pi-5"', 'reader = "FILL']),  # two slots
            ("Raspberry Pi 4 Model B\n/dev/sda1 on /", ['host = "pi-4b"', 'reader = "FILL']),
        )),
    ],
)  # fmt: skip
def test_what_a_log_does_not_tell_is_asked_for(tmp_path, content, words):
    code, text = from_log(tmp_path, content)
    assert (code, [word for word in words if word not in text]) == (0, [])


def test_classes_of_a_card_are_filled_in_and_its_serial_number_is_not(tmp_path):
    words = "MicroSD information: MID: 3 OID: SD PNM: SD32G PRV: 8.0 MDATE: 06/2019 - "
    _, declared = from_log(tmp_path, f"{words}Class: A1 Class 10 U1\n{CARD}")
    text = (tmp_path / "mine" / "media.toml").read_text(encoding="utf-8")
    assert 'speed_class = ["C10", "U1"]\napplication_class = "A1"\n' in text
    assert "e1d5a2f4" not in text + declared


def test_a_catalogue_of_the_users_is_not_changed_and_the_card_is_printed(tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "media.toml").write_text("# ours\n", encoding="utf-8")
    assert from_log(tmp_path, CARD)[0] == 0
    assert (tmp_path / "mine" / "media.toml").read_text(encoding="utf-8") == "# ours\n"
    assert '\n[[medium]]\nid = "sandisk-sd32g-32-gb"\n' in capsys.readouterr().out


def test_what_is_no_log_begins_nothing(tmp_path, capsys):
    for content, words in {
        "nothing\n": "found no benchmark in it",
        b"\x89PNG\r\n" + bytes(range(32)): "found binary data",
    }.items():
        assert from_log(tmp_path, content)[0] == 1
        assert words in capsys.readouterr().err
    assert main(["new-source", "bench", "--raw", str(tmp_path / "mine"), "--from-log", "nix"]) == 1
    assert "nix: found No such file" in capsys.readouterr().err
    assert not (tmp_path / "mine").exists()


def test_what_was_not_read_of_a_log_is_said(tmp_path, capsys):
    log = CORPUS / "mixed" / "script-cut-in-row--3.489.log"
    assert from_log(tmp_path, log.read_bytes())[0] == 0
    assert re.search(r"x\.log:\d+: found ", capsys.readouterr().err)


def test_a_folder_with_other_files_is_not_begun_with_a_log(tmp_path, capsys):
    folder = tmp_path / "mine" / "bench"
    folder.mkdir(parents=True)
    (folder / "x.log").write_text("another\n", encoding="utf-8")
    for words in ("found another file of that name", "found table.txt in it"):
        assert from_log(tmp_path, CARD) == (1, "")
        assert words in capsys.readouterr().err
        (folder / "table.txt").touch()
    assert (folder / "x.log").read_text(encoding="utf-8") == "another\n"


# --- traps ---------------------------------------------------------------------------------------


def test_a_comma_of_thousands_never_becomes_a_decimal_one(mine, capsys):
    """The whole way of a reader who followed the advice and lost a factor of 1000."""
    declaration, raw = mine / "vm-disk" / "source.toml", mine / "vm-disk" / "dd.txt"
    edit(raw, "1441 | 1046", "2,310 | 44.1")
    edit(declaration, 'op = "write", unit = "MB/s"', 'op = "randwrite", unit = "IOPS"')
    build = ["build", "--raw", str(mine)]
    assert main(build) == 1
    old, new = re.findall(r"[0-9a-f]{64}", capsys.readouterr().err)[::-1]
    edit(declaration, old, new)  # as the message says
    for declared in ("", "decimal_comma = true\n"):
        edit(declaration, "repeats = true\n", f"{declared}repeats = true\n")
        assert main(build) == 1
        said = capsys.readouterr().err
        assert "dd.txt:3: table results: found '2,310', expected a" in said
        assert 'declare `thousands = ","`, without decimal_comma' in said
    edit(declaration, "decimal_comma = true\n", 'thousands = ","\n')
    assert main(build) == 0
    built = sdanalysis.load(mine / "measurements.csv")
    assert built.set_index("raw")["value"][["2,310", "44.1"]].tolist() == [2310, 44.1e6]


@pytest.mark.parametrize(
    ("declared", "problem"),
    [
        ('thousands = ";"', "table.results.thousands: found ';', expected one of"),
        ('thousands = "."', "'.' as mark of thousands and of decimals, expected it with `dec"),
        ('thousands = ","\ndecimal_comma = true', "expected it without `decimal_comma = true`"),
        ("thousands = true", "thousands: found True, expected str"),
    ],
)
def test_a_mark_of_thousands_that_cannot_be_one_is_refused(mine, capsys, declared, problem):
    edit(mine / "vm-disk" / "source.toml", "repeats = true", declared)
    assert main(["build", "--raw", str(mine)]) == 1
    assert problem in capsys.readouterr().err


def test_an_id_of_the_project_is_named_with_what_to_do(mine, capsys):
    edit(mine / "media.toml", 'id = "virtual-disk"', 'id = "adata-a2-64gb"')
    assert main(["build", "--raw", str(mine)]) == 1
    said = capsys.readouterr().err
    assert "found the id 'adata-a2-64gb' twice, expected it once (it is in " in said
    assert (
        'with a [[specimen]] that says `medium = "adata-a2-64gb"`, else choose another id' in said
    )


# --- the template --------------------------------------------------------------------------------

HINTS = {
    "a host of hosts.toml": "pi-4b",
    "a reader of that host": "slot",
    "a short name such as lechner": "us",
    "the heading of the table, such as card": r"card \| write.*",
    "the tool": "dd",
    "its unit": "MB/s",
    "name of the file, such as table.txt": "table.txt",
}


def begun(tmp_path, name="bench"):
    raw = tmp_path / "mine"
    return main(["new-source", name, "--raw", str(raw)]), raw, raw / name / "source.toml"


def fill(declaration, table, more=""):
    """Fill the template in as somebody does who changes nothing else."""
    (declaration.parent / "table.txt").write_text(table, encoding="utf-8")
    digest = hashlib.sha256(table.encode()).hexdigest()

    def word(match):
        hint = match[2]
        text = next((text for key, text in HINTS.items() if hint.startswith(key)), "something")
        return f"{match[1]}{digest if hint == 'its sha256' else text}{match[1]}"

    text = declaration.read_text(encoding="utf-8")
    text = re.sub(r"(\"|''')FILL IN: (.*?)\1", word, text)
    declaration.write_text(f"{text}\n{more}\n", encoding="utf-8")


def test_the_template_and_the_example_in_its_comments_work_once_its_places_are_filled_in(
    tmp_path, capsys
):
    code, raw, declaration = begun(tmp_path)
    assert code == 0
    text = declaration.read_text(encoding="utf-8")
    comments = re.findall(r"^#     (.*)$", text, re.M)
    table = "".join(f"{line}\n" for line in comments if re.match(r"card |Example Card \d", line))
    words = "\n".join(re.findall(r"^#     (\[words\]|DNF = .*)$", text, re.M))
    fill(declaration, table, words)
    cards = [
        SPECIMEN.format("samsung-evo+-32gb-mc32da", f"us/{size}", f"Example Card {size} GB")
        for size in (32, 64)
    ]
    (raw / "media.toml").write_text("".join(cards), encoding="utf-8")
    assert main(["build", "--raw", str(raw)]) == 0, capsys.readouterr().err
    built = sdanalysis.load(raw / "measurements.csv")
    assert built[["raw", "status"]].values.tolist() == [
        ["10.5", "measured"], ["20.5", "measured"], ["11.5", "measured"], ["DNF", "did_not_finish"],
    ]  # fmt: skip
    assert built[["op", "value", "medium", "host"]].values.tolist()[:2] == [
        ["write", 10.5e6, "samsung-evo+-32gb-mc32da", "pi-4b"],
        ["read", 20.5e6, "samsung-evo+-32gb-mc32da", "pi-4b"],
    ]


def test_a_template_that_is_not_filled_in_is_refused_with_every_place_and_what_belongs_there(
    tmp_path, capsys
):
    _, raw, declaration = begun(tmp_path)
    capsys.readouterr()
    assert main(["build", "--raw", str(raw)]) == 1
    message = capsys.readouterr().err
    places = re.findall(r"^  (\S.*?): ", message, re.M)
    assert f"found FILL IN in {len(places)} places" in message
    assert {"title", "given.host", "table.results.skip 1", "file 1.path"} <= set(places)
    assert not (raw / "measurements.csv").exists()
    (raw / "bench" / "a.txt").write_bytes(b"figures\n")
    text = re.sub('path = "FILL IN.*"', 'path = "a.txt"', declaration.read_text(encoding="utf-8"))
    declaration.write_text(text, encoding="utf-8")
    main(["build", "--raw", str(raw)])
    digest = hashlib.sha256(b"figures\n").hexdigest()
    assert f'file 1.sha256: "{digest}" (of a.txt' in capsys.readouterr().err


def test_files_that_are_in_the_folder_already_are_declared_with_their_pins(tmp_path):
    folder = tmp_path / "mine" / "bench"
    folder.mkdir(parents=True)
    pins = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("b.txt", 'a "q".txt')}
    for name in pins:
        (folder / name).write_text(name, encoding="utf-8")
    code, _, declaration = begun(tmp_path)
    declared = tomllib.loads(declaration.read_text(encoding="utf-8"))["file"]
    assert (code, {file["path"]: file["sha256"] for file in declared}) == (0, pins)


@pytest.mark.parametrize("name", ["media.toml", "hosts.toml"])
def test_the_examples_in_the_comments_of_the_catalogue_are_valid(tmp_path, name):
    template = ROOT / "sdanalysis" / "cli" / "new-source" / name
    examples = re.findall(r"^#     (.*)$", template.read_text(encoding="utf-8"), re.M)
    (tmp_path / name).write_text("\n".join(examples) + "\n", encoding="utf-8")
    ours, theirs = (read_catalogue(ROOT / "data", raw) for raw in (tmp_path, None))
    part = "specimens" if name == "media.toml" else "readers"
    assert len(getattr(ours, part).keys() - getattr(theirs, part).keys()) == 2


# --- doors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["", "My Bench", "../up", "a/b", "a_b", "-a", "a--b", "a-", "É", "a\n", "."]
)
def test_a_name_that_is_no_slug_is_refused_and_nothing_is_written(tmp_path, capsys, name):
    raw = tmp_path / "mine"
    assert main(["new-source", "--raw", str(raw), "--", name]) == 2
    assert "expected small letters, digits and single hyphens" in capsys.readouterr().err
    assert not raw.exists()


def test_a_source_that_is_there_is_not_overwritten(tmp_path, capsys):
    for name in ("bench", "other"):
        raw = begun(tmp_path, name)[1]
    edit(raw / "media.toml", "# Your cards", "# OUR cards")
    before = {path: path.read_bytes() for path in raw.rglob("*.toml")}
    for name in ("bench", "kulesz-2017"):  # the second is the project's own
        assert begun(tmp_path, name)[0] == 1
        assert f"{name}: found a source.toml in it" in capsys.readouterr().err
    assert begun(tmp_path, "third")[0] == 0
    assert all(path.read_bytes() == content for path, content in before.items())


def test_a_file_where_a_folder_should_be_is_an_error(tmp_path, capsys):
    (tmp_path / "mine").write_text("", encoding="utf-8")
    assert begun(tmp_path)[0] == 1
    assert re.fullmatch(r"sdanalysis new-source: .+ expected a folder\n", capsys.readouterr().err)


# --- the catalogue of the user -------------------------------------------------------------------


def test_a_folder_without_own_catalogue_uses_the_projects(mine, capsys):
    (mine / "media.toml").unlink()
    assert main(["build", "--raw", str(mine)]) == 1
    message = capsys.readouterr().err
    assert f"which data/media.toml and {mine}/media.toml lack" in message
    found = "found the label 'disk of a virtual machine' of 'us'"
    assert f"{mine}/vm-disk/dd.txt:2: {found}" in message


def test_a_reader_may_be_added_to_a_host_of_the_project_whose_own_files_stay(mine):
    before = {path: path.read_bytes() for path in (ROOT / "data").rglob("*") if path.is_file()}
    (mine / "hosts.toml").write_text(READER.format("pi-4b", "virtio"), encoding="utf-8")
    edit(mine / "vm-disk" / "source.toml", '"virtual-machine"', '"pi-4b"')
    assert main(["build", "--raw", str(mine)]) == 0
    catalogue = read_catalogue(ROOT / "data", mine)
    assert catalogue.readers["pi-4b", "virtio"]["host_name"] == "Pi 4"
    assert ("pi-4b", "slot") in catalogue.readers
    after = {path: path.read_bytes() for path in (ROOT / "data").rglob("*") if path.is_file()}
    assert after == before


ADATA = "adata-a2-64gb"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (SPECIMEN.format("no-such", "us/a", "A"), "found the medium 'no-such'"),
        (SPECIMEN.format(ADATA, f"reader-adata/{ADATA}", "A"),
         f"found the id 'reader-adata/{ADATA}' twice, expected it once (it is in "),
        (SPECIMEN.format(ADATA, "reader-adata/b", "Adata 64GB A2 micro sd"),
         "found the label 'Adata 64GB A2 micro sd' of 'reader-adata' a second time"),
        ("[[card]]\n", "found card, expected only medium, specimen"),
        (SPECIMEN.format(ADATA, "no-slash", "A"), "expected an id"),
        ('[[specimen]]\nid = "us/a"\n', "found the medium None"),
        ("no toml", "found no valid TOML"),
        (READER.format("no-such", "slot"), "found the host 'no-such'"),
        (READER.format("pi-4b", "slot"), "found the reader 'slot' twice"),
        ('[[host]]\nid = "pi-4b"\nname = "x"\nreader = []\n',
         "found the id 'pi-4b' twice, expected it once (it is in "),
    ],
)  # fmt: skip
def test_what_conflicts_with_the_project_is_refused_and_names_the_users_file(mine, text, problem):
    file = mine / ("hosts.toml" if "host" in text else "media.toml")
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DeclarationError, match=f"^{re.escape(f'{file}: ')}.*{re.escape(problem)}"):
        read_catalogue(ROOT / "data", mine)
