# Each target works from a fresh clone with nothing but Python 3.11 to 3.13 and make.
# They make .venv themselves; a stamp in it says what was installed, so nothing is done twice.

PYTHON ?= python3
BIN := .venv/bin
BASE := .venv/.installed-base
DEV := .venv/.installed-dev
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
PYTEST := $(BIN)/python -m pytest --numprocesses auto

.DEFAULT_GOAL := help
.PHONY: help venv demo test check bench soak format generate clean

help: ## say what each target does
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || { \
	  echo "Agent Memory OS needs Python 3.11, 3.12 or 3.13, and '$(PYTHON)' is none of these." \
	    "Say where one is: make PYTHON=python3.13 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

$(BASE): pyproject.toml | $(BIN)/python
	@echo "Installing into .venv (once) ..."
	@$(PIP) --editable .
	@touch $(BASE)

$(DEV): pyproject.toml | $(BIN)/python
	@echo "Installing into .venv, with the tools for development (once) ..."
	@$(PIP) --editable '.[dev]'
	@touch $(BASE) $(DEV)

venv: $(DEV) ## make .venv with everything that the other targets need

demo: $(BASE) ## show a fleet of agents recall, each what it may see
	@$(BIN)/agent-memory demo

test: $(DEV) ## run the tests, or some: make test ARGS="tests/model -k gate"
	@$(PYTEST) $(ARGS)

# Everything that must hold before a change goes in. pytest comes last, so that its summary is the
# last thing to be read; the coverage gate after it says nothing unless it fails.
check: $(DEV) ## check everything: format, lint, types, imports, tests, docs, coverage
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(PYTEST) --cov --cov-report= --cov-report=json:.coverage.json
	@$(BIN)/python -m tools.coverage_gate .coverage.json

bench: $(DEV) ## measure speed, size and recall: make bench ARGS="--data DIR"
	@$(BIN)/python -m benchmarks $(ARGS)

soak: $(DEV) ## search the laws at random and for long
	@HYPOTHESIS_PROFILE=soak $(PYTEST) -m "hypothesis or soak" $(ARGS)

format: $(DEV) ## put the code into its form
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --quiet --fix .

generate: $(DEV) ## write the files that are made from the code
	@$(BIN)/python -m tools.generate

clean: ## remove .venv and what the tools leave behind
	@rm -rf .venv build dist .coverage .coverage.* .hypothesis .import_linter_cache \
	  .mypy_cache .pytest_cache .ruff_cache
