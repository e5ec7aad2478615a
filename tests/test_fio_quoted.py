"""Lines of fio's report that people quote below a command: results behind words, samples, parts."""

import pytest
from test_fio_pasted import BLOCK, OPTIONS, RESULT, SHORT, TOTALS, WHOLE, notes, read, speeds, whole

COMMAND = f"$ fio {OPTIONS}\n"
OTHER = RESULT.replace("1600", "1400").replace("800", "700").replace("839", "734")
ALONE = ("write", 524288, None, None, None, "measured")  # only what the figures tell
CONTRADICTED = "another direction or block size"
SAMPLES = """\
>    bw (  KiB/s): min= 3904, max=10776, per=100.00%, avg=6737.87, stdev=631.32, samples=933
>    iops        : min=  976, max= 2694, avg=1684.45, stdev=157.83, samples=933
"""


@pytest.mark.parametrize(
    "between",
    [
        "",
        "\n",
        "Without the patch:\n",
        "    clat (usec): min=77, max=9730, avg=271.67, stdev=32.87\n",
        "     lat (usec): min=78, max=9731, avg=272.67, stdev=32.87\n  cpu          : usr=1%\n",
        f"{TOTALS}\nOn the second card\n\n",
        "2. after a rest:\n",
    ],
)
def test_results_below_one_command_are_all_its_runs(between):
    assert speeds(f"{COMMAND}{RESULT}{between}{OTHER}") == [WHOLE, WHOLE]


@pytest.mark.parametrize(
    "between",
    [
        "With 8 jobs:\n",
        "With more threads:\n",
        "Without direct:\n",
        "Random writes:\n",
        "With the sync engine:\n",
        "numjobs=four\n",
        "On a larger file:\n",
        "多线程\n",
        "root@pi:~# ./another\n",
        "> sudo another\n",
        "Some words\nand more\nand more\nand more\n",
    ],
)
def test_a_second_result_below_words_of_another_setting_is_not_of_the_command(between):
    content = f"{COMMAND}{RESULT}{between}{OTHER}{RESULT}"
    assert speeds(content)[0] == WHOLE
    assert {row[2:] for row in speeds(content)[1:]} == {ALONE[2:]}


def test_results_below_two_commands_are_each_of_one_of_them():
    commands = f"{COMMAND}{COMMAND.replace('seq-write', 'again').replace('size=8m', 'size=9m')}"
    rows = speeds(f"{commands}{RESULT}{OTHER}{RESULT}")
    assert [row[2] for row in rows] == [None, None, None]


@pytest.mark.parametrize("label", ["even times: ", "  3. odd times: ", "| my card | ", "host: "])
def test_a_result_behind_words_is_of_the_command_above_it(label):
    assert speeds(f"{COMMAND}{label}{SHORT} |\n{label}{SHORT} |\n") == [WHOLE, WHOLE]


@pytest.mark.parametrize("label", ["QD 8: ", "buffered: ", "seqwrite, 1 job: ", "random: ", "a=1 "])
def test_a_result_behind_words_of_another_setting_is_not_of_the_command(label):
    (row,) = speeds(f"{COMMAND}{label}{SHORT} |\n")
    assert row[1:] == ALONE[1:]


@pytest.mark.parametrize(
    "command",
    [COMMAND.replace("512k", "4k"), COMMAND.replace("=write", "=read"), COMMAND * 2],
)
def test_figures_that_contradict_their_command_have_a_word(command):
    content = f"{command.replace('512k', '4k')}{RESULT}end\n"
    assert speeds(content) == [ALONE]
    assert [CONTRADICTED in note for note in notes(content)] == [True]
    again = f"{COMMAND}{RESULT}{RESULT.replace('1600', '9999')}"
    assert notes(again) == []  # of a test that was not pasted


@pytest.mark.parametrize("dash", ["–", "—", "–-"])
def test_long_dashes_of_a_page_are_those_of_options(dash):
    options = f" {OPTIONS} --thread".replace(" --", f" {dash}")
    assert speeds(f"$ fio{options}\n{RESULT}") == [WHOLE]


def test_remarks_behind_the_options_of_a_command_are_none_of_it():
    parts = "\n".join(f"{option} # what it says" for option in OPTIONS.split())
    assert speeds(f"$ fio \\\n{parts}\nThis says:\n{RESULT}") == [WHOLE]


@pytest.mark.parametrize("end", ["-", "--", "--numj", "--group", "-numjobs="])
def test_a_command_that_is_cut_within_an_option_leaves_the_defaults_open(end):
    begun = OPTIONS.replace(" --direct=1", "")
    report = f"\n\n{BLOCK}{RESULT}{TOTALS}"
    assert speeds(f"$ fio {begun} {end}{report}")[0][2:5] == (8388608, 1, None)
    assert speeds(f"$ fio {begun} --group_reporting{report}")[0][2:5] == (8388608, 1, False)
    assert speeds(f"This is fio -\n{COMMAND}{RESULT}") == [WHOLE]


@pytest.mark.parametrize("command", [COMMAND, "with fio:\n"])
def test_samples_that_are_quoted_without_their_job_have_a_word_each(command):
    rows, problems = whole(f"As we saw:\n\n> {command}{SAMPLES}\nThat is enough.\n")
    assert rows == ()
    assert ["samples" in one.text and one.kind for one in problems] == ["note", "note"]
    assert notes(f"{COMMAND}{RESULT}{SAMPLES}{TOTALS}end\n") == []


def test_a_cut_latency_says_that_none_is_given():
    cut = "    clat (usec): min=40, max=53, avg=50.64, stdev=1.49\n     lat (usec): min=41, max=5"
    rows, (problem,) = read(f"{COMMAND}{RESULT}{cut}")
    assert [row.metric for row in rows] == ["iops", "bandwidth"]
    assert "no latency is given (a whole clat is but a part of it)" in problem.text


def test_a_total_whose_own_result_was_cut_is_of_the_run_of_the_other_result():
    depths = "     issued rwts: total=0,16,0,0 short=0,0,0,0 dropped=0,0,0,0\n"
    total = TOTALS.replace(
        "\n  WRITE",
        "\n   READ: bw=1MiB/s (1MB/s), 1MiB/s-1MiB/s (1MB/s-1MB/s), "
        "io=9KiB, run=10-10msec\n  WRITE",
    )
    rows = read(f"8MB/s)(9KiB/10msec)\n{RESULT}{depths}{total}")[0]
    assert [row.run for row in rows] == ["2-fio"] * 3
    later = total.replace("10-10msec", "11-11msec")
    assert {row.run for row in read(f"{RESULT}{depths}{later}")[0]} == {"1-fio", "5-fio"}


@pytest.mark.parametrize(
    ("part", "stat", "numjobs"), [("25.00", "share", None), ("99.91", "single", 1)]
)
def test_samples_tell_a_process_of_a_group_whose_totals_were_not_pasted(part, stat, numjobs):
    samples = (
        "   bw (  KiB/s): min= 3904, max=10776, per={}%, avg=819200.00, stdev=6.32, samples=9\n"
    )
    report = f"{BLOCK}{RESULT}{samples.format(part)}"
    rows = read(f"{report}\nas we see\n")[0]
    assert {(row.stat, row.numjobs) for row in rows} == {(stat, numjobs)}
    both = read(f"{report}{report.replace('19342', '19343')}{TOTALS.replace('=800', '=1600')}")[0]
    assert 1600 << 20 in [row.value for row in both if row.numjobs == 2]


def test_a_result_of_old_versions_behind_the_name_of_its_job_is_read():
    rows, problems = read("seq-read  : io=1024.0MB, bw=102400KB/s, iops=100 , runt= 10240msec\n")
    assert [(row.op, row.metric, row.value) for row in rows] == [
        ("read", "iops", 100),
        ("read", "bandwidth", 102400 * 1024),
    ]
    assert {row.remarks for row in rows} == {("inferred-block_size",)}
    assert problems == []
