"""Events announced before they are played."""

import csv
import re
from datetime import date, timedelta

import pytest
from django.utils import timezone

from events.calendar.queries.registrations import suggested_registrations, unreported
from events.calendar.services import (
    MAX_REGISTRATIONS_PER_DAY,
    Plan,
    PlannedSection,
    RegistrationRefused,
    cancel_registration,
    change_registration,
    link_report,
    register_event,
    unlink_report,
)
from events.checks.services import findings_of
from events.models import EventRegistration
from events.reports.services.submissions import (
    set_event,
    submit_report,
    withdraw_report,
)
from events.review.services.acceptance import accept_report
from ratings_site.common.models import AuditEntry
from tests.factories import (
    event_report,
    make_affiliate,
    make_player,
    make_staff,
    make_td,
    make_user,
    section_report,
    swiss_rows,
    upload,
)

pytestmark = [pytest.mark.django_db, pytest.mark.calendar]

TODAY = timezone.localdate()
SOON = TODAY + timedelta(30)
DAY = timedelta(1)


@pytest.fixture
def td():
    return make_td("td", "12000001")


@pytest.fixture
def staff():
    return make_staff("staff")


def plan(td, **fields) -> Plan:
    starts = fields.get("starts", SOON)
    given = {
        "name": "Winter Open",
        "starts": starts,
        "ends": starts,
        "affiliate": make_affiliate(),
        "chief": td.player,
        "city": "Springfield",
        "state": "IL",
        **fields,
    }
    return Plan(**given)


def registered(td, actor=None, **fields) -> EventRegistration:
    return register_event(actor=actor or td, plan=plan(td, **fields))


def past_registration(td, staff, days=30, **fields) -> EventRegistration:
    """Return an event that was to end so many days ago, entered by the office."""
    return registered(td, staff, starts=TODAY - days * DAY, **fields)


def send(td, *, ends: date, starts: date | None = None, name="Winter Open"):
    players = [make_player() for _ in range(2)]
    sections = [section_report(players, swiss_rows(2, 1))]
    days = {"starts": starts or ends, "ends": ends}
    return upload(td, event_report(td, sections, name=name, **days))


def text(response) -> str:
    return response.content.decode()


# --- Register, change, cancel ---


def test_a_registered_event_is_public_at_once(client, td):
    made = registered(
        td,
        website="https://club.example/open",
        sections=[PlannedSection("Open", "G/90;+30"), PlannedSection("<U1200>")],
    )
    page = text(client.get(made.get_absolute_url()))
    assert "<h1>Winter Open</h1>" in page
    assert 'href="https://club.example/open"' in page
    sections = re.findall(r"<li><span>(.*?)</span> <span class=\"quiet\">(.*?)<", page)
    assert sections == [("Open", "G/90;+30"), ("&lt;U1200&gt;", "")]
    assert "Edit event" not in page


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"ends": SOON - DAY}, "before the first day"),
        ({"ends": SOON + 400 * DAY}, "longer than a year"),
        ({"starts": TODAY - DAY}, "has already started"),
        ({"starts": TODAY + 1200 * DAY}, "three years ahead"),
    ],
)
def test_days_that_cannot_be_are_refused(td, fields, sentence):
    with pytest.raises(RegistrationRefused, match=sentence):
        registered(td, **fields)
    assert not EventRegistration.objects.exists()


def test_a_plan_is_not_moved_into_the_past(td, staff):
    made = registered(td)
    past = plan(td, starts=TODAY - DAY)
    with pytest.raises(RegistrationRefused, match="has already started"):
        change_registration(
            registration_id=made.pk, actor=td, plan=past, reason="Moved."
        )
    made.refresh_from_db()
    assert made.starts == SOON
    change_registration(
        registration_id=made.pk, actor=staff, plan=past, reason="Was played earlier."
    )
    # An event that has begun can still be renamed.
    named = plan(td, starts=TODAY - DAY, name="Summer Open")
    change_registration(registration_id=made.pk, actor=td, plan=named, reason="Typo.")
    made.refresh_from_db()
    assert (made.name, made.starts) == ("Summer Open", TODAY - DAY)


def test_exclusive_affiliate_without_a_list_lets_no_td_register(td):
    make_affiliate(is_exclusive=True)
    with pytest.raises(RegistrationRefused, match="has not authorized you"):
        registered(td)


def test_affiliate_with_authorized_directors_limits_who_registers(td, staff):
    other = make_td("other")
    make_affiliate().official_set.add(other.player.official)
    with pytest.raises(RegistrationRefused, match="has not authorized you"):
        registered(td)
    assert registered(other).registered_by == other
    assert registered(td, staff).registered_by == staff


def test_a_flood_is_stopped(td):
    first = registered(td)
    copies = [EventRegistration(**_copied(first)) for _ in range(99)]
    EventRegistration.objects.bulk_create(copies)
    assert len(copies) + 1 == MAX_REGISTRATIONS_PER_DAY
    with pytest.raises(RegistrationRefused, match="You have registered 100 events"):
        registered(td)


def _copied(one: EventRegistration) -> dict:
    names = ("name", "starts", "ends", "affiliate", "chief", "registered_by")
    return {name: getattr(one, name) for name in names}


def test_a_change_is_told_with_its_reason(client, td):
    made = registered(td)
    change_registration(
        registration_id=made.pk,
        actor=td,
        plan=plan(td, starts=SOON + 7 * DAY, sections=[PlannedSection("Open")]),
        reason="The hall is flooded.",
    )
    made.refresh_from_db()
    assert (made.starts, made.changes) == (SOON + 7 * DAY, 1)
    assert [section.name for section in made.sections.all()] == ["Open"]
    assert "The hall is flooded." in text(client.get(made.get_absolute_url()))
    entry = AuditEntry.objects.get(action="registration.changed")
    assert set(entry.facts) == {"starts", "ends", "sections"}


def test_what_stays_as_it_is_is_no_change(td):
    made = registered(td)
    change_registration(
        registration_id=made.pk, actor=td, plan=plan(td), reason="No reason."
    )
    made.refresh_from_db()
    assert (made.changes, made.notice) == (0, "")
    assert not AuditEntry.objects.filter(action="registration.changed").exists()


def test_a_canceled_event_says_why_and_changes_no_more(client, td):
    made = registered(td)
    cancel_registration(registration_id=made.pk, actor=td, reason="Snow.")
    cancel_registration(registration_id=made.pk, actor=td, reason="Again.")
    page = text(client.get(made.get_absolute_url()))
    assert "This event was canceled." in page
    assert "Snow." in page
    with pytest.raises(RegistrationRefused, match="is canceled"):
        change_registration(
            registration_id=made.pk, actor=td, plan=plan(td, name="New"), reason="?"
        )


@pytest.mark.parametrize("reason", ["", "  "])
def test_nothing_is_canceled_without_a_reason(td, reason):
    made = registered(td)
    with pytest.raises(RegistrationRefused, match="Enter a reason"):
        cancel_registration(registration_id=made.pk, actor=td, reason=reason)
    made.refresh_from_db()
    assert not made.is_canceled


# --- The pages ---


def said(**fields) -> dict:
    return {
        "name": "Winter Open",
        "starts": SOON.isoformat(),
        "ends": SOON.isoformat(),
        "affiliate": "a6000001",
        "chief": "12000001",
        "state": "il",
        "sections": "Open, G/90;+30\n\nReserve",
        **fields,
    }


def test_a_td_registers_an_event_on_the_page(client, td):
    make_affiliate()
    client.force_login(td)
    response = client.post("/calendar/register/", said(website="club.example"))
    made = EventRegistration.objects.get()
    assert response["Location"] == made.get_absolute_url()
    assert (made.affiliate, made.chief, made.state) == (
        make_affiliate(),
        td.player,
        "IL",
    )
    assert made.website == "https://club.example"
    assert list(made.sections.values_list("name", "time_control")) == [
        ("Open", "G/90;+30"),
        ("Reserve", ""),
    ]


def test_city_may_be_registered_with_its_state(client, td):
    make_affiliate()
    client.force_login(td)
    client.post("/calendar/register/", said(city="Springfield IL", state=""))
    made = EventRegistration.objects.get()
    assert (made.city, made.state) == ("Springfield", "IL")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": ""}, "This field is required."),
        ({"affiliate": "A9999999"}, "No affiliate has this ID."),
        ({"chief": "12000009"}, "No tournament director has this member ID."),
        ({"chief": "12"}, "Enter an 8-digit member ID. It does not start with 0."),
        ({"starts": "soon"}, "Enter a date such as 2024-05-04."),
        ({"ends": "2001-01-01"}, "The last day is before the first day."),
        ({"state": "I1"}, "Enter a two-letter state, such as IL."),
        ({"website": "javascript:alert(1)"}, "Enter a web address such as https"),
        ({"sections": ", G/5"}, "A section needs a name before the comma."),
        ({"sections": "x" * 61}, "is too long. Shorten"),
        ({"sections": "x\n" * 41}, "Enter up to 40 sections."),
        ({"name": "x\x00"}, "Null characters are not allowed."),
    ],
)
def test_what_is_wrong_with_a_plan_is_said(client, td, fields, sentence):
    make_affiliate()
    client.force_login(td)
    response = client.post("/calendar/register/", said(**fields))
    assert response.status_code == 422
    assert sentence in text(response)
    assert not EventRegistration.objects.exists()


def test_who_may_change_a_registered_event(client, td, staff):
    made = registered(td)
    address = f"{made.get_absolute_url()}change/"
    for user, status in ((make_td("other"), 403), (td, 200), (staff, 200)):
        client.force_login(user)
        assert client.get(address).status_code == status
    client.force_login(make_user("member"))
    assert client.post(address, said(name="Mine", reason="!")).status_code == 403
    made.refresh_from_db()
    assert made.name == "Winter Open"


def test_a_change_on_the_page_asks_for_the_reason(client, td):
    made = registered(td)
    client.force_login(td)
    address = f"{made.get_absolute_url()}change/"
    response = client.post(address, said(name="Summer Open"))
    assert response.status_code == 422
    assert "Enter a reason. It is shown in the public calendar." in text(response)
    client.post(address, said(name="Summer Open", reason="A better name."))
    made.refresh_from_db()
    assert (made.name, made.notice) == ("Summer Open", "A better name.")


def test_a_change_of_another_td_meanwhile_stays(client, td, staff):
    made = registered(td)
    client.force_login(td)
    address = f"{made.get_absolute_url()}change/"
    assert 'name="changes" value="0"' in text(client.get(address))
    theirs = said(name="Summer Open", reason="A better name.", changes="0")
    assert client.post(address, theirs).status_code == 302
    mine = said(city="Peoria", reason="The hall is closed.", changes="0")
    response = client.post(address, mine)
    assert response.status_code == 422
    assert "This has changed since you opened the page" in text(response)
    assert "The hall is closed." in text(response)
    made.refresh_from_db()
    assert (made.name, made.changes) == ("Summer Open", 1)
    # The same change twice, as by a double click, is no conflict.
    assert client.post(address, theirs).status_code == 302
    assert client.post(address, mine | {"changes": "1"}).status_code == 302


def test_an_event_is_canceled_on_the_page(client, td):
    made = registered(td)
    client.force_login(td)
    client.post(f"{made.get_absolute_url()}cancel/", {"reason": "Snow."})
    made.refresh_from_db()
    assert (made.status, made.notice) == ("canceled", "Snow.")


# --- The report ---


def test_a_report_is_linked_to_its_event_and_recorded(client, td, staff):
    planned = past_registration(td, staff)
    submission = send(td, ends=planned.ends)
    client.force_login(td)
    page = text(client.get(submission.get_absolute_url()))
    assert f'name="registration" value="{planned.pk}"' in page
    client.post(
        f"/desk/reports/{submission.pk}/registered/", {"registration": planned.pk}
    )
    assert list(unreported(TODAY)) == []
    submit_report(submission_id=submission.pk, actor=td)
    event = accept_report(submission_id=submission.pk, actor=staff)
    response = client.get(planned.get_absolute_url())
    assert response["Location"] == event.get_absolute_url()


def test_suggestions_have_the_days_and_the_affiliate_of_the_report(td, staff):
    """A report of two days is offered the event planned for one of them."""
    other_club = make_affiliate("A6000002", name="Rook Club")
    first, last = TODAY - 32 * DAY, TODAY - 31 * DAY
    league = past_registration(td, staff, days=60, ends=TODAY)
    before = past_registration(td, staff, days=32)
    namesake = past_registration(td, staff, days=31, name="Spring Quads")
    same = past_registration(td, staff, days=31)
    past_registration(td, staff, days=33)
    past_registration(td, staff, days=30)
    past_registration(td, staff, days=24)
    past_registration(td, staff, days=31, affiliate=other_club)
    gone = past_registration(td, staff, days=31)
    cancel_registration(registration_id=gone.pk, actor=staff, reason="Snow.")
    submission = send(td, starts=first, ends=last)
    assert suggested_registrations(submission) == [same, namesake, before]
    change_days(submission, td, TODAY - 40 * DAY)
    assert suggested_registrations(submission) == [league]
    change_days(submission, td, TODAY - 70 * DAY)
    assert suggested_registrations(submission) == []


def change_days(submission, td, day: date) -> None:
    set_event(
        submission_id=submission.pk,
        actor=td,
        version=submission.version,
        changes={"starts": day, "ends": day},
    )
    submission.refresh_from_db()


def test_an_event_of_other_days_is_not_tied(client, td, staff):
    planned = past_registration(td, staff, days=30)
    submission = send(td, ends=TODAY - 31 * DAY)
    client.force_login(td)
    address = f"/desk/reports/{submission.pk}/registered/"
    response = client.post(address, {"registration": planned.pk}, follow=True)
    assert "is registered for different dates than the report" in text(response)
    planned.refresh_from_db()
    assert planned.submission is None


def test_other_days_of_a_tied_report_are_a_finding_and_another_event_is_offered(
    client, td, staff
):
    planned, other = (
        past_registration(td, staff),
        past_registration(td, staff, days=40, name="Fall Open"),
    )
    submission = send(td, ends=planned.ends)
    link_report(submission=submission, registration_id=planned.pk, actor=td)
    assert tied_findings(submission) == []
    change_days(submission, td, other.ends)
    assert tied_findings(submission) == ["event.registered_days"]
    client.force_login(td)
    page = text(client.get(submission.get_absolute_url()))
    assert "The report’s dates or affiliate don’t match" in page
    assert f'name="registration" value="{other.pk}"' in page
    link_report(submission=submission, registration_id=other.pk, actor=td)
    assert tied_findings(submission) == []
    assert list(unreported(TODAY)) == [planned]


def test_another_affiliate_of_a_tied_report_is_a_finding(td, staff):
    make_affiliate("A6000002", name="Rook Club")
    planned = past_registration(td, staff)
    submission = send(td, ends=planned.ends)
    link_report(submission=submission, registration_id=planned.pk, actor=td)
    set_event(
        submission_id=submission.pk,
        actor=td,
        version=submission.version,
        changes={"affiliate_id": "A6000002"},
    )
    submission.refresh_from_db()
    assert tied_findings(submission) == ["event.registered_affiliate"]


def tied_findings(submission) -> list[str]:
    submission.refresh_from_db()
    codes = (finding.code for finding in findings_of(submission))
    return [".".join(code.split(".")[:2]) for code in codes if "registered" in code]


def test_a_report_is_of_one_event_and_may_be_of_another(td, staff):
    first, second = (
        past_registration(td, staff),
        past_registration(td, staff, days=31, ends=TODAY - 30 * DAY),
    )
    submission = send(td, ends=first.ends)
    for one in (first, second):
        link_report(submission=submission, registration_id=one.pk, actor=td)
    assert list(unreported(TODAY)) == [first]
    unlink_report(submission=submission, actor=td)
    assert list(unreported(TODAY)) == [first, second]


def test_a_withdrawn_report_leaves_the_event_without_one(td, staff):
    planned = past_registration(td, staff)
    submission = send(td, ends=planned.ends)
    link_report(submission=submission, registration_id=planned.pk, actor=td)
    withdraw_report(submission_id=submission.pk, actor=td, reason="Bad files.")
    assert list(unreported(TODAY)) == [planned]


def test_another_affiliates_event_is_not_tied(client, td, staff):
    club = make_affiliate("A6000002", name="Rook Club")
    planned = past_registration(td, staff, affiliate=club)
    submission = send(td, ends=planned.ends)
    client.force_login(td)
    address = f"/desk/reports/{submission.pk}/registered/"
    response = client.post(address, {"registration": planned.pk}, follow=True)
    assert "is registered by Rook Club, but the report has a different" in text(
        response
    )
    planned.refresh_from_db()
    assert planned.submission is None


@pytest.mark.parametrize("number", ["", "x", "-1", "999999", "9" * 50])
def test_nonsense_is_tied_to_nothing(client, td, staff, number):
    planned = past_registration(td, staff)
    submission = send(td, ends=planned.ends)
    client.force_login(td)
    address = f"/desk/reports/{submission.pk}/registered/"
    response = client.post(address, {"registration": number}, follow=True)
    assert 'class="banner error"' in text(response)
    planned.refresh_from_db()
    assert planned.submission is None


# --- Overdue reports ---


@pytest.mark.parametrize("events", [2, 12])
def test_office_sees_what_is_overdue(
    client, td, staff, django_assert_num_queries, events
):
    for number in range(events):
        past_registration(td, staff, days=10 + number, name=f"Open {number}")
    past_registration(td, staff, days=10, name="Online Open", is_online=True)
    registered(td, name="To come")
    client.force_login(staff)
    with django_assert_num_queries(7):
        page = text(client.get("/office/expected/"))
    names = re.findall(r'<th scope="row" class="name"><a [^>]*>(.*?)<', page)
    assert names[:1] == [f"Open {events - 1}"]
    assert set(names) == {f"Open {one}" for one in range(events)} | {"Online Open"}
    assert f"{2 + events} days late" in page
    assert "due in 11 days" in page


def test_overdue_reports_sort_filter_and_download(client, td, staff):
    past_registration(td, staff, days=10, name="B Open", state="OH")
    past_registration(td, staff, days=12, name="A Open", state="IL")
    client.force_login(staff)

    def sent(query: str) -> list[str]:
        response = client.get(f"/office/expected/?format=csv&{query}")
        rows = b"".join(response.streaming_content).decode().splitlines()[1:]
        return [row.split(",")[0] for row in rows]

    assert sent("") == sent("sort=ends") == ["A Open", "B Open"]
    assert sent("sort=-name") == ["B Open", "A Open"]
    assert sent("state=OH") == ["B Open"]


def test_only_the_office_sees_all_overdue_reports(client, td):
    asked = client.get("/office/expected/")
    assert asked.status_code == 302
    assert asked["Location"].endswith("?next=/office/expected/")
    client.force_login(td)
    refused = client.get("/office/expected/")
    assert refused.status_code == 403
    assert "This page is for clerks of the ratings office." in text(refused)


def test_the_dashboard_counts_overdue_reports(client, td, staff):
    past_registration(td, staff, days=8)
    past_registration(td, staff, days=8, is_online=True)
    client.force_login(staff)
    page = text(client.get("/office/"))
    row = page.partition(">registered events without a report</a>")
    assert re.findall(r'<td class="num"[^>]*><a [^>]*>(\d+)<', row[0])[-1] == "2"
    cells = re.findall(r"<td[^>]*>(.*?)</td>", row[2].partition("</tr>")[0], re.S)
    assert [re.sub(r"<.*?>", "", cell).strip() for cell in cells] == [
        "8 days",
        "1 overdue",
    ]


def test_a_td_sees_the_own_events_only(client, td, staff):
    past_registration(td, staff, days=10, name="Mine")
    past_registration(make_td("other"), staff, days=10, name="Theirs")
    registered(td, name="To come")
    client.force_login(td)
    for address in ("/desk/", "/desk/registered/"):
        page = text(client.get(address))
        assert ("Mine" in page, "Theirs" in page) == (True, False)
        assert "3 days late" in page
    assert "To come" in page


def test_the_own_events_sort_and_are_a_file(client, td, staff):
    past_registration(td, staff, days=10, name="Alpha Past")
    registered(td, name="Bravo To Come")
    gone = registered(td, name="Charlie Canceled")
    cancel_registration(registration_id=gone.pk, actor=td, reason="No hall.")
    client.force_login(td)
    address = "/desk/registered/"

    def names(sort: str) -> list[str]:
        page = client.get(address, {"sort": sort}).content.decode()
        return re.findall(r">(\w+) (?:Past|To Come|Canceled)</a>", page)

    assert names("") == names("name") == ["Alpha", "Bravo", "Charlie"]
    assert names("-name") == ["Charlie", "Bravo", "Alpha"]
    page = client.get(address)
    assert text(page).count("late") == 1
    assert text(page).count("canceled") == 1
    file = client.get(address, {"sort": "-name", "format": "csv"}).getvalue().decode()
    rows = list(csv.DictReader(file.splitlines()))
    assert [(row["name"], row["status"]) for row in rows] == [
        ("Charlie Canceled", "canceled"),
        ("Bravo To Come", "planned"),
        ("Alpha Past", "planned"),
    ]
