"""Set every place of model files to strange values, seal them again, and do everything with what still loads.

    python tests/deep/craft_models.py --share 0.2 --seed 1

Each number of each array, each word and each place of the JSON of 22 models becomes -1, 0, huge, NaN, infinite, of
another type, is removed, renamed or there twice (tests/store/crafted.py). Each file must be refused with
ModelFormatError, or every view, export and way to prune must work on what it holds: within a second of processor time
each, in 512 MB beyond what the process has.

Each field becomes each strange value at one place by chance; `--share` takes a part of these, `--all` every place (more
than half a million files), `--only NAME` one model.
"""

from __future__ import annotations

import argparse
import resource
import signal
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from store.crafted import MODELS, MOST_MEMORY, Case, crafted, sampled, too_slow


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", choices=MODELS)
    options = parser.parse_args()
    signal.signal(signal.SIGPROF, too_slow)
    names = [options.only] if options.only else list(MODELS)
    cases = [Case(name) for name in names]
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_MEMORY,) * 2)
    counts: Counter[str] = Counter()
    failures: list[str] = []
    begin = time.perf_counter()
    for case in cases:
        own: Counter[str] = Counter()
        for one in crafted(case.model) if options.all else sampled(case.model, options.share, options.seed):
            found, wrong = case.outcome(one)
            own["FAILED" if wrong else found] += 1
            failures += [f"{case.name}: {one}: {what}" for what in wrong]
        print(
            f"{case.name}: {', '.join(f'{count} {word}' for word, count in sorted(own.items()))}", flush=True
        )
        counts += own
    print(f"{counts} in {time.perf_counter() - begin:.0f} s; {len(failures)} failures")
    print("\n".join(failures))
    return len(failures)


if __name__ == "__main__":
    raise SystemExit(main())
