"""What a server's worker is given besides (`--worker-extension-cls`): a test and repair of its sampler.

The worker is a process of vLLM's own that finds this module on its path, where nothing else of specquiz is.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

_load = runpy.run_path(str(Path(__file__).parents[1] / "__main__.py"))["load"]
_sampler: Any = _load("sampler")
_told: dict[str, str] = {}


class Sampler:
    """Mixed into the worker's class; its methods can be asked for over `/collective_rpc`."""

    def specquiz_cpu_sampler(self) -> dict[str, str]:
        """Test and repair the sampler at the first time; what came of that, each time."""
        if not _told:
            _told.update(_sampler.examine("repair"))
        return _told
