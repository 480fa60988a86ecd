"""Who is told what: kinds, wishes, once and only once, and at what cost."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ratings_site.common.jobs.services import work_off
from ratings_site.common.models import Job, Notice, NoticeSetting, User
from ratings_site.common.notices.services import (
    AT_A_TIME,
    MAIL_NOTICES,
    Kind,
    News,
    fitting,
    mark_read,
    notices_of,
    notify,
    switch,
)
from tests.factories import make_user

pytestmark = pytest.mark.django_db

LOUD = Kind("tests.loud", "Loud", "Comes by e-mail.")
QUIET = Kind("tests.quiet", "Quiet", "Does not.", by_mail=False)


def news(user, key: str = "one", kind: Kind = LOUD) -> News:
    return News(kind, user.pk, key, "/here/", lambda: (f"About {key}", "Text"))


def told(user) -> list[tuple[str, bool, bool]]:
    rows = Notice.objects.filter(account=user).order_by("pk")
    return [(row.title, row.on_site, bool(row.batch)) for row in rows]


def unread(user) -> int:
    return User.objects.get(pk=user.pk).unread_notices


def test_kind_says_what_comes_by_mail_unless_the_reader_says_otherwise():
    user = make_user(email="one@example.org")
    notify([news(user), news(user, "two", QUIET)])
    assert told(user) == [("About one", True, True), ("About two", True, False)]
    switch(user.pk, {(LOUD.name, "mail"): False, (QUIET.name, "mail"): True})
    notify([news(user, "three"), news(user, "four", QUIET)])
    assert told(user)[2:] == [("About three", True, False), ("About four", True, True)]


def test_notice_switched_off_both_ways_is_not_left_at_all():
    user = make_user(email="one@example.org")
    switch(user.pk, {(LOUD.name, "mail"): False, (LOUD.name, "site"): False})
    assert notify([news(user)]) == 0
    assert told(user) == []


def test_notice_by_mail_only_does_not_stand_on_the_site():
    user = make_user(email="one@example.org")
    switch(user.pk, {(LOUD.name, "site"): False})
    notify([news(user)])
    assert told(user) == [("About one", False, True)]
    assert list(notices_of(user)) == []
    assert unread(user) == 0


def test_one_thing_is_told_once_to_each():
    one, two = make_user(), make_user()
    assert notify([news(one), news(one), news(two)]) == 2
    assert notify([news(one), news(two), news(two, "two")]) == 1
    assert [told(one), told(two)] == [
        [("About one", True, False)],
        [("About one", True, False), ("About two", True, False)],
    ]
    assert [unread(one), unread(two)] == [1, 2]


def test_closed_account_is_told_nothing():
    assert notify([news(make_user(is_active=False))]) == 0


def test_reading_counts_down_and_reaches_nobody_elses():
    one, two = make_user(), make_user()
    notify([news(one), news(one, "two"), news(two)])
    foreign = Notice.objects.get(account=two)
    assert mark_read(one, notice_id=foreign.pk) == 0
    assert mark_read(one, notice_id=notices_of(one)[1].pk) == 1
    assert [unread(one), unread(two)] == [1, 1]
    assert [notice.key for notice in notices_of(one)] == ["two", "one"]
    notify([news(one, "three")])
    assert mark_read(one) == 2
    assert [unread(one), unread(two)] == [0, 1]


def test_title_is_one_line_that_fits():
    assert fitting("A\n title ") == "A title"
    assert fitting("x" * 201) == "x" * 199 + "…"


def test_saying_the_same_wish_again_changes_it():
    user = make_user()
    switch(user.pk, {(LOUD.name, "mail"): False})
    switch(user.pk, {(LOUD.name, "mail"): True})
    assert NoticeSetting.objects.get().is_on is True


def accounts(number: int) -> list[User]:
    return User.objects.bulk_create(
        User(username=f"many{one}", email=f"{one}@example.org") for one in range(number)
    )


@pytest.mark.parametrize("number", [2, AT_A_TIME])
def test_a_lot_is_told_and_mailed_in_the_same_queries_whatever_its_size(number):
    users = accounts(number)
    with CaptureQueriesContext(connection) as telling:
        assert notify(news(user) for user in users) == number
    assert len(telling) <= 20  # SQLite takes the rows in a few statements
    assert [unread(users[0]), unread(users[-1])] == [1, 1]


def test_mailing_costs_a_few_queries_for_twenty_letters(mailoutbox):
    notify(news(user) for user in accounts(100))
    with CaptureQueriesContext(connection) as mailing:
        work_off()
    assert len(mailoutbox) == 100
    assert len(mailing) <= 50


def test_very_many_are_mailed_in_waves(settings):
    settings.NOTICE_MAILS_A_MINUTE = AT_A_TIME
    notify(news(user) for user in accounts(2 * AT_A_TIME + 1))
    due = Job.objects.filter(kind=MAIL_NOTICES).order_by("pk")
    starts = [job.run_after - job.created_at for job in due]
    assert [round(wait.total_seconds() / 60) for wait in starts] == [0, 1, 2]
