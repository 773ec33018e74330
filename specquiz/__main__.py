"""`python -m specquiz` is the `specquiz` command."""

import sys

from specquiz.cli import main

if __name__ == "__main__":
    sys.exit(main())
