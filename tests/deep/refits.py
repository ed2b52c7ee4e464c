"""Ask every estimator in four threads while another one fits it again; each answer must be that of one of the fits.

python tests/deep/refits.py --times 300
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from two_fits import readers_beside_fits

from registry import ALL, VOTES


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--times", type=int, default=300)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    right = wrong = 0
    for factory in [*ALL, *VOTES]:
        found = readers_beside_fits(factory, options.times, readers=4)
        print(f"{type(factory()).__name__}: {found}", flush=True)
        right, wrong = right + found["right"], wrong + found["wrong"]
    print(f"{right + wrong} answers, {wrong} of them mixtures")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
