# Needs make and either uv or Python 3.11 with venv. `make` lists the targets.
# Another Python: make PYTHON=python3.13 report. With pip although uv is there: make UV= report

PYTHON ?= python3
SECONDS ?= 60
VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)

# Stored notebooks must not change when they are executed again: no timings, no time-dependent
# splitting of what was printed, no metadata that differs between machines.
EXECUTE := --to notebook --execute --inplace --log-level=WARN \
	--KernelManager.transport_encryption=auto \
	--ExecutePreprocessor.record_timing=False \
	--NotebookExporter.preprocessors=nbconvert.preprocessors.CoalesceStreamsPreprocessor \
	--ClearMetadataPreprocessor.enabled=True \
	--ClearMetadataPreprocessor.preserve_nb_metadata_mask="{'kernelspec', ('language_info', 'name')}" \
	--ClearMetadataPreprocessor.preserve_cell_metadata_mask="{'tags'}"

# Install what is not in the lock. The bounds of its group are read from pyproject.toml here,
# because the pip of Python 3.11 knows no groups.
GROUP = import tomllib; \
	print(*tomllib.load(open('pyproject.toml', 'rb'))['dependency-groups']['$(1)'])
INSTALL := $(if $(UV),$(UV) pip install --python $(BIN)/python, \
	$(BIN)/python -m pip install --disable-pip-version-check)

.DEFAULT_GOAL := help
.PHONY: help report test test-arrow browser data notebooks docs bench lint format fuzz clean

help:
	@echo "make report     run every notebook and write reports/index.html"
	@echo "make test       lint, then every test, then every notebook against its stored outputs"
	@echo "make test-arrow the tests that touch a DataFrame, with pyarrow beside pandas (in build/arrow)"
	@echo "make browser    run the notebooks in JupyterLab, and look at their pages, in Chromium"
	@echo "make data       rebuild data/processed/measurements.csv from data/raw"
	@echo "make notebooks  execute the notebooks in place and store their outputs"
	@echo "make docs       write docs/api, the pages of the Python interface, from the docstrings"
	@echo "make bench      measure how fast logs are read, against the fastest reading there is"
	@echo "make lint       ruff and the import contract; changes nothing"
	@echo "make format     let ruff rewrite what it can"
	@echo "make fuzz       fuzz each parser for 60 s (SECONDS=5: for 5 s); installs atheris into $(VENV)"
	@echo "make clean      remove everything that make made, the environment too"
	@echo "Each target first sets up $(VENV) where it is missing or out of date."

report: $(VENV)/.ok
	@echo "==> Running the notebooks into reports/"
	@$(BIN)/sdanalysis report

data: $(VENV)/.ok
	@echo "==> Building data/processed/measurements.csv from data/raw"
	@$(BIN)/sdanalysis build

test: lint
	@echo "==> Tests, and notebooks against their stored outputs (pytest, nbval)"
	@$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile
	@echo "==> Not run here: the tests in a browser, which need Chromium (make browser)"

# Where pyarrow is installed, pandas keeps strings otherwise. It is not in the lock, and lies in a
# folder of its own, so that `make test` stays without it. Only tests that touch a frame are run:
# to the others pandas is nothing.
ARROW := build/arrow
test-arrow: $(ARROW)/.ok
	@echo "==> Tests and notebooks that touch a DataFrame, with pyarrow installed"
	@PYTHONPATH=$(CURDIR)/$(ARROW) $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile -m frames

$(ARROW)/.ok: $(VENV)/.ok
	@echo "==> Installing pyarrow into $(ARROW) (the group arrow of pyproject.toml)"
	@rm -rf $(ARROW)
	@$(BIN)/python -c "$(call GROUP,arrow)" | xargs $(INSTALL) --target $(ARROW)
	@touch $@

# Apart from `make test`, which needs no more than Python: Chromium is not everywhere.
browser: $(VENV)/.ok
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || { \
	  echo "error: chromium or chromedriver is not on PATH."; \
	  echo "Debian: apt install chromium chromium-driver"; \
	  exit 1; } >&2
	@echo "==> Notebooks in JupyterLab, report pages: in Chromium without a window (selenium)"
	@$(BIN)/python -m pytest tests/browser

notebooks: $(VENV)/.ok
	@echo "==> Executing the notebooks in place"
	@$(BIN)/jupyter nbconvert $(EXECUTE) notebooks/*.ipynb
	@$(BIN)/python docs/gallery.py

docs: $(VENV)/.ok
	@echo "==> Writing docs/api from the docstrings"
	@$(BIN)/python docs/api.py

bench: $(VENV)/.ok
	@echo "==> Measuring: about a minute, on files made in a temporary folder"
	@$(BIN)/python bench/bench.py

lint: $(VENV)/.ok
	@echo "==> Lint (ruff check)"
	@$(BIN)/ruff check
	@echo "==> Format (ruff format --check)"
	@$(BIN)/ruff format --check
	@echo "==> Import contract (lint-imports)"
	@$(BIN)/lint-imports --no-logo

format: $(VENV)/.ok
	@echo "==> Rewriting with ruff"
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

# The fuzzer is not in the lock: neither `make test` nor `make report` needs it.
fuzz: $(VENV)/.ok
	@echo "==> Installing the fuzzer into $(VENV) (atheris, the group fuzz of pyproject.toml)"
	@$(BIN)/python -c "$(call GROUP,fuzz)" | xargs $(INSTALL)
	@echo "==> Fuzzing: $(SECONDS) s for each parser, then for all together"
	@$(BIN)/python fuzz/fuzz_parsers.py --seconds $(SECONDS)
	@echo "==> Cutting the logs of the corpus at every byte"
	@EVERY_CUT=1 $(BIN)/python -m pytest -q -n auto tests/test_cuts.py

clean:
	@echo "==> Removing $(VENV), reports/, what the fuzzer wrote, and caches"
	@rm -rf $(VENV) reports build fuzz/crashes fuzz/inputs *.egg-info .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	@find sdanalysis tests notebooks fuzz -name __pycache__ -o -name .ipynb_checkpoints | xargs rm -rf

# The stamp is touched last, so a set-up that failed is done again. The package itself is a second
# call: hash checking refuses `-e .`.
$(VENV)/.ok: requirements.lock pyproject.toml
	@rm -f $@
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "error: $(PYTHON) is missing or older than Python 3.11."; \
	  echo "Install a newer one (Debian, Ubuntu: apt install python3), or name it: make PYTHON=python3.12"; \
	  exit 1; } >&2
ifneq ($(UV),)
	@echo "==> Setting up $(VENV) with uv: a fresh environment"
	@$(UV) venv --clear --no-python-downloads --python $(PYTHON) $(VENV)
	@echo "==> Installing the locked packages (20 s or so; more on a slow line)"
	@$(UV) pip install --python $(BIN)/python --compile-bytecode --require-hashes --no-deps -r requirements.lock
	@echo "==> Installing this package"
	@$(UV) pip install --python $(BIN)/python --no-deps --no-build-isolation -e .
else
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "error: $(PYTHON) cannot make a virtual environment: its modules venv and ensurepip are missing."; \
	  echo "Debian, Ubuntu: apt install python3-venv. Or put uv on PATH."; \
	  exit 1; } >&2
	@echo "==> Setting up $(VENV) with pip (uv, where it is on PATH, is faster): a fresh environment"
	@$(PYTHON) -m venv --clear $(VENV)
	@echo "==> Installing the locked packages (a minute or two)"
	@$(BIN)/python -m pip install --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	@echo "==> Installing this package"
	@$(BIN)/python -m pip install --disable-pip-version-check --no-deps --no-build-isolation -e .
endif
	@touch $@
