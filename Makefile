# The two commands of the README are `make quiz` and `make test`; each sets up what it needs and nothing is needed first.
BIN := .venv/bin

.PHONY: quiz test check lab-test browser-test bench verify clean

quiz: .venv/app.stamp
	@$(BIN)/specquiz

test: check
	$(BIN)/python -m pytest -n 2
	$(BIN)/python -m benchmarks --smoke

# What reads the code without running it.
check: .venv/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/specquiz bank lint

# Whether every formula of the banks is true: proved, judged variant by variant, and simulated. What was found is kept
# by each question's content, so that only questions that changed take their time (or all, when the checker changed).
verify: .venv/dev.stamp
	$(BIN)/specquiz bank verify

# The labs, end to end, with a real vLLM; builds its environment in the user's cache the first time (about 3.5 GB).
lab-test: .venv/dev.stamp
	$(BIN)/specquiz lab setup --profile cpu --yes
	$(BIN)/python -m pytest -m vllm tests/lab

# The HTML report in a real browser; needs Chromium on the path.
browser-test: .venv/dev.stamp
	$(BIN)/python -m pytest -m browser tests/reports

bench: .venv/dev.stamp
	$(BIN)/python -m benchmarks

.venv/app.stamp: requirements/app.txt pyproject.toml requirements/install.sh
	@test -e .venv/dev.stamp && test .venv/dev.stamp -nt requirements/dev.txt || requirements/install.sh app
	@touch $@

.venv/dev.stamp: requirements/dev.txt pyproject.toml requirements/install.sh
	@requirements/install.sh dev
	@touch $@

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
