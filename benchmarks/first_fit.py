"""The first ID3 fit of a fresh interpreter: prints its seconds."""

import sys
from pathlib import Path
from time import perf_counter

import numpy as np
from datasets import stored

import branchwork as bw

frame, labels = stored(Path(sys.argv[1]), sys.argv[2])
table, y = bw.to_table(frame), np.array(labels)
estimator = bw.ID3Classifier()
start = perf_counter()
estimator.fit(table, y)
print(perf_counter() - start)
