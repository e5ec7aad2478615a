"""Write the partners of logs: `python tests/write_pairs.py [--again] FILE...` (logs, .cases).

What is there stays: without --again a log that has another partner is refused. With --again each
change is shown, and the named files are written; there is no "all". Read a partner against its log
by eye before you commit it.
"""

import sys
from pathlib import Path

from pairs import differences, found_in, pairs_of, partner_of


def write(path, *, again=False):
    """Write the partners that a file lacks, or with `again` those that differ; False: refused."""
    written, refused = {}, []
    for pair in pairs_of(path):
        found = partner_of(found_in(pair.log, pair.name))
        if pair.partner not in ("", found) and not again:
            print(f"{path}: {pair.where} has another partner, which stays", file=sys.stderr)
            refused.append(pair.where)
        elif pair.partner not in ("", found):
            print(differences(pair.partner, found, pair.where))
        written[pair] = pair.partner if pair.where in refused else found
    if path.suffix == ".cases":
        path.write_bytes("".join(map(_sections, *zip(*written.items(), strict=True))).encode())
    elif text := "".join(written.values()):
        path.with_suffix(".csv").write_text(text, encoding="utf-8")
    else:
        path.with_suffix(".csv").unlink(missing_ok=True)
    return not refused


def _sections(pair, partner):
    name = pair.where.partition(":")[2]
    log = pair.log.decode() + "\n" * ("(cut)" in name)
    return f"-- {name} --\n{log}" + (f"-- {name}.csv --\n{partner}" if partner else "")


def main(words):
    """Write the named files; 1 where a partner was refused, 2 where none was named."""
    names = [word for word in words if word != "--again"]
    if not names:
        print(__doc__, file=sys.stderr)
        return 2
    allowed = [write(Path(name).resolve(), again="--again" in words) for name in names]
    return 0 if all(allowed) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
