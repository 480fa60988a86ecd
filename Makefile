# The two commands: `make run` and `make test`. Everything else is for the daily work.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BIND ?= 127.0.0.1:8000
PROCESSES ?= 2
LANES ?= ratings letters webhooks long
GAMES ?= 1000000
SECONDS ?= 600

export PIP_DISABLE_PIP_VERSION_CHECK = 1
# What is imported is compiled once, also where an image says otherwise.
export PYTHONDONTWRITEBYTECODE =

.PHONY: help fast compare notebooks run serve worker demo-office test calendar fuzz mutants chaos e2e check format format-check lint types imports migrations messages pictures docs verify audit bench bench-rating bench-rerate bench-fide bench-intake bench-lists bench-pages bench-report bench-laboratory power ranges clean

help: ## List the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

# --- The virtual environment, made again when a list of requirements changes ---

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed. Name it: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
		{ echo "Python cannot make a virtual environment. On Debian: apt install python3-venv"; rm -rf $(VENV); exit 1; }

$(VENV)/.runtime: requirements.txt | $(BIN)/python
	$(BIN)/pip install -qq -r requirements.txt
	@touch $@

$(VENV)/.test: tests/requirements.txt $(VENV)/.runtime
	$(BIN)/pip install -qq -r tests/requirements.txt
	@touch $@

$(VENV)/.dev: tests/requirements-dev.txt $(VENV)/.test
	$(BIN)/pip install -qq -r tests/requirements-dev.txt
	@touch $@

$(VENV)/.fast: tests/requirements-fast.txt $(VENV)/.runtime
	$(BIN)/pip install -qq -r tests/requirements-fast.txt
	@touch $@

$(VENV)/.compare: tests/requirements-compare.txt $(VENV)/.runtime
	$(BIN)/pip install -qq -r tests/requirements-compare.txt
	@touch $@

$(VENV)/.notebooks: tests/requirements-notebooks.txt $(VENV)/.test
	$(BIN)/pip install -qq -r tests/requirements-notebooks.txt
	@touch $@

fast: $(VENV)/.fast ## Make rerates faster: install the compiler (numba), compile their kernel
	@$(BIN)/python manage.py compile_replay

compare: $(VENV)/.compare ## Install other people's rating systems, to check the laboratory against

notebooks: $(VENV)/.notebooks ## Install Polars and Altair, and run the notebooks of docs/notebooks
	@$(BIN)/python -m pytest -q tests/ratings/experiments/test_notebooks.py

# --- Running ---

run: $(VENV)/.runtime ## Start the whole office with the demo federation
	@HASHED_STATIC=true $(BIN)/python manage.py serve --bind $(BIND) --demo

serve: $(VENV)/.runtime ## Start the web part without the demo
	@HASHED_STATIC=true $(BIN)/python manage.py serve --bind $(BIND)

worker: $(VENV)/.runtime ## Start a worker for LANES (needs REDIS_URL; start as many as you like)
	@$(BIN)/python manage.py worker --processes $(PROCESSES) --lanes $(LANES)

demo-office: $(VENV)/.runtime ## Play a month of the office on a scratch database
	@DATA_DIR=$$(mktemp -d) $(BIN)/python manage.py demo_office

# --- Testing ---

test: $(VENV)/.test ## Run the whole suite (DATABASE_URL and REDIS_URL choose the servers, SUITE_DAY the date)
	$(BIN)/python -m pytest -n 2 --dist loadgroup $(ARGS)

calendar: $(VENV)/.test ## Load and check the demo on each day of a fortnight (from FROM, or today)
	@$(BIN)/python -m tests.fortnight

fuzz: $(VENV)/.test ## Look for new examples that break a property, and try all combinations
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "hypothesis or fuzz" --hypothesis-profile=search $(ARGS)

mutants: $(VENV)/.test ## Plant faults in a copy, one by one, and see the tests find them
	$(BIN)/python -m tests.mutants $(ARGS)

chaos: $(VENV)/.test ## Beat an office of real processes for SECONDS (needs DATABASE_URL and REDIS_URL)
	@$(BIN)/python -m tests.chaos --seconds $(SECONDS)

e2e: $(VENV)/.dev ## Run the browser tests (needs Chromium)
	$(BIN)/python -m pytest -n 2 --dist loadgroup --override-ini 'addopts=--strict-markers' tests/e2e $(ARGS)

verify: $(VENV)/.runtime ## Replay real sections and compare with what was published
	@$(BIN)/python manage.py verify

audit: $(VENV)/.runtime ## Replay all history and compare with the ledger and current ratings
	@$(BIN)/python manage.py audit $(ARGS)

bench: $(VENV)/.runtime ## Print how fast the engine and a full cycle are
	@$(BIN)/python -m tests.bench

bench-rating: $(VENV)/.test ## Print how fast a worker rates a burst of SECTIONS sections
	@$(BIN)/python -m tests.bench_rating

bench-fide: $(VENV)/.runtime ## Print how long a FIDE list of ROWS players takes
	@$(BIN)/python -m tests.bench_fide

bench-intake: $(VENV)/.runtime ## Print how long a file of ROWS members takes to move in
	@$(BIN)/python -m tests.bench_intake

bench-lists: $(VENV)/.runtime ## Print how long an official list of MEMBERS takes
	@$(BIN)/python -m tests.bench_lists

bench-pages: $(VENV)/.runtime ## Print how quick pages are in a nation of MEMBERS members
	@$(BIN)/python -m tests.bench_pages $(MEMBERS)

bench-report: $(VENV)/.runtime ## Print how long a report of PLAYERS players keeps people waiting
	@$(BIN)/python -m tests.bench_report

# --- What CI checks, before the tests ---

check: format-check lint types imports migrations docs ## Run every check but the tests

format: $(VENV)/.dev ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

format-check: $(VENV)/.dev
	$(BIN)/ruff format --check .

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/djlint --lint --quiet templates

types: $(VENV)/.dev
	$(BIN)/mypy ratings/engine ratings/laboratory events/importers players/importers

imports: $(VENV)/.dev
	$(BIN)/lint-imports

migrations: $(VENV)/.dev
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py check

pictures: $(VENV)/.dev ## Take the pictures of the README's tour again (needs Chromium)
	@$(BIN)/python -m tests.pictures

messages: $(VENV)/.test ## Bring the Spanish catalog up to date with what is marked
	@$(BIN)/python -m tests.messages

docs: $(VENV)/.dev ## Check that the documentation says what is
	$(BIN)/python -m pytest -q tests/docs

bench-rerate: $(VENV)/.runtime ## Replay a made-up federation of GAMES games
	@$(BIN)/python -m tests.bench_rerate $(GAMES)

bench-laboratory: $(VENV)/.runtime ## Print how many games a second each rating system takes
	@$(BIN)/python -m tests.bench_laboratory $(GAMES)
	@$(BIN)/python -m tests.bench_books $(GAMES)

ranges: $(VENV)/.runtime ## Print how often ranges of 95 percent hold, and what calibration sees (some minutes)
	@$(BIN)/python -m tests.ranges

power: $(VENV)/.runtime ## Print what a year of games can tell, by the number of games (some minutes)
	@$(BIN)/python -m tests.power

clean: ## Remove the virtual environment and the demo's data
	rm -rf $(VENV) var
