# Two commands do everything: `make demo` and `make test`. Both need only Python, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The large models are installed where their weights are.
LARGE := packages/staytrue-models-large
LARGE_FILES := $(wildcard $(LARGE)/src/staytrue_models_large/models/models.json)
INSTALL_LARGE := $(if $(LARGE_FILES),-e $(LARGE))
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test fast check check-all fuzz lint types bench docs site clean

demo: $(VENV)/core.installed
	$(BIN)/staytrue score examples/grounded.jsonl --metric overlap --metric nli --metric q2 \
	  --metric begin --metric consistency --out demo/grounded
	$(BIN)/staytrue agree demo/grounded
	$(BIN)/staytrue report demo/grounded
	@echo "Open the report: $(CURDIR)/demo/grounded/report.html"

# What `make fast` leaves out starts servers and clusters and mostly waits for them: two processes.
# What measures times runs after that, by itself.
SLOW := (slow or browser or postgres or torch)
test: fast
	$(BIN)/python -m pytest $(PYTEST_OPTIONS) -n 2 --dist loadgroup -m "$(SLOW) and not alone"
	$(BIN)/python -m pytest $(PYTEST_OPTIONS) -m "$(SLOW) and alone"

# In two processes: each imports the tests for itself, so with three it takes 12 seconds longer on two
# cores. Temporary files are in memory where there is a gigabyte: runs and databases wait
# for the disk at every commit.
MEMORY := $(shell df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $$4 > 1000000 {print "TMPDIR=/dev/shm"}')
fast: $(VENV)/dev.installed
	$(MEMORY) $(BIN)/python -m pytest $(PYTEST_OPTIONS) -n 2 --dist loadgroup \
	  -p no:schemathesis -o tmp_path_retention_policy=failed \
	  -m "not slow and not browser and not postgres and not torch"

lint: $(VENV)/dev.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/dev.installed
	$(BIN)/mypy

check: lint types test

# Requests made from the API's own description: none may give a 500.  make fuzz SECONDS=60
SECONDS ?= 300
fuzz: $(VENV)/dev.installed
	STAYTRUE_FUZZ_SECONDS=$(SECONDS) $(BIN)/python -m pytest -s tests/web/test_fuzz.py

# Slow or in need of downloads: fuzzing, ten kills of a run on Ray, the bridges in environments of their
# own, the latency of guard and start, responses per second. Times are judged strictly: nothing else
# should run on the machine.
check-all: check fuzz
	STAYTRUE_IDLE=1 $(BIN)/python -m pytest -s tests/web/test_load.py tests/chatbots/test_throughput.py
	STAYTRUE_ALL_KILLS=1 $(BIN)/python -m pytest tests/runs/engines/test_cluster.py -k killed
	STAYTRUE_BRIDGES=.bridges $(BIN)/python -m pytest -m bridge
	$(BIN)/python -m benchmarks.guard --floor 150
	$(BIN)/python -m benchmarks.first --floor nli=1.5 --floor consistency=2.5
	$(BIN)/python -m benchmarks.q2 --floor 32
	$(BIN)/python -m benchmarks.begin --floor 80
	$(BIN)/python -m benchmarks.consistency --floor 25
	$(BIN)/python -m benchmarks.consistency --words 500 --floor 6

# The documentation as a site in site/, without a network.
site: $(VENV)/dev.installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: $(VENV)/dev.installed
	$(BIN)/python -m benchmarks

docs: $(VENV)/dev.installed
	$(BIN)/python -m reproduce

clean:
	rm -rf $(VENV) demo site .bridges

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/core.installed: $(VENV)/bin/python pyproject.toml $(LARGE_FILES)
	$(BIN)/python -m pip install --quiet -e '.[parquet]' $(INSTALL_LARGE)
	@touch $@

$(VENV)/dev.installed: $(VENV)/bin/python pyproject.toml $(LARGE_FILES)
	@echo "Installing what the tests need: the first time this downloads about 1 GB, mostly PyTorch."
	$(BIN)/python -m pip install --quiet -e '.[parquet,web,dev]' $(INSTALL_LARGE)
	@touch $@ $(VENV)/core.installed
