"""Fixtures and hooks for all tests."""

import gc
import math
import os
import shutil
from collections import Counter
from contextlib import ExitStack, closing

import pytest
import redis
from _pytest.runner import runtestprotocol
from django.core.management.sql import emit_post_migrate_signal
from django.db import DEFAULT_DB_ALIAS, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.test import TransactionTestCase
from django.test.client import ClientHandler
from django.test.signals import setting_changed
from django.utils import translation
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadGroupScheduling

from ratings_site.common.db.roles import grant_to_web_role
from ratings_site.common.models import Office as FederationsOffice
from tests.database_roles import WEB_ROLE, make_web_role
from tests.databases import filled, migrated_copy, migrated_database, migrated_file
from tests.hypothesis_settings import example_count
from tests.live_office import EmbeddedOffice, Office, scratch_database
from tests.suite_day import on_machine_day, on_suite_day

# The suite that decides whether a change lands tries the same examples each time, so a
# red run is the change's doing. `make fuzz` looks for new ones.
# How long it takes to make them says more about the machine than about the test.
_ANY_MACHINE = {"suppress_health_check": [HealthCheck.too_slow], "deadline": None}
settings.register_profile(
    "repeatable", derandomize=True, max_examples=example_count(100), **_ANY_MACHINE
)
settings.register_profile("fast", derandomize=True, max_examples=10, **_ANY_MACHINE)
settings.register_profile("search", print_blob=True, **_ANY_MACHINE)
settings.load_profile("repeatable")

# Python takes memory for the frames of deep calls in pieces of 16 KB, and gives a piece
# back with the last frame in it. A page that is rendered across the end of one asks the
# system for memory thousands of times. All that a test calls fits beside this frame.
runtestprotocol.__code__ = runtestprotocol.__code__.replace(co_stacksize=2**16)


@pytest.fixture(autouse=True, scope="session")
def suite_day():
    """Run the suite on one day, so that its result does not depend on the calendar."""
    with on_suite_day():
        yield


@pytest.fixture
def real_date():
    """Share the date of real processes, which do not see `suite_day`."""
    with on_machine_day():
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix):
    """Let the tests' database begin as a copy of one that is migrated already."""
    tests = connection.settings_dict["TEST"]
    if connection.vendor == "postgresql":
        tests["TEMPLATE"] = migrated_database(os.environ["DATABASE_URL"])
        yield
    else:
        with closing(filled(connection.creation._get_test_db_name())):
            yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """Ask once what the database can, so that no test counts these queries.

    After a transactional test, bring the migrated database back as a copy. A flush
    would take longer: it empties each table and makes all permissions again.
    """
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        with django_db_blocker.unblock():
            assert connection.features.supports_json_field
            if connection.vendor == "postgresql":
                make_web_role(os.environ["DATABASE_URL"])
                grant_to_web_role(WEB_ROLE)
            restore = stack.enter_context(migrated_copy())
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _: restore())
        yield


@pytest.fixture(autouse=True, scope="session")
def _shared_middleware():
    """Let all test clients use one chain of middleware until a setting changes.

    Each would make its own, for which the static files are looked up every time.
    """
    made = {}
    load = ClientHandler.load_middleware

    def load_middleware(self, is_async=False):
        if not made:
            load(self, is_async)
            made.update(vars(self))
            del made["enforce_csrf_checks"]
        vars(self).update(made)

    def forget(**kwargs):
        made.clear()

    ClientHandler.load_middleware = load_middleware
    setting_changed.connect(forget)
    yield
    setting_changed.disconnect(forget)
    ClientHandler.load_middleware = load


@pytest.fixture
def all_migrations():
    """Return all migrations, and leave the database with them to other tests.

    Tables that were made again need the triggers that `migrate` makes at its end.
    """
    leaves = MigrationExecutor(connection).loader.graph.leaf_nodes()
    yield leaves
    MigrationExecutor(connection).migrate(leaves)
    emit_post_migrate_signal(verbosity=0, interactive=False, db=DEFAULT_DB_ALIAS)


@pytest.fixture(scope="module")
def module_data(django_db_setup, django_db_blocker):
    """Keep the rows of a module's fixtures until its last test.

    Each test is still rolled back separately. Return copies of the instances.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Freeze the garbage collector for modules and tests, which are permanent.

    Pages do not refresh the office. What a module
    or a parameter takes from today's date, it takes from the date of the suite.
    """
    FederationsOffice.REFRESH_SECONDS = math.inf
    gc.disable()
    with on_suite_day():
        collected = yield
    gc.enable()
    gc.freeze()
    gc.set_threshold(50_000)
    return collected


# The longest tests begin first, or one process waits for the other at the end.
LONGEST = (
    "tests/test_migrations.py",
    "tests/test_upgrade.py",
    "tests/common/db/test_roles.py",  # with others in a group of real processes
)


class ByFile(LoadGroupScheduling):
    """Give a process a file or a group at a time: what its tests share is made once."""

    def _split_scope(self, nodeid):
        return super()._split_scope(nodeid).partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    config.option.loadscopereorder = False  # they come in a better order
    return ByFile(config, log) if config.option.dist == "loadgroup" else None


def pytest_collection_modifyitems(config, items):
    """Order the tests, and choose some of them for `--fast`.

    Modules with many tests come first. In each, tests that need an empty database come
    before the module's shared fixtures.
    """
    if config.option.fast:
        items[:] = {fast_group(item): item for item in reversed(items)}.values()
        items.reverse()
    many = Counter(map(module_of, items))
    items.sort(
        key=lambda item: (
            module_of(item) not in LONGEST,
            -many[module_of(item)],
            module_of(item),
            "module_data" in fixtures_of(item),
        )
    )


def fast_group(item) -> str:
    """Name the tests of which `--fast` runs one: the cases of a test, or a module."""
    needs_database = item.get_closest_marker("django_db") or "db" in fixtures_of(item)
    return module_of(item) if needs_database else item.nodeid.partition("[")[0]


def module_of(item) -> str:
    return item.nodeid.partition("::")[0]


def fixtures_of(item) -> list[str]:
    return getattr(item, "fixturenames", [])


@pytest.fixture(autouse=True)
def _english_first():
    """Begin in English: a request in Spanish leaves its language to the thread."""
    translation.deactivate()


def pytest_addoption(parser):
    parser.addoption(
        "--insist",
        action="store_true",
        help="Fail instead of skipping where a server or browser is missing.",
    )
    parser.addoption(
        "--fast",
        action="store_true",
        help="Run one case of each test, and one test of each module with a database.",
    )


@pytest.fixture(scope="session")
def require_services(pytestconfig) -> bool:
    return pytestconfig.getoption("--insist")


@pytest.fixture
def embedded_office(tmp_path, django_db_blocker, real_date):
    """An office on SQLite with the worker inside the web process."""
    shutil.copy(migrated_file(), tmp_path / "office.sqlite3")
    office = EmbeddedOffice(DATA_DIR=str(tmp_path), DATABASE_URL="", REDIS_URL="")
    with django_db_blocker.unblock():
        yield office
    office.stop()


@pytest.fixture(scope="session")
def service_urls(require_services) -> tuple[str, str]:
    """The addresses of PostgreSQL and Redis."""
    database_url = os.environ.get("DATABASE_URL", "")
    redis_url = os.environ.get("REDIS_URL", "")
    if not (database_url and redis_url):
        if require_services:
            pytest.fail("DATABASE_URL and REDIS_URL must name real servers.")
        pytest.skip("needs PostgreSQL and Redis: set DATABASE_URL and REDIS_URL")
    return database_url, redis_url


@pytest.fixture
def production_office(tmp_path, service_urls, real_date):
    """An office on PostgreSQL and Redis, each swept clean."""
    database_url, redis_url = service_urls
    redis.Redis.from_url(redis_url).flushdb()
    name = f"office_worker_{os.getpid()}"
    template = migrated_database(database_url)
    with scratch_database(database_url, name, template) as address:
        office = Office(
            DATA_DIR=str(tmp_path), DATABASE_URL=address, REDIS_URL=redis_url
        )
        yield office
        office.stop()
