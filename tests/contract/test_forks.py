"""A process that was forked while another thread was inside Branchwork works as any other.

`tests/deep/forks.py` does the same with 300 forks for each learner.
"""

from __future__ import annotations

import sys
import warnings

import pytest

from contract.checks import THREADS_WATCHED
from deep.forks import campaign

from registry import ALL

TIMES = 4


@pytest.mark.skipif(THREADS_WATCHED, reason="ThreadSanitizer ends forked processes that start threads")
@pytest.mark.skipif(sys.platform != "linux", reason="processes are not forked elsewhere")
def test_a_child_forked_in_the_middle_of_the_work_of_another_thread():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 3.12 warns of forks beside threads
        found = {factory.__name__: campaign(factory, TIMES) for factory in ALL}
    assert found == {factory.__name__: {"same": TIMES} for factory in ALL}
