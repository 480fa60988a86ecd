"""A rerate is discarded while a worker runs it."""

import threading

import pytest

from ratings.models import Run
from ratings.rerates.services import passes
from ratings.rerates.services.publishing import discard_rerate
from ratings.rerates.services.start import start_rerate
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import Job
from tests.concurrency import (  # noqa: F401 (a fixture)
    needs_two_connections,
    run_concurrently,
)
from tests.ratings.rerates.test_rerate import (  # noqa: F401 (a fixture)
    office,
    rated_in_this_order,
)

pytestmark = pytest.mark.django_db(transaction=True)


def test_discarding_causes_no_deadlock(office, monkeypatch):  # noqa: F811
    """The successor of a dead worker has written the changes, and continues."""
    rated_in_this_order(office, [2, 1, 0])
    start_rerate(actor=None, reason="Go.", whole_history=True)
    with monkeypatch.context() as broken:
        broken.setattr(passes, "_summary", _die)
        run_due_jobs(limit=1)
    run = Run.objects.get(kind="rerate")
    assert run.differences.exists()
    Job.objects.filter(kind="ratings.rerate").update(run_after=run.created_at)
    written, asked = threading.Event(), threading.Event()
    plain = passes.write_rating_differences

    def write_and_let_discard(*what) -> None:
        plain(*what)
        written.set()
        assert asked.wait(10)

    monkeypatch.setattr(passes, "write_rating_differences", write_and_let_discard)

    def discard() -> str:
        assert written.wait(10)
        # The worker continues once this has locked the run, or waits for the worker.
        threading.Timer(0.5, asked.set).start()
        return discard_rerate(run_id=run.pk, actor=None, reason="No.").status

    assert run_concurrently(lambda: run_due_jobs(limit=1), discard)[1] == "discarded"
    assert not run.differences.exists()


def _die(*_what: object) -> None:
    raise OSError("The machine went down.")
