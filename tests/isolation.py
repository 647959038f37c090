"""What a kernel of the tests, or of a recording, may see of this machine: next to nothing.

No network, no settings of the user's, no progress made in the exercises, no key.
"""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]
OFFLINE = ROOT / "tests" / "offline"
FOLDERS = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
# Switches of the tests themselves; every other REACT_LAB_ variable names an endpoint or a key.
KEPT = ("REACT_LAB_REQUIRE_BROWSER", "REACT_LAB_REQUIRE_LAPTOP", "REACT_LAB_CHROMIUM")
KEPT += ("REACT_LAB_SHOTS", "REACT_LAB_GGUF")


def isolate(home: Path) -> None:
    """Change this process's environment, which its kernels inherit; `home` holds their files."""
    for name in [name for name in os.environ if name.startswith("REACT_LAB_")]:
        if name not in KEPT:
            del os.environ[name]
    inherited = os.environ.get("PYTHONPATH")
    paths = [str(OFFLINE), str(ROOT), *([inherited] if inherited else [])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    os.environ |= {name: str(home / name.lower()) for name in FOLDERS}
    os.environ["REACT_LAB_PROGRESS"] = str(home / "progress.json")
