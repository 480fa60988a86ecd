"""Build the engine as a wheel: `python -m tests.tools.engine_wheel DIRECTORY`."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ratings.engine import ENGINE_VERSION

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
ENGINE = ROOT / "ratings" / "engine"
IMPORT_NAME = "chess_rating_engine"
# The comparison with recorded sections is a command of the office.
LEFT_OUT = {"__init__.py", "verify.py"}
# Files in the archive carry this time, so that the same code gives the same bytes.
EPOCH = "1577836800"


def copy_package(to: Path) -> None:
    """Write the package's source: the engine's own modules under the import name."""
    package = to / IMPORT_NAME
    shutil.copytree(HERE / "package", package, ignore=shutil.ignore_patterns("*.pyc"))
    for module in sorted([*ENGINE.glob("*.py"), *ENGINE.glob("variation/*.py")]):
        name = module.relative_to(ENGINE)
        if str(name) not in LEFT_OUT:
            source = re.sub(r"\bratings\.engine\b", IMPORT_NAME, module.read_text())
            (package / name).parent.mkdir(exist_ok=True)
            (package / name).write_text(source)
    (package / "py.typed").touch()
    (package / "_version.py").write_text(f'__version__ = "{ENGINE_VERSION}"\n')
    for source in (HERE / "pyproject.toml", HERE / "README.md", ROOT / "LICENSE"):
        shutil.copy(source, to)


def build(directory: Path) -> Path:
    """Build the wheel in *directory* and return its path."""
    with tempfile.TemporaryDirectory() as folder:
        copy_package(Path(folder))
        pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-index"]
        options = ["--no-build-isolation", "--wheel-dir", str(directory), folder]
        subprocess.run(
            [*pip, *options], check=True, env=os.environ | {"SOURCE_DATE_EPOCH": EPOCH}
        )
    (wheel,) = directory.glob(f"{IMPORT_NAME}-{ENGINE_VERSION}-*.whl")
    return wheel


if __name__ == "__main__":
    print(build(Path(sys.argv[1])))
