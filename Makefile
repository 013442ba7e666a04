# `make demo` and `make test` need python3 (3.11+) and a package registry; they set up .venv themselves.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
# What stands behind `--` on make's own command line goes to the command: make demo -- --logs PATH
ARGS := $(filter-out demo test test-clients check bench lock lock-clients clean,$(MAKECMDGOALS))
ifneq ($(ARGS),)
$(eval .PHONY: $(ARGS))
$(eval $(ARGS):;@:)
endif

.PHONY: demo test test-clients check bench lock lock-clients clean
demo: $(READY)
	@$(BIN)/foldpoint demo $(ARGS)

# `make test -- WHAT` runs that alone; without, the agents come last.
test: $(READY)
	$(BIN)/pytest $(ARGS)
	$(if $(ARGS),,@$(MAKE) --no-print-directory test-clients)

# Installs the agents into .clients/ and lets each do a task; one that can't be installed is skipped by name.
test-clients: $(READY)
	$(BIN)/pytest -m clients -rs --tb=short $(or $(ARGS),tests/agents)

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/python -m bench $(ARGS)

$(READY): pyproject.toml requirements.lock
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Foldpoint needs Python 3.11 or newer")'
	$(PYTHON) -m venv --clear .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

# Writes the locks anew from pyproject.toml: exact versions and hashes for every platform. Those of deploy/ are the same
# versions: what an image holds, and what builds its wheel.
COMPILE := $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --quiet --upgrade
lock: $(READY)
	$(COMPILE) --extra all --group dev --output-file requirements.lock pyproject.toml
	$(COMPILE) --constraints requirements.lock --output-file deploy/requirements.lock pyproject.toml \
		--extra gateway --extra bedrock --extra postgres --extra valkey --extra otel
	$(COMPILE) --constraints requirements.lock --output-file deploy/build.lock --group build

# The same for the agents: a pip lock for each .in file, a npm lock for each package.json.
lock-clients: $(READY)
	for wanted in tests/agents/locks/*.in; do $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --quiet --upgrade --output-file $${wanted%.in}.txt $$wanted || exit 1; done
	for wanted in tests/agents/locks/*/package.json; do (cd $${wanted%/*} && npm install --package-lock-only --ignore-scripts \
		--omit-lockfile-registry-resolved --force --no-audit --no-fund --loglevel=error) || exit 1; done

clean:
	rm -rf .venv .clients build dist
