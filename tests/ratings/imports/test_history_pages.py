"""Imported events on pages, in feeds and files, and the unchanged ledger."""

import csv
import io
import zipfile
from datetime import date

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from events.models import Entry, Event, Section
from players.models import Intake, Player
from ratings.ledger.services.rating import rate_section
from ratings.models import Calculation, PublishedRating, RerateMark
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings_site.common.jobs.services import run_due_jobs
from tests.factories import (
    make_affiliate,
    make_player,
    merge_with_approval,
    rated_section,
    section_report,
)
from tests.ratings.imports.archives import (
    LONG_AGO,
    dbf_in,
    entered,
    mixed,
    received,
    report_of,
    undone,
    zipped,
)
from tests.ratings.rerates.factories import ledger, play, ratings

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(staff, td, members) -> Event:
    entered(staff, dbf_in("x", report_of(td, members)))
    return Event.objects.get()


def page_of(client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def crosstable(event: Event) -> str:
    return reverse("ratings:crosstable", args=[event.event_id, 1])


TAKEN_OVER = "The numbers are those of the rating report, not calculated here."


def test_the_crosstable_shows_what_the_report_prints(client, event):
    page = page_of(client, crosstable(event))
    assert TAKEN_OVER in page
    assert [f'<td class="num rating">{number}' in page for number in (1502, 1505)] == [
        True,
        True,
    ]
    assert "why/" not in page
    assert "waiting to be rated" not in page
    assert ">After<" not in page


CHART = """Event: Castle Open
First day: 2003-05-03
Last day: 2003-05-04
Affiliate: A6000001
State: GA
-----------------------------------------------------------
 Pair | Player Name                     |Total|Round|Round|
 Num  | USCF ID / Rtg (Pre->Post)       | Pts |  1  |  2  |
-----------------------------------------------------------
    1 | GIVEN0 FAMILY0                  |2.0  |W   2|W   3|
   GA | 18000100 / R: 1794   ->1817     |N:2  |W    |B    |
-----------------------------------------------------------
    2 | GIVEN1 FAMILY1                  |1.0  |L   1|W   4|
   GA | 18000101 / R: 1641P17->1657P24  |N:2  |B    |W    |
-----------------------------------------------------------
    3 | GIVEN2 FAMILY2                  |1.0  |W   4|L   1|
   GA | 18000102 / R: Unrated->1344P2   |N:2  |W    |W    |
-----------------------------------------------------------
    4 | GIVEN3 FAMILY3                  |0.0  |L   3|L   2|
   GA | 18000103 / R: 1384   ->1340     |N:2  |B    |B    |
-----------------------------------------------------------
"""


def test_ratings_after_stand_beside_them_as_they_are_printed(client, staff, members):
    """Including that of an unrated child: the report is a public document."""
    Player.objects.filter(pk=members[2].pk).update(birth_date=date(2014, 5, 5))
    make_affiliate()
    entered(staff, {"chart.txt": CHART.encode()})
    event = Event.objects.get()
    page = page_of(client, crosstable(event))
    for before, after in (("1794", "1817"), ("1641", "1657"), ("", "1344")):
        cells = f'<td class="num rating">{before}<td class="num rating post">{after}'
        assert cells in page
    history = page_of(client, reverse("ratings:profile", args=["18000101"]))
    assert ">1641<" in history
    assert ">1657<" in history
    printed = PublishedRating.objects.values_list("system", "post_rating")
    assert sorted(printed)[0] == ("OTBR", 1340.0)


@pytest.mark.parametrize("view", ["", "?view=compact", "?order=change", "?decimals=1"])
def test_the_crosstable_is_there_in_every_view(client, event, view):
    assert "1502" in page_of(client, f"{crosstable(event)}{view}")


def test_an_old_match_is_a_crosstable_too(client, staff, td, members):
    pair = members[:2]
    match = section_report(pair, ["W2W D2B", "L1B D1W"], kind_letter="M")
    reported = report_of(td, members).with_event(sections=(match,))
    entered(staff, dbf_in("x", reported))
    event = Event.objects.get()
    assert event.sections.get().kind == Section.Kind.MATCH
    assert TAKEN_OVER in page_of(client, crosstable(event))


def test_the_event_says_that_it_was_imported(client, event):
    page = page_of(client, event.get_absolute_url())
    assert "Imported" in page
    assert "Waiting to be rated" not in page


def test_a_member_without_ratings_has_the_event_in_the_history(client, event):
    page = page_of(client, reverse("ratings:profile", args=["18000100"]))
    assert f'href="{crosstable(event)}"' in page
    assert "1502" in page
    assert "No rating yet" not in page
    assert "Why" not in page[page.index('id="history"') :]


def test_imported_events_are_in_order_in_the_history(client, staff, td, members):
    play(td, members, ends=date(2024, 3, 9), name="March Open")
    files = dbf_in("old", report_of(td, members, "Earlier"))
    files |= dbf_in("new", report_of(td, members, "Later", date(2024, 4, 7)))
    entered(staff, files, ours_from="2024-06-01")
    page = page_of(client, reverse("ratings:profile", args=["18000100"]))
    table = page[page.index("Rating changes, newest first") :]
    order = sorted(
        ["Earlier", "March Open", "Later"], key=lambda n: table.index(f">{n}<")
    )
    assert order == ["Later", "March Open", "Earlier"]
    of_one_system = page_of(
        client, reverse("ratings:profile", args=["18000100"]) + "?system=OTBR"
    )
    assert ">Earlier<" not in of_one_system


def test_a_merged_number_brings_its_events_along(client, staff, event):
    kept = make_player("18000199", "Given", "Kept")
    merged = Entry.objects.get(pairing_number=1).player
    merge_with_approval(kept, merged)
    page = page_of(client, reverse("ratings:profile", args=["18000199"]))
    assert f'href="{crosstable(event)}"' in page
    assert not RerateMark.objects.exists()


def addresses(event: Event) -> list[str]:
    where = f"/events/{event.event_id}/"
    return [
        "/",
        "/events/",
        f"/events/?q={event.name}",
        f"/events/?year={event.ends.year}&player=18000100",
        where,
        f"{where}report.zip",
        f"{where}report.csv",
        f"/calendar/{event.ends:%Y-%m}/",
        f"/api/v1/events/{event.event_id}",
        f"/api/v1/events/{event.event_id}/report",
        f"/affiliates/{event.affiliate.affiliate_id}/",
        "/feeds/events.atom",
        "/sitemap.xml",
        "/sitemap-events.xml",
    ]


@pytest.mark.parametrize("make", ["imported", "waiting", "rated"])
def test_no_page_stumbles_over_an_event_without_entries(client, event, make):
    """Nor one without sections."""
    event.sections.update(status=make if make != "waiting" else "ready")
    Entry.objects.all().delete()
    for address in addresses(event):
        answer = client.get(address)
        assert answer.status_code == 200, address
        b"".join(answer)
    page_of(client, crosstable(event))
    event.sections.all().delete()
    for address in addresses(event)[:5]:
        page_of(client, address)


def test_pages_and_programs_find_the_event(client, event):
    name = event.name
    assert name in page_of(client, f"/events/?q={name.split()[0]}")
    assert name in page_of(client, f"/calendar/{LONG_AGO:%Y-%m}/")
    assert f"/events/{event.event_id}/" in page_of(client, "/sitemap-events.xml")
    facts = client.get(f"/api/v1/events/{event.event_id}").json()
    assert [one["status"] for one in facts["sections"]] == ["imported"]
    standings = client.get(facts["sections"][0]["standings"]).json()
    assert (standings["status"], standings["systems"]) == ("imported", [])
    assert {one["number"]: one["ratings"] for one in standings["items"]} == {
        1: [],
        2: [],
        3: [],
        4: [],
    }


def test_an_imported_event_is_not_announced(client, event):
    assert event.name not in page_of(client, "/")
    assert event.name not in page_of(client, "/feeds/events.atom")
    section = rated_section()
    assert section.event.name in page_of(client, "/feeds/events.atom")


def test_why_and_the_laboratory_have_nothing_to_say_of_it(client, event):
    where = [event.event_id, 1]
    why = reverse("ratings:why", args=[*where, "18000100", "OTBR"])
    assert client.get(why).status_code == 404
    page = page_of(client, reverse("ratings:laboratory_section", args=where))
    assert "OTBR" not in page


def test_the_event_goes_out_as_it_came_in(client, event):
    answer = client.get(f"/events/{event.event_id}/report.zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert len(archive.namelist()) == 3
    table = client.get(reverse("events:export_csv", args=[event.event_id]))
    rows = list(csv.reader(io.StringIO(table.content.decode("utf-8-sig"))))
    assert any("1502" in row for row in rows)


def test_nothing_of_it_is_corrected(client, staff, event):
    client.force_login(staff)
    section = event.sections.get()
    assert "Request a correction" not in page_of(client, crosstable(event))
    ask = reverse("events:ask_correction", args=[event.event_id, 1])
    answer = client.get(ask, follow=True)
    assert answer.redirect_chain[-1][0] == section.get_absolute_url()
    assert "can’t be corrected" in answer.content.decode()


def test_its_report_says_that_it_was_imported(client, staff, event):
    client.force_login(staff)
    report = event.submission.get_absolute_url()
    page = page_of(client, report)
    assert "Imported from earlier records, not rated here." in page
    assert "Being rated" not in page
    progress = page_of(client, reverse("events:progress", args=[event.submission_id]))
    assert "every 1s" not in progress


def test_an_archive_is_sent_with_the_day_from_which_history_is_ours(
    client, staff, td, members
):
    client.force_login(staff)
    said = {"kind": "history", "ours_from": "2003-08-03", "affiliate": ""}
    file = SimpleUploadedFile("old.zip", zipped(mixed(td, members)))
    address = client.post("/office/intake/", said | {"file": file})["Location"]
    run_due_jobs()
    page = page_of(client, address)
    assert "1 event is imported" in page
    assert "2 reports of events that ended on August 3, 2003 or later" in page
    assert "No member" not in page
    client.post(f"{address}enter/", {"reason": "The books of before."})
    run_due_jobs()
    assert 'value="2003-08-03"' in page_of(client, "/office/intake/")
    table = SimpleUploadedFile("members.csv", b"Member ID,Name\n")
    client.post("/office/intake/", said | {"kind": "members", "file": table})
    assert Intake.objects.first().options == {}


def test_faults_of_a_report_are_told_in_the_language_of_the_reader(client, staff):
    client.force_login(staff)
    intake = received(staff, {"notes.txt": b"Round 1 was fun."})
    page = page_of(client, intake.get_absolute_url())
    assert "notes.txt is a text file, and we found no results in it." in page
    client.cookies["django_language"] = "es"
    page = page_of(client, intake.get_absolute_url())
    assert "we found no results in it" not in page
    assert "notes.txt" in page


# The ledger


def test_a_job_that_asks_for_it_rates_nothing(event):
    rate_section(section_id=event.sections.get().pk)
    assert not Calculation.objects.exists()
    assert event.sections.get().status == Section.Status.IMPORTED


def test_a_rerate_gives_the_same_ledger_with_history_and_without(staff, td, members):
    play(td, members, ends=date(2024, 3, 9), name="March Open")
    play(td, members, ends=date(2024, 5, 4), name="May Open")
    before = ledger(), ratings()
    files = mixed(td, members)
    files |= dbf_in("between", report_of(td, members, "Between", date(2024, 4, 7)))
    intake = entered(staff, files, ours_from="2024-06-01")
    assert Section.objects.filter(status="imported").count() == 4
    assert (ledger(), ratings()) == before
    run = start_rerate(actor=None, reason="All of it.", whole_history=True)
    run_due_jobs()
    run.refresh_from_db()
    publish_rerate(run_id=run.pk, actor=None, reason="Looks right.")
    assert (ledger(), ratings()) == before
    assert [check["faults"] for check in run.summary["invariants"]] == [0] * 7
    call_command("audit", full=True)
    undone(staff, intake)
    assert (ledger(), ratings()) == before


# Queries


@pytest.mark.parametrize("events", [2, 8])
def test_the_profile_takes_the_same_queries_for_any_size(
    client, staff, td, members, events, django_assert_num_queries
):
    files = {}
    for number in range(events):
        reported = report_of(td, members, f"Old {number}", date(2003, 1 + number, 2))
        files |= dbf_in(str(number), reported)
    entered(staff, files)
    address = reverse("ratings:profile", args=["18000100"])
    client.get(address)
    with django_assert_num_queries(8):
        page = page_of(client, address)
    assert page.count(">Old ") == events


@pytest.mark.parametrize("events", [2, 8])
def test_the_dry_run_takes_the_same_queries_for_any_size(
    client, staff, td, members, events, django_assert_num_queries
):
    client.force_login(staff)
    files = {}
    for number in range(events):
        reported = report_of(td, members, f"Old {number}", date(2003, 1 + number, 2))
        files |= dbf_in(str(number), reported)
    intake = entered(staff, files)
    client.get("/")
    with django_assert_num_queries(10):
        page = page_of(client, intake.get_absolute_url())
    assert page.count("Old ") == events
