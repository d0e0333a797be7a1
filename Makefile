# Every command a developer or a build machine needs. `make help` lists them.
PYTHON  ?= python3
# Tests wait for processes, and for time to pass, as much as they compute: two cores keep six of them busy.
WORKERS ?= $(shell cores=$$(nproc); [ $$cores -gt 6 ] && echo $$cores || echo 6)
UV      := $(shell uv --version >/dev/null 2>&1 && echo uv || echo .make/uv/bin/uv)
BIN     := .venv/bin
READY   := .venv/.synced
LOCKS   := requirements.lock web/pnpm-lock.yaml tests/peers/pnpm-lock.yaml tests/peers/front_ends/pnpm-lock.yaml
MIGRATIONS := src/perdure/store/migrations
WEB     := .make/web-packages
PAGE    := web/dist/index.html
PREFIX  ?= /opt/perdure
TYPES   := web/src/api/generated.ts

# Pyright's JavaScript is inside its wheel. It runs on the machine's Node and asks nothing of the network.
export PYRIGHT_PYTHON_GLOBAL_NODE = 1
export PYRIGHT_PYTHON_IGNORE_WARNINGS = 1
# Where bytecode is not kept, every process of the tests compiles the whole product again: 2 s instead of 0.7.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run screenshots test check check-types check-web check-code check-locks check-migrations format setup lock schema reference proof install wheel

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

run: $(READY) ## Start the server; what the machine lacks is off, and said
	@command -v node >/dev/null && $(MAKE) --no-print-directory $(PAGE) || echo "setup: starting without the web page, which could not be built"
	@scripts/system-packages run
	@exec $(BIN)/perdure serve --demo

test: $(READY) ## Run every test; needs the system packages
	@scripts/system-packages test
	@$(MAKE) --no-print-directory $(PAGE)
	@scripts/pnpm --silent test
	@scripts/pnpm --silent e2e
	@PNPM_DIR=tests/peers scripts/pnpm --silent install --frozen-lockfile
	@$(if $(ARGS),,scripts/on-kubernetes --short)
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

proof: $(READY) $(PAGE) ## Break and measure the product; leaves proof/report.md, fails when a bar is missed
	@scripts/system-packages run
	@$(BIN)/python scripts/prove $(ARGS)

install: $(PAGE) ## Install the server and its page into PREFIX, which is /opt/perdure
	@scripts/install-into $(PREFIX)

wheel: $(READY) $(PAGE) ## Build the package, with the page in it, into dist/
	@$(BIN)/python -m hatchling build --target wheel

screenshots: $(READY) $(PAGE) ## Take the pictures of the README and the docs from the running product
	@scripts/system-packages test
	@scripts/pnpm --silent screenshots

check: $(READY) $(WEB) ## Format, lint, types, rules, import floors, locks, migrations
	@mkdir -p .make
	@$(MAKE) --no-print-directory --jobs --output-sync check-types check-web check-code check-locks check-migrations

check-types:
	@$(BIN)/python scripts/check-types

check-web: $(TYPES)
	@scripts/pnpm --silent check > .make/web.log 2>&1 || { cat .make/web.log; exit 1; }

check-code:
	@$(BIN)/ruff format --check --quiet . || { echo "check: 'make format' mends the format"; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/python scripts/check-rules
	@$(BIN)/lint-imports --cache-dir .make/imports > .make/imports.log || { cat .make/imports.log; exit 1; }

check-locks:
	@! grep -n '://' $(LOCKS) || { echo "check: a lock file names a host"; exit 1; }

check-migrations:
	@! ls $(MIGRATIONS) | grep -o '^[0-9][0-9]*_' | uniq -d | grep . || { echo "check: two migrations have the same number"; exit 1; }

format: $(READY) ## Format the code and mend what can be mended
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format --quiet .
	@scripts/pnpm --silent format > /dev/null

setup: $(READY) $(WEB) ## Install everything and run nothing
	@scripts/system-packages test

schema: $(READY) ## Write src/perdure/store/schema.sql from the migrations
	@$(BIN)/python scripts/write-schema

reference: $(READY) ## Write the pages of docs/reference that follow from the code
	@$(BIN)/python scripts/write-reference

lock: ## Resolve the dependencies anew into requirements.lock, which names no host
	@scripts/install-uv $(UV) $(PYTHON)
	@$(UV) pip compile pyproject.toml --universal --generate-hashes --all-extras --group dev --no-header --quiet -o requirements.lock

$(READY): requirements.lock pyproject.toml
	@scripts/install-uv $(UV) $(PYTHON)
	@[ -x $(BIN)/python ] || { echo "setup: making .venv"; $(UV) venv --quiet --python $(PYTHON) .venv; }
	@echo "setup: installing the locked Python packages into .venv"
	@$(UV) pip sync --quiet --compile-bytecode --python $(BIN)/python --require-hashes requirements.lock
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q src
	@cp requirements.lock $@

$(WEB): web/pnpm-lock.yaml
	@mkdir -p .make
	@echo "setup: installing the locked packages of the web page"
	@scripts/pnpm install --frozen-lockfile --silent
	@touch $@

# Only the check of types reads them: what bundles and what tests strips types away.
$(TYPES): $(READY) $(WEB) web/scripts/types.mjs $(shell find src/perdure -name '*.py')
	@scripts/pnpm --silent run types

$(PAGE): $(WEB) $(shell find web/src web/public web/index.html web/diagram.html web/vite.config.ts -type f ! -path $(TYPES) 2>/dev/null)
	@echo "setup: building the web page"
	@scripts/pnpm --silent build > .make/page.log 2>&1 || { cat .make/page.log; exit 1; }
	@touch $@
