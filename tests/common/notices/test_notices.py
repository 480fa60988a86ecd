"""Notices: kinds, preferences, no duplicates, and number of queries."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import Job, Notice, NoticeSetting, User
from ratings_site.common.notices.services import (
    BATCH_SIZE,
    MAIL_NOTICES,
    Kind,
    NoticeDraft,
    fit_title,
    mark_read,
    notices_of,
    notify,
    save_preferences,
)
from tests.factories import make_user

pytestmark = pytest.mark.django_db

MAILED_KIND = Kind("tests.loud", "Loud", "Comes by email.")
SITE_ONLY_KIND = Kind("tests.quiet", "Quiet", "Does not.", by_mail=False)


def make_news(user, key: str = "one", kind: Kind = MAILED_KIND) -> NoticeDraft:
    return NoticeDraft(kind, user.pk, key, "/here/", lambda: (f"About {key}", "Text"))


def stored_notices(user) -> list[tuple[str, bool, bool]]:
    rows = Notice.objects.filter(account=user).order_by("pk")
    return [(row.title, row.on_site, bool(row.batch)) for row in rows]


def unread(user) -> int:
    return User.objects.get(pk=user.pk).unread_notices


def test_kind_says_what_comes_by_mail_unless_the_reader_says_otherwise():
    user = make_user(email="one@example.org")
    notify([make_news(user), make_news(user, "two", SITE_ONLY_KIND)])
    assert stored_notices(user) == [
        ("About one", True, True),
        ("About two", True, False),
    ]
    save_preferences(
        user.pk,
        {(MAILED_KIND.name, "mail"): False, (SITE_ONLY_KIND.name, "mail"): True},
    )
    notify([make_news(user, "three"), make_news(user, "four", SITE_ONLY_KIND)])
    assert stored_notices(user)[2:] == [
        ("About three", True, False),
        ("About four", True, True),
    ]


def test_notice_switched_off_both_ways_is_not_left_at_all():
    user = make_user(email="one@example.org")
    save_preferences(
        user.pk, {(MAILED_KIND.name, "mail"): False, (MAILED_KIND.name, "site"): False}
    )
    assert notify([make_news(user)]) == 0
    assert stored_notices(user) == []


def test_notice_by_mail_only_does_not_stand_on_the_site():
    user = make_user(email="one@example.org")
    save_preferences(user.pk, {(MAILED_KIND.name, "site"): False})
    notify([make_news(user)])
    assert stored_notices(user) == [("About one", False, True)]
    assert list(notices_of(user)) == []
    assert unread(user) == 0


def test_one_thing_is_told_once_to_each():
    one, two = make_user(), make_user()
    assert notify([make_news(one), make_news(one), make_news(two)]) == 2
    assert notify([make_news(one), make_news(two), make_news(two, "two")]) == 1
    assert [stored_notices(one), stored_notices(two)] == [
        [("About one", True, False)],
        [("About one", True, False), ("About two", True, False)],
    ]
    assert [unread(one), unread(two)] == [1, 2]


def test_closed_account_is_told_nothing():
    assert notify([make_news(make_user(is_active=False))]) == 0


def test_reading_lowers_the_count_for_this_account_only():
    one, two = make_user(), make_user()
    notify([make_news(one), make_news(one, "two"), make_news(two)])
    foreign = Notice.objects.get(account=two)
    assert mark_read(one, notice_id=foreign.pk) == 0
    assert mark_read(one, notice_id=notices_of(one)[1].pk) == 1
    assert [unread(one), unread(two)] == [1, 1]
    assert [notice.key for notice in notices_of(one)] == ["two", "one"]
    notify([make_news(one, "three")])
    assert mark_read(one) == 2
    assert [unread(one), unread(two)] == [0, 1]


def test_title_is_one_line_that_fits():
    assert fit_title("A\n title ") == "A title"
    assert fit_title("x" * 201) == "x" * 199 + "…"


def test_saying_the_same_wish_again_changes_it():
    user = make_user()
    save_preferences(user.pk, {(MAILED_KIND.name, "mail"): False})
    save_preferences(user.pk, {(MAILED_KIND.name, "mail"): True})
    assert NoticeSetting.objects.get().is_on is True


def accounts(number: int) -> list[User]:
    return User.objects.bulk_create(
        User(username=f"many{one}", email=f"{one}@example.org") for one in range(number)
    )


@pytest.mark.parametrize("number", [2, BATCH_SIZE])
def test_a_lot_is_told_and_mailed_in_the_same_queries_whatever_its_size(number):
    users = accounts(number)
    with CaptureQueriesContext(connection) as telling:
        assert notify(make_news(user) for user in users) == number
    assert len(telling) <= 20  # SQLite inserts the rows in a few statements
    assert [unread(users[0]), unread(users[-1])] == [1, 1]


def test_mailing_twenty_emails_takes_few_queries(mailoutbox):
    notify(make_news(user) for user in accounts(100))
    with CaptureQueriesContext(connection) as mailing:
        run_due_jobs()
    assert len(mailoutbox) == 100
    assert len(mailing) <= 50


def test_very_many_are_mailed_in_waves(settings):
    settings.NOTICE_MAILS_A_MINUTE = BATCH_SIZE
    notify(make_news(user) for user in accounts(2 * BATCH_SIZE + 1))
    due = Job.objects.filter(kind=MAIL_NOTICES).order_by("pk")
    starts = [job.run_after - job.created_at for job in due]
    assert [round(wait.total_seconds() / 60) for wait in starts] == [0, 1, 2]
