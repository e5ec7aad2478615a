"""`sdanalysis bench`: the sources' commands, run so that nothing else on the medium changes."""

import errno
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
import tomllib
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest
from played import PLAYERS, ROOT, Bench

from sdanalysis.bench import children, command, facts, plan, step, words
from sdanalysis.bench.endings import Ending, Refused
from sdanalysis.bench.facts import Conditions, changes
from sdanalysis.bench.folder import as_toml
from sdanalysis.bench.journal import Journal
from sdanalysis.bench.target import check_space, find, mount_of, mounts

MOUNTINFO = (PLAYERS / "mountinfo.txt").read_text(encoding="utf-8")


# --- what is run ----------------------------------------


def declared(source):
    text = (ROOT / "data" / "raw" / source / "source.toml").read_text(encoding="utf-8")
    commented = re.findall(
        r"^# (?:sudo )?((?:hdparm|dd|iozone) .+?)(?: \(version .*\)|:.*)?$", text, re.M
    )
    files = tomllib.loads(text)["file"]
    return {*commented, *(entry["command"] for entry in files if "command" in entry)}


def commands(name):
    return [" ".join(step.command) for step in plan.PROTOCOLS[name].steps]


def test_the_commands_are_those_of_their_sources():
    script, (iozone, fio), (kulesz,) = map(
        commands, ("dramble-2017", "chilina-2018", "kulesz-file")
    )
    assert commands("geerling-2019") == script
    ran = {one.removesuffix(" -f {file}").replace("{device}", "/dev/mmcblk0") for one in script}
    assert {one.replace("{file}", "/home/pi/test") for one in ran} == declared("dramble-2017")
    assert iozone == script[2]
    fio = fio.removesuffix(" --output-format=json").replace("{file}", "test")
    assert fio in declared("chilina-2018")
    assert kulesz.replace("{file}", "/dev/sdX") in declared("kulesz-2017")
    assert plan.PROTOCOLS["kulesz-file"].comparable.startswith("no figure")


def test_no_command_writes_to_a_device():
    every = [each.command for made in plan.PROTOCOLS.values() for each in made.steps]
    of_devices = {words for words in every if any("{device}" in word for word in words)}
    assert of_devices == {("hdparm", "-t", "{device}")}


def test_a_step_that_two_protocols_share_is_run_once_and_fio_may_stand_for_iozone():
    both = [each for _, each in plan.steps_of(["geerling-2019", "chilina-2018"])]
    assert [each.tool for each in both] == ["hdparm", "dd", "iozone", "fio"]
    instead = plan.steps_of(["geerling-2019"], fio_for_iozone=True)
    assert [each.tool for _, each in instead] == ["hdparm", "dd", "fio"]


# --- where it may run ----------------------------------------


def machine(root, line, *, disk="mmcblk0", number="179:0", partition="179:2", **files):
    """Lay a /proc and a /sys out, with one mount over everything."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/mountinfo").write_text(f"{line}\n")
    folder = root / "sys/devices/x/block" / disk
    (folder / f"{disk}p2").mkdir(parents=True)
    (folder / f"{disk}p2/partition").write_text("2\n")
    (folder / "size").write_text("62333952\n")
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    links = root / "sys/dev/block"
    links.mkdir(parents=True)
    (links / number).symlink_to(folder)
    if partition:
        (links / partition).symlink_to(folder / f"{disk}p2")
    return root


@pytest.mark.parametrize(
    ("mount", "text"),
    [
        ("rw - tmpfs tmpfs", "found tmpfs, expected a file system on a medium"),
        ("rw - overlay overlay", "found overlay"),
        ("ro - squashfs /dev/loop1", "found squashfs"),
        ("ro,noatime - ext4 /dev/root", "read-only"),
        ("rw - nfs4 nas:/export", "found nfs4, a file system of the network"),
        ("rw - 9p host", "found 9p"),
        ("rw - fuse.sshfs pi@nas:", "found fuse.sshfs, a file system in user"),
        ("rw - zfs tank/home", "found tank/home (zfs), which is no block device"),
    ],
)
def test_what_is_no_medium_is_refused(mount, text, tmp_path):
    root = machine(tmp_path / "root", f"30 1 0:26 / / {mount} rw")
    with pytest.raises(Refused, match=re.escape(text)):
        find(tmp_path, root=root)


@pytest.mark.parametrize(
    ("disk", "files", "text"),
    [
        *((disk, {}, "which is not a medium itself") for disk in ("loop0", "md127", "zram0")),
        ("dm-0", {"dm__uuid": "LVM-abc"}, "a device mapper's"),
    ],
)
def test_a_medium_at_second_hand_is_refused_unless_it_is_asked_for(disk, files, text, tmp_path):
    line = f"30 1 253:0 / / rw - ext4 /dev/{disk} rw"
    root = machine(tmp_path / "root", line, disk=disk, number="253:0", partition=None, **files)
    with pytest.raises(Refused, match=re.escape(f"found /dev/{disk}, {text}")):
        find(tmp_path, root=root)
    assert find(tmp_path, root=root, any_medium=True).indirect == f"/dev/{disk}, {text}"


CARD = "30 1 179:2 / / rw,noatime - ext4 /dev/root rw"


def test_the_card_of_a_raspberry_pi_is_found_behind_dev_root(tmp_path):
    target = find(tmp_path, root=machine(tmp_path / "root", CARD))
    assert (target.device, target.size, target.indirect) == ("/dev/mmcblk0", 31914983424, "")


def test_a_compressing_file_system_and_an_encrypted_device_are_run_with_a_flag(tmp_path):
    line = "30 1 179:2 / / rw,compress=zstd:3 - f2fs /dev/mmcblk0p2 rw"
    assert "measure the compressor" in find(tmp_path, root=machine(tmp_path / "a", line)).flags[1]
    line = "30 1 253:0 / / rw - ext4 /dev/mapper/card rw"
    root = machine(
        tmp_path / "b", line, disk="dm-0", number="253:0", partition=None, dm__uuid="CRYPT-LUKS2-x"
    )
    assert find(tmp_path, root=root).flags == (
        "the system runs from it: what the system does has a share in the figures",
        "the device is encrypted (dm-crypt): the processor has its share in the figures",
    )


def test_of_mounts_over_each_other_the_last_and_longest_counts(tmp_path):
    found = list(mounts(MOUNTINFO))
    assert found[-1].point == "/media/pi/my card"
    assert found[-1].options[:2] == ("rw", "nosuid")
    points = ["/", str(tmp_path), str(tmp_path), f"{tmp_path}/other", f"{tmp_path}x"]
    lines = [f"3{n} 1 8:{n} / {point} rw - ext4 /dev/sda{n} rw" for n, point in enumerate(points)]
    root = machine(tmp_path / "root", "\n".join(lines))
    assert mount_of(tmp_path / "root", root).number == "8:2"


def test_a_medium_is_refused_that_the_largest_file_would_fill(tmp_path):
    target = find(tmp_path, root=machine(tmp_path / "root", CARD))
    target = replace(target, free=110, total=1000)
    check_space(target, 60)  # 5 % stay free
    with pytest.raises(Refused, match=r"found 0 MiB free, expected 0 \(a file of"):
        check_space(target, 61)
    check_space(replace(target, total=100), 100)  # a tenth more than the file
    with pytest.raises(Refused):
        check_space(replace(target, total=100), 101)


def test_a_folder_that_is_not_there_is_wrong_input(tmp_path):
    with pytest.raises(Ending, match="found no folder"):
        find(tmp_path / "no")


# --- a session with players ----------------------------------------


@pytest.fixture
def place():
    """A folder in memory, if there is one: each event and fact is brought to the disk."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        yield Path(folder)


@pytest.fixture
def bench(place):
    return Bench(place)


def test_a_session_keeps_what_the_tools_print_and_leaves_the_medium_as_it_was(bench):
    before = bench.others()
    given = ("--label", 'A "B" \\ ü', "--host", "pi-4b", "--reader", "slot")
    code, _, err = bench.run("--runs", "2", *given)
    assert (code, err) == (0, "")
    names = [
        f"{n:02d}-run{1 + (n > 3)}-{tool}.log"
        for n, tool in enumerate(["hdparm", "dd", "iozone"] * 2, 1)
    ]
    assert list(bench.logs()) == names
    log = (bench.session / "logs" / names[1]).read_text()
    assert re.match(
        r"\$ dd if=/dev/zero of=\S+/test bs=8k count=50k conv=fsync\n51200\+0 records in\n", log
    )
    assert re.search(r"copied, .*\nexit status: 0\nseconds: \d+\.\d\d\n\Z", log)
    assert bench.others() == before
    about = tomllib.loads((bench.session / "session.toml").read_text())
    shown = [about[name] for name in ("label", "host", "reader", "runs")]
    assert shown == ['A "B" \\ ü', "pi-4b", "slot", 2]
    versions = "{0}: {0} of the players, version 1.0"
    assert about["tools"] == [versions.format(tool) for tool in ("dd", "hdparm", "iozone")]
    assert stat.S_IMODE((bench.session / "facts" / "card.txt").stat().st_mode) == 0o600
    assert json.loads((bench.session / "complete.json").read_text()) == {"steps": 6}


def test_finished_steps_are_never_run_again(bench):
    bench.run("--runs", "1")
    times = {path: path.stat().st_mtime_ns for path in (bench.session / "logs").iterdir()}
    code, out, _ = bench.run()  # what is not given is as the session began
    assert (code, "3 of 3 steps are done" in out) == (0, True)
    assert {path: path.stat().st_mtime_ns for path in (bench.session / "logs").iterdir()} == times


def test_a_failed_step_is_kept_apart_the_others_run_and_the_next_run_repeats_it_alone(bench):
    before = bench.others()
    for how, text in (("fail", "exit status: 1"), ("full", "No space left")):
        code, out, _ = bench.run("--runs", "1", PLAY_DD=how)
        assert (code, "02-run1-dd (failed)" in out) == (3, True)
        failed = "02-run1-dd.failed.log" if how == "fail" else "02-run1-dd-2.failed.log"
        assert text in bench.logs()[failed]
        assert {"01-run1-hdparm.log", "03-run1-iozone.log"} < {*bench.logs()}
        assert bench.others() == before
    assert not (bench.session / "complete.json").exists()
    assert bench.run("--runs", "1")[0] == 0
    assert "02-run1-dd.log" in bench.logs()


def test_a_step_that_takes_too_long_is_ended_deaf_or_not(bench):
    for how in ("hang", "deaf"):
        code, out, _ = bench.run("--runs", "1", "--protocol", "a1", PLAY_FIO=how, LIMIT="0.3")
        assert (code, "(timeout)" in out) == (3, True)
    assert list(bench.logs()) == ["01-run1-fio-2.failed.log", "01-run1-fio.failed.log"]


def test_a_tool_that_hangs_in_the_kernel_ends_the_session_and_nothing_more_touches_the_medium(
    bench,
):
    code, _, err = bench.run("--runs", "1", PLAY_DD="hang", LIMIT="0.3", STUCK="1")
    assert code == 4
    assert "02-run1-dd: found a tool that hangs in the kernel" in err
    assert list(bench.logs()) == ["01-run1-hdparm.log", "02-run1-dd.failed.log"]
    left = [path for path, _ in step.leftovers(bench.medium)]
    assert len(left) == 1  # removing it could hang, too; the next start does
    assert bench.run("--runs", "1")[0] == 0
    assert not list(step.leftovers(bench.medium))


@pytest.mark.parametrize(("sign", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_tool_cleans_the_medium_and_says_how_to_go_on(bench, sign, code):
    before = bench.others()
    process = bench.start("--runs", "1", PLAY_DD="hang")
    wait_for(bench.session / "logs" / "02-run1-dd.log.part")
    process.send_signal(sign)
    _, err = process.communicate(timeout=20)
    assert process.returncode == code
    assert f"go on with: sdanalysis bench {bench.medium} -o {bench.session}\n" in err
    assert bench.others() == before
    assert not is_alive(last(bench, "start")["pid"])


def wait_for(path):
    end = time.monotonic() + 20
    while not path.exists() or not path.stat().st_size:
        assert time.monotonic() < end, f"{path} did not come"
        time.sleep(0.01)


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()


def last(bench, event):
    return [
        one for one in Journal(bench.session / "journal.jsonl").events() if one["event"] == event
    ][-1]


ONE_STEP = ("--protocol", "kulesz-file", "--runs")


def test_a_kill_at_every_event_loses_nothing_and_the_resumed_session_is_as_an_uncut_one(place):
    whole = {runs: Bench(place / runs) for runs in ("1", "2")}
    for runs, events in (("1", 4), ("2", 6)):  # begin, start and end of each step, complete
        assert whole[runs].run(*ONE_STEP, runs)[0] == 0
        assert len(list(Journal(whole[runs].session / "journal.jsonl").events())) == events
    kills = [("1", when, str(n)) for n in range(1, 5) for when in ("KILL_BEFORE", "KILL_AFTER")]
    for runs, when, number in [*kills, ("2", "KILL_AFTER", "4")]:
        bench = Bench(place / f"{runs}-{when}-{number}")
        before = bench.others()
        assert bench.run(*ONE_STEP, runs, **{when: number})[0] == -signal.SIGKILL
        code, _, err = bench.run(*ONE_STEP, runs)
        assert (code, err) == (0, ""), (when, number)
        kept = {name: text for name, text in bench.logs().items() if ".cut-" not in name}
        assert kept == whole[runs].logs()
        assert bench.others() == before


def test_a_journal_that_a_power_cut_left_half_gives_whole_events_only(bench):
    assert bench.run(*ONE_STEP, "2")[0] == 0
    path = bench.session / "journal.jsonl"
    content, events = path.read_bytes(), list(Journal(path).events())
    for end in range(len(content)):
        path.write_bytes(content[:end])
        found = list(Journal(path).events())
        assert found == events[: len(found)]
    path.write_bytes(content[: content.index(b'"step": 2')])  # in the middle of a line
    assert bench.run(*ONE_STEP, "2")[0] == 0
    assert [e["event"] for e in Journal(path).events()].count("complete") == 1


def test_another_card_or_wish_is_refused(bench):
    assert bench.run("--runs", "1")[0] == 0
    for wish, size, text in (
        (("--runs", "1"), "64000000000", "found another one as its medium"),
        (("--runs", "2"), "31914983424", "found 2 as its --runs, expected 1"),
        (("--label", "other"), "31914983424", "found 'other' as its --label, expected ''"),
    ):
        code, _, err = bench.run(*wish, SIZE=size)
        assert (code, text in err) == (2, True)


def test_a_second_session_on_the_medium_is_refused_while_the_first_is_at_work(bench):
    process = bench.start("--runs", "1", PLAY_DD="hang")
    wait_for(bench.session / "logs" / "02-run1-dd.log.part")
    other = bench.session.with_name("other")
    code, _, err = bench.run("--runs", "1", "-o", str(other))
    assert (code, "found another session at work" in err) == (2, True)
    assert not other.exists()
    process.terminate()
    process.communicate(timeout=20)


def test_a_session_on_the_medium_and_a_folder_with_other_things_are_refused(bench):
    before = bench.others()
    code, _, err = bench.run("-o", str(bench.medium / "s"))
    assert (code, "which is measured" in err) == (2, True)
    bench.session.mkdir()
    (bench.session / "letter.txt").write_text("mine")
    code, _, err = bench.run()
    assert (code, "other things in it" in err) == (2, True)
    assert bench.others() == before
    assert [path.name for path in bench.session.iterdir()] == ["letter.txt"]


def test_what_cannot_run_is_left_out_and_said(bench):
    (bench.tools / "iozone").unlink()
    code, out, _ = bench.run("--runs", "1")
    assert code == 0
    assert "left out: iozone: not installed (package iozone3 (non-free))" in out
    assert "02-run1-dd.log" in bench.logs()
    second = bench.session.with_name("second")
    code, _, err = bench.run("--protocol", "a1", "-o", str(second), DIRECT="no")
    assert (code, "takes no O_DIRECT" in err) == (2, True)


def refuse(device):
    raise PermissionError(errno.EACCES, "no", device)


def test_without_root_the_device_is_read_by_hand(tmp_path, monkeypatch):
    target = find(tmp_path, root=machine(tmp_path / "root", CARD))
    monkeypatch.setattr(plan.shutil, "which", lambda tool: tool)
    monkeypatch.setattr(plan, "_open", refuse)
    monkeypatch.setattr(plan.os, "geteuid", lambda: 1000)
    made = plan.plan(["geerling-2019"], 1, target, Path("/s 1"))
    (left_out,) = made.left_out
    assert left_out.why == "/dev/mmcblk0 is not to be read (Permission denied)"
    assert left_out.by_hand == (
        "(echo '$ hdparm -t /dev/mmcblk0'; sudo hdparm -t /dev/mmcblk0; echo \"exit status: $?\")"
        " 2>&1 | tee -a '/s 1/logs/by-hand.log'"
    )
    assert [each.tool for each in made.steps] == ["dd", "iozone"]


def test_a_dry_run_writes_nothing_and_its_commands_can_be_pasted(bench):
    before = bench.others()
    code, out, _ = bench.run("--dry-run")
    assert (code, bench.others(), bench.session.exists()) == (0, before, False)
    file = f"{bench.medium}/sdanalysis-bench-test"
    assert f"  dd if=/dev/zero of={file} bs=8k count=50k conv=fsync\n" in out
    assert f"  rm {file}\n" in out
    code, out, _ = bench.run("--dry-run", "--runs", "2", "--format", "json")
    plan = json.loads(out)
    assert (code, plan["folder"], plan["left_out"]) == (0, str(bench.medium), [])
    assert [step["tool"] for step in plan["steps"]] == ["hdparm", "dd", "iozone"] * 2
    assert plan["written"] > 0 and plan["seconds"] > 0


def test_a_session_that_cannot_lie_where_it_is_asked_to_is_refused_with_the_place(bench):
    bench.session = bench.tools / "dd.txt" / "s"
    said = f"sdanalysis bench: {bench.session}: found Not a directory\n"
    assert bench.run()[::2] == (1, said)


def test_the_steps_of_a_protocol_are_listed_with_what_is_missing(bench):
    (bench.tools / "hdparm").unlink()
    code, out, _ = bench.run("--steps", "--protocol", "geerling-2019", PATH=str(bench.tools))
    first, *lines = out.splitlines()
    assert (code, bench.session.exists()) == (0, False)
    assert first.startswith("geerling-2019: comparable with the figures of geerling-2019 and ")
    assert lines[:2] == ["  hdparm -t {device}", "    missing: hdparm, package hdparm"]
    assert [line.split()[0] for line in lines[2:]] == ["dd", "iozone"]


def test_programs_get_an_object_a_line(bench):
    code, out, _ = bench.run("--runs", "1", "--format", "json")
    events = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [event["event"] for event in events] == ["begin", "end", "end", "end", "complete"]


def test_a_session_goes_on_when_nobody_reads_its_words_any_more(bench):
    process = bench.start("--runs", "1")
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=20) == 0
    assert (bench.session / "complete.json").exists()
    process.stderr.close()


# --- smaller things ----------------------------------------


CUT_SHORT = """
import os, signal, time
from pathlib import Path
from sdanalysis.bench import children

def stop(number, frame):
    print("work done:", Path("made").exists())
    os._exit(0)

def work_on():
    os.kill(os.getppid(), signal.SIGTERM)
    time.sleep(0.1)
    Path("made").touch()

signal.signal(signal.SIGTERM, stop)
children.run_in_child(work_on)
"""


def test_work_on_a_medium_is_not_cut_short_by_a_signal_which_comes_behind_it(tmp_path):
    # in a process of its own, for this one may have threads, which take signals, too
    ended = subprocess.run(
        [sys.executable, "-c", CUT_SHORT], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True,
    )  # fmt: skip
    assert ended.stdout == "work done: True\n"


def test_work_that_fails_or_hangs_is_told_apart():
    assert children.run_in_child(lambda: None) == 0
    assert children.run_in_child(Path("/no/such").rmdir) == errno.ENOENT
    assert children.run_in_child(lambda: time.sleep(9), seconds=0.05) is None


QUIET = Conditions(
    mount="m", governor="ondemand", temperature=50_000, throttled="throttled=0x0", load=9.0,
    busy=100.0, own=5.0, written=0, clock=(0.0, 0.0),
)  # fmt: skip


def test_what_changes_during_a_step_flags_it():
    hot = {"temperature": 57_000, "throttled": "throttled=0x4", "clock": (10.0, 70.0)}
    assert changes(QUIET, replace(QUIET, **hot)) == [
        "throttled changed: throttled=0x0 -> throttled=0x4",
        "power or heat: throttled=0x4", "warmer by 7 degrees", "suspended for 60 s",
    ]  # fmt: skip
    at_the_limits = {"temperature": 55_000, "clock": (10.0, 11.0), "busy": 105.0}
    assert changes(QUIET, replace(QUIET, **at_the_limits)) == []


def test_others_at_work_flag_a_step_and_its_own_work_does_not():
    after = replace(QUIET, busy=112.0, own=15.0, written=450_000_000, clock=(10.0, 10.0))
    assert changes(QUIET, after, 400_000_000) == []
    assert changes(QUIET, replace(after, busy=130.0, written=900_000_000), 400_000_000) == [
        "busy: other programs took 2.0 processors",
        "busy: 900 MB were written, the step's are 400",
    ]


@pytest.mark.parametrize(
    ("stat", "seconds"),
    [
        ("cpu 100 200 300 4 5 400 500 600", 21.0),  # idle and waiting are no work
        ("cpu 100 200 300 4 5 400 500 600 7 8", 21.0),  # guests are counted in user
        ("cpu 100 200 300 4 5 400 500", None),  # of a kernel older than stolen time
        ("cpu 100 200 300 4 5 400 500 x", None),
        ("intr 1 2 3 4 5 6 7 x", None),
    ],
)
def test_the_work_of_all_processors_is_read_where_the_kernel_counts_it(
    stat, seconds, tmp_path, monkeypatch
):
    target = find(tmp_path, root=machine(tmp_path / "root", CARD))
    monkeypatch.setattr(facts.os, "sysconf", lambda name: 100)
    used = SimpleNamespace(ru_utime=3.0, ru_stime=0.5)
    monkeypatch.setattr(facts.resource, "getrusage", lambda who: used)
    (tmp_path / "root/proc/stat").write_text(f"{stat}\ncpu0 1 1 1 1 1 1 1 1\n")
    found = facts.conditions(target, tmp_path / "root")
    assert (found.busy, found.own) == (seconds, 3.5)


def test_a_label_of_any_characters_comes_back_from_session_toml():
    label = 'a"b\\c\n\t\x7f\x85\N{GRINNING FACE}\N{LATIN SMALL LETTER U WITH DIAERESIS}'
    assert tomllib.loads(as_toml({"label": label}))["label"] == label
    assert tomllib.loads(as_toml({"label": "card\udcff"}))["label"] == "card?"


@pytest.mark.parametrize(
    ("words", "text"),
    [([], "found no FOLDER"), (["/no/such"], "found no folder")],
)
def test_wrong_input_is_told_in_one_line(words, text, capsys):
    assert command.main(words) == 1
    err = capsys.readouterr().err
    assert text in err
    assert err.count("\n") == 1


def test_times_and_amounts_are_said_as_people_say_them():
    said = {0.2: "0 s", 59.6: "1 min", 75: "1 min 15 s", 3599: "59 min 59 s", 3661: "1 h 1 min"}
    assert {seconds: words.duration(seconds) for seconds in said} == said
    said = {
        999_499_999: "999 MB",
        419_430_400: "419 MB",
        10**9: "1.0 GB",
        31_914_983_424: "31.9 GB",
    }
    assert {count: words.amount(count) for count in said} == said


def test_a_folder_whose_removal_was_cut_is_still_known_as_ours(tmp_path, monkeypatch):
    place = step.create(tmp_path, tmp_path / "session")
    (place / "sub").mkdir()
    for name in ("test", "zz", "sub/file"):
        (place / name).write_text("x")
    remove_tree = step.shutil.rmtree

    def hang(path):
        if path == place:
            raise OSError(errno.EIO, "cut")
        remove_tree(path)

    monkeypatch.setattr(step.shutil, "rmtree", hang)
    assert not step.remove(place)
    assert [path.name for path in place.iterdir()] == [step.MARKER]
    assert [left for left, _ in step.leftovers(tmp_path)] == [place]
    monkeypatch.undo()
    assert step.remove(place)
    assert list(tmp_path.iterdir()) == []
