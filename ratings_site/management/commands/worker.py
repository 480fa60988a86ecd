"""A worker process, for an office with Redis. Start as many as the machines bear."""

import os
import sys
from collections.abc import Sequence

from django.conf import settings
from django.core.management import BaseCommand
from django.db import connection

from ratings_site.celery import app
from ratings_site.common.jobs.broker import broker_problem
from ratings_site.common.jobs.lanes import LANES
from ratings_site.start import refuse_unsafe_settings


class Command(BaseCommand):
    help = "Do the office's jobs (needs REDIS_URL)."

    def add_arguments(self, parser) -> None:
        parser.add_argument("--processes", type=int, default=2)
        parser.add_argument(
            "--lanes",
            nargs="+",
            choices=LANES,
            default=LANES,
            metavar="LANE",
            help=f"Which jobs to do: {', '.join(LANES)}. All, if not given.",
        )

    def handle(self, *, processes: int, lanes: Sequence[str], **_) -> None:
        if settings.EMBEDDED_WORKER:
            sys.exit(
                "REDIS_URL is not set, so the worker lives inside the web process: "
                "`make run` is all you need."
            )
        refuse_unsafe_settings()
        problem = broker_problem()
        if problem:
            sys.exit(problem)
        connection.ensure_connection()
        connection.close()
        # Every worker also runs the sweep: it is harmless to run it twice, and no
        # single process has to stay alive for it. Its timetable is kept in memory,
        # and the name is its own: several workers share a machine.
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
