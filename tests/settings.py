"""The office's settings, with what tests need to be quick and to leave no trace."""

import os
import sys
import tempfile

os.environ.setdefault("SECRET_KEY", "only for tests")
os.environ.setdefault("DATA_DIR", tempfile.mkdtemp(prefix="office-tests-"))
# Nightly work comes when a test says so, not when the clock does.
os.environ.setdefault("NIGHTLY_AT", "")
# What is compiled once serves every run, until `make clean`, also where an image says
# that Python keeps nothing.
os.environ.setdefault("NUMBA_CACHE_DIR", os.path.join(sys.prefix, ".compiled"))
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

from ratings_site.settings import *  # noqa: F403

# Tests sign in without a form; what asks for a second factor has tests of its own.
REQUIRE_SECOND_FACTOR = False
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

STATIC_ROOT.mkdir(exist_ok=True)  # noqa: F405 (WhiteNoise warns about a missing folder)

if os.environ.get("DATABASE_URL") and "pytest" in sys.modules:  # not for benchmarks
    MIDDLEWARE = ["tests.database_roles.as_web_role", *MIDDLEWARE]  # noqa: F405
