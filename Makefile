# Every target sets up what it needs: python3 >= 3.11 and make are enough.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
JOBS   ?= auto
# Tests that share costly work stay together (tests/conftest.py); in their order, so that small files come last.
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --dist loadscope --no-loadscope-reorder

# Tests start many processes. Each would compile every source that it imports, numba's and pandas' among them, where the
# environment forbids bytecode beside the sources; so it is kept with what else was set up.
test test-all test-studio test-spark test-sdist: export PYTHONDONTWRITEBYTECODE :=
test test-all test-studio test-spark test-sdist: export PYTHONPYCACHEPREFIX := $(CURDIR)/$(VENV)/bytecode

# uv fetches and unpacks side by side what pip does one after the other, in a third of the time; it asks the index that
# pip was told. Where pip is to ask none, uv cannot be had, or does not get everything, pip does the work.
index   = $${PIP_INDEX_URL:-$$($(BIN)/python -m pip config get global.index-url 2>/dev/null)}
install = @index="$(index)"; { ! $(BIN)/python -m pip config list | grep -q no-index \
	  && $(BIN)/python -m pip install --quiet uv && UV_HTTP_RETRIES=1 $(BIN)/uv pip install --quiet \
	  --python $(BIN)/python $${index:+--default-index "$$index"} $(1) $(2); } 2>$(VENV)/uv.log \
	  || $(BIN)/python -m pip install --quiet $(if $(1),,--no-compile) $(2)

.DEFAULT_GOAL := help
.PHONY: help demo papers test test-all test-studio test-spark test-sdist test-wheel test-oldest release lock browser spark fuzz check \
        lint types rooms names docs bench bench-chart clean

help:  ## show this list
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/^([a-z-]+):.*## (.*)$$/\1\t\2/' | awk -F'\t' '{printf "  make %-11s %s\n", $$1, $$2}'

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Discreet needs Python 3.11 or newer; set PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.core: $(VENV)/.python pyproject.toml
	$(call install,--compile-bytecode,--editable .)
	@touch $@

$(VENV)/.dev: $(VENV)/.python pyproject.toml
	$(call install,,$(if $(LOCKED),--constraint constraints.txt) --editable '.[dev]')
	@touch $@ $(VENV)/.core

$(VENV)/.docs: $(VENV)/.dev
	$(call install,,--editable '.[docs]')
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(call install,,--editable '.[bench]')
	@touch $@

demo: $(VENV)/.core  ## protect, attack and score a bundled sample; writes demo/
	$(BIN)/discreet demo --output demo

papers: $(VENV)/.core  ## recompute the papers' tables, printed and ours side by side; writes papers.html
	$(BIN)/discreet papers --html papers.html $(PAPERS)

test: $(VENV)/.dev  ## run the tests and doctests, without those marked slow
	$(PYTEST) -m "not slow" --hypothesis-profile quick $(ARGS)

test-all: $(VENV)/.dev  ## run every test and doctest
	$(PYTEST) $(ARGS)

browser:  # chromium, which the tests of the studio drive
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || test -n "$$DISCREET_CHROMIUM" || { \
	  echo "chromium is not installed; trying apt-get"; \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } \
	  || { echo "Install chromium (apt-get install chromium, as root), or set DISCREET_CHROMIUM to its path."; exit 1; }; }

test-studio: $(VENV)/.dev browser  ## the studio in a real browser; installs chromium where it can
	$(PYTEST) tests/studio

$(VENV)/.spark: $(VENV)/.dev
	$(call install,,--editable '.[spark]')
	@touch $@

spark: $(VENV)/.spark  # and Java, on which it runs
	@command -v java >/dev/null || [ -x "$$JAVA_HOME/bin/java" ] \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	       && apt-get update -qq && apt-get install -y -qq openjdk-17-jre-headless; } \
	  || { echo "Spark needs Java 17 or newer: apt-get install openjdk-17-jre-headless, or set JAVA_HOME"; exit 1; }

test-spark: spark  ## run the tests on Apache Spark; installs it, and Java 17 where it can
	$(BIN)/python -m pytest tests/engines/test_spark_start.py tests/engines/test_spark.py

test-sdist: $(VENV)/.dev  ## build the source distribution, unpack it elsewhere and run tests there
	$(BIN)/python tools/sdist_tests.py $(ARGS)

test-wheel: $(VENV)/.dev  ## the demonstration from the wheel, in an empty environment
	$(BIN)/python tools/wheel_demo.py

test-oldest: $(VENV)/.dev  ## that, and every doctest, with the oldest dependencies that are allowed
	$(BIN)/python tools/wheel_demo.py --oldest --doctests

release: $(VENV)/.dev  ## where a version is ready: build wheel and sdist, try the wheel, say how to publish
	$(BIN)/python tools/release.py

lock: $(VENV)/.dev  ## write down the versions that are here, for contributors: make LOCKED=1 … installs them
	$(BIN)/python -m pip freeze --exclude-editable > constraints.txt

fuzz: $(VENV)/.dev  ## run every fuzzer for CASES cases (2000), and print what was found
	$(BIN)/python tools/fuzz.py --cases $(or $(CASES),2000)

check: lint types rooms names  ## lint, types, the rooms of the house and the names in it

lint: $(VENV)/.dev  ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev  ## mypy, strict
	$(BIN)/mypy

rooms: $(VENV)/.dev  ## who may import whom
	$(BIN)/python tools/check_rooms.py

names: $(VENV)/.dev  ## how many local names say nothing; at most 1 in 100
	$(BIN)/python tools/vague_names.py --limit 1.0

docs: $(VENV)/.docs  ## build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench-chart: $(VENV)/.bench  ## measure beside peers, and draw the picture of it for the documentation
	$(BIN)/python benchmarks/peers.py --write
	$(BIN)/python tools/bench_chart.py

bench: $(VENV)/.bench  ## run the benchmarks
	for script in benchmarks/*.py; do $(BIN)/python $$script || exit 1; done

clean:  ## remove everything that was generated
	rm -rf $(VENV) build dist site demo papers.html .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
