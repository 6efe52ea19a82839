# Two commands do everything: `make demo` and `make test`. Both need only Python, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test fast check lint types bench docs clean

demo: $(VENV)/core.installed
	$(BIN)/staytrue score examples/grounded.jsonl --metric overlap --metric nli --metric q2 \
	  --metric begin --metric consistency --out demo/grounded
	$(BIN)/staytrue agree demo/grounded
	$(BIN)/staytrue report demo/grounded
	@echo "Open the report: $(CURDIR)/demo/grounded/report.html"

test: $(VENV)/dev.installed
	$(BIN)/python -m pytest

fast: $(VENV)/dev.installed
	$(BIN)/python -m pytest -m "not slow and not browser and not postgres and not torch"

lint: $(VENV)/dev.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/dev.installed
	$(BIN)/mypy

check: lint types test

bench: $(VENV)/dev.installed
	$(BIN)/python -m benchmarks

docs: $(VENV)/dev.installed
	for page in q2 begin aih consistest; do $(BIN)/python -m docs.results_$$page || exit 1; done

clean:
	rm -rf $(VENV) demo

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/core.installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet -e '.[parquet]'
	@touch $@

$(VENV)/dev.installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet -e '.[parquet,web,dev]'
	@touch $@ $(VENV)/core.installed
