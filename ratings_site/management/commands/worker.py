"""A worker process for an office with Redis. Any number can run."""

import os
import sys
import threading
from collections.abc import Sequence

from django.conf import settings
from django.core.management import BaseCommand
from django.core.management.base import CommandParser
from django.db import connection

from ratings_site.celery import app
from ratings_site.common.jobs.broker import broker_problem
from ratings_site.common.jobs.queues import QUEUES
from ratings_site.common.jobs.services import heartbeat_loop
from ratings_site.startup_checks import refuse_unsafe_settings


class Command(BaseCommand):
    help = "Run background jobs (requires REDIS_URL)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--processes", type=int, default=2)
        parser.add_argument(
            "--lanes",
            nargs="+",
            choices=QUEUES,
            default=QUEUES,
            metavar="LANE",
            help=f"Queues to work on: {', '.join(QUEUES)}. Default: all.",
        )

    def handle(self, *, processes: int, lanes: Sequence[str], **_: object) -> None:
        if settings.EMBEDDED_WORKER:
            sys.exit(
                "REDIS_URL is not set, so the worker runs inside the web process. "
                "Just use `make run`."
            )
        refuse_unsafe_settings()
        problem = broker_problem()
        if problem:
            sys.exit(problem)
        connection.ensure_connection()
        connection.close()
        threading.Thread(target=heartbeat_loop, args=[lanes], daemon=True).start()
        # Every worker also runs the sweep, which is idempotent, so it does not depend
        # on one process. The schedule is in memory and the host name unique, because
        # several workers can share a machine.
        app.worker_main(
            [
                "worker",
                "--beat",
                "--scheduler=celery.beat:Scheduler",
                f"--hostname={'-'.join(lanes)}-{os.getpid()}@%h",
                f"--queues={','.join(lanes)}",
                f"--concurrency={processes}",
                "--loglevel=WARNING",
                "--without-gossip",
                "--without-mingle",
            ]
        )
