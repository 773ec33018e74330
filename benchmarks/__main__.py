"""Run the benchmarks beside this file; `--smoke` keeps each to a few seconds. Exit code 1 if one is over its budget."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BENCHMARKS = ("answers", "first_paint", "explorer", "simulation")


def main() -> int:
    failed = []
    for name in BENCHMARKS:
        print(f"== {name}", flush=True)
        script = Path(__file__).with_name(f"{name}.py")
        if subprocess.run([sys.executable, str(script), *sys.argv[1:]], check=False).returncode:
            failed.append(name)
    if failed:
        print(f"over budget: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
