"""The office's pages: worklist, checks, decisions, preview and batch."""

from datetime import date

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from events.foreign.queries import foreign_events
from events.foreign.services.results import enter_result
from events.foreign.services.worklist import close_work, prepare_worklist
from events.models import ForeignResult, ForeignWork
from events.reports.services.submissions import override_findings, submit_report
from events.review.services.acceptance import accept_report
from players.models import FideList, FideOptIn
from ratings.foreign.services import mark_ready, rate_if_eligible
from ratings_site.common.jobs.services import run_due_jobs
from tests.events.foreign.factories import (
    foreign_staff,
    game,
    make_event,
    make_result,
    store_list,
)
from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    make_user,
    section_report,
    upload,
)
from tests.ratings.foreign.factories import (
    FIRST_ID,
    list_with_masters,
    master,
    rated,
    ready,
)
from tests.response_text import is_closed

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff():
    return foreign_staff()


@pytest.fixture
def desk(client, staff):
    client.force_login(staff)
    return client


def text(response):
    return " ".join(response.content.decode().split())


# --- The worklist ---


def members_of_june(staff):
    """The list of June: who played how many games, with which flag."""
    june = store_list(
        {
            FIRST_ID: (2400, 9, "USA"),
            FIRST_ID + 1: (2400, 0, "USA"),
            FIRST_ID + 2: (1900, 5, "GER"),
            FIRST_ID + 3: (1900, 5, "GER"),
            FIRST_ID + 4: (1900, 5, "USA"),
            99: (2700, 9, "USA"),
        },
        day=date(2024, 6, 1),
    )
    players = [master(number, family_name=f"F{number}") for number in range(5)]
    FideOptIn.objects.create(
        player=players[2], opted_in_on=date(2024, 1, 1), entered_by=staff
    )
    return june, players


def test_worklist_holds_the_flag_and_the_willing_with_rated_games(staff):
    june, players = members_of_june(staff)
    assert prepare_worklist(actor=staff, list_id=june.pk) == 3
    lines = june.foreign_work.values_list(
        "player", "fide_rating", "federation", "games"
    )
    assert set(lines) == {
        (players[0].pk, 2400, "USA", 9),
        (players[2].pk, 1900, "GER", 5),
        (players[4].pk, 1900, "USA", 5),
    }
    assert prepare_worklist(actor=staff, list_id=june.pk) == 0


def test_worklist_tells_each_state_and_filters_by_it(desk, staff):
    june, players = members_of_june(staff)
    prepare_worklist(actor=staff, list_id=june.pk)
    # An event of May is rated by FIDE for the list of June.
    FideList.objects.create(
        list_date=date(2024, 5, 1),
        state="stored",
        file_name="may.txt",
        stored_as="fide/may.txt",
        sha256="0",
        size=1,
    ).changes.create(fide_id=FIRST_ID, rating=2400, games=9, federation="USA")
    rated(staff, players[0], [(2400, 2)])
    make_result(staff, players[4], [(2000, 2)], name="Lyon")
    work = ForeignWork.objects.get(player=players[2])
    close_work(actor=staff, work_id=work.pk, reason="All games at home")
    page = text(desk.get("/office/foreign/"))
    assert "0 no results · 1 entered · 1 rated · 1 nothing to do" in page
    assert "All games at home" in page
    for state, shown in (("rated", "F0"), ("entered", "F4"), ("nothing", "F2")):
        page = text(desk.get(f"/office/foreign/?state={state}"))
        assert [name for name in ("F0", "F2", "F4") if f"Ada {name}</a>" in page] == [
            shown
        ]
    page = text(desk.get("/office/foreign/?name=f4"))
    assert "Ada F4</a>" in page
    assert "Ada F0</a>" not in page


def test_worklist_says_by_which_rule_a_member_is_included(desk, staff):
    june, _ = members_of_june(staff)
    prepare_worklist(actor=staff, list_id=june.pk)
    page = text(desk.get(f"/office/foreign/?list={june.pk}"))
    included = [part.split("<")[0] for part in page.split('data-label="Included">')[1:]]
    assert included == ["automatic", "opted in", "not opted in"]


def test_line_is_closed_with_a_reason_and_opened_again(desk, staff):
    june, players = members_of_june(staff)
    prepare_worklist(actor=staff, list_id=june.pk)
    work = ForeignWork.objects.get(player=players[0])
    url = reverse("ratings:foreign_work_line", args=[work.pk])
    assert desk.post(url, {}).status_code == 422
    desk.post(url, {"reason": "All games at home"})
    work.refresh_from_db()
    assert (work.nothing_to_do_because, work.decided_by) == (
        "All games at home",
        staff,
    )
    desk.post(url, {"reason": "All games at home"})  # the form is sent twice
    work.refresh_from_db()
    assert work.nothing_to_do_because == "All games at home"
    desk.post(url, {"reason": "One was abroad", "was_closed": "True"})
    work.refresh_from_db()
    assert (work.nothing_to_do_because, work.decided_by) == ("", None)


def queries_of(desk, url):
    with CaptureQueriesContext(connection) as queries:
        desk.get(url)
    return len(queries)


def test_worklist_takes_the_same_queries_for_any_size(desk, staff):
    fide_list = list_with_masters()
    counts = []
    for numbers in (range(2), range(2, 14)):
        for number in numbers:
            master(number)
        prepare_worklist(actor=staff, list_id=fide_list.pk)
        counts.append(queries_of(desk, "/office/foreign/"))
    assert counts[0] == counts[1]
    page = text(desk.get("/office/foreign/"))
    assert page.count('data-label="Included">automatic') == 14


def test_long_worklist_has_pages(desk, staff):
    fide_list = list_with_masters()
    for number in range(55):
        master(number)
    desk.post(f"/office/foreign/lists/{fide_list.pk}/prepare/")
    assert text(desk.get("/office/foreign/")).count('data-label="Included"') == 50
    page = text(desk.get("/office/foreign/?page=2"))
    assert page.count('data-label="Included"') == 5


def test_office_without_lists_says_what_will_stand_there(desk):
    page = text(desk.get("/office/foreign/"))
    assert "No FIDE list yet." in page
    assert '<a href="/office/fide/">Import a FIDE list</a>' in page
    assert desk.get("/office/foreign/?list=7").status_code == 422


def test_events_are_listed_the_latest_first_and_on_no_page_twice(desk, staff):
    for day in (2, 9, 5):
        make_event(
            staff, name=f"Open {day}", starts=date(2024, 5, 1), ends=date(2024, 5, day)
        )
    assert [event.name for event in foreign_events()] == ["Open 9", "Open 5", "Open 2"]
    page = text(desk.get(reverse("ratings:foreign_events")))
    assert page.index("Open 9") < page.index("Open 5") < page.index("Open 2")


# --- Results ---


def test_event_shows_what_is_in_the_way(desk, staff):
    list_with_masters()
    event = make_event(staff)
    make_result(staff, master(1), [(2400, 2), (None, 1)], event=event)
    make_result(staff, make_player(federation="USA"), [(2400, 2)], event=event)
    page = text(desk.get(f"/office/foreign/events/{event.pk}/"))
    assert "FIDE 2400: ratings of 2200 and up are updated automatically." in page
    assert "The member had no Regular rating at this event." in page
    assert "hasn’t been imported" not in page
    FideList.objects.update(state="refused")
    page = text(desk.get(f"/office/foreign/events/{event.pk}/"))
    assert "The FIDE list of May 1, 2024 hasn’t been imported" in page


def test_event_takes_the_same_queries_for_any_size(desk, staff):
    list_with_masters()
    event = make_event(staff)
    url = f"/office/foreign/events/{event.pk}/"
    counts = []
    for numbers in (range(2), range(2, 10)):
        for number in numbers:
            make_result(staff, master(number), [(2400, 2)], event=event)
        counts.append(queries_of(desk, url))
    assert counts[0] == counts[1]
    assert text(desk.get(url)).count("are updated automatically") == 10


def test_check_makes_ready_what_may_be_rated(desk, staff):
    list_with_masters()
    event = make_event(staff)
    good = make_result(staff, master(1), [(2400, 2)], event=event)
    bad = make_result(staff, make_player(), [(2400, 2)], event=event)
    response = desk.post(f"/office/foreign/events/{event.pk}/check/")
    assert response.url == f"/office/foreign/preview/?event={event.pk}"
    assert dict(ForeignResult.objects.values_list("pk", "status")) == {
        good.pk: "ready",
        bad.pk: "draft",
    }


def decide(desk, result, decision, reason=""):
    url = f"/office/foreign/results/{result.pk}/"
    return desk.post(url, {"decision": decision, "reason": reason})


def test_decisions_are_offered_where_they_can_be_made(desk, staff):
    store_list({FIRST_ID: (2400, 9, "GER"), FIRST_ID + 1: (2400, 9, "USA")})
    foreigner = make_result(staff, master(0), [(2400, 2)])
    page = text(desk.get(f"/office/foreign/results/{foreigner.pk}/"))
    assert 'value="admit"' in page
    assert 'value="double"' not in page
    response = decide(desk, foreigner, "ready")
    assert response.status_code == 422
    assert "Federation GER, not USA." in text(response)
    assert decide(desk, foreigner, "admit").status_code == 422
    decide(desk, foreigner, "admit", "Lives in Ohio")
    decide(desk, foreigner, "ready")
    foreigner.refresh_from_db()
    assert (foreigner.status, foreigner.admitted_because) == ("ready", "Lives in Ohio")
    decide(desk, foreigner, "leave_out", "Rapid games")
    assert decide(desk, foreigner, "ready").status_code == 422
    decide(desk, foreigner, "take_in", "Standard after all")
    foreigner.refresh_from_db()
    assert foreigner.status == "draft"


def test_result_from_before_the_known_rules_can_still_be_left_out(desk, staff):
    list_with_masters()
    days = {"starts": date(2018, 5, 4), "ends": date(2018, 5, 12)}
    result = make_result(staff, master(), [(2400, 2)], **days)
    page = desk.get(f"/office/foreign/results/{result.pk}/")
    assert "We do not have all rules for sections that start on May 4, 2018" in (
        text(page)
    )
    assert decide(desk, result, "ready").status_code == 422
    decide(desk, result, "leave_out", "Wrong dates")
    result.refresh_from_db()
    assert result.status == "excluded"


def test_double_is_shown_with_its_place(desk, staff):
    list_with_masters()
    player = master()
    first = make_result(staff, player, [(2400, 2)])
    second = make_result(staff, player, [(2400, 2)], name="Festival")
    url = f"/office/foreign/results/{second.pk}/"
    page = text(desk.get(url))
    assert "1 game with the same opponent and score also appears in Paris Open" in page
    assert f'href="/office/foreign/events/{first.event_id}/"' in page
    decide(desk, second, "double", "Two games on one day")
    decide(desk, second, "ready")
    second.refresh_from_db()
    assert second.status == "ready"


def let_pass(submission):
    """Accept a report of games rated abroad, with the approval of the office."""
    staff = make_staff()
    override_findings(
        submission_id=submission.pk,
        actor=staff,
        finding_keys=["section.rated_abroad|s1|||name"],
        reason="Two games on one day.",
    )
    submit_report(submission_id=submission.pk, actor=staff)
    accept_report(submission_id=submission.pk, actor=make_staff())


def test_games_reported_at_home_later_are_shown_with_the_rated_result(desk, staff):
    list_with_masters()
    ada = master(1)
    bo = make_player(given_name="Bo", family_name="Berg", fide_id="611")
    event = make_event(staff)
    result = enter_result(
        actor=staff,
        event_id=event.pk,
        player=ada,
        games=[game(1, 2, name="Berg, Bo", rating=2400)],
    )
    mark_ready(actor=staff, result_id=result.pk)
    rate_if_eligible(result_id=result.pk)
    td = make_td()
    let_pass(upload(td, event_report(td, [section_report([ada, bo], ["W2W", "L1B"])])))
    page = text(desk.get(f"/office/foreign/results/{result.pk}/"))
    assert (
        "also appears in May Open, section 1, rated at home on overlapping days."
        in page
    )
    assert "Possible duplicate" in text(desk.get(f"/office/foreign/events/{event.pk}/"))


# --- Preview and batch ---


def test_preview_rates_what_is_chosen(desk, staff):
    list_with_masters()
    event = make_event(staff)
    ada = ready(staff, master(1), [(2400, 2), (None, 1)], event=event)
    eve = ready(staff, master(2), [(2400, 1)], event=event)
    page = text(desk.get(f"/office/foreign/preview/?event={event.pk}"))
    assert page.count('data-label="Before">2300.00</td>') == 2
    assert "2468.00" in page
    assert "not rated" in page
    response = desk.post("/office/foreign/preview/", {"result": [ada.pk]})
    job = response.url
    assert "0 of 1 rated" in text(desk.get(job))
    run_due_jobs()
    assert "Rated 1." in text(desk.get(job))
    assert dict(ForeignResult.objects.values_list("pk", "status")) == {
        ada.pk: "rated",
        eve.pk: "ready",
    }


def test_preview_of_nothing_says_so(desk):
    assert "No results are ready to rate." in text(desk.get("/office/foreign/preview/"))
    response = desk.post("/office/foreign/preview/", {"result": ["7", "x"]})
    assert response.url == "/office/foreign/events/"


def test_batch_says_what_it_could_not_rate(desk, staff):
    list_with_masters()
    result = ready(staff, master(), [(2400, 2)])
    result.player.memberships.all().delete()
    job = desk.post("/office/foreign/preview/", {"result": [result.pk]}).url
    run_due_jobs()
    assert "No membership on May 12, 2024" in text(desk.get(job))
    page = text(desk.get(job, headers={"hx-request": "true"}))
    assert page.startswith('<section id="progress">')


# --- Permissions ---


@pytest.mark.parametrize(
    "path",
    [
        "/office/foreign/",
        "/office/foreign/events/",
        "/office/foreign/events/1/",
        "/office/foreign/results/1/",
        "/office/foreign/preview/",
        "/office/foreign/events/new/",
        "/office/foreign/upload/",
        "/office/foreign/template.csv",
    ],
)
def test_pages_are_for_those_who_may_rate_foreign_events(client, path):
    assert client.get(path)["Location"] == f"/accounts/login/?next={path}"
    client.force_login(make_user(is_staff=True))
    assert is_closed(client.get(path))
