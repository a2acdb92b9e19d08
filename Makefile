# Each target works from a fresh clone with nothing but Python 3.11 to 3.13 and make.
# They make .venv themselves; a stamp in it says what was installed, so nothing is done twice.

PYTHON ?= python3
BIN := .venv/bin
BASE := .venv/.installed-base
DEV := .venv/.installed-dev
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo venv

help: ## say what each target does
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 16

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || { \
	  echo "Agent Memory OS needs Python 3.11, 3.12 or 3.13, and '$(PYTHON)' is not one of them." \
	    "Say which to use: make PYTHON=python3.13 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

$(BASE): pyproject.toml | $(BIN)/python
	@echo "Installing into .venv (once) ..."
	@$(PIP) --editable .
	@touch $(BASE)

$(DEV): pyproject.toml | $(BIN)/python
	@echo "Installing into .venv, with the tools for development (once) ..."
	@$(PIP) --editable '.[dev]'
	@touch $(BASE) $(DEV)

venv: $(DEV) ## make .venv with everything that the checks need

demo: $(BASE) ## show a fleet of agents recall, each what it may see
	@$(BIN)/agent-memory demo
