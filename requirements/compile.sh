#!/usr/bin/env bash
# Pins every dependency with its hashes, for all platforms and Pythons from 3.11. Needs uv; run it from anywhere.
set -euo pipefail
cd "$(dirname "$0")/.."
pin() { uv pip compile --universal --generate-hashes --no-annotate --no-header --python-version 3.11 --quiet "$@" pyproject.toml >/dev/null; }
pin --group dev --extra report -o requirements/dev.txt
pin --group build --constraint requirements/dev.txt -o requirements/app.txt
