# The two commands: `make run` and `make test`. Everything else is for the daily work.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BIND ?= 127.0.0.1:8000
PROCESSES ?= 2
LANES ?= ratings letters webhooks long
GAMES ?= 1000000
SECONDS ?= 600
MINUTES ?= 10
OFFICE ?= http://$(BIND)

export PIP_DISABLE_PIP_VERSION_CHECK = 1
# What is imported is compiled once, also where an image says otherwise.
export PYTHONDONTWRITEBYTECODE =

.PHONY: help conformance fast s3 monitoring compare notebooks run serve worker demo-office test test-fast gate calendar fuzz fuzz-for mutants chaos e2e check format format-check lint types imports migrations size messages pictures docs verify audit sbom wheel bench bench-rating bench-rerate bench-fide bench-intake bench-lists bench-pages bench-report bench-laboratory power ranges clean bench-api api-diff bench-moving-in

help: ## List the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

# --- The virtual environment, made again when a list of requirements changes ---

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is required. Set its path: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
		{ echo "Python can't create a virtual environment. On Debian: apt install python3-venv"; rm -rf $(VENV); exit 1; }

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

$(VENV)/.s3: tests/requirements-s3.txt $(VENV)/.runtime
	$(BIN)/pip install -qq -r tests/requirements-s3.txt
	@touch $@

$(VENV)/.monitoring: tests/requirements-monitoring.txt $(VENV)/.runtime
	$(BIN)/pip install -qq -r tests/requirements-monitoring.txt
	@touch $@

$(VENV)/.compare: tests/requirements-compare.txt $(VENV)/.runtime
	$(BIN)/pip install -qq -r tests/requirements-compare.txt
	@touch $@

$(VENV)/.notebooks: tests/requirements-notebooks.txt $(VENV)/.test
	$(BIN)/pip install -qq -r tests/requirements-notebooks.txt
	@touch $@

fast: $(VENV)/.fast ## Make rerates faster: install the compiler (numba), compile their kernel
	@$(BIN)/python manage.py compile_replay

s3: $(VENV)/.s3 ## Install what is needed to store uploads in an S3 bucket (UPLOADS_S3_BUCKET)

monitoring: $(VENV)/.monitoring ## Install what metrics and error reports need (METRICS_TOKEN, SENTRY_DSN)

compare: $(VENV)/.compare ## Install third-party rating systems to check the laboratory against

notebooks: $(VENV)/.notebooks ## Install Polars and Altair, and run the notebooks of docs/notebooks
	@$(BIN)/python -m pytest -q tests/ratings/research/experiments/test_notebooks.py

# --- Running ---

run: $(VENV)/.runtime ## Start the office with the demo federation
	@HASHED_STATIC=true $(BIN)/python manage.py serve --bind $(BIND) --demo

serve: $(VENV)/.runtime ## Start the web server without the demo
	@HASHED_STATIC=true $(BIN)/python manage.py serve --bind $(BIND)

worker: $(VENV)/.runtime ## Start a worker for the queues in LANES (needs REDIS_URL; you can start several)
	@$(BIN)/python manage.py worker --processes $(PROCESSES) --lanes $(LANES)

demo-office: $(VENV)/.runtime ## Simulate a month of the office on a scratch database
	@DATA_DIR=$$(mktemp -d) $(BIN)/python manage.py demo_office

# --- Testing ---

test: $(VENV)/.test ## Run the tests (DATABASE_URL and REDIS_URL choose the servers, SUITE_DAY the date)
	$(BIN)/python -m pytest -n 2 --dist loadgroup $(ARGS)

test-fast: $(VENV)/.test ## Run one case of each test, and one test of each module that needs a database
	$(BIN)/python -m pytest -q -n 2 --dist loadgroup --fast --hypothesis-profile=fast \
		-m "not (fuzz or gate or calendar)" --ignore=tests/common/test_wording.py $(ARGS)

gate: $(VENV)/.test ## Run the slow tests that CI requires too: real processes, migrations, the demo
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "gate and not fuzz" $(ARGS)

calendar: $(VENV)/.test ## Load and check the demo on each of 14 days (from FROM, or today)
	@$(BIN)/python -m tests.tools.demo_calendar

fuzz: $(VENV)/.test ## Search for new examples that break a property, and try all combinations
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "hypothesis or fuzz" --hypothesis-profile=search $(ARGS)

fuzz-for: $(VENV)/.test ## Repeat the property tests selected by ARGS for MINUTES, or until one fails
	@end=$$(( $$(date +%s) + 60 * $(MINUTES) )); while [ $$(date +%s) -lt $$end ]; do \
		$(BIN)/python -m pytest -q -n 0 -m "hypothesis" --hypothesis-profile=search \
			--hypothesis-show-statistics $(ARGS) || exit 1; \
	done

mutants: $(VENV)/.test ## Run mutation tests: add one bug at a time to a copy, and check that the tests find it
	$(BIN)/python -m tests.tools.mutants $(ARGS)

chaos: $(VENV)/.test ## Run a chaos drill on real processes for SECONDS (needs DATABASE_URL and REDIS_URL)
	@$(BIN)/python -m tests.tools.chaos --seconds $(SECONDS)

e2e: $(VENV)/.dev ## Run the browser tests (needs Chromium)
	$(BIN)/python -m pytest -n 2 --dist loadgroup --override-ini 'addopts=--strict-markers' tests/e2e $(ARGS)

conformance: ## Check the office at OFFICE with the conformance kit (KEY: an API key; CLIENT: a command)
	@OFFICE="$(OFFICE)" TOKEN="$(KEY)" $(PYTHON) docs/conformance/run.py $(CLIENT)

verify: $(VENV)/.runtime ## Replay real sections and compare with the published ratings
	@$(BIN)/python manage.py verify

# Of a fresh environment with what the office runs on, and nothing else.
wheel: $(VENV)/.test ## Build the rating engine as a wheel without dependencies, in dist/
	@$(BIN)/python -m tests.tools.engine_wheel dist

sbom: ## Write sbom.json: dependencies and licenses, as CycloneDX
	@rm -rf var/sbom && $(PYTHON) -m venv var/sbom/office && $(PYTHON) -m venv var/sbom/tool
	@var/sbom/office/bin/pip install -qq -r requirements.txt
	@var/sbom/tool/bin/pip install -qq cyclonedx-bom==7.5.0
	@var/sbom/tool/bin/cyclonedx-py environment --output-reproducible \
		--pyproject pyproject.toml -o sbom.json var/sbom/office/bin/python
	@rm -rf var/sbom && echo sbom.json

audit: $(VENV)/.runtime ## Replay all history and compare with the ledger and current ratings
	@$(BIN)/python manage.py audit $(ARGS)

bench: $(VENV)/.runtime ## Measure the speed of the engine and of a full cycle
	@$(BIN)/python -m tests.tools.bench

bench-rating: $(VENV)/.test ## Measure how fast a worker rates SECTIONS sections
	@$(BIN)/python -m tests.tools.bench_rating

bench-fide: $(VENV)/.runtime ## Measure the import of a FIDE list with ROWS players
	@$(BIN)/python -m tests.tools.bench_fide

bench-intake: $(VENV)/.runtime ## Measure the import of a file with ROWS members
	@$(BIN)/python -m tests.tools.bench_member_import

bench-moving-in: $(VENV)/.runtime ## Measure how a federation of MEMBERS moves in (needs DATABASE_URL)
	@$(BIN)/python -m tests.tools.bench_moving_in

bench-lists: $(VENV)/.runtime ## Measure an official list of MEMBERS members
	@$(BIN)/python -m tests.tools.bench_lists

bench-pages: $(VENV)/.runtime ## Measure page speed with MEMBERS members
	@$(BIN)/python -m tests.tools.bench_pages $(MEMBERS)

bench-api: $(VENV)/.runtime ## Measure the roster check of 250 players with MEMBERS members
	@$(BIN)/python -m tests.tools.bench_api $(MEMBERS)

bench-report: $(VENV)/.runtime ## Measure response times for a report with PLAYERS players
	@$(BIN)/python -m tests.tools.bench_report

# --- What CI checks, before the tests ---

check: format-check lint types imports migrations size docs ## Run all checks except the tests

format: $(VENV)/.dev ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

format-check: $(VENV)/.dev
	$(BIN)/ruff format --check .

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/djlint --lint --quiet templates

types: $(VENV)/.dev
	$(BIN)/python -m mypy

imports: $(VENV)/.dev
	$(BIN)/lint-imports

migrations: $(VENV)/.dev
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py check

size: $(VENV)/.dev ## Compare the lines of code of each package with the size budget
	@$(BIN)/python -m tests.tools.size --check

pictures: $(VENV)/.dev ## Retake the screenshots of the README tour (needs Chromium)
	@$(BIN)/python -m tests.tools.screenshots

messages: $(VENV)/.test ## Update the Spanish catalog from marked strings
	@$(BIN)/python -m tests.tools.messages

api-diff: $(VENV)/.test ## Write docs/api-changes.md: differences of the API between releases
	@$(BIN)/python -m tests.tools.api_diff $(ARGS)

docs: $(VENV)/.dev ## Check that the documentation matches the code
	$(BIN)/python -m pytest -q tests/docs

bench-rerate: $(VENV)/.runtime ## Replay an invented federation with GAMES games
	@$(BIN)/python -m tests.tools.bench_rerate $(GAMES)

bench-laboratory: $(VENV)/.runtime ## Measure games per second for each rating system
	@$(BIN)/python -m tests.tools.bench_laboratory $(GAMES)
	@$(BIN)/python -m tests.tools.bench_rule_change $(GAMES)

ranges: $(VENV)/.runtime ## Check 95% confidence intervals and calibration (takes several minutes)
	@$(BIN)/python -m tests.tools.ranges

power: $(VENV)/.runtime ## Measure statistical power by number of games (takes several minutes)
	@$(BIN)/python -m tests.tools.power

clean: ## Remove the virtual environment and the demo data
	rm -rf $(VENV) var
