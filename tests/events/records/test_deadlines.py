"""Due dates of reports, lateness, and the office's page about it."""

import re
from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest
from django.utils import timezone

from events.models import Submission
from events.records.deadlines import deadline, deadline_of, report_due_date
from events.reports.services.submissions import return_report, set_event, submit_report
from tests.factories import (
    event_report,
    make_affiliate,
    make_player,
    make_staff,
    make_td,
    section_report,
    upload,
)

pytestmark = pytest.mark.calendar

TODAY = date(2024, 5, 12)


def report(td, *, online=(False,), ends=date(2024, 5, 5), name="May Open"):
    sections = [
        section_report(
            [make_player(), make_player()], ["W2W", "L1B"], number=number, online=one
        )
        for number, one in enumerate(online, start=1)
    ]
    return event_report(td, sections, starts=ends, ends=ends, name=name)


@pytest.fixture
def td(db):
    return make_td("td")


@pytest.mark.parametrize(
    ("online", "due"),
    [
        ((False,), date(2024, 5, 12)),
        ((True, True), date(2024, 5, 26)),
        ((True, False), date(2024, 5, 12)),
    ],
)
def test_one_section_over_the_board_makes_it_a_week(td, online, due):
    assert report_due_date(report(td, online=online)) == due


def test_no_date_and_no_section_are_no_fault(td):
    bare = report(td)
    assert report_due_date(replace(bare, ends=None)) is None
    assert report_due_date(replace(bare, sections=())) == date(2024, 5, 12)
    assert report_due_date(replace(bare, ends=date.max)) is None


@pytest.mark.parametrize(
    ("due", "level", "text"),
    [
        (date(2024, 5, 9), "error", "3 days late"),
        (date(2024, 5, 11), "error", "1 day late"),
        (date(2024, 5, 12), "warning", "due today"),
        (date(2024, 5, 14), "warning", "due in 2 days"),
        (date(2024, 5, 15), "note", "due in 3 days"),
    ],
)
def test_deadline_in_words(due, level, text):
    said = deadline(due, TODAY)
    assert (said.level, said.text) == (level, text)


def test_submitted_report_says_only_how_late_it_is():
    late = Submission(due=TODAY, handed_in=TODAY, days_late=5)
    assert deadline_of(late, TODAY).text == "submitted 5 days late"
    in_time = Submission(due=TODAY, handed_in=TODAY, days_late=0)
    assert deadline_of(in_time, TODAY + timedelta(90)) is None
    gone = Submission(due=TODAY, state="withdrawn")
    assert deadline_of(gone, TODAY + timedelta(90)) is None


def test_the_first_submission_counts(td, monkeypatch):
    submission = upload(td, report(td))
    assert (submission.due, submission.days_late) == (date(2024, 5, 12), None)
    at(monkeypatch, 2024, 5, 15)
    submit_report(submission_id=submission.pk, actor=td)
    return_report(submission_id=submission.pk, actor=make_staff(), note="A name.")
    at(monkeypatch, 2024, 6, 15)
    submit_report(submission_id=submission.pk, actor=td)
    submission.refresh_from_db()
    assert (submission.handed_in, submission.days_late) == (date(2024, 5, 15), 3)


def test_a_corrected_date_corrects_the_lateness(td, monkeypatch):
    submission = upload(td, report(td))
    at(monkeypatch, 2024, 5, 15)
    submit_report(submission_id=submission.pk, actor=td)
    return_report(submission_id=submission.pk, actor=make_staff(), note="The date.")
    set_event(
        submission_id=submission.pk,
        actor=td,
        version=1,
        changes={"ends": date(2024, 5, 12)},
    )
    submission.refresh_from_db()
    assert (submission.due, submission.days_late) == (date(2024, 5, 19), 0)


def at(monkeypatch, *day: int) -> None:
    moment = datetime(*day, 12, tzinfo=timezone.get_default_timezone())
    monkeypatch.setattr("django.utils.timezone.now", lambda: moment)


# --- Where it is shown ---


def test_report_list_and_report_show_the_due_date(client, td, monkeypatch):
    at(monkeypatch, 2024, 5, 10)
    submission = upload(td, report(td))
    client.force_login(td)
    for address in ("/desk/", submission.get_absolute_url()):
        assert "due in 2 days" in client.get(address).content.decode(), address


def test_queue_says_how_late_it_came(client, td, monkeypatch):
    at(monkeypatch, 2024, 5, 17)
    submission = upload(td, report(td))
    submit_report(submission_id=submission.pk, actor=td)
    client.force_login(make_staff())
    assert "submitted 5 days late" in client.get("/office/").content.decode()


# --- Lateness ---


def late_reports(*days: int, ends=date(2024, 5, 5)) -> None:
    """Create reports of a club that are so many days late, without large columns."""
    td, club = make_td(), make_affiliate()
    for number, one in enumerate(days):
        Submission.objects.create(
            uploaded_by=td,
            affiliate=club,
            content_digest=f"{td.pk} {number}",
            ends=ends,
            due=ends + timedelta(7),
            handed_in=ends + timedelta(7 + one),
            days_late=one,
        )


def rows(page: str) -> list[list[str]]:
    """Return the cells of the last table of a page."""
    table = page.rpartition("<table")[2]
    found = re.findall(r"<tr.*?</tr>", table, re.DOTALL)[1:]
    return [
        [re.sub(r"<.*?>", "", c).strip() for c in re.findall(r"<td.*?</td>", r, re.S)]
        for r in found
    ]


@pytest.fixture
def office(client, db):
    client.force_login(make_staff("staff"))
    return client


PERIOD = "since=2024-01-01&until=2024-12-31"


def test_lateness_by_affiliate_and_by_td(office):
    late_reports(0, 0, 3, 9)
    late_reports(0, ends=date(2023, 5, 5))
    page = office.get(f"/office/lateness/?{PERIOD}").content.decode()
    assert rows(page) == [["Castle Chess Club", "4", "2", "3.0", "9"]]
    bands = re.findall(r'<th scope="row">(.*?)</th><td class="num">(.*?)</td>', page)
    assert bands == [
        ("On time", "2"),
        ("1 to 3 days late", "1"),
        ("4 to 7 days late", "0"),
        ("8 to 27 days late", "1"),
        ("28 days or more", "0"),
    ]
    page = office.get(f"/office/lateness/?{PERIOD}&by=td").content.decode()
    assert rows(page) == [["Tessa Director", "4", "2", "3.0", "9"]]


def test_withdrawn_reports_are_not_measured(office):
    late_reports(9)
    Submission.objects.update(state="withdrawn")
    page = office.get(f"/office/lateness/?{PERIOD}").content.decode()
    assert "No reports for these dates." in page


@pytest.mark.parametrize("by", ["affiliate", "td"])
@pytest.mark.parametrize("tds", [2, 20])
def test_lateness_takes_the_same_queries_for_any_size(
    office, django_assert_num_queries, tds, by
):
    for _ in range(tds):
        late_reports(1, 2)
    with django_assert_num_queries(8):
        page = office.get(f"/office/lateness/?{PERIOD}&by={by}").content.decode()
    assert len(rows(page)) == (tds if by == "td" else 1)


def test_a_wrong_day_is_said(office):
    response = office.get("/office/lateness/?since=tomorrow")
    assert response.status_code == 422
    said = "Enter a date between 1900 and 2999, such as 2024-05-04."
    assert response.content.decode().count(said) == 2
