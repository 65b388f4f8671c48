# Needs python3 with venv, and make. Everything else goes into .venv.

PYTHON ?= python3
WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DOCS := $(VENV)/.docs

# NumPy's own small products, which the tests compare with, are much slower on several BLAS threads on a busy machine.
ONE := OPENBLAS_NUM_THREADS=1
# Tests run with the stage checkers, and keep kernels out of the user's cache.
TEST := $(ONE) PYRITE_CHECK=1 PYRITE_CACHE_DIR='$(CURDIR)/.pytest_cache/kernels' $(BIN)/python -m pytest

.DEFAULT_GOAL := help
.PHONY: help install demo test test-all check lint types array-api bench docs clean

help:
	@echo 'make demo      train a digit classifier; results go to demo-output/'
	@echo 'make test      the tests, without the long sweeps'
	@echo 'make test-all  the tests with the long sweeps'
	@echo 'make check     lint, types and smoke test: quick, also the pre-commit hook'
	@echo 'make array-api the public tests of the array API standard'
	@echo 'make bench     the benchmarks, and their tables in README.md and docs/'
	@echo 'make docs      the documentation, as pages in site/'
	@echo 'make clean     remove .venv and all caches'

install: $(STAMP)

$(STAMP): pyproject.toml
	@echo 'Installing into $(VENV)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[demo,dev]'
	touch $@

$(DOCS): pyproject.toml
	@echo 'Installing the tools of the documentation into $(VENV)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	touch $@

demo: $(STAMP)
	$(BIN)/python examples/digits.py

test: $(STAMP)
	$(TEST) -n $(WORKERS) -m 'not slow'

test-all: $(STAMP)
	$(TEST) -n $(WORKERS)

check: lint types
	$(TEST) tests/test_tiny.py

lint: $(STAMP)
	$(BIN)/ruff check .

types: $(STAMP)
	$(BIN)/mypy

# The suite needs its submodule: git clone --recurse-submodules https://github.com/data-apis/array-api-tests
ARRAY_API_TESTS ?=
EXAMPLES ?= 100
SUITE := $(VENV)/.array-api

$(SUITE): pyproject.toml | $(STAMP)
	@echo 'Installing what the suite needs into $(VENV)'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r '$(ARRAY_API_TESTS)/requirements.txt'
	touch $@

array-api: $(STAMP)
	@test -d '$(ARRAY_API_TESTS)/array_api_tests' || { \
	echo 'Pass the path of a checkout of https://github.com/data-apis/array-api-tests, cloned with'; \
	echo '--recurse-submodules: make array-api ARRAY_API_TESTS=../array-api-tests [EXAMPLES=100]'; exit 1; }
	@$(MAKE) --no-print-directory $(SUITE)
	cd '$(ARRAY_API_TESTS)' && $(ONE) ARRAY_API_TESTS_MODULE=pyrite '$(CURDIR)/$(BIN)/python' -m pytest -q \
	-c pytest.ini -p no:cacheprovider --disable-deadline --max-examples=$(EXAMPLES) \
	--skips-file='$(CURDIR)/tests/array_api_skips.txt' array_api_tests

bench: $(STAMP)
	@set -e; for file in $(sort $(wildcard benchmarks/[a-z]*.py)); do echo "$$file"; $(BIN)/python $$file --write; done

docs: $(DOCS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo 'Open site/index.html'

clean:
	rm -rf $(VENV) site .pytest_cache .mypy_cache .ruff_cache build demo-output *.egg-info
