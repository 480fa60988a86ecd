"""The worker inside the web process, for an office on one machine without Redis.

Its messages live in the memory of this process. If the process dies they are gone,
and the sweep finds the jobs again in the table when it starts again.
"""

import logging
import threading
import time

from celery.worker import WorkController
from django.conf import settings
from django.db import close_old_connections

from ratings_site.common.jobs.nightly import queue_the_night
from ratings_site.common.jobs.services import sweep_jobs

logger = logging.getLogger(__name__)


def start_embedded_worker(app) -> None:
    """Start one worker thread and one sweeping thread; both end with the process."""
    threading.Thread(target=_work_for_ever, args=[app], daemon=True).start()
    threading.Thread(target=_sweep_for_ever, daemon=True).start()


def _work_for_ever(app) -> None:
    while True:
        try:
            _work(app)
            logger.error("The embedded worker stopped and is started again")
        except Exception:  # whatever ended it, work has to go on
            logger.exception("The embedded worker failed and is started again")
        time.sleep(settings.JOB_SWEEP_SECONDS)


def _work(app) -> None:
    controller = WorkController(
        app=app,
        pool_cls="solo",
        concurrency=1,
        without_mingle=True,
        without_gossip=True,
        without_heartbeat=True,
    )
    controller.start()


def _sweep_for_ever() -> None:
    while True:
        try:
            close_old_connections()
            queue_the_night()
            sweep_jobs()
        except Exception:  # the sweep must outlive a database that restarts
            logger.exception("The sweep failed and will try again")
        time.sleep(settings.JOB_SWEEP_SECONDS)
