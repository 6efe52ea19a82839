# Two commands do everything: `make demo` and `make test`. Both need only Python, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The large models are installed where their weights are.
LARGE := packages/staytrue-models-large
LARGE_FILES := $(wildcard $(LARGE)/src/staytrue_models_large/models/models.json)
INSTALL_LARGE := $(if $(LARGE_FILES),-e $(LARGE))
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test fast check lint types bench docs clean

demo: $(VENV)/core.installed
	$(BIN)/staytrue score examples/grounded.jsonl --metric overlap --metric nli --metric q2 \
	  --metric begin --metric consistency --out demo/grounded
	$(BIN)/staytrue agree demo/grounded
	$(BIN)/staytrue report demo/grounded
	@echo "Open the report: $(CURDIR)/demo/grounded/report.html"

# Downloads about 1 GB once: PyTorch's CPU build, transformers and what the tests check against.
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
	for page in q2 begin aih consistest headline everyday; do $(BIN)/python -m reproduce.$$page || exit 1; done

clean:
	rm -rf $(VENV) demo

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/core.installed: $(VENV)/bin/python pyproject.toml $(LARGE_FILES)
	$(BIN)/python -m pip install --quiet -e '.[parquet]' $(INSTALL_LARGE)
	@touch $@

$(VENV)/dev.installed: $(VENV)/bin/python pyproject.toml $(LARGE_FILES)
	$(BIN)/python -m pip install --quiet -e '.[parquet,web,dev]' $(INSTALL_LARGE)
	@touch $@ $(VENV)/core.installed
