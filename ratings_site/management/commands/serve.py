"""Everything ``make run`` does after installing, in one process start."""

import gc
import sys

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import BaseCommand, CommandError, call_command
from django.db import connections
from gunicorn.app.base import BaseApplication

from ratings.ledger.services.marks import mark_changed_edition
from ratings_site.celery import app as celery_app
from ratings_site.common.jobs.broker import broker_problem
from ratings_site.common.jobs.embedded import start_embedded_worker
from ratings_site.demo.accounts import DEMO_ACCOUNTS
from ratings_site.start import (
    refuse_demo,
    refuse_demo_accounts,
    refuse_unsafe_settings,
)


class Command(BaseCommand):
    help = "Prepare the database and serve the office."

    def add_arguments(self, parser) -> None:
        parser.add_argument("--bind", default="127.0.0.1:8000")
        parser.add_argument("--workers", type=int, default=None)
        parser.add_argument(
            "--demo", action="store_true", help="Load the demo federation first."
        )

    def handle(self, *, bind: str, workers: int | None, demo: bool, **_) -> None:
        if settings.EMBEDDED_WORKER and workers not in (None, 1):
            sys.exit(
                "With the worker inside the web process there can be one web process "
                "only. Set REDIS_URL and start `make worker`, or leave out --workers."
            )
        refuse_unsafe_settings()
        if demo:
            refuse_demo()
        self._say_if_broker_is_down()
        call_command("migrate", verbosity=0)
        refuse_demo_accounts()
        if demo:
            self._load_demo()
        mark_changed_edition()
        call_command("collectstatic", verbosity=0, interactive=False)
        self._say_hello(bind, demo)
        connections.close_all()
        WebServer(bind=bind, workers=workers or (1 if settings.EMBEDDED_WORKER else 3))

    def _load_demo(self) -> None:
        """Load the demo, unless the office holds members of its own."""
        try:
            call_command("load_demo")
        except CommandError as refusal:
            self.stderr.write(f"The demo is left out: {refusal}")
        else:  # everybody knows the passwords, so a second factor would guard nothing
            settings.REQUIRE_SECOND_FACTOR = False

    def _say_if_broker_is_down(self) -> None:
        problem = broker_problem()
        if problem:
            self.stderr.write(f"{problem} Pages work; jobs wait until it is back.")

    def _say_hello(self, bind: str, demo: bool) -> None:
        self.stdout.write(f"\nThe ratings office is open at http://{bind}\n")
        if demo and get_user_model().objects.filter(username="staff").exists():
            self.stdout.write("Demo accounts (sign in with name and password):")
            for account in DEMO_ACCOUNTS:
                self.stdout.write(
                    f"  {account.username:<8} {account.password:<14} {account.what}"
                )
            self.stdout.write(
                "The demo asks nobody for a second factor. A real office does."
            )
        self.stdout.write("Stop it with Ctrl-C.\n")
        self.stdout.flush()


class WebServer(BaseApplication):
    """Gunicorn with our settings, started from this process."""

    def __init__(self, *, bind: str, workers: int) -> None:
        self._bind, self._workers = bind, workers
        super().__init__()
        self.run()

    def load_config(self) -> None:
        self.cfg.set("bind", self._bind)
        self.cfg.set("workers", self._workers)
        self.cfg.set("timeout", 60)
        # A whole section stands in the address of its estimate.
        self.cfg.set("limit_request_line", 8190)
        self.cfg.set("graceful_timeout", 5)
        self.cfg.set("loglevel", "warning")
        self.cfg.set("control_socket_disable", True)
        # Nobody who sends a header says where the site begins: by the path the doors
        # of the office and of the API know what stands behind them.
        self.cfg.set("forwarder_headers", "")
        self.cfg.set("post_worker_init", _after_fork)
        if settings.EMBEDDED_WORKER:
            self.cfg.set("worker_class", "gthread")
            self.cfg.set("threads", 4)

    def load(self):
        from ratings_site.wsgi import application

        return application


def _after_fork(worker) -> None:
    # What was loaded by now stays; the collector need not look through it again.
    gc.freeze()
    if settings.EMBEDDED_WORKER:
        start_embedded_worker(celery_app)
