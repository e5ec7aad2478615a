# Needs make and either uv or Python 3.11 with venv. `make` lists the targets.
# Another Python: make PYTHON=python3.13 report. With pip although uv is there: make UV= report

SECONDS ?= 60
LOGS ?= 100000
VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
SETUP := PYTHON="$(PYTHON)" UV="$(UV)" VENV="$(VENV)" scripts/setup
# The log, the computer and the name of `make mine`; HOST is a name that shells and conda use too.
MINE := "$$LOG" $(if $(filter command,$(firstword $(origin HOST))),--host "$$HOST")
# With bytecode, whatever the caller does without: pytest's rewriting of the tests is a third of what it
# takes to collect them, and it is kept as such.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder
ARROW := build/arrow
WITH_ARROW := PYTHONPATH="$(CURDIR)/$(ARROW)"
BUILD := build

# Stored notebooks must not change when they are executed again: no timings, no time-dependent
# splitting of what was printed, no metadata that differs between machines.
EXECUTE := --to notebook --execute --inplace --log-level=WARN \
	--KernelManager.transport_encryption=auto \
	--ExecutePreprocessor.record_timing=False \
	--NotebookExporter.preprocessors=nbconvert.preprocessors.CoalesceStreamsPreprocessor \
	--ClearMetadataPreprocessor.enabled=True \
	--ClearMetadataPreprocessor.preserve_nb_metadata_mask="{'kernelspec', ('language_info', 'name')}" \
	--ClearMetadataPreprocessor.preserve_cell_metadata_mask="{'tags'}"

.DEFAULT_GOAL := help
.PHONY: help report open mine lab test wheel test-arrow browser data notebooks docs rig zipapp speed speed-many lint format fuzz clean FORCE

help:
	@sed -n 's/^\([a-z-]*\):.*## /\1:/p' Makefile | \
	  while IFS=: read -r target words; do printf 'make %-10s %s\n' "$$target" "$$words"; done
	@echo "Each target first sets up $(VENV) where it is missing or out of date."

# Always asked, for dates say nothing: the script compares what the lock holds, and is done at once.
$(VENV)/.ok: FORCE
	@$(SETUP)

$(VENV)/.ok-test: $(VENV)/.ok
	@$(SETUP) test

report: $(VENV)/.ok ## run the notebooks that something changed for and write reports/index.html
	@echo "==> Running the notebooks into reports/"
	@$(BIN)/sdanalysis report
	@echo "==> Open reports/index.html in a browser, or: make open"

open: report ## show reports/index.html in the browser
	@$(BIN)/python -m webbrowser -t "file://$(CURDIR)/reports/index.html"

mine: $(VENV)/.ok ## where does my card stand? LOG=card.log HOST=pi-4b LABEL="SanDisk Extreme 32 GB"
	@test -n "$$LOG" || { \
	  echo 'error: found no LOG, expected: make mine LOG=card.log [HOST=pi-4b] [LABEL="Samsung Evo+ 32 GB"]'; \
	  exit 2; } >&2
	@mkdir -p reports
	@$(BIN)/sdanalysis mine $(MINE) $${LABEL:+--label "$$LABEL"} -o reports/my-card.html

lab: $(VENV)/.ok-test ## open the notebooks in JupyterLab
	@$(BIN)/jupyter lab notebooks

# Lint and the tests of a store, which is parquet, run beside the others, and are printed where they fail.
test: $(VENV)/.ok-test $(ARROW)/.ok ## lint, every test, the examples of the docstrings, every notebook against its stored outputs
	@echo "==> Tests, and notebooks against their stored outputs (pytest, nbval); lint and archive beside them"
	@$(MAKE) --no-print-directory lint >$(BUILD)/lint.log 2>&1 & lint=$$!; \
	  $(WITH_ARROW) $(BIN)/python -m pytest -q -p no:cacheprovider tests/test_archive.py >$(BUILD)/archive.log 2>&1 & archive=$$!; \
	  trap 'kill $$lint $$archive 2>/dev/null' INT TERM; \
	  $(PYTEST); tests=$$?; \
	  wait $$lint || { cat $(BUILD)/lint.log; tests=1; }; \
	  wait $$archive || { cat $(BUILD)/archive.log; tests=1; }; exit $$tests
	@echo "==> Not run here: the tests in a browser, which need Chromium (make browser), and those of the wheel (make wheel)"

# Builds what pip installs and works with it away from the checkout.
wheel: $(VENV)/.ok-test ## build the wheel, and try it away from the checkout
	@echo "==> Building the wheel, and trying it"
	@$(BIN)/python -m pytest -q tests/wheel

# Where pyarrow is installed, pandas keeps strings otherwise. It is not in the lock, and lies in a
# folder of its own, so that most tests run without it. Only tests that touch a frame are run again:
# to the others pandas is nothing.
test-arrow: $(ARROW)/.ok-all ## the tests that touch a DataFrame, with pyarrow beside pandas (in build/arrow)
	@echo "==> Tests and notebooks that touch a DataFrame, with pyarrow installed"
	@$(WITH_ARROW) $(PYTEST) -m frames tests notebooks

$(ARROW)/.ok: $(VENV)/.ok-test
	@rm -rf $(ARROW)
	@$(SETUP) parquet --target $(ARROW)
	@touch $@

$(ARROW)/.ok-all: $(ARROW)/.ok
	@$(SETUP) arrow --target $(ARROW)
	@touch $@

# Apart from `make test`, which needs no more than Python: Chromium is not everywhere.
browser: $(VENV)/.ok-test ## run the notebooks in JupyterLab, and look at their pages, in Chromium
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || { \
	  echo "error: chromium or chromedriver is not on PATH."; \
	  echo "Debian: apt install chromium chromium-driver"; \
	  exit 1; } >&2
	@echo "==> Notebooks in JupyterLab, report pages: in Chromium without a window (selenium)"
	@$(BIN)/python -m pytest tests/browser

data: $(VENV)/.ok ## rebuild the tables of data/processed from data/raw and data/companions
	@echo "==> Building data/processed from data/raw and data/companions"
	@$(BIN)/sdanalysis build

notebooks: $(VENV)/.ok ## execute the notebooks in place and store their outputs
	@echo "==> Executing the notebooks in place"
	@$(BIN)/jupyter nbconvert $(EXECUTE) notebooks/*.ipynb
	@$(BIN)/python docs/answers.py
	@$(BIN)/python docs/gallery.py

docs: $(VENV)/.ok-test ## write docs/api, the pages of the Python interface
	@echo "==> Writing docs/api from the docstrings"
	@$(BIN)/python docs/api.py

# On media of known speed: as root a loop device that the kernel slows down, else a library in C.
rig: $(VENV)/.ok-test ## run sessions of sdanalysis bench on a medium of known speed (some minutes)
	@echo "==> Sessions of sdanalysis bench on the best medium of known speed that this machine has"
	@$(BIN)/python -m pytest -rsP -o pythonpath="tests tests/rig" tests/rig

# One file for a Raspberry Pi: the runner alone, which needs Python's standard library only.
zipapp: ## write build/sdanalysis-bench.pyz: `sdanalysis bench` as one file, which needs Python alone
	@rm -rf $(BUILD)/zipapp && mkdir -p $(BUILD)/zipapp/sdanalysis/bench
	@cp sdanalysis/bench/*.py $(BUILD)/zipapp/sdanalysis/bench
	@mv $(BUILD)/zipapp/sdanalysis/bench/__main__.py $(BUILD)/zipapp
	@touch $(BUILD)/zipapp/sdanalysis/__init__.py
	@$(or $(PYTHON),python3) -m zipapp -c -p "/usr/bin/env python3" $(BUILD)/zipapp -o $(BUILD)/sdanalysis-bench.pyz
	@rm -r $(BUILD)/zipapp
	@echo "$(BUILD)/sdanalysis-bench.pyz: written, for: python3 sdanalysis-bench.pyz FOLDER"

speed: $(VENV)/.ok-test ## measure how fast logs are read, against the fastest reading there is
	@echo "==> Measuring: about five minutes, on files made in a temporary folder"
	@$(BIN)/python benchmarks/speed.py

speed-many: $(ARROW)/.ok-all ## measure `archive`: 100,000 logs, serial, processes, Dask (LOGS=20000: fewer)
	@echo "==> Measuring: ten minutes or so, on logs made in a temporary folder"
	@$(WITH_ARROW) $(BIN)/python benchmarks/many.py --logs $(LOGS)

lint: $(VENV)/.ok-test ## ruff, the import contract, types and spelling; changes nothing
	@echo "==> Lint (ruff check)"
	@$(BIN)/ruff check
	@echo "==> Format (ruff format --check)"
	@$(BIN)/ruff format --check
	@echo "==> Import contract (lint-imports)"
	@$(BIN)/lint-imports --no-logo
	@echo "==> Types (mypy)"
	@$(BIN)/mypy
	@echo "==> Spelling (codespell)"
	@$(BIN)/codespell

format: $(VENV)/.ok-test ## let ruff rewrite what it can
	@echo "==> Rewriting with ruff"
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

# The fuzzer is not in the lock: neither `make test` nor `make report` needs it.
fuzz: $(VENV)/.ok-test ## fuzz each parser for 60 s (SECONDS=5: for 5 s); installs atheris into .venv
	@$(SETUP) fuzz
	@echo "==> Fuzzing: $(SECONDS) s for each parser, then for all together"
	@$(BIN)/python fuzz/fuzz_parsers.py --seconds $(SECONDS)
	@$(BIN)/python fuzz/fuzz_parsers.py --bytes 10000000
	@echo "==> Cutting the logs of the corpus at every byte"
	@EVERY_CUT=1 $(BIN)/python -m pytest -q -n auto tests/test_pairs.py -k cut

clean: ## remove everything that make made, the environment too
	@echo "==> Removing $(VENV), reports/, docs/api, what the fuzzer wrote, and caches"
	@rm -rf $(VENV) $(VENV)-[0-9]* reports build docs/api fuzz/crashes fuzz/inputs *.egg-info .pytest_cache .ruff_cache .mypy_cache .import_linter_cache .hypothesis
	@find sdanalysis tests notebooks fuzz docs -name __pycache__ -o -name .ipynb_checkpoints | xargs rm -rf
