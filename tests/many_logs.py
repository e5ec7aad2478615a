"""What the tests of very many logs share: small ones of all tools, no two alike."""

from pairs import CORPUS

LEAST, MOST = 100, 5000  # bytes


def make_logs(folder, count):
    """Write logs of the corpus; blanks at their end, which no parser reads, spell a number."""
    small = (path for path in CORPUS.glob("*/*.log") if LEAST <= path.stat().st_size <= MOST)
    logs = sorted(small)
    for number in range(count):
        log = logs[number % len(logs)]
        place = folder / f"run-{number // 500}"
        place.mkdir(parents=True, exist_ok=True)
        content = log.read_bytes()
        blanks = f"{number:b}".translate({ord("0"): " ", ord("1"): "\t"}) + "\n"
        wide = content.startswith(b"\xff\xfe")
        end = blanks.encode("utf-16-le" if wide else "ascii")
        (place / f"{number:05}-{log.name}").write_bytes(content + end)
    return folder
