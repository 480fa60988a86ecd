"""The same history gives the same bits in every process and every Python."""

import glob
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DIGEST = """
import hashlib, random, sys
sys.path.insert(0, sys.argv[1])
from datetime import date
from tests.tools.bench_engine import generated_section
from ratings.engine.rules import rules_in_force
from ratings.engine.section import rate_section
randomness = random.Random(20250210)
rules = rules_in_force(date(2024, 5, 4))
digest = hashlib.sha256()
for _ in range(60):
    for rated in rate_section(generated_section(randomness), rules):
        figures = (rated.intermediate, rated.expected, rated.k, rated.post)
        digest.update(repr((rated.id, figures)).encode())
print(digest.hexdigest())
"""


def digest_of(python, hash_seed="0"):
    done = subprocess.run(
        [python, "-c", DIGEST, str(ROOT)],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def other_pythons():
    """Return interpreters of other supported versions on this machine."""
    found = {}
    patterns = ("~/.pyenv/versions/*/bin/python3", "/usr/bin/python3.1[1-9]")
    for pattern in patterns:
        for python in sorted(glob.glob(os.path.expanduser(pattern))):
            done = subprocess.run(
                [python, "-c", "import sys; print(*sys.version_info[:2])"],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode == 0:
                version = tuple(map(int, done.stdout.split()))
                if version >= (3, 11) and version != sys.version_info[:2]:
                    found[version] = python
    return found


def test_hash_seed_changes_no_bit():
    digests = {digest_of(sys.executable, seed) for seed in ("0", "1", "4242")}
    assert len(digests) == 1


def test_other_pythons_give_the_same_bits():
    others = other_pythons()
    if not others:
        pytest.skip("No other supported Python is installed on this machine.")
    here = digest_of(sys.executable)
    assert {
        version: digest_of(path) for version, path in others.items()
    } == dict.fromkeys(others, here)
