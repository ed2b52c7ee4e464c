// Unit tests of the parts of the core that Python cannot reach alone. Everything else is tested from Python.
//
//     python -m pytest tests/core/test_cpp.py     builds and runs them; they need doctest (apt-get install doctest-dev)
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
