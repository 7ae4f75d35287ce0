"""Whether the compiled core serves in this process, decided once for every room that has a twin of it.

Read by `records` when it is imported. It is beside the rooms because it looks at the process, which pure rooms do not.
"""

import os
from importlib.util import find_spec

_core = find_spec("moldau._core")
NATIVE = _core is not None and _core.origin is not None and os.environ.get("MOLDAU_TWINS") != "1"
"""True where the core is installed and MOLDAU_TWINS=1 does not ask for the twins."""
WITHOUT_CORE = "the compiled core is missing: pure Python does its work, several times slower (reinstall moldau)"
"""What a start says where the twins serve."""
