"""Notices to players and TDs about an event, from upload to rating."""

from datetime import date

import pytest
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from events.reports.services.submissions import (
    return_report,
    submit_report,
    withdraw_report,
)
from events.review.services.acceptance import accept_report
from players.models import Guardian, Player
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import published
from ratings.models import Calculation, PlayerRating
from ratings.notices import messages
from ratings.notices.tasks import NOTIFY_SECTIONS
from ratings_site.common.jobs.services import claim, perform, run_due_jobs
from ratings_site.common.models import Job, Notice
from ratings_site.common.notices.services import save_preferences
from ratings_site.common.ui.formatting import ApproximateRating, format_rating
from tests.factories import (
    accepted_event,
    event_report,
    handed_in,
    make_player,
    make_staff,
    make_td,
    make_user,
    rated_event,
    section_report,
    swiss_rows,
    upload,
)

pytestmark = [pytest.mark.django_db, pytest.mark.calendar]

TODAY = timezone.localdate()
CHILD = TODAY.replace(year=TODAY.year - 10, day=1)


@pytest.fixture
def td():
    user = make_td()
    user.email = "td@example.org"
    user.save()
    return user


def member(name: str = "ada", rating: float | None = 1500.0, games: int = 40, **fields):
    ratings = {"OTBR": (rating, games)} if rating else None
    account = make_user(email=f"{name}@example.org")
    return make_player(
        given_name=name.title(), account=account, ratings=ratings, **fields
    )


def play(td, first, second=None, row: str = "WWW", against: float = 1500.0, **event):
    """Rate four players, all against all; the first has this row, the others draw."""
    others = [second] if second else []
    others += [rated(against) for _ in range(3 - len(others))]
    theirs = row.translate(str.maketrans("WL", "LW"))
    cells = [
        f"{row[0]}2W {row[1]}3B {row[2]}4W",
        f"{theirs[0]}1B D4W D3B",
        f"D4W {theirs[1]}1W D2W",
        f"D3B D2B {theirs[2]}1B",
    ]
    section = section_report(
        [first, *others], cells, time_control=event.pop("control", "G/90;d5")
    )
    return rated_event(td, event_report(td, [section], **event))


def rated(rating: float) -> Player:
    return make_player(ratings={"OTBR": (rating, 40)})


def stored_notices(player) -> list[tuple[str, str]]:
    rows = Notice.objects.filter(account=player.account_id).order_by("pk")
    return [(row.kind, row.title) for row in rows]


def sent_mails() -> list[tuple[str, str]]:
    found = [(message.to[0], message.subject) for message in mail.outbox]
    mail.outbox.clear()
    return found


def rating_of(player, system: str = "OTBR") -> int:
    return round(PlayerRating.objects.get(player=player, system=system).rating)


# Reports


def test_td_hears_of_each_state_of_a_report(td):
    players = [make_player(ratings={"OTBR": (1500.0, 40)}) for _ in range(4)]
    report = event_report(td, [section_report(players, swiss_rows(4, 3))])
    submission, staff = upload(td, report), make_staff()
    submit_report(submission_id=submission.pk, actor=td)
    return_report(submission_id=submission.pk, actor=staff, note="Which round 2?")
    submit_report(submission_id=submission.pk, actor=td)
    accept_report(submission_id=submission.pk, actor=staff)
    run_due_jobs()
    titles = [
        "We received your report: May Open",
        "Your report needs changes: May Open",
        "We received your report: May Open",
        "Your report is accepted: May Open",
        "May Open is rated",
    ]
    assert stored_notices(td.player) == [("events.report", title) for title in titles]
    returned = Notice.objects.get(title=titles[1])
    assert returned.text == "Message from the ratings office: Which round 2?"
    assert returned.url == submission.get_absolute_url()
    assert sent_mails() == [("td@example.org", title) for title in titles]


def test_td_who_withdraws_a_report_is_told_nothing(td):
    players = [make_player(), make_player()]
    submission = upload(td, event_report(td, [section_report(players, ["W2W", "L1B"])]))
    withdraw_report(submission_id=submission.pk, actor=td, reason="Wrong file.")
    assert stored_notices(td.player) == []


def test_event_is_rated_once_its_last_section_is(td):
    pairs = [[make_player(birth_date=None) for _ in range(2)] for _ in range(2)]
    sections = [
        section_report(pair, ["W2W", "L1B"], number=number)
        for number, pair in enumerate(pairs, start=1)
    ]
    submission = handed_in(td, event_report(td, sections))
    accept_report(submission_id=submission.pk, actor=make_staff())
    run_due_jobs(limit=2)  # a letter, and the first section
    assert "May Open is rated" not in dict(stored_notices(td.player)).values()
    run_due_jobs()
    rated = [
        title for _, title in stored_notices(td.player) if title == "May Open is rated"
    ]
    assert len(rated) == 1


# Ratings


def test_player_hears_what_the_event_did_and_why(td):
    ada = member()
    event = play(td, ada, name="Winter Open")
    after = rating_of(ada)
    assert after > 1500
    title = f"Your rating rose from 1500 to {after} in Winter Open"
    assert stored_notices(ada) == [("ratings.rated", title)]
    notice = Notice.objects.get(kind="ratings.rated")
    assert notice.text == (
        "Regular: you scored 3 of 3. Expected: 1.6. "
        f"Rating: 1500 + {after - 1500} = {after}."
    )
    why = f"/events/{event.event_id}/1/why/{ada.member_id}/OTBR/"
    assert notice.url == why
    [message] = [message for message in mail.outbox if message.subject == title]
    assert message.to == ["ada@example.org"]
    assert (
        f"{notice.text}\nSee how your rating was calculated:\n"
        f"\nhttp://127.0.0.1:8000{why}\n"
    ) in message.body


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("LLL", "Your rating fell from 1500 to {} in May Open"),
        ("DDD", "Your rating stays at {} after May Open"),
    ],
)
def test_title_says_what_happened(td, row, words):
    ada = member()
    play(td, ada, row=row)
    assert stored_notices(ada) == [("ratings.rated", words.format(rating_of(ada)))]


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (None, 1500, "Your first {}rating is 1500, from May Open"),
        (
            None,
            ApproximateRating(600),
            "Your first {}rating is about 600, from May Open",
        ),
        (1500, 1500, "Your {}rating stays at 1500 after May Open"),
        (
            ApproximateRating(600),
            641,
            "Your {}rating rose from about 600 to 641 in May Open",
        ),
        (1500, 1534, "Your {}rating rose from 1500 to 1534 in May Open"),
        (1500, 1466, "Your {}rating fell from 1500 to 1466 in May Open"),
    ],
)
def test_title_names_the_system_unless_it_is_the_regular_one(before, after, words):
    for system, name in (("OTBR", ""), ("OTBQ", "quick "), ("OLQ", "online quick ")):
        step = messages.Step(System(system), before, after, 3, 3, 1.5)
        assert messages.rated("May Open", [step])[0] == words.format(name)


def test_no_change_is_told_next_to_a_number_that_is_only_about():
    step = messages.Step(System.OTBR, ApproximateRating(600), 641.0, 3, 3, 1.5)
    assert (
        messages.rated("May Open", [step])[1]
        == "Regular: you scored 1½ of 3. New rating: 641."
    )


def test_child_who_keeps_the_age_based_start_hears_the_nearest_50(td):
    """Two newcomers of the same age draw: 50 points for each of 10.5 years."""
    born = date(2013, 11, 4)
    ada = member(rating=None, birth_date=born)
    twin = make_player(birth_date=born)
    rated_event(td, event_report(td, [section_report([ada, twin], ["D2W", "D1B"])]))
    line = ada.rating_changes.get()
    assert line.post_rating == pytest.approx(525, abs=1)
    first = format_rating(published(line))
    assert stored_notices(ada) == [
        ("ratings.rated", f"Your first rating is {first}, from May Open")
    ]
    assert first.startswith("about ")


def test_newcomer_hears_of_a_first_rating(td):
    ada = member(rating=None)
    play(td, ada, row="DDD")
    assert stored_notices(ada) == [
        ("ratings.rated", f"Your first rating is {rating_of(ada)}, from May Open")
    ]
    assert "expected" not in Notice.objects.get(kind="ratings.rated").text


def test_section_rated_twice_over_is_one_notice_with_both_systems(td):
    ada = member(rating=None)
    play(td, ada, control="G/45;d5")
    now = f"Regular {rating_of(ada)}, Quick {rating_of(ada, 'OTBQ')}"
    assert stored_notices(ada) == [
        ("ratings.rated", f"Your ratings after May Open: {now}")
    ]


def test_job_that_runs_twice_tells_and_mails_once(td):
    ada = member()
    play(td, ada)
    assert [to for to, _ in sent_mails() if to != "td@example.org"] == [
        "ada@example.org"
    ]
    before = stored_notices(ada)
    job = Job.objects.get(kind=NOTIFY_SECTIONS)
    Job.objects.update(state="queued", run_after=timezone.now())
    perform(claim(job.pk))
    run_due_jobs()
    assert stored_notices(ada) == before
    assert sent_mails() == []


def test_who_has_switched_it_off_hears_nothing(td):
    ada = member()
    off = {("ratings.rated", "site"): False, ("ratings.rated", "mail"): False}
    save_preferences(ada.account_id, off)
    play(td, ada)
    assert stored_notices(ada) == []
    assert "ada@example.org" not in {to for to, _ in sent_mails()}


def test_section_without_accounts_leaves_no_work(td):
    play(td, rated(1500.0))
    [job] = Job.objects.filter(kind=NOTIFY_SECTIONS)
    assert job.args["sections"] == []  # only the sender is notified


def test_notices_are_about_the_own_events_only(td):
    ada, bo = member("ada"), member("bo")
    play(td, ada, bo)
    assert [len(stored_notices(ada)), len(stored_notices(bo))] == [1, 1]
    assert bo.member_id not in str(Notice.objects.filter(account=ada.account).values())
    assert "rose" in stored_notices(ada)[0][1]
    assert "fell" in stored_notices(bo)[0][1]


# Children


def test_child_is_written_to_at_the_guardians_address_only(td):
    kid, ada = member("kid", birth_date=CHILD), member("ada")
    Guardian.objects.create(player=kid, email="parent@example.org")
    play(td, kid, ada)
    theirs = {to: title for to, title in sent_mails() if to != "td@example.org"}
    assert set(theirs) == {"parent@example.org", "ada@example.org"}
    assert theirs["parent@example.org"] == stored_notices(kid)[0][1]


def test_child_without_a_known_guardian_hears_on_the_site_only(td):
    kid = member("kid", birth_date=CHILD)
    play(td, kid)
    assert len(stored_notices(kid)) == 1
    assert {to for to, _ in sent_mails()} == {"td@example.org"}


def test_who_has_come_of_age_is_written_to_in_person(td):
    ada = member("ada", birth_date=date(1990, 1, 1))
    Guardian.objects.create(player=ada, email="parent@example.org")
    play(td, ada)
    assert "ada@example.org" in {to for to, _ in sent_mails()}


def test_guardian_of_a_member_of_unknown_age_is_notified(td):
    kid = member("kid", birth_date=None)
    Guardian.objects.create(player=kid, email="parent@example.org")
    play(td, kid)
    assert {to for to, _ in sent_mails()} == {"td@example.org", "parent@example.org"}


def guarded(name: str, account, **fields) -> Player:
    """A child without an account, and this account as guardian."""
    child = make_player(given_name=name, ratings={"OTBR": (1500.0, 40)}, **fields)
    account.children.create(player=child)
    return child


def notified_about(account) -> list[str]:
    return list(
        Notice.objects.filter(account=account, on_site=True)
        .order_by("pk")
        .values_list("title", flat=True)
    )


def test_guardian_hears_of_each_child_by_name(td):
    mother = make_user(email="mother@example.org")
    ada, bo = (guarded(name, mother, birth_date=CHILD) for name in ("Ada", "Bo"))
    play(td, ada, bo, row="WWW", name="Winter Open")
    titles = notified_about(mother)
    assert [title.split(":")[0] for title in titles] == [
        "For Ada Adams",
        "For Bo Adams",
    ]
    assert str(rating_of(ada)) in titles[0]
    assert str(rating_of(bo)) in titles[1]
    assert [to for to, _ in sent_mails() if to != "td@example.org"] == [
        "mother@example.org"
    ]


def test_guardian_of_a_child_with_an_account_reads_on_the_site_too(td):
    father = make_user(email="parent@example.org")
    kid = member("kid", birth_date=CHILD)
    father.children.create(player=kid)
    Guardian.objects.create(player=kid, email="parent@example.org")
    play(td, kid)
    assert notified_about(father) == [f"For {kid.name}: {stored_notices(kid)[0][1]}"]
    assert [to for to, _ in sent_mails()].count("parent@example.org") == 1


def test_guardian_hears_no_more_from_18_on_or_once_it_has_ended(td):
    father = make_user(email="father@example.org")
    grown = guarded("Grown", father, birth_date=date(1990, 1, 1))
    left = guarded("Left", father, birth_date=CHILD)
    father.children.filter(player=left).update(ended_at=timezone.now())
    play(td, grown, left)
    assert notified_about(father) == []


def test_guardian_of_a_merged_number_is_notified_about_the_kept_one(td):
    mother = make_user(email="mother@example.org")
    ada = make_player(birth_date=CHILD, ratings={"OTBR": (1500.0, 40)})
    old = make_player(birth_date=CHILD, status="duplicate", merged_into=ada)
    mother.children.create(player=old)
    play(td, ada)
    assert len(notified_about(mother)) == 1


# Classes and floors


def reached(player) -> list[str]:
    return [
        title for kind, title in stored_notices(player) if kind == "ratings.reached"
    ]


def test_new_rating_class_is_in_the_same_email(td):
    ada = member(rating=1795.0)
    play(td, ada, against=1800.0)
    assert rating_of(ada) >= 1800
    assert reached(ada) == [
        "You reached Class A",
        "Your regular rating has a new floor: 1600",
    ]
    [mine] = [title for to, title in sent_mails() if to == "ada@example.org"]
    assert mine.endswith("(and 2 more)")


def test_class_reached_again_is_not_told_again(td):
    ada = member(rating=1805.0)
    play(td, ada, row="LLL", against=1300.0, name="April Open")
    assert rating_of(ada) < 1800
    later = date(2024, 6, 1)
    play(td, ada, against=2100.0, starts=later, ends=later)
    assert rating_of(ada) >= 1800
    assert reached(ada) == []


def test_provisional_rating_reaches_no_class(td):
    ada = member(rating=1590.0, games=10)
    play(td, ada)
    assert rating_of(ada) >= 1600
    assert reached(ada) == []


def test_new_floor_is_told_once(td):
    ada = member(rating=1595.0)
    play(td, ada, against=1600.0, name="April Open")
    floor = "Your regular rating has a new floor: 1400"
    assert reached(ada) == ["You reached Class B", floor]
    notice = Notice.objects.get(title=floor)
    assert notice.url == f"/players/{ada.member_id}/floors/"
    later = date(2024, 6, 1)
    play(td, ada, against=1600.0, row="DDW", starts=later, ends=later)
    assert reached(ada).count(floor) == 1


# Number of queries


@pytest.mark.parametrize("players", [4, 40])
def test_telling_takes_the_same_queries_for_any_size(td, players):
    members = [member(f"m{one}", 1500.0 + one) for one in range(players)]
    section = section_report(members, swiss_rows(players, 3))
    accepted_event(td, event_report(td, [section]))
    Job.objects.exclude(kind="ratings.rate_section").delete()
    run_due_jobs(limit=1)
    job = claim(Job.objects.get(kind=NOTIFY_SECTIONS).pk)
    with CaptureQueriesContext(connection) as telling:
        perform(job)
    assert Notice.objects.filter(kind="ratings.rated").count() == players
    assert Calculation.objects.filter(section__isnull=False).count() == 1
    assert len(telling) <= 27
