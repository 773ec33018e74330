#!/usr/bin/env bash
# Makes .venv (once) and installs what requirements/$1.txt pins, by hash, then the project itself without dependencies.
# usage: requirements/install.sh app|dev
set -euo pipefail
cd "$(dirname "$0")/.."
set_name=$1
venv=.venv

say() { printf 'specquiz: %s\n' "$*" >&2; }

find_python() {
  local candidate
  for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11 python; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  return 1
}

# Debian splits `ensurepip` off its Python: then uv, or the system's own pip pointed into the new environment, does it.
make_venv() {
  local python
  rm -rf "$venv"
  if ! python=$(find_python); then
    if command -v uv >/dev/null; then uv venv --quiet --seed --python '>=3.11' "$venv" && return; fi
    say "needs Python 3.11 or newer on the path. Install it, or name one: make PYTHON=/path/to/python3.12 ..."
    exit 2
  fi
  say "making $venv with $("$python" --version)"
  "$python" -m venv "$venv" >/dev/null 2>&1 && "$venv/bin/python" -m pip --version >/dev/null 2>&1 && return
  rm -rf "$venv"
  if command -v uv >/dev/null && uv venv --quiet --seed --python "$python" "$venv"; then return; fi
  rm -rf "$venv"
  if "$python" -m venv --without-pip "$venv" &&
    "$python" -m pip --quiet --python "$venv/bin/python" install pip >/dev/null 2>&1; then return; fi
  rm -rf "$venv"
  say "this Python can make no virtual environment. On Debian or Ubuntu: apt install python3-venv"
  exit 2
}

usable() { "$venv/bin/python" -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

usable || make_venv
say "installing the pinned packages of requirements/$set_name.txt"
pip=("$venv/bin/python" -m pip --disable-pip-version-check --quiet install)
"${pip[@]}" --require-hashes -r "requirements/$set_name.txt"
"${pip[@]}" --no-deps --no-build-isolation -e .
