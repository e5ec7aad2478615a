"""Fuzz the readers, a process for each: `make fuzz`, or `python fuzz/fuzz_parsers.py dd`.

An input that breaks a promise is kept in fuzz/crashes; with `--repeat FILE` it is read once more.
What the fuzzer learned stays in fuzz/inputs, so the next run begins where this one ended.
Without the fuzzer (atheris): `python fuzz/fuzz_parsers.py --bytes 10000000` reads so many bytes of
logs of the corpus with random changes.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent / "tests"
sys.path[:0] = [str(HERE.parent), str(TESTS)]
CRASHES, INPUTS = HERE / "crashes", HERE / "inputs"
WHOLE = "logs"  # logs.read.read_log: all readers together, as in `sdanalysis parse`
TARGETS = ("dd", "ddrescue", "fio", "hdparm", "iozone", "scripts", WHOLE)
SIDE_LOG = "j_bw.1.log"  # by its name alone fio's reader knows a log of samples
LONGEST = 16_384  # bytes of an input; most logs of the corpus are shorter
TIME_LIMIT = 1.0  # seconds of processor time for one input


class BrokenPromiseError(AssertionError):
    """A reader gave what no reader of its table expects; a class so that a test can name it."""


def seeds(target: str) -> list[Path]:
    """The logs of the corpus that a target starts from: its own tool's, or all."""
    from pairs import ENDINGS, files

    logs = [path for path in files() if path.suffix in ENDINGS]
    return [path for path in logs if target in (WHOLE, path.parent.name)]


def check(target: str, content: bytes) -> None:
    """Read an input as a target does; raises where a promise is broken."""
    started = time.process_time()
    items, lines = read(target, content)
    for item in items:
        promise(1 <= item.line <= max(1, len(lines)), f"{item} outside of {len(lines)} lines")
        if hasattr(item, "column"):
            check_measurement(item, lines[item.line - 1])
    spent = time.process_time() - started
    promise(spent <= TIME_LIMIT, f"{len(content)} bytes took {spent:.1f} s")


def read(target: str, content: bytes) -> tuple[list, list[str]]:
    """Return what a target finds, measurements and problems, and the lines it found it in."""
    from pairs import found_in

    from sdanalysis.errors import SdAnalysisError
    from sdanalysis.parsers import reader
    from sdanalysis.parsers.capture import Capture, decode

    items: list = []
    if target == WHOLE:
        for name in ("a.log", SIDE_LOG):
            log = found_in(content, name)
            items += [*log.measurements, *log.problems]
    try:
        capture = Capture(decode(content))
    except SdAnalysisError:
        return items, []
    if target != WHOLE:
        items = list(reader(target)(capture.without_prefix()))
    if target == "fio":
        items += reader("fio")(capture, name=SIDE_LOG)
    return items, capture.lines


def check_measurement(item, text: str) -> None:
    """A value is finite, above zero and inside its interval; its column is one of the line."""
    promise(1 <= item.column <= len(text), f"{item} outside of {text!r}")
    bounds = (item.value_low, item.value, item.value_high)
    numbers = [bound for bound in bounds if bound is not None]
    promise(all(math.isfinite(number) for number in numbers), f"{item} is not finite")
    # Neither is a result: iozone's 0 microseconds, a sample of fio while the card stood still.
    zero = item.value == 0 and item.status in ("below_resolution", "sample")
    promise(item.value is None or item.value > 0 or zero, f"{item} is not above zero")
    promise(numbers == sorted(numbers), f"{item} is outside of its interval")


def promise(kept: bool, text: str) -> None:
    """Raise unless a promise is kept."""
    if not kept:
        raise BrokenPromiseError(text)


def fuzz(target: str, seconds: int) -> None:
    """Let libFuzzer change the seeds for some seconds; never returns."""
    import atheris  # here: the tests read this module, and do without the fuzzer

    with atheris.instrument_imports(include=["sdanalysis"]):
        for tool in TARGETS[:-1]:  # which are otherwise imported at their first call, too late
            import_module(f"sdanalysis.parsers.{tool}")

    found = INPUTS / target
    for folder in (CRASHES, found):
        folder.mkdir(parents=True, exist_ok=True)
    options = [
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST}",
        "-timeout=20",  # `check` measures the time; this one ends an endless loop
        "-print_final_stats=1",
        f"-artifact_prefix={CRASHES}/{target}-",
        "-seed_inputs=" + ",".join(map(str, seeds(target))),
    ]
    atheris.Setup([sys.argv[0], *options, str(found)], lambda content: check(target, content))
    atheris.Fuzz()


def run(target: str, seconds: int) -> bool:
    """Fuzz a target in a process of its own, say how it went; true when nothing broke."""
    before = set(CRASHES.glob(f"{target}-*"))
    command = [sys.executable, __file__, target, "--seconds", str(seconds), "--here"]
    pipe = subprocess.PIPE
    done = subprocess.run(command, stdout=pipe, stderr=subprocess.STDOUT, check=False)
    log = done.stdout.decode(errors="replace")
    executed = re.search(r"number_of_executed_units: (\d+)", log)
    count = f"{int(executed[1]):,} inputs" if executed else "no count of inputs"
    print(f"{target:9} {count}, {'nothing broke' if done.returncode == 0 else 'BROKEN'}")
    if done.returncode:
        print(log[max(0, log.find(" === Uncaught")) :][-3000:])
        script = os.path.relpath(__file__)
        for path in sorted(set(CRASHES.glob(f"{target}-*")) - before):
            print(f"Repeat: {sys.executable} {script} {target} --repeat {os.path.relpath(path)}")
    return done.returncode == 0


def mutated(drawn: random.Random, logs: list[bytes]) -> bytes:
    """Return a log with some changes: bytes, digits and pieces of it or of another."""
    content = bytearray(drawn.choice(logs))
    for _ in range(drawn.randint(1, 8)):
        place = drawn.randrange(len(content) + 1)
        end = place + drawn.choice((0, 1, 1, 2, 20, 500))
        other = drawn.choice(logs)
        begin = drawn.randrange(len(other) + 1)
        content[place:end] = drawn.choice(
            (b"", drawn.randbytes(2), b"9" * drawn.randint(1, 400), b"\n", b"0", b" ", b"-", b"nan",
             content[place:end] * 2, other[begin : begin + drawn.choice((9, 90, 900))])
        )  # fmt: skip
    return bytes(content[: drawn.choice((len(content), drawn.randrange(len(content) + 1)))])


def read_mutated(count: int, seed: int) -> int:
    """Read so many bytes of changed logs; 1 at the first that breaks a promise, which is kept."""
    from pairs import all_pairs

    drawn, logs = random.Random(seed), [pair.log for pair in all_pairs()]
    inputs = size = 0
    while size < count:
        content = mutated(drawn, logs)
        try:
            check(WHOLE, content)
        except Exception as error:
            CRASHES.mkdir(parents=True, exist_ok=True)
            kept = CRASHES / f"{WHOLE}-mutated-{seed}-{inputs}"
            kept.write_bytes(content)
            print(f"{kept}: {error!r}")
            return 1
        inputs, size = inputs + 1, size + len(content)
    print(f"{inputs:,} changed logs, {size:,} bytes: nothing broke")
    return 0


def main() -> int:
    """Run the targets named, or all; 1 where something broke."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", help=f"of {', '.join(TARGETS)}; all when none")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default: 60)")
    parser.add_argument("--repeat", type=Path, metavar="FILE", help="read one input, do not fuzz")
    parser.add_argument("--bytes", type=int, metavar="N", help="read N bytes of changed logs")
    parser.add_argument("--seed", type=int, default=1, help="of the changes (default: 1)")
    parser.add_argument("--here", action="store_true", help="fuzz one target in this process")
    given = parser.parse_args()
    targets = given.targets or list(TARGETS)
    if wrong := set(targets) - set(TARGETS):
        parser.error(f"found {', '.join(sorted(wrong))}, expected of {', '.join(TARGETS)}")
    if given.bytes:
        return read_mutated(given.bytes, given.seed)
    if given.repeat:
        for target in targets:
            check(target, given.repeat.read_bytes())
        return 0
    if given.here:
        fuzz(targets[0], given.seconds)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return 0 if all(list(pool.map(run, targets, [given.seconds] * len(targets)))) else 1


if __name__ == "__main__":
    sys.exit(main())
