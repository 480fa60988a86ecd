"""The embedded worker, which runs in the web process of an office without Redis.

Its messages are in the memory of this process. If the process dies they are lost, and
the sweep finds the jobs in the table after the restart.
"""

import logging
import threading
import time

from celery import Celery
from celery.worker import WorkController
from django.conf import settings
from django.db import close_old_connections

from ratings_site.common.jobs.nightly import enqueue_nightly
from ratings_site.common.jobs.queues import QUEUES
from ratings_site.common.jobs.services import heartbeat_loop, sweep_jobs

logger = logging.getLogger(__name__)


def start_embedded_worker(app: Celery) -> None:
    """Start daemon threads for the worker, its heartbeat and the sweep."""
    threading.Thread(target=_run_worker, args=[app], daemon=True).start()
    threading.Thread(target=heartbeat_loop, args=[QUEUES], daemon=True).start()
    threading.Thread(target=_run_sweep, daemon=True).start()


def _run_worker(app: Celery) -> None:
    while True:
        try:
            _work(app)
            logger.error("The embedded worker stopped and is started again")
        except Exception:  # restart it after any failure
            logger.exception("The embedded worker failed and is started again")
        time.sleep(settings.JOB_SWEEP_SECONDS)


def _work(app: Celery) -> None:
    controller = WorkController(
        app=app,
        pool_cls="solo",
        concurrency=1,
        without_mingle=True,
        without_gossip=True,
        without_heartbeat=True,
    )
    controller.start()


def _run_sweep() -> None:
    while True:
        try:
            close_old_connections()
            enqueue_nightly()
            sweep_jobs()
        except Exception:  # the database may restart
            logger.exception("The sweep failed and will try again")
        time.sleep(settings.JOB_SWEEP_SECONDS)
