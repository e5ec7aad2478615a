"""A source of the user's own: begun by a command, filled in by hand, built without Python."""

import gzip
import hashlib
import re
import shlex
import subprocess
import sys
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


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


# --- the page ------------------------------------------------------------------------------------


def test_the_page_shows_each_file_and_each_step():
    assert list(FILES) == [
        "mine/vm-disk/dd.txt",
        "mine/vm-disk/source.toml",
        "mine/media.toml",
        "mine/hosts.toml",
    ]
    commands = [command.split()[0] for command, _ in STEPS]
    assert commands == ["new-source", "build", "explain", "compare"]


def test_what_the_page_does_prints_what_the_page_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table, *declarations = FILES
    put(tmp_path, table)
    for number, (command, shown) in enumerate(STEPS):
        assert main(shlex.split(command)) == 0
        printed = capsys.readouterr()
        assert (printed.out, printed.err) == (shown, "")
        if number == 0:
            template = (tmp_path / "mine" / "vm-disk" / "source.toml").read_text(encoding="utf-8")
            digest = hashlib.sha256(FILES[table].encode()).hexdigest()
            assert f'sha256 = "{digest}"' in template
            for name in declarations:
                put(tmp_path, name)
    built = sdanalysis.load(tmp_path / "mine" / "measurements.csv")
    lines = FILES[table].splitlines()[1:]
    assert [f"{int(row['raw'])}" for _, row in built.iterrows()] == [
        figure for line in lines for figure in line.split(" | ")[2:]
    ]
    assert set(built["value"]) == {float(figure) * 1e6 for figure in built["raw"]}


def test_what_the_page_does_with_a_log_prints_what_the_page_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    begin, build = OF_A_LOG
    log = CARD
    Path("card.log").write_text(log, encoding="utf-8")
    assert main(shlex.split(begin[0])) == 0
    assert capsys.readouterr().out == begin[1]
    for name in ("my-card/source.toml", "media.toml"):
        (shown,) = re.findall(rf"[Ii]n `cards/{name}`:\n\n```toml\n(.*?)```", LOG_PAGE, re.S)
        path = Path("cards") / name
        text = path.read_text(encoding="utf-8")
        assert text.endswith(shown)
        text = re.sub(r'"FILL IN: measured_by of.*?: \w+/', '"us/', text)
        path.write_text(re.sub(r'"FILL IN.*?"', '"us"', text), encoding="utf-8")
    assert main(shlex.split(build[0])) == 0
    assert capsys.readouterr().out == build[1]
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
    log = tmp_path / name
    log.write_bytes(content if isinstance(content, bytes) else content.encode())
    return main(["new-source", "bench", "--raw", str(tmp_path / "mine"), "--from-log", str(log)])


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
    assert from_log(tmp_path, gzip.compress(content), "card.log.gz") == 0
    path = tmp_path / "mine" / "bench" / "source.toml"
    declared = tomllib.loads(path.read_text(encoding="utf-8"))
    assert declared["file"][0]["parsers"] == parsers
    assert (path.parent / "card.log").read_bytes() == content
    capsys.readouterr()
    assert main(["build", "--raw", str(path.parent.parent)]) == 1
    left = re.findall(r"^  (\S.*?): ", capsys.readouterr().err, re.M)
    texts = ["title", "author", "url", "date"]
    assert left == [*texts, *(f"given.{key}" for key in ("measured_by", "host", "reader", "label"))]


def test_a_log_that_does_not_tell_reading_from_writing_asks_for_it(tmp_path):
    assert from_log(tmp_path, CARD.split("$ dd")[1].partition("\n")[2]) == 0
    text = (tmp_path / "mine" / "bench" / "source.toml").read_text(encoding="utf-8")
    assert '[tool.dd]\nop = "FILL IN: write or read' in text


@pytest.mark.parametrize(
    ("line", "place"),
    [
        (
            "Raspberry Pi 99 Model B",
            ['host = "FILL IN', "# line 2: Raspberry Pi 99", 'reader = "FILL'],
        ),
        ("Raspberry Pi 5 Model B Rev 1.0", ['host = "pi-5"', 'reader = "FILL IN']),  # two slots
        ("Raspberry Pi 4 Model B\n/dev/sda1 on /", ['host = "pi-4b"', 'reader = "FILL IN']),
    ],
)
def test_a_computer_is_filled_in_only_where_the_log_tells_it(tmp_path, line, place):
    assert from_log(tmp_path, CARD.replace("Raspberry Pi 4 Model B Rev 1.2", line)) == 0
    text = (tmp_path / "mine" / "bench" / "source.toml").read_text(encoding="utf-8")
    assert all(words in text for words in place)


def test_classes_of_a_card_are_filled_in_and_its_serial_number_is_not(tmp_path):
    words = "MicroSD information: MID: 3 OID: SD PNM: SD32G PRV: 8.0 MDATE: 06/2019 - "
    words += "Class: A1 Class 10 U1\n"
    assert from_log(tmp_path, words + CARD) == 0
    text = (tmp_path / "mine" / "media.toml").read_text(encoding="utf-8")
    assert 'speed_class = ["C10", "U1"]\napplication_class = "A1"\n' in text
    declared = (tmp_path / "mine" / "bench" / "source.toml").read_text(encoding="utf-8")
    assert "e1d5a2f4" not in text + declared


def test_a_catalogue_of_the_users_is_not_changed_and_the_card_is_printed(tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "media.toml").write_text("# ours\n", encoding="utf-8")
    assert from_log(tmp_path, CARD) == 0
    assert (tmp_path / "mine" / "media.toml").read_text(encoding="utf-8") == "# ours\n"
    assert '\n[[medium]]\nid = "sandisk-sd32g-32-gb"\n' in capsys.readouterr().out


def test_what_is_no_log_begins_nothing(tmp_path, capsys):
    for content, words in {
        "nothing\n": "found no benchmark in it",
        b"\x89PNG\r\n" + bytes(range(32)): "found binary data",
    }.items():
        assert from_log(tmp_path, content) == 1
        assert words in capsys.readouterr().err
    assert main(["new-source", "bench", "--raw", str(tmp_path / "mine"), "--from-log", "nix"]) == 1
    assert "nix: found No such file" in capsys.readouterr().err
    assert not (tmp_path / "mine").exists()


def test_what_was_not_read_of_a_log_is_said(tmp_path, capsys):
    log = CORPUS / "mixed" / "script-cut-in-row--3.489.log"
    assert from_log(tmp_path, log.read_bytes()) == 0
    assert re.search(r"x\.log:\d+: found ", capsys.readouterr().err)


def test_a_folder_with_other_files_is_not_begun_with_a_log(tmp_path, capsys):
    folder = tmp_path / "mine" / "bench"
    folder.mkdir(parents=True)
    (folder / "x.log").write_text("another\n", encoding="utf-8")
    assert from_log(tmp_path, CARD) == 1
    assert "found another file of that name" in capsys.readouterr().err
    (folder / "table.txt").touch()
    assert from_log(tmp_path, CARD) == 1
    assert "found table.txt in it" in capsys.readouterr().err
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
    "the heading of the table, such as card": r"card \| write \| read",
    "the tool": "dd",
    "its unit": "MB/s",
    "name of the file, such as table.txt": "table.txt",
}


def filled(template, digest):
    """The template as somebody fills it in who changes nothing else."""

    def word(match):
        quote, hint = match[1], match[2]
        if hint == "its sha256":
            return f"{quote}{digest}{quote}"
        text = next((text for key, text in HINTS.items() if hint.startswith(key)), "something")
        return f"{quote}{text}{quote}"

    return re.sub(r"(\"|''')FILL IN: (.*?)\1", word, template)


def test_the_template_works_once_its_places_are_filled_in(tmp_path, capsys):
    raw = tmp_path / "mine"
    assert main(["new-source", "bench", "--raw", str(raw)]) == 0
    table = "card | write | read\nExample Card | 10.5 | 20.5\n"
    (raw / "bench" / "table.txt").write_text(table, encoding="utf-8")
    declaration = raw / "bench" / "source.toml"
    digest = hashlib.sha256(table.encode()).hexdigest()
    text = filled(declaration.read_text(encoding="utf-8"), digest)
    declaration.write_text(text, encoding="utf-8")
    (raw / "media.toml").write_text(
        '[[specimen]]\nmedium = "samsung-evo+-32gb-mc32da"\nid = "us/card"\n'
        'labels = ["Example Card"]\nevidence = "named"\n',
        encoding="utf-8",
    )
    assert main(["build", "--raw", str(raw)]) == 0, capsys.readouterr().err
    built = sdanalysis.load(raw / "measurements.csv")
    assert built[["op", "value", "medium", "host"]].values.tolist() == [
        ["write", 10.5e6, "samsung-evo+-32gb-mc32da", "pi-4b"],
        ["read", 20.5e6, "samsung-evo+-32gb-mc32da", "pi-4b"],
    ]


def test_a_template_that_is_not_filled_in_is_refused_with_every_place_and_what_belongs_there(
    tmp_path, capsys
):
    raw = tmp_path / "mine"
    main(["new-source", "bench", "--raw", str(raw)])
    capsys.readouterr()
    assert main(["build", "--raw", str(raw)]) == 1
    message = capsys.readouterr().err
    places = re.findall(r"^  (\S.*?): ", message, re.M)
    assert f"found FILL IN in {len(places)} places" in message
    assert {"title", "given.host", "table.results.skip 1", "file 1.path"} <= set(places)
    assert not (raw / "measurements.csv").exists()


def test_the_message_tells_the_sha256_that_is_missing(tmp_path, capsys):
    raw = tmp_path / "mine"
    main(["new-source", "bench", "--raw", str(raw)])
    (raw / "bench" / "a.txt").write_bytes(b"figures\n")
    declaration = raw / "bench" / "source.toml"
    text = re.sub('path = "FILL IN.*"', 'path = "a.txt"', declaration.read_text(encoding="utf-8"))
    declaration.write_text(text, encoding="utf-8")
    main(["build", "--raw", str(raw)])
    digest = hashlib.sha256(b"figures\n").hexdigest()
    assert f'file 1.sha256: "{digest}" (of a.txt' in capsys.readouterr().err


def test_files_that_are_in_the_folder_already_are_declared_with_their_pins(tmp_path):
    folder = tmp_path / "mine" / "bench"
    folder.mkdir(parents=True)
    for name in ("b.txt", 'a "quoted".txt'):
        (folder / name).write_text(name, encoding="utf-8")
    assert main(["new-source", "bench", "--raw", str(tmp_path / "mine")]) == 0
    import tomllib

    declared = tomllib.loads((folder / "source.toml").read_text(encoding="utf-8"))["file"]
    assert {one["path"]: one["sha256"] for one in declared} == {
        name: hashlib.sha256(name.encode()).hexdigest() for name in ("b.txt", 'a "quoted".txt')
    }


def test_the_figures_of_the_templates_stand_in_comments_only():
    templates = ROOT / "sdanalysis" / "cli" / "new-source"
    for path in templates.glob("*.toml"):
        code = [line for line in path.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
        assert not any(re.search(r"\d", line) for line in code), path.name
    assert len(list(templates.glob("*.toml"))) == 4


def test_the_example_in_the_comments_of_the_template_is_read_as_they_say(tmp_path, capsys):
    raw = tmp_path / "mine"
    main(["new-source", "bench", "--raw", str(raw)])
    declaration = raw / "bench" / "source.toml"
    text = declaration.read_text(encoding="utf-8")
    comments = re.findall(r"^#     (.*)$", text, re.M)
    table = "".join(f"{line}\n" for line in comments if re.match(r"card |Example Card \d", line))
    (raw / "bench" / "table.txt").write_text(table, encoding="utf-8")
    text = filled(text, hashlib.sha256(table.encode()).hexdigest())
    text = text.replace(r"card \| write \| read", r"card \| write.*")
    words = "\n".join(re.findall(r"^#     (\[words\]|DNF = .*)$", text, re.M))
    declaration.write_text(f"{text}\n{words}\n", encoding="utf-8")
    (raw / "media.toml").write_text(
        "".join(
            SPECIMEN.format("samsung-evo+-32gb-mc32da", f"us/{size}", f"Example Card {size} GB")
            for size in (32, 64)
        ),
        encoding="utf-8",
    )
    assert main(["build", "--raw", str(raw)]) == 0, capsys.readouterr().err
    built = sdanalysis.load(raw / "measurements.csv")
    assert built[["raw", "status"]].values.tolist() == [
        ["10.5", "measured"],
        ["20.5", "measured"],
        ["11.5", "measured"],
        ["DNF", "did_not_finish"],
    ]


@pytest.mark.parametrize("name", ["media.toml", "hosts.toml"])
def test_the_examples_in_the_comments_of_the_catalogue_are_valid(tmp_path, name):
    template = ROOT / "sdanalysis" / "cli" / "new-source" / name
    examples = re.findall(r"^#     (.*)$", template.read_text(encoding="utf-8"), re.M)
    (tmp_path / name).write_text("\n".join(examples) + "\n", encoding="utf-8")
    ours, theirs = (read_catalogue(ROOT / "data", raw) for raw in (tmp_path, None))
    added = (
        ours.specimens.keys() - theirs.specimens.keys(),
        ours.readers.keys() - theirs.readers.keys(),
    )
    assert len(added[name == "hosts.toml"]) == 2


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
    raw = tmp_path / "mine"
    for name in ("bench", "other"):
        main(["new-source", name, "--raw", str(raw)])
    before = {path: path.read_bytes() for path in raw.rglob("*.toml")}
    edit(raw / "media.toml", "# Your cards", "# OUR cards")
    assert main(["new-source", "bench", "--raw", str(raw)]) == 1
    assert "bench: found a source.toml in it" in capsys.readouterr().err
    assert main(["new-source", "third", "--raw", str(raw)]) == 0
    assert (raw / "media.toml").read_text(encoding="utf-8").startswith("# OUR cards")
    assert all(
        path.read_bytes() == content for path, content in before.items() if path.parent != raw
    )


def test_the_name_of_a_source_of_the_project_is_refused(tmp_path, capsys):
    assert main(["new-source", "kulesz-2017", "--raw", str(tmp_path)]) == 1
    assert "found a source.toml in it" in capsys.readouterr().err


def test_a_file_where_a_folder_should_be_is_an_error(tmp_path, capsys):
    (tmp_path / "mine").write_text("", encoding="utf-8")
    assert main(["new-source", "bench", "--raw", str(tmp_path / "mine")]) == 1
    assert re.fullmatch(r"sdanalysis new-source: .+ expected a folder\n", capsys.readouterr().err)


@pytest.mark.parametrize("make", [False, True], ids=["missing", "empty"])
def test_build_of_a_folder_without_sources_says_so(tmp_path, capsys, make):
    if make:
        (tmp_path / "mine").mkdir()
    assert main(["build", "--raw", str(tmp_path / "mine")]) == 1
    assert "found no source, expected folders with a source.toml" in capsys.readouterr().err


def test_help_has_an_example_and_loads_no_numeric_library():
    code = "import sys; from sdanalysis.cli import main\ntry: main(sys.argv[1:])\nfinally: "
    code += "print([name for name in ('pandas', 'numpy') if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code, "new-source", "--help"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "sdanalysis new-source my-bench --raw mine" in done.stdout
    assert done.stdout.endswith("[]\n")


# --- the catalogue of the user -------------------------------------------------------------------


def test_a_folder_without_own_catalogue_uses_the_projects(mine, capsys):
    (mine / "media.toml").unlink()
    assert main(["build", "--raw", str(mine)]) == 1
    message = capsys.readouterr().err
    assert f"which data/media.toml and {mine}/media.toml lack" in message
    assert (
        f"{mine}/vm-disk/dd.txt:2: found the label 'disk of a virtual machine' of 'us'" in message
    )


def test_a_reader_may_be_added_to_a_host_of_the_project(mine):
    (mine / "hosts.toml").write_text(
        '[[reader]]\nhost = "pi-4b"\nid = "virtio"\nname = "a reader"\nbus = "USB 3.0"\n'
        'limit = 500.0\nevidence = "signalling rate"\n',
        encoding="utf-8",
    )
    edit(mine / "vm-disk" / "source.toml", '"virtual-machine"', '"pi-4b"')
    assert main(["build", "--raw", str(mine)]) == 0
    catalogue = read_catalogue(ROOT / "data", mine)
    assert catalogue.readers["pi-4b", "virtio"]["host_name"] == "Raspberry Pi 4 Model B"
    assert ("pi-4b", "slot") in catalogue.readers


READER = '[[reader]]\nhost = "{}"\nid = "{}"\nname = "x"\nbus = "x"\nlimit = 1.0\nevidence = "x"\n'


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("media.toml", SPECIMEN.format("no-such", "us/a", "A"), "found the medium 'no-such'"),
        (
            "media.toml",
            SPECIMEN.format("adata-a2-64gb", "reader-adata/adata-a2-64gb", "A"),
            "found the id 'reader-adata/adata-a2-64gb' twice, expected it once (it is in ",
        ),
        (
            "media.toml",
            SPECIMEN.format("adata-a2-64gb", "reader-adata/b", "Adata 64GB A2 micro sd"),
            "found the label 'Adata 64GB A2 micro sd' of 'reader-adata' a second time",
        ),
        ("media.toml", "[[card]]\n", "found card, expected only medium, specimen"),
        ("media.toml", SPECIMEN.format("adata-a2-64gb", "no-slash", "A"), "expected an id"),
        ("media.toml", '[[specimen]]\nid = "us/a"\n', "found the medium None"),
        ("media.toml", "no toml", "found no valid TOML"),
        ("hosts.toml", READER.format("no-such", "slot"), "found the host 'no-such'"),
        ("hosts.toml", READER.format("pi-4b", "slot"), "found the reader 'slot' twice"),
        (
            "hosts.toml",
            '[[host]]\nid = "pi-4b"\nname = "x"\nreader = []\n',
            "found the id 'pi-4b' twice, expected it once (it is in ",
        ),
    ],
)
def test_what_conflicts_with_the_project_is_refused_and_names_the_users_file(
    mine, file, text, problem
):
    (mine / file).write_text(text, encoding="utf-8")
    with pytest.raises(DeclarationError) as error:
        read_catalogue(ROOT / "data", mine)
    assert str(error.value).startswith(f"{mine / file}: ")
    assert problem in str(error.value)


def test_the_projects_own_files_stay_as_they_are(mine):
    before = {path: path.read_bytes() for path in (ROOT / "data").rglob("*") if path.is_file()}
    assert main(["build", "--raw", str(mine)]) == 0
    after = {path: path.read_bytes() for path in (ROOT / "data").rglob("*") if path.is_file()}
    assert after == before
