# Everything is installed into .venv in this tree; nothing else on the machine is touched.
PYTHON ?= python3
BIN := .venv/bin
ARGS ?=

.PHONY: run test install install-dev check wheel-check docs bench lock clean help

run: install ## install everything, then run the demo: a broker, a stream of orders, a Spark pipeline
	@MOLDAU_COMMAND_STARTED_MS=$${MOLDAU_COMMAND_STARTED_MS:-} $(BIN)/moldau demo $(ARGS)

test: install-dev ## install everything, then pass all tests
	$(BIN)/python -m pytest $(ARGS)

install: .venv/.installed ## install the platform and its Spark pipelines into .venv

install-dev: .venv/.installed-dev .venv/.peers ## install also what the tests need

check: install-dev ## format, lint, types, floors, twins, tables, docs, tests: all that a change must pass
	$(BIN)/python -m tools.check $(ARGS)

docs: install-dev ## write the pages that are made from tables
	$(BIN)/python -m tools.docs --write

wheel-check: install-dev ## build the wheel, install it into an empty environment, start a broker from it
	$(BIN)/python -m tools.wheel

bench: install-dev ## short benchmark beside Apache Kafka (needs cargo, mvn and a Java)
	$(BIN)/python -m tools.bench $(ARGS)

lock: install-dev ## resolve the dependencies again and write both lock files
	$(BIN)/python -m tools.lock

clean: ## remove all that the other targets made
	rm -rf .venv build dist rust/target src/*.egg-info src/moldau/_core*.so

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

RUST_SOURCES := $(shell find rust -name '*.rs' -o -name 'Cargo.*' 2>/dev/null | grep -v /target/)

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "moldau needs Python 3.11 or later; this is " + sys.version.split()[0] + ". Name another with: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv

.venv/.installed: .venv/bin/python requirements.lock pyproject.toml setup.py $(RUST_SOURCES)
	@tools/install requirements.lock
	@touch $@

.venv/.installed-dev: .venv/.installed requirements-dev.lock
	@tools/install requirements-dev.lock
	@touch $@

.venv/.peers: .venv/.installed-dev tests/peers/pom.xml
	@$(BIN)/python -m tools.peers
	@touch $@
