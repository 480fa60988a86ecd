"""Fill an empty office for the upgrade tests; the release of the dump runs this.

A month of an office, and beside it what an upgrade can find unfinished: queued jobs, a
proposal that waits for a second approval, an open rerate, a report in review, a draft,
and a director who is signed in. README.md has the commands.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from importlib import import_module

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth import (  # noqa: E402
    BACKEND_SESSION_KEY,
    HASH_SESSION_KEY,
    SESSION_KEY,
)

from events.models import Submission  # noqa: E402
from events.review.services.acceptance import accept_report  # noqa: E402
from ratings.decisions.floors.services.adjustments import propose_adjustment  # noqa: E402
from ratings.models import Experiment  # noqa: E402
from ratings.rerates.services.start import start_rerate  # noqa: E402
from ratings.research.experiments.plans import GameSelection, RunOptions, Variant  # noqa: E402
from ratings.research.experiments.services.lifecycle import request_experiment  # noqa: E402
from ratings_site.common.jobs.services import run_due_jobs  # noqa: E402
from ratings_site.common.models import Job  # noqa: E402
from ratings_site.common.sign_in.services import queue_account_email  # noqa: E402
from ratings_site.common.webhooks.services import add_webhook, send_ping  # noqa: E402
from ratings_site.demo.month import SIX, Month, play_month  # noqa: E402
from ratings_site.demo.reports import confirm_and_submit, report_event, upload  # noqa: E402
from ratings_site.demo.sections import report_section  # noqa: E402


def send(month: Month, name: str, day: date) -> Submission:
    """Return a new draft of the director, with six players and two rounds."""
    players = [
        month.members[who] for who in ["Ana", "Ben", "Carla", "Dmitri", "Tessa", "Hugo"]
    ]
    rows = [row.split() for row in SIX]
    section = report_section(players, rows, starts=day, ends=day, control="G/60;d5")
    director = month.accounts["td"]
    return upload(
        report_event(name, [section], starts=day, ends=day, director=director), director
    )


def submit(month: Month, name: str, day: date) -> Submission:
    submission = send(month, name, day)
    confirm_and_submit(submission, month.accounts["td"], "Checked.")
    return submission


def accept(month: Month, submission: Submission) -> None:
    accept_report(submission_id=submission.pk, actor=month.accounts["staff"])


def sign_in(month: Month) -> None:
    """Store a session that does not end."""
    user = month.accounts["td"]
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.set_expiry(datetime(2099, 12, 31, tzinfo=UTC))
    session.create()


def fill() -> None:
    month = play_month(lambda sentence: None)
    staff, manager = month.accounts["staff"], month.accounts["manager"]
    accept(month, submit(month, "Late Open", date(2024, 3, 17)))
    run_due_jobs()
    start_rerate(actor=staff, reason="The Late Open came late.")
    run_due_jobs()
    propose_adjustment(
        player_id=month.members["Hugo"].pk,
        actor=manager,
        system="OTBR",
        kind="reinstate",
        day=date(2024, 5, 20),
        rating=1686.0,
        games=40,
        reason="The rating of 1998 was lost.",
    )
    send(month, "Draft Open", date(2024, 5, 25))
    submit(month, "Review Open", date(2024, 5, 26))
    webhook = add_webhook(
        owner=month.accounts["td"], url="https://office.invalid/hook", kinds=[]
    )
    accept(month, submit(month, "Queued Open", date(2024, 5, 27)))
    request_experiment(
        actor=manager,
        title="Elo or ours?",
        reason="To know.",
        kind=Experiment.Kind.COMPARISON,
        asked=RunOptions(chosen=GameSelection(), training=10, least_games=0),
        variants=[Variant("elo.logistic"), Variant("uschess.2025_07")],
    )
    queue_account_email("locked", month.accounts["td"], key="upgrade")
    send_ping(webhook=webhook)
    sign_in(month)
    for kind in Job.objects.filter(state="queued").values_list("kind", flat=True):
        print("queued", kind)


if __name__ == "__main__":
    fill()
