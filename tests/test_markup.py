"""Markup around a log is undone once, and each number keeps its place in what was pasted."""

import html
import json
import quopri
import re

import pytest
from corpus_logs import CORPUS, log_name, logs_of

from sdanalysis.codebook.measurement import Line
from sdanalysis.logs import read as logs
from sdanalysis.parsers import decode, markup, parse, split_lines

HDPARM = "Timing buffered disk reads: 312 MB in  3.01 seconds = {}\n"
DD = "1+0 records in\n1+0 records out\n41943040 bytes (42 MB, 40 MiB) copied, 0.08 s, {}\n"
FIO = "  read: IOPS={}, BW=31.2KiB/s (32.0kB/s)(312KiB/10000msec)\n"

# A page shows no JSON with its signs, no redrawn line and nothing around a side log.
NOT_PASTED = (b'"fio version"', b"\r", b"=3D", b"&nbsp;")
TEXTS = [
    log
    for log in logs_of("*", "valid")
    if (content := log.read_bytes()).isascii()
    and not any(sign in content for sign in NOT_PASTED)
    and not content[:1].isdigit()
]


def rows(content, name="x.log"):
    """What is read of bytes, and that each number stands where its row says, between marks."""
    log = logs.parse_log(name, content)
    lines = content.decode("utf-8", errors="replace").replace("\r", "").split("\n")
    for one in log.measurements:
        if "=\n" not in content.decode("utf-8", errors="replace"):
            assert lines[one.line - 1][one.column - 1 :].startswith(one.raw)
    return log.measurements


def without_places(measurements):
    return [one._replace(line=0, column=0, run=None) for one in measurements]


@pytest.mark.parametrize(
    "printed",
    [
        *("**103.65 MB/sec**", "***103.65 MB/sec***", "`103.65 MB/sec`", "*103.65 MB/sec*"),
        *("_103.65 MB/sec_", "__103.65 MB/sec__", "<b>103.65 MB/sec</b>", "**`103.65 MB/sec`**"),
        *("103.65 MB/sec<br>", "103.65 MB/sec<br />", "103.65&nbsp;MB/sec", "&#49;03.65 MB/sec"),
        *("<strong>103.65&#160;MB/sec</strong></p>", '<span class="a b">103.65 MB/sec</span>'),
        *("[COLOR=#ff0000]103.65 [/COLOR]MB/sec", "[b][color=red]103.65[/color] MB/sec[/b]"),
        *("[B]103.65 MB/sec\n[/B]", "[size=3][b]103.65 MB/sec\n[/b][/size]"),
        *("<td>103.65 MB/sec</td></tr>", "**103.65** MB/sec", "<code>103.65</code> MB/sec"),
    ],
)
def test_marks_around_a_rate_are_undone_and_its_column_points_between_them(printed):
    text = HDPARM.format(printed)
    (one,) = logs.parse_log("x.log", text.encode()).measurements
    assert (one.value, one.line) == (108684902.4, 1)
    assert text[one.column - 1 :].startswith(("103.65", "&#49;03.65"))


@pytest.mark.parametrize(
    ("text", "raws"),
    [
        (DD.format("**524 MB/s**"), ["524"]),
        (DD.format("<b>524 MB/s</b><br>"), ["524"]),
        (FIO.format("**7** ").replace("** ,", "**,"), ["7", "31.2"]),
        (FIO.format("`7`"), ["7", "31.2"]),
        (f"<li>{FIO.format('<i>7</i>')}", ["7", "31.2"]),
        (f"**{HDPARM.strip().format('103.65 MB/sec')}**\n", ["103.65"]),
        ("_Timing buffered disk reads: 312 MB in  3.01 seconds = 103.65 MB/sec_\n", ["103.65"]),
        ("**Timing buffered disk reads:** 312 MB in  3.01 seconds = 103.65 MB/sec\n", ["103.65"]),
        ("'''Timing buffered disk reads:''' 312 MB in 3.01 seconds = 103.65 MB/sec\n", ["103.65"]),
        ("Timing buffered disk reads: 312 MB in 3.01 seconds = '''103.65 MB/sec'''\n", ["103.65"]),
        (HDPARM.format("<mark>103.65 MB/sec</mark>"), ["103.65"]),
    ],
)
def test_marks_are_undone_for_every_tool(text, raws):
    assert [one.raw for one in rows(text.encode())] == raws


NENCH = "dd: sequential write speed\n    1st run:    613.21 MiB/s\n    2nd run:    2193.45 MiB/s\n"
IOZONE = """\
              kB  reclen    write  rewrite    read    reread
            4096      64  3644585  7711565  8734909 11222762
"""


@pytest.mark.parametrize(
    ("start", "end"),
    [
        *(("[code]", "[/code]"), ("[CODE=bash]", "[/CODE]"), ("[tt]", "[/tt]")),
        *(('[quote="a, post: 1"][code]', "[/code][/quote]"), ("[b]", "[/b] ")),
        *(("[LIST][INDENT]", "[/INDENT][/LIST][LIST]"), ("[spoiler=dd][b]", "[/b][/spoiler]")),
    ],
)
def test_a_block_of_a_forum_may_begin_and_end_in_the_lines_of_a_log(start, end):
    for log, count in ((NENCH, 2), (IOZONE, 4), (HDPARM.format("103.65 MB/sec"), 1)):
        pasted = f"{start}{log.rstrip()}{end}\n"
        found = rows(pasted.encode())
        apart = rows(log.encode())
        assert [one.value for one in found] == [one.value for one in apart]
        assert len(found) == count
        for one in found:
            assert pasted.splitlines()[one.line - 1][one.column - 1 :].startswith(one.raw)


@pytest.mark.parametrize(
    ("first", "last"),
    [
        *(("*", "***{}****"), ("*", "{}*"), ("*", "**{}***"), ("**", "***{}*****")),
        *(("*", "*{}**"), ("_", "_{}__"), ("_", "{}_"), ("_", "**{}**_"), ("__", "{}__")),
        *(("", "****{}***"), ("", "***{}*"), ("", "**{}"), ("", "*{}***")),
    ],
)
def test_marks_around_a_whole_block_and_marks_without_a_partner_are_undone(first, last):
    command = f"{first}root@host:/tmp# dd if=/dev/zero of=f bs=40M count=1 conv=fsync\n"
    (row,) = rows(f"{command}{DD.format(last.format('524 MB/s'))}".encode())
    assert (row.raw, row.op, row.block_size) == ("524", "write", 40 << 20)
    (row,) = rows(
        f"{first}# hdparm -t /dev/sda\n{HDPARM.format(last.format('103.65 MB/sec'))}".encode()
    )
    assert row.raw == "103.65"


@pytest.mark.parametrize(
    "text",
    [
        "2**10 and 3**4 MB\n",
        "of=`pwd`/1.img bs=`expr 1024`\n",
        "<script>alert(1)</script>: (g=0): rw=read\n",
        "<vm> job1: (g=0): rw=read\n",
        "ls **/*.log ** 2 > out < in && echo 1&b;\n",
        "- **Timing cached reads**: the speed of memory\n",
        "File stride size set to 17 * record size. 4 * 5\n",
        "a_job_1: 44 MB/s_x\n",
        "usage: dd [b] [size=1] 5 [OPTION]... [/dev/sda]\n* 4K *\n_job_1_\n",
        "=====3D\n=====\n",
        "[code]\nrw=read\n[global]\nusage: [list] [/dev/sda]\n",
        "--opt='' --name='''' '' 5\n",
        '{\n  "fio version" : "fio-3.33",\n  "jobname" : "<b>1</b> `2` &amp; **3**",\n}\n',
    ],
)
def test_what_is_no_markup_stays(text):
    lines = split_lines(text)
    assert markup.undone(lines).lines is lines


@pytest.mark.parametrize("log", TEXTS, ids=lambda log: f"{log.parent.parent.name}/{log.stem}")
@pytest.mark.parametrize("paste", ["html", "markdown", "mail", "2024-05-01T12:00:01.1234567Z "])
def test_a_log_on_a_web_page_in_a_mail_or_behind_a_logger_gives_its_rows(log, paste):
    content, name = log.read_bytes(), log_name(log)
    text = decode(content)
    if paste == "html":
        lines = [html.escape(line).replace("  ", " &nbsp;") for line in text.split("\n")]
        pasted = "<br>\n".join(lines)
    elif paste == "markdown":  # a converter keeps signs from being marks
        pasted = re.sub(r"([][|_*<>#])", r"\\\1", text)
    elif paste.endswith(" "):
        pasted = "".join(f"{paste}{line}" for line in text.splitlines(keepends=True))
    else:
        note = (
            " = is how a mail writes the sign of a result that stands behind a long line of words"
        )
        pasted = quopri.encodestring(f"{note}\n{text}".encode()).decode()
    found = logs.parse_log(name, pasted.encode()).measurements
    assert without_places(found) == without_places(logs.parse_log(name, content).measurements)


STAMPS = [
    "2024-05-01T12:00:00.1234567Z ",
    "[2024-05-01 12:00:00,123] ",
    "2024-05-01T12:00:00.123456789+02:00 stdout F ",
    "12:00:00 DEBUG| [stdout] ",
    "May  1 12:00:00 pi bench[123]: ",
    "2024-05-01T12:00:00.123456+02:00 pi bench[123]: ",
    "build (12, x)\tRun fio\t2024-05-01T12:00:00.1234567Z ",
    "I0501 12:00:00.123456   12345 bench.go:45] ",
]


@pytest.mark.parametrize("number", range(len(STAMPS)))
def test_a_time_before_each_line_takes_no_row_of_any_tool_and_moves_columns_only(number):
    logs_here = [log for log in logs_of("*", "valid") if not log_name(log)[:1].isdigit()]
    stamp, asserted = STAMPS[number], 0
    for log in logs_here[number :: len(STAMPS)]:
        content = log.read_bytes()
        if b"\r" in content or b"\x1b" in content or not content.isascii() or log not in TEXTS:
            continue
        stamped = b"".join(stamp.encode() + line for line in content.splitlines(keepends=True))
        moved = [
            one._replace(column=one.column - len(stamp))
            for one in logs.parse_log(log_name(log), stamped).measurements
        ]
        assert moved == list(logs.parse_log(log_name(log), content).measurements), log
        asserted += 1
    assert asserted > 5


def test_a_time_in_some_line_of_a_log_is_no_stamp_of_the_others():
    text = "2024-05-01T12:00:00Z begin\n" + HDPARM.format("103.65 MB/sec")
    (row,) = rows(text.encode())
    assert (row.line, row.raw) == (2, "103.65")


@pytest.mark.parametrize(
    "before",
    [
        *("12:06:53 ", "[12:06:53] ", "12:06:53.123 ", "2024/05/01 12:06:53,123 ", "12:06:53Z "),
        *("12:06:53 DEBUG| [stdout] ", "[2024-05-01 12:06:53] INFO: ", "12:06:53+02:00 - WARN - "),
        *("2024-05-01T12:06:53.123456789Z stdout F ", "2024-05-01T12:06:53.123456Z 00O "),
        *("Jul 03 10:00:00 host fio[123]: ", "Jul  3 10:00:00 host fio: ", "[pod/fio-x2k/fio] "),
        *("fio-1  | ", "bench_fio_1    | 12:06:53 ", "job\tstep\t\ufeff2024-05-01T12:06:53.1Z "),
    ],
)
def test_what_a_logger_writes_before_each_line_is_no_part_of_it(before):
    content = "\n".join(before + line for line in FIO.format("7").splitlines() * 2) + "\n"
    (first, _, *more) = rows(content.encode())
    assert (first.raw, first.column, len(more)) == ("7", len(before) + 14, 2)


EVERY_NINTH = pytest.mark.parametrize(
    "log",
    # a string of a list is no markdown
    [log for log in TEXTS[::9] if not any(sign in log.read_bytes() for sign in (b'",\n', b"**"))],
    ids=lambda log: f"{log.parent.parent.name}/{log.stem}",
)


@EVERY_NINTH
@pytest.mark.parametrize("keys", [["msg"], ["stdout_lines"], ["stdout", "stdout_lines"]])
def test_an_output_as_a_list_of_strings_gives_its_rows_once(log, keys):
    text = decode(log.read_bytes())
    lines = [*text.splitlines(), *["done"] * 4]  # a list of a few strings is none
    shown = {key: "\n".join(lines) if key == "stdout" else lines for key in keys}
    pasted = f"ok: [host] => {json.dumps(shown, indent=4)}\n"
    plain = "\n".join(["{", *lines, "}", ""])
    found = logs.parse_log("x.log", pasted.encode()).measurements
    assert without_places(found) == without_places(
        logs.parse_log("x.log", plain.encode()).measurements
    )


def test_a_list_that_is_cut_does_not_replace_the_string_above_it():
    head = "t: (groupid=0, jobs=1): err= 0: pid=7: Sun Nov 22 12:00:00 2026"
    total = "   READ: bw=31.2KiB/s (32.0kB/s), io=312KiB (319kB), run=10000-10000msec"
    lines = [head, FIO.format("7").rstrip(), "", "Run status group 0 (all jobs):", total, "done"]
    shown = json.dumps({"stdout": "\n".join(lines), "stdout_lines": lines}, indent=1)
    whole, cut = (rows(text.encode()) for text in (shown, shown[: shown.rindex('"done"')]))
    assert [row.line for row in whole] == [5, 5]
    assert [row.line for row in cut] == [2, 2]


@EVERY_NINTH
@pytest.mark.parametrize("paste", ["cat -n", "cat -n, pasted", "patch"])
def test_lines_that_are_counted_or_that_a_patch_adds_give_their_rows(log, paste):
    content = log.read_bytes()
    if paste == "patch":
        pasted = "--- /dev/null\n+++ b/log\n@@ -0,0 +1,9 @@\n+" + "+".join(
            decode(content).splitlines(keepends=True)
        )
    else:
        lines = decode(content).splitlines(keepends=True)
        tab = "  " if "pasted" in paste else "\t"
        pasted = "".join(f"{number:>6}{tab}{line}" for number, line in enumerate(lines, 1))
    found = logs.parse_log("x.log", pasted.encode()).measurements
    assert without_places(found) == without_places(logs.parse_log("x.log", content).measurements)


BEFORE_ALL = [
    "node1: ",
    "[1,0]<stdout>:",
    "[INFO] ",
    "[%12.6f] ",
    "fio[7]: ",
    "Bob> ",
    "[12:%02d] <Bob> ",
]


@pytest.mark.parametrize("before", BEFORE_ALL)
def test_a_mark_before_all_lines_of_a_report_takes_no_row_and_moves_columns_only(before):
    asserted = 0
    for log in TEXTS[BEFORE_ALL.index(before) :: len(BEFORE_ALL)]:
        text = decode(log.read_bytes())
        has_blanks = any(line[:1] in ("", " ") for line in text.split("\n")[:-1])
        if set(text) & set("\r\x1b") or len(text.split("\n")) < 6 or not has_blanks:
            continue
        marked = "".join(
            f"{before % min(number, 59) if '%' in before else before}{line}"
            for number, line in enumerate(text.splitlines(keepends=True))
        )
        moved = [
            one._replace(column=one.column - len(before % 1 if "%" in before else before))
            for one in logs.parse_log("x.log", marked.encode()).measurements
        ]
        assert moved == list(logs.parse_log("x.log", text.encode()).measurements), log
        asserted += 1
    assert asserted > 5


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"Jobs: 1 (f=1): [r(1)][{n}.0%][r=44.5MiB/s][eta 00m:0{n}s]\n" for n in range(9)),
        "".join(f"job: (g={n}): rw=read, bs=4096B-4096B, iodepth=1\n" for n in range(9)),
        "".join(f"node{n % 2}:   read: IOPS={n}\n" for n in range(9)),
        "".join(f"node1:   read: IOPS={n}\n" for n in range(9)) + "node2:   a\nnode1:   b\n",
        "node1:   read: IOPS=9\n" * 3,
    ],
    ids=["status", "jobs", "mixed", "mixed later", "few"],
)
def test_a_word_and_a_colon_that_a_tool_or_several_hosts_print_is_no_logger(text):
    lines = split_lines(text)
    assert markup.undone(lines).lines is lines


@EVERY_NINTH
def test_a_name_before_each_line_is_of_a_chat_or_of_a_client_of_fio(log):
    text = decode(log.read_bytes())
    if "fio" in log.parts or "(g" in text or len(text.split("\n")) < 6 or set(text) & set("\r\x1b"):
        return
    chat = "".join(f"<Bob> {line}\n" for line in text.splitlines())
    found = logs.parse_log("x.log", f"<Al> slow?\n{chat}<Al> slow.\n".encode()).measurements
    plain = logs.parse_log("x.log", f"slow?\n{text.rstrip()}\nslow.\n".encode()).measurements
    assert without_places(found) == without_places(plain)


@EVERY_NINTH
def test_a_line_break_that_an_editor_writes_as_a_backslash_is_undone(log):
    text = decode(log.read_bytes())
    lines = [f"{line}\\\n" for line in text.splitlines()]
    if len(lines) < 4 or not re.search("[0-9] ?[kMG]?i?B/s|IOPS=|is in kBytes", text):
        return
    found = logs.parse_log("x.log", "".join(lines).encode()).measurements
    assert found == logs.parse_log("x.log", f"{text.rstrip()}\n".encode()).measurements


def test_the_backslashes_of_a_command_stay():
    command = "fio --name=a \\\n --rw=read \\\n --bs=4k \\\n --rate=4m \\\n --size=1G\n"
    assert "\\" in markup.undone(split_lines(f"{command}44 MB/s\n")).text


@pytest.mark.parametrize("text", ["12:06:53 {}\n", "12:06 {0}\n12:06 {0}\n", "a | {0}\nb | {0}\n"])
def test_a_single_time_or_the_cell_of_a_table_is_no_logger(text):
    lines = split_lines(text.format("44.5 MB/s"))
    assert markup.undone(lines).lines is lines


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("<tr><td>a</td><td>1</td></tr>", "a  1"),  # blanks between two cells, none at the ends
        ("<td>a</td>", "a"),
        ("a<td>", "a"),
        ("a<b>1</b>b", "a1b"),
        ("<td> </td><td>a</td><td></td>", " a"),
    ],
)
def test_of_tags_is_left_what_a_browser_shows(marked, plain):
    assert [line.text for line in markup.undone(split_lines(marked)).lines] == [plain]


def test_emphasis_in_a_row_of_a_markdown_table_is_undone():
    text = f"| {HDPARM.strip().format('_103.65 MB/sec_')} |\n"
    (row,) = rows(text.encode())
    assert row.raw == "103.65"


def test_a_number_that_mail_broke_stands_where_it_begins():
    text = (
        "Timing cached reads:  312 MB in  3.01 seconds =3D 10=\n3.65 MB/sec\n"
        "Timing buffered disk reads:  312 MB in  3.01 seconds =3D =\n103.65 MB/sec=20\n"
    )
    log = logs.parse_log("x.log", text.encode())
    assert [(one.raw, one.line, one.column) for one in log.measurements] == [
        ("103.65", 1, 51),
        ("103.65", 4, 1),
    ]
    assert log.problems == ()


def test_quoted_signs_without_broken_lines_are_no_mail():
    lines = split_lines("seconds =3D 103.65 MB/sec\ndd of=3Drint.img bs=64k\n")
    assert markup.undone(lines).lines is lines


@pytest.mark.parametrize("head", ["Content-Transfer-Encoding: quoted-printable\n", ""])
def test_the_head_of_a_mail_or_a_quoted_number_tells_a_mail(head):
    command = "# dd if=3D/mnt/t of=3D/dev/null" + (" bs=8M" if head else " bs=3D8M")
    (one,) = rows(f"{head}{command}\n{DD.format('524 MB/s')}".replace("1+0", "5+0").encode())
    assert (one.op, one.direct) == ("read", False)


@pytest.mark.parametrize("end", ["=0A=", "=0D=0A=", "=20=0A=", "=0D"])
def test_a_line_end_that_a_mail_program_quoted_ends_a_line(end):
    text = f"seconds =3D 10=\n3.65 MB/sec{end}\nan=\nd{end}\n"
    lines = [(number, part.rstrip()) for number, part in markup.undone(split_lines(text)).lines]
    assert [line for line in lines if line[1]] == [(1, "seconds = 103.65 MB/sec"), (3, "and")]


def test_line_ends_that_are_quoted_within_a_line_part_its_commands():
    text = (
        "=0A=0A$ dd if=3D/dev/zero of=3Dt bs=3D1M count=3D80 conv=3Dfsync=0A80+0 re=\n"
        "cords in=0A80+0 records out=0A83886080 bytes (84 MB, 80 MiB) copied, 0.5 s, 1=\n"
        "68 MB/s=0A=0A$ dd if=3Dt of=3D/dev/null bs=3D2M=0A40+0 records in=0A40+0 records out=\n"
        "=0A83886080 bytes (84 MB, 80 MiB) copied, 0.2 s, 419 MB/s=0A=0AYours=\n=0A=\n"
    )
    log = logs.parse_log("x.log", text.encode())
    found = [(one.op, one.raw, one.block_size, one.line) for one in log.measurements]
    assert found == [("write", "168", 1 << 20, 2), ("read", "419", 2 << 20, 4)]
    assert log.problems == ()


def test_quoted_line_ends_alone_tell_a_mail():
    text = DD.format("524 MB/s").replace("\n", "=0A=\n")
    (one,) = rows(f"=0A=\n$ dd of=a bs=1M=0A=\n{text}".replace("dd of=a", "dd if=a").encode())
    assert (one.raw, one.line) == ("524", 5)


def test_a_quoted_mail_keeps_its_letters():
    lines = split_lines("=E2=80=98out=E2=80=99 1 =3D =C2=A02=\n3 bs=20k=20\n")
    assert markup.undone(lines).lines == [Line(1, "\u2018out\u2019 1 =  23 bs=20k=20")]


def test_the_numbers_of_an_option_beside_a_quoted_mail_stay():
    mailed = "a =3D =\nb\n"
    for option in ("count=8192", "bs=96k", "count=80", "bs=81 x"):
        assert markup.undone(split_lines(f"{mailed}{option}\n")).lines[-1].text == option
    for text, shown in (("it=92s", "it\x92s"), ("=93a=94", "\x93a\x94"), ("g=E9n=E9", "géné")):
        assert markup.undone(split_lines(f"{mailed}{text}\n")).lines[-1].text == shown


def test_a_source_is_read_without_markup_too():
    (one,) = parse(split_lines(HDPARM.format("**103.65 MB/sec**")), ["hdparm"])
    assert (one.raw, one.column) == ("103.65", 57)


def test_a_page_with_a_json_document_keeps_the_document():
    content = (CORPUS / "fio/valid/json-randrw--3.25.log").read_bytes()
    page = b"<p>the run of 5 MB/s:</p>\n" + content.replace(b'"job1"', b'"<b>job1</b>"')
    names = {one.raw for one in logs.parse_log("x", content).measurements}
    assert {one.raw for one in logs.parse_log("x", page).measurements} == names


WIDE = str.maketrans(",:()=", "，：（）＝")
OLD_FIO = "w: (groupid=0, jobs=1): err= 0: pid=7: Sun Nov 22 12:00:00 2026\n"
OLD_FIO += "  write: io=88797KB, bw=2722.8KB/s, iops=2722 , runt= 32613msec\n"
OLD_FIO += "    lat (usec): min=4, max=41, avg=22.44, stdev=9.08\n"
HEADED = "w: (g=0): rw=randwrite, bs=1K-1K/1K-1K, ioengine=libaio, iodepth=128\n"


@pytest.mark.parametrize("wide", [WIDE, {ord(","): "，"}, {ord(","): "，", ord(":"): "："}])
@pytest.mark.parametrize("text", [HEADED + OLD_FIO, FIO.format("7"), DD.format("524 MB/s")])
def test_full_width_signs_of_a_page_are_those_of_ascii(text, wide):
    given = text.translate(wide)
    assert without_places(rows(given.encode())) == without_places(rows(text.encode()))
    for printed in (given.replace("， ", "，"), f"我用fio，然后（见下）：\n{given}"):
        assert len(rows(printed.encode())) == len(rows(text.encode())), printed


def test_the_dashes_of_options_are_hyphens_and_those_of_a_sentence_stay():
    text = "\u3000fio –name=a — iozone –Ra —I - ddrescue ––idirect – und –\n–name"
    assert [line.text for line in split_lines(text)] == [
        " fio --name=a — iozone -Ra -I - ddrescue --idirect – und –",
        "–name",
    ]


def test_full_width_signs_of_a_sentence_stay():
    text = "使用 fio 进行 IO 压测，具体参数：可以（参考）\nbw=1， iops=2，跟\n"
    assert [line.text for line in split_lines(text)] == [
        "使用 fio 进行 IO 压测，具体参数：可以（参考）",
        "bw=1, iops=2，跟",
    ]


BROKEN = [
    ("bw=2722.8KB/s, iops", "bw=2722.8KB/s, \niops"),
    ("bw=2722.8KB/s, iops=2722 , runt", "\n> bw=2722.8KB/s,\n> iops=2722 ,\n> runt"),
    ("runt= 32613msec", "runt=\n32613msec"),
    ("max=41, avg", "max=41,\n    avg"),
    ("avg=22.44, stdev", "avg=22.44, \n| stdev"),
    ("err= 0: pid", "err= 0: \npid"),
]


@pytest.mark.parametrize(("whole", "parted"), BROKEN)
def test_a_result_of_fio_that_was_broken_between_two_fields_is_read_where_it_stands(whole, parted):
    text = f"{HEADED}{OLD_FIO}and so on\n"
    given = text.replace(whole, parted)
    assert given != text
    assert without_places(rows(given.encode())) == without_places(rows(text.encode()))


def test_a_result_of_a_new_fio_that_was_broken_is_read_where_it_stands():
    text = FIO.format("7")
    for whole in ("BW=31.2", "(32.0kB", "(312KiB"):
        given = text.replace(whole, f"\n  {whole}").replace("7, ", "7,")
        assert without_places(rows(given.encode())) == without_places(rows(text.encode()))
    (row, *_) = rows(f"{OLD_FIO}iops=3, runt=9msec\n".encode())
    assert row.raw == "2722.8"  # what stands below a whole line is no part of it


@pytest.mark.parametrize(
    ("around", "line_end"),
    [("`{}`", "\n"), ("` {} `", "\n"), ("**{}**", "\n"), ("{}", "\u200b\n"), ("│ {:<72} │", "\n")],
)
def test_marks_around_each_line_are_undone_with_the_names_of_a_table(around, line_end):
    for log, count in ((IOZONE, 4), (HDPARM.format("103.65 MB/sec"), 1)):
        lines = [around.format(line.strip()) + line_end for line in log.splitlines()]
        found = rows("".join(lines).encode())
        assert [one.raw for one in found] == [one.raw for one in rows(log.encode())]
        assert len(found) == count


@pytest.mark.parametrize("blank", ["\u2003", "\u2009", "\u2007", "\u00a0"])
def test_a_page_s_blanks_are_blanks(blank):
    log = IOZONE + HDPARM.format("103.65 MB/sec")
    found = rows(log.replace("  ", 2 * blank).encode())
    assert [one.raw for one in found] == [one.raw for one in rows(log.encode())]


@pytest.mark.parametrize("shown", ["{}^M", "^[[1m{}^[[0m", "^[[?2004l^M{}^M", "working^M{}^M"])
def test_returns_and_escapes_that_cat_shows_are_those(shown):
    log = HDPARM.format("103.65 MB/sec")
    (one,) = logs.parse_log("x.log", f"{shown.format(log.strip())}\n".encode()).measurements
    assert (one.raw, one.raw_unit) == ("103.65", "MB/sec")


MAIL = """\
Content-Type: multipart/alternative; boundary="=_1"

--=_1
Content-Type: text/plain; charset="UTF-8"
Content-Transfer-Encoding: quoted-printable

> # hdparm -t /dev/sdb
>  Timing buffered disk reads: 132 MB in  3.03 seconds =3D 43.62 MB/sec

--=_1
Content-Type: text/html; charset="UTF-8"
Content-Transfer-Encoding: quoted-printable

<html><style>p {margin: 7px}</style>
<p style=3D"color:rgb(0,0,102)">&gt; # hdparm -t /dev/sdb<br>
</p><p>&gt;  Timing buffered disk reads: 132 MB in  3.03 seconds =3D 4=
%s MB/sec</p>
</html>
%s"""


@pytest.mark.parametrize("end", ["--=_1--\n", ""])
def test_the_text_of_a_mail_that_follows_as_html_counts_once(end):
    log = logs.parse_log("x.eml", (MAIL % ("3.62", end)).encode())
    assert [(one.line, one.raw) for one in log.measurements] == [(8, "43.62")]
    assert [(one.line, one.kind) for one in log.problems] == [(13, "note")]


def test_html_of_a_mail_that_holds_another_number_counts_too():
    assert [one.raw for one in rows((MAIL % ("3.63", "")).encode())] == ["43.62", "43.63"]


def test_results_that_an_answer_quotes_count_where_they_stand_first():
    for log in logs_of("*", "valid")[::7]:
        text = log.read_text(encoding="utf-8", errors="replace")
        alone = logs.parse_log("x.log", text.encode()).measurements
        if not alone or "\r" in text or not text.endswith("\n") or text[0] in "{0123456789":
            continue
        quote = "".join(f"> {line}\n" for line in text.splitlines())
        thread = logs.parse_log("x.log", f"{text}\nSue wrote:\n{quote}\nThat is slow.\n".encode())
        last = text.count("\n")
        assert all(one.line <= last for one in thread.measurements), log
        assert len(thread.measurements) <= len(alone)
        assert any(one.line > last for one in thread.problems)


def test_an_answer_with_its_own_result_counts_beside_what_it_quotes():
    timing = HDPARM.format("103.65 MB/sec")
    mail = f"> {timing}Mine is\n{HDPARM.format('103.64 MB/sec')}\n> > {timing}"
    assert [one.line for one in rows(mail.encode())] == [1, 3]
    assert [one.line for one in rows(f"{timing}again:\n{timing}".encode())] == [1, 3]
