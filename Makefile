# The commands of daily work. Everything they need is installed into .venv, nothing elsewhere.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$p; break; }; done)
ROOT := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
VENV := $(ROOT)/.venv
BIN := $(VENV)/bin
# Two more than there are cores: tests wait for servers that they start and kill. Each has its share
# of the files, so that few servers are started for all, and takes from others when it is done.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 2)')
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --durations=5

# Where a machine forbids compiled modules, each process would compile the packages and tests again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install run test compile-tests run-tests coverage check check-types check-quickly format bench screenshots docs clean

help:  ## show this list
	@grep -hE '^[a-z]+:.*##' $(ROOT)/Makefile | sed -E 's/:.*## */\t/' | expand -t 10

run: $(VENV)/.installed  ## set everything up and start the server
	@$(BIN)/recollect serve

install: $(VENV)/.installed-dev  ## install what 'make test' needs, which does so by itself

# Two things at a time: types take one core half a minute where there is no cache, and so does
# compiling the tests, which each of pytest's workers would do again.
test: $(VENV)/.installed-dev  ## check the code and run all tests
	@$(MAKE) --no-print-directory -j2 check-quickly compile-tests
	@$(MAKE) --no-print-directory -j2 check-types run-tests

compile-tests: $(VENV)/.installed-dev
	@cd $(ROOT) && $(BIN)/python -m pytest --collect-only -qq >/dev/null || true  # told by run-tests

run-tests:
	@for b in chromium chromium-browser google-chrome; do command -v $$b >/dev/null && exit 0; done; \
		echo "NO BROWSER: the tests of the dashboard (tests/browser) are skipped;" \
			"on Debian: apt install chromium"
	@cd $(ROOT) && $(PYTEST) $(ARGS)

coverage: $(VENV)/.installed-dev  ## run all tests and report what they leave out; takes longer
	@cd $(ROOT) && COVERAGE_PROCESS_START=pyproject.toml \
		$(PYTEST) --cov --cov-report=term $(ARGS)

check: check-quickly check-types  ## lint, types, import rules, generated code

check-types: $(VENV)/.installed-dev
	@cd $(ROOT) && $(BIN)/mypy

check-quickly: $(VENV)/.installed-dev
	@cd $(ROOT) && $(BIN)/ruff check . && $(BIN)/ruff format --check .
	@cd $(ROOT) && $(BIN)/lint-imports
	@cd $(ROOT) && $(BIN)/python tools/generate_blocking.py --check
	@cd $(ROOT) && $(BIN)/python tools/generate_reference.py --check

format: $(VENV)/.installed-dev  ## format the code and write the generated files
	@cd $(ROOT) && $(BIN)/python tools/generate_blocking.py
	@cd $(ROOT) && $(BIN)/python tools/generate_reference.py
	@cd $(ROOT) && $(BIN)/ruff check --fix . && $(BIN)/ruff format .

bench: $(VENV)/.installed-dev  ## measure latency beside hand-written SQL
	@cd $(ROOT) && $(BIN)/python benchmarks/latency.py $(ARGS)

screenshots: $(VENV)/.installed-dev  ## take the pictures of the documentation; needs chromium
	@cd $(ROOT) && $(BIN)/python tools/screenshots/take.py $(ARGS) && $(BIN)/python tools/screenshots/top.py

docs: $(VENV)/.installed-dev  ## write the reference pages that are made from the code
	@cd $(ROOT) && $(BIN)/python tools/generate_reference.py

clean:  ## delete what these commands made; stored conversations stay
	@rm -rf $(VENV) $(ROOT)/.coverage* $(ROOT)/.hypothesis $(ROOT)/.mypy_cache \
		$(ROOT)/.pytest_cache $(ROOT)/.ruff_cache $(ROOT)/.import_linter_cache $(ROOT)/dist
	@find $(ROOT)/src $(ROOT)/tests $(ROOT)/benchmarks $(ROOT)/tools -name __pycache__ -prune -exec rm -rf {} +

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Recollect needs Python 3.11 or newer; none was found."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "'$(PYTHON) -m venv' failed; on Debian and Ubuntu: apt install python3-venv"; exit 1; }

$(VENV)/.installed: $(BIN)/python $(ROOT)/pyproject.toml $(ROOT)/constraints.txt
	@echo "installing Recollect into .venv …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(ROOT)/constraints.txt -e "$(ROOT)[server,sql,archive]"
	@touch $@

$(VENV)/.installed-dev: $(BIN)/python $(ROOT)/pyproject.toml $(ROOT)/constraints.txt
	@echo "installing Recollect and its development tools into .venv …"
	@# Older versions take 20 seconds more to read the lists of files of 180 packages.
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile 'pip>=25'
	@# Python compiles what is imported; to compile all of it takes half a minute.
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
		-c $(ROOT)/constraints.txt -e "$(ROOT)[dev]"
	@touch $@ $(VENV)/.installed
