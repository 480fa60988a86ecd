"""Prepare the database and run the site, for ``make run``."""

import filecmp
import gc
import os
import shutil
import sys

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import BaseCommand, CommandError, call_command
from django.core.management.base import CommandParser
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor
from gunicorn.app.base import BaseApplication

from ratings.ledger.services.pending_rerates import add_edition_pending_rerate
from ratings_site.celery import app as celery_app
from ratings_site.common.db.roles import may_migrate
from ratings_site.common.jobs.broker import broker_problem
from ratings_site.common.jobs.embedded import start_embedded_worker
from ratings_site.demo.accounts import DEMO_ACCOUNTS
from ratings_site.startup_checks import (
    refuse_demo,
    refuse_demo_accounts,
    refuse_unsafe_settings,
)


class Command(BaseCommand):
    help = "Prepare the database and start the office."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--bind", default="127.0.0.1:8000")
        parser.add_argument("--workers", type=int, default=None)
        parser.add_argument(
            "--demo", action="store_true", help="Load the demo federation first."
        )

    def handle(
        self, *, bind: str, workers: int | None, demo: bool, **_: object
    ) -> None:
        if settings.EMBEDDED_WORKER and workers not in (None, 1):
            sys.exit(
                "The worker runs inside the web process, so only one web process "
                "is possible. Set REDIS_URL and start `make worker`, or remove "
                "--workers."
            )
        refuse_unsafe_settings()
        if demo:
            refuse_demo()
        self._warn_if_broker_down()
        self._migrate()
        refuse_demo_accounts()
        if demo:
            self._load_demo()
        add_edition_pending_rerate()
        self._collect_static()
        self._print_welcome(bind, demo)
        connections.close_all()
        _clear_metrics()
        WebServer(bind=bind, workers=workers or (1 if settings.EMBEDDED_WORKER else 3))

    def _migrate(self) -> None:
        """Migrate, or exit if migrations are pending and the role cannot run them."""
        if may_migrate():
            call_command("migrate", verbosity=0)
            return
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            sys.exit(
                "The database needs `manage.py migrate`, which the web role can't "
                "run. Run it with the owner's DATABASE_URL, then start again."
            )

    def _collect_static(self) -> None:
        """Collect static files unless they are current."""
        if static_is_current():
            return
        try:
            call_command("collectstatic", verbosity=0, interactive=False)
        except PermissionError as error:
            sys.exit(
                f"Static files can't be collected: {error}. Run `manage.py "
                "collectstatic` as the account that owns them, then start again."
            )

    def _load_demo(self) -> None:
        """Load the demo, unless the database has other members."""
        try:
            call_command("load_demo")
        except CommandError as refusal:
            self.stderr.write(f"Demo not loaded: {refusal}")
        else:  # the passwords are public, so second factors are pointless
            settings.REQUIRE_SECOND_FACTOR = False

    def _warn_if_broker_down(self) -> None:
        problem = broker_problem()
        if problem:
            self.stderr.write(
                f"{problem} Pages work, but background jobs wait until it is back."
            )

    def _print_welcome(self, bind: str, demo: bool) -> None:
        self.stdout.write(f"\nThe ratings office is open at http://{bind}\n")
        if demo and get_user_model().objects.filter(username="staff").exists():
            self.stdout.write("Demo accounts (username and password):")
            for account in DEMO_ACCOUNTS:
                self.stdout.write(
                    f"  {account.username:<8} {account.password:<14} {account.what}"
                )
            self.stdout.write(
                "The demo does not ask for two-step verification. A real office does."
            )
        self.stdout.write("Press Ctrl-C to stop.\n")
        self.stdout.flush()


def static_is_current() -> bool:
    """Return whether all static files have been collected with hashed names.

    `collectstatic` hashes and compresses all of them, which would delay each start.
    """
    hashed = getattr(staticfiles_storage, "hashed_files", {})
    sources: dict[str, str] = {}
    for finder in get_finders():
        for name, storage in finder.list(StaticFilesConfig.ignore_patterns):
            sources.setdefault(name, storage.path(name))
    return all(
        name in hashed
        and staticfiles_storage.exists(hashed[name])
        and staticfiles_storage.exists(name)
        and filecmp.cmp(path, staticfiles_storage.path(name), shallow=False)
        for name, path in sources.items()
    )


class WebServer(BaseApplication):  # type: ignore[misc]
    """Gunicorn with our settings, started from this process.

    Where systemd passes a socket (LISTEN_FDS), gunicorn serves it and ignores *bind*.
    """

    def __init__(self, *, bind: str, workers: int) -> None:
        self._bind, self._workers = bind, workers
        super().__init__()
        self.run()

    def load_config(self) -> None:
        self.cfg.set("bind", self._bind)
        self.cfg.set("workers", self._workers)
        self.cfg.set("timeout", 60)
        # The URL of an estimate contains a whole section.
        self.cfg.set("limit_request_line", 8190)
        # Running requests finish on shutdown. New ones wait during a restart, so this
        # plus the start must take less than nginx's timeout of 65 s.
        self.cfg.set("graceful_timeout", 5 if settings.EMBEDDED_WORKER else 30)
        self.cfg.set("loglevel", "warning")
        self.cfg.set("control_socket_disable", True)
        # A header must not set SCRIPT_NAME: middleware decides by the path.
        self.cfg.set("forwarder_headers", "")
        self.cfg.set("post_worker_init", _after_fork)
        if settings.EMBEDDED_WORKER:
            self.cfg.set("worker_class", "gthread")
            self.cfg.set("threads", 4)

    def load(self) -> WSGIHandler:
        from ratings_site.wsgi import application

        return application


def _clear_metrics() -> None:
    """Start the metrics of the web processes from nothing, in files they share."""
    if settings.METRICS_TOKEN and not settings.EMBEDDED_WORKER:
        folder = settings.DATA_DIR / "metrics"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


def _after_fork(worker: object) -> None:
    # Loaded modules are permanent, so the garbage collector can skip them.
    gc.freeze()
    if settings.EMBEDDED_WORKER:
        start_embedded_worker(celery_app)
