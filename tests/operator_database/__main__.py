"""Ask all entries of PyTorch's operator database: ``python -m tests.operator_database``.

Without arguments docs/operators.md is written. ``--expect`` also writes the list of expectations, expected.json, that
the tests hold facula to. With names of entries (``nn.functional.*`` for many) their answers are only printed.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import time

from .answers import COUNTS, EXPECTED_FILE, ask_all, why_no_oracle
from .page import PAGE, page, with_records
from .reasons import reason


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.operator_database", description=__doc__)
    parser.add_argument("entries", nargs="*", help="names of entries, * and ? match anything: print their answers")
    parser.add_argument("--expect", action="store_true", help="write expected.json, too")
    parser.add_argument("--records", action="store_true", help="only write the columns of docs/operators.md on records")
    parser.add_argument("--processes", type=int, help="how many at a time; as many as there are cores")
    parser.add_argument("--seed", type=int, default=0, help="another one makes other samples")
    parser.add_argument("--samples", type=float, default=1.0, help="so many times the usual number of samples")
    parser.add_argument("--reference", action="store_true", help="samples from the database's larger lists")
    parser.add_argument("--noncontiguous", action="store_true", help="samples with gaps in memory")
    options = parser.parse_args()
    if options.records:
        PAGE.write_text(with_records(PAGE.read_text()))
        return
    if why := why_no_oracle():
        raise SystemExit(why)
    from .entries import ENTRIES, HOW

    HOW.seed, HOW.factor = options.seed, options.samples
    HOW.reference, HOW.noncontiguous = options.reference, options.noncontiguous

    names = sorted(ENTRIES)
    if options.entries:
        names = [n for n in names if any(fnmatch.fnmatchcase(n, pattern) for pattern in options.entries)]
    start = time.perf_counter()
    answers = ask_all(names, options.processes)
    different = {
        name: {a: reason(name, a, why) for a, why in answers[name].items() if why and a not in COUNTS}
        for name in names
    }
    if options.entries:
        for name, aspects in different.items():
            print(name, "" if aspects else "as in PyTorch")
            for aspect in aspects:
                print(f"    {aspect}: {answers[name][aspect]}")
        return
    PAGE.write_text(page({name: answers[name] for name in names}, different))
    if options.expect:
        EXPECTED_FILE.write_text(json.dumps(different, indent=1) + "\n")
    good = sum(not aspects for aspects in different.values())
    print(f"{good} of {len(names)} entries are as in PyTorch in all aspects ({time.perf_counter() - start:.0f} s)")


if __name__ == "__main__":
    main()
