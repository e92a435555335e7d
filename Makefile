# Every task of this repository.  The text after `##` is its help.

.PHONY: help demo check bench emacs docs clean
.DEFAULT_GOAL := help

help: ## list these tasks
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | \
	  while IFS="$$(printf '\t')" read -r task text; do printf 'make %-6s  %s\n' "$$task" "$$text"; done

demo: ## install into .venv, index the sample notes and search them by meaning
	@scripts/setup.sh
	@.venv/bin/python scripts/demo.py

check: ## install what the tests need, then run every test
	@scripts/packages.sh
	@scripts/setup.sh test
	@.venv/bin/python scripts/check.py

bench: ## measure speed and memory against named rivals (MILLION=1: at a million units too)
	@scripts/setup.sh test
	@.venv/bin/python -m benchmarks $(if $(MILLION),--million)

emacs: ## open emacs -Q with the package on the sample notes
	@scripts/setup.sh
	@test -d .demo/vault || .venv/bin/python scripts/demo.py
	@emacs -Q -l scripts/demo.el

docs: ## write the tables of README.org again
	@scripts/setup.sh
	@.venv/bin/python scripts/document.py

clean: ## remove what the other tasks made
	rm -rf .venv .demo .bench .eask build dist python/*.egg-info
	rm -rf .pytest_cache .ruff_cache .hypothesis
	find elisp tests -name '*.elc' -delete
	find python tests benchmarks scripts -name __pycache__ -type d -prune -exec rm -rf {} +
