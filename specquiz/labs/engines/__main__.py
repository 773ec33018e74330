"""Start one of the children in another Python, which has vLLM and nothing of specquiz.

Command line: this folder, the child's module, and the descriptor that takes its events. The modules are loaded as a
package of their own, so that this folder is never searched for what vLLM imports.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

PACKAGE = "specquiz_engines"


def load(child: str) -> ModuleType:
    """The module of a child, from this folder."""
    here = Path(__file__).parent
    spec = importlib.util.spec_from_file_location(PACKAGE, here / "__init__.py", submodule_search_locations=[str(here)])
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[PACKAGE] = package
    spec.loader.exec_module(package)
    return importlib.import_module(f"{PACKAGE}.{child}")


if __name__ == "__main__":
    del sys.path[0]  # this folder, whose modules are not the engine's
    load(sys.argv[1]).main(int(sys.argv[2]))
