# The way in. `make` alone lists what there is; every target installs what it needs first, into .venv.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

VENV ?= .venv
TOOLS_VENV ?= .venv-tools
export VENV
# Half as many tests at once again as there are cores: most of them wait for a process half of their time.
WORKERS ?= $(shell expr $$(nproc) \* 3 / 2)
# More arguments for pytest, for instance: make test PYTEST_ARGS="-k store -x"
PYTEST_ARGS ?=
# Arguments for a benchmark, for instance: make bench-client BENCH_ARGS=--quick
BENCH_ARGS ?=
# Packages without an effect on the world; their tests cover them whole
PURE := bench deploy experiment engines formats model report units errors plugins redact
COVERAGE_FLOOR ?= 97
PURE_TESTS = $(wildcard $(PURE:%=tests/unit/%) tests/unit/test_*.py tests/cases/test_*.py) \
	tests/cases/host/test_compose_edit.py tests/unit/host/test_node_environment.py

BOOTSTRAP := bash scripts/bootstrap.sh
BIN := $(VENV)/bin

.PHONY: help
help: ## List the targets
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## Make .venv with everything for working on the project
	@$(BOOTSTRAP) dev
	@$(BOOTSTRAP) demo
	@echo "ready: $(BIN)/sparktune --help"

.PHONY: demo
demo: ## Decide a real A/B with llama.cpp and a small model on this machine, in one to five minutes
	@$(BOOTSTRAP) demo
	@$(BIN)/sparktune demo || [ $$? -eq 5 ] # 5: it ran, and says why there is no verdict

.PHONY: test
test: ## Run the tests in about ten minutes (real llama.cpp among them; what needs root is skipped with its reason)
	@$(BOOTSTRAP) dev
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m "not slow" $(PYTEST_ARGS)

.PHONY: test-all
test-all: ## Run those that take minutes, too, and ten times as many examples of each property
	@$(BOOTSTRAP) dev
	HYPOTHESIS_PROFILE=thorough $(BIN)/pytest -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)

.PHONY: test-system
test-system: ## Run the tests that need root: links that go down, a booted systemd, docker, ansible
	@$(BOOTSTRAP) dev
	@$(BOOTSTRAP) system
	$(BIN)/pytest -m root tests/system tests/contract $(PYTEST_ARGS)

.PHONY: test-arm
test-arm: ## Run the tests on an emulated Arm machine that you have booted (docs/guides/arm-guest.md)
	@$(BOOTSTRAP) dev
	@[ -n "$$SPARKTUNE_ARM_GUEST" ] || { echo "SPARKTUNE_ARM_GUEST names no guest, see docs/guides/arm-guest.md" >&2; exit 2; }
	$(BIN)/pytest tests/system/test_host_on_arm.py $(PYTEST_ARGS)

.PHONY: check
check: lint types imports dependencies duplicates sizes docs-check audit-quick ## Style, types, layers, dependencies, copies, sizes, generated pages, vulnerabilities

.PHONY: lint
lint:
	@$(BOOTSTRAP) dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

.PHONY: types
types:
	@$(BOOTSTRAP) dev
	$(BIN)/mypy

.PHONY: imports
imports:
	@$(BOOTSTRAP) dev
	$(BIN)/lint-imports

.PHONY: dependencies
dependencies:
	@$(BOOTSTRAP) dev
	$(BIN)/deptry src

.PHONY: duplicates
duplicates:
	@$(BOOTSTRAP) dev
	$(BIN)/python scripts/duplicates.py

.PHONY: sizes
sizes:
	@$(BOOTSTRAP) dev
	$(BIN)/python scripts/sizes.py

.PHONY: coverage
coverage: ## Cover branches of the pure packages by their own unit and case tests alone
	@$(BOOTSTRAP) dev
	COVERAGE_FILE=$(VENV)/.coverage $(BIN)/pytest -n auto --dist worksteal -q $(PURE:%=--cov=sparktune.%) --cov-report=term-missing:skip-covered \
		--cov-fail-under=$(COVERAGE_FLOOR) $(PURE_TESTS)

.PHONY: docs-check
docs-check: ## Check that the generated reference pages are current
	@$(BOOTSTRAP) dev
	$(BIN)/python scripts/reference.py --check
	$(BIN)/python scripts/licences.py --check

.PHONY: docs
docs: ## Write the generated reference pages again
	@$(BOOTSTRAP) dev
	$(BIN)/python scripts/reference.py
	$(BIN)/python scripts/licences.py

.PHONY: fmt
fmt: ## Format the code and repair what can be repaired by itself
	@$(BOOTSTRAP) dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.PHONY: bench-client
bench-client: ## Compare this client with llama-benchy against a server of known timings
	@$(BOOTSTRAP) dev
	$(BIN)/python benchmarks/client.py $(BENCH_ARGS)

.PHONY: bench-agent
bench-agent: ## Measure what looking at a node costs it, and what more nodes cost
	@$(BOOTSTRAP) dev
	$(BIN)/python benchmarks/agent.py $(BENCH_ARGS)

.PHONY: bench-guard
bench-guard: ## Measure what a guard costs, and how soon a load that eats memory has ended
	@$(BOOTSTRAP) dev
	PYTHONPATH=. $(BIN)/python benchmarks/guard.py $(BENCH_ARGS)

.PHONY: bench-place
bench-place: ## Measure what a scan for threads that poll costs on a machine of 3,000 threads
	@$(BOOTSTRAP) dev
	$(BIN)/python benchmarks/place.py $(BENCH_ARGS)

.PHONY: bench-logs
bench-logs: ## Measure what reading a log of 50 MB costs, beside splitting it into lines
	@$(BOOTSTRAP) dev
	$(BIN)/python benchmarks/logs.py $(BENCH_ARGS)

.PHONY: bench-record
bench-record: ## Measure what the recording proxy adds to a request, and whether a replay is what was recorded
	@$(BOOTSTRAP) dev
	PYTHONPATH=. $(BIN)/python benchmarks/record.py $(BENCH_ARGS)

.PHONY: sim
sim: ## Print error rates and power of the method of ab, from thousands of virtual experiments
	@$(BOOTSTRAP) dev
	PYTHONPATH=. $(BIN)/python benchmarks/simulation.py $(BENCH_ARGS)

.PHONY: sim-search
sim-search: ## Print what the search of sweep finds, from virtual sweeps of known landscapes
	@$(BOOTSTRAP) dev
	PYTHONPATH=. $(BIN)/python benchmarks/search.py $(BENCH_ARGS)

.PHONY: bench-aa
bench-aa: ## Measure the same arm twice with a real llama.cpp server, 20 times, and print every verdict
	@$(BOOTSTRAP) dev
	PYTHONPATH=. $(BIN)/python benchmarks/aa.py $(BENCH_ARGS)

.PHONY: screens
screens: ## Open example reports in Chromium, desktop and phone, light and dark; pictures go to screens/
	@$(BOOTSTRAP) dev
	$(BIN)/python scripts/screens.py $(SCREENS_ARGS)

.PHONY: lock
lock: ## Write requirements/*.lock again from pyproject.toml (needs the network)
	@VENV=$(TOOLS_VENV) $(BOOTSTRAP) tools
	UV=$(TOOLS_VENV)/bin/uv bash scripts/lock.sh $(LOCK_ARGS)

.PHONY: audit
audit: ## Ask for known vulnerabilities of the locked packages (needs the network)
	@VENV=$(TOOLS_VENV) $(BOOTSTRAP) tools
	@$(BOOTSTRAP) dev
	PIP_AUDIT=$(TOOLS_VENV)/bin/pip-audit $(BIN)/python scripts/audit.py

# As above where that is possible; an answer of the same day is taken, and no answer is said and fails nothing.
.PHONY: audit-quick
audit-quick:
	@$(BOOTSTRAP) dev
	@VENV=$(TOOLS_VENV) $(BOOTSTRAP) tools || true
	PIP_AUDIT=$(TOOLS_VENV)/bin/pip-audit $(BIN)/python scripts/audit.py --if-possible

.PHONY: dist
dist: ## Build the wheel and the source archive into dist/, the same bytes each time, without a network
	@$(BOOTSTRAP) dev
	@bash scripts/dist.sh

.PHONY: clean
clean: ## Remove the environments and everything that can be made again
	rm -rf $(VENV) $(TOOLS_VENV) .venv-* build dist .coverage* htmlcov .cache
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
