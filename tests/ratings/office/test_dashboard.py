"""The office's dashboard: pending items, status, and reports."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from django.utils import timezone

from events.foreign.services.worklist import close_work
from events.models import (
    CorrectionRequest,
    EventRegistration,
    ForeignResult,
    ForeignWork,
    OfficeTask,
    PendingMember,
    Submission,
)
from events.reports.services.messages import write_message
from events.reports.services.submissions import return_report, submit_report
from players.models import Claim, FideList, FideOptIn, ForgetRequest, PrivacyRequest
from ratings.lists.queries.official import written_moment
from ratings.models import FloorRequest, ListDraft, OfficialList, RerateMark, Run
from ratings_site.common.dashboard.queries import (
    pending_items,
    register_pending,
    status_lines,
)
from ratings_site.common.models import Job, PendingAct
from tests.events.foreign.factories import foreign_staff, make_result, store_list
from tests.events.reports.test_report_pages import quad, text_of
from tests.factories import (
    make_affiliate,
    make_player,
    make_staff,
    make_td,
    make_user,
    rated_section,
    upload,
)

pytestmark = pytest.mark.django_db

OFFICE = "/office/"
NOW = datetime(2024, 5, 22, 12, tzinfo=UTC)
JUNE = date(2024, 6, 1)


@pytest.fixture
def td():
    return make_td("td")


@pytest.fixture
def signed_in(client):
    client.force_login(make_staff("staff"))
    return client


def submitted(td, **event) -> Submission:
    submission = upload(td, quad(td, **event))
    return submit_report(submission_id=submission.pk, actor=td)


def lines(now: datetime = NOW) -> dict[str, tuple[int, str, int]]:
    return {
        line.what: (line.number, line.waits, line.overdue)
        for line in pending_items(now)
    }


def abroad() -> list[tuple[str, int, str]]:
    """The pending lines of players abroad: words, count and URL."""
    return [
        (line.what, line.number, line.url)
        for line in pending_items(NOW)
        if "to check for the FIDE list" in line.what
    ]


def standing(label: str, now: datetime = NOW):
    (line,) = [line for line in status_lines(now) if line.label == label]
    return line


class TestPendingWork:
    def test_an_empty_office_says_what_would_wait(self, signed_in):
        words = text_of(signed_in.get(OFFICE))
        assert "Nothing to do: " in words
        for what in ("reports to review", "floor requests", "correction requests"):
            assert what in words
        assert "overdue" not in words

    def test_lines_have_a_fixed_order(self):
        assert list(lines()) == [
            "reports to review",
            "reports with unread messages",
            "ratings to look up",
            "new members without an ID",
            "correction requests",
            "floor requests",
            "actions awaiting second approval",
            "registered events without a report",
            "link requests",
            "requests for TD certification",
            "FIDE opt-out requests",
            "privacy requests",
            "deletion requests",
            "foreign results to rate",
        ]

    def test_two_lines_cannot_share_a_place(self):
        with pytest.raises(ValueError, match="Two pending items have the order 10"):
            register_pending(10)

    def test_each_line_counts_what_is_open_and_what_is_overdue(self, td):
        now = timezone.now()
        first, second = submitted(td, name="First"), submitted(td, name="Second")
        Submission.objects.filter(pk=first.pk).update(
            submitted_at=now - timedelta(days=8)
        )
        submitted_but_returned = submitted(td, name="Third")
        return_report(
            submission_id=submitted_but_returned.pk, actor=make_staff(), note="Hm."
        )
        said = lines(now)
        assert said["reports to review"] == (2, "8 days", 1)
        assert not any("draft" in what for what in said)
        assert second.state == "submitted"

    def test_requests_of_each_kind_are_counted_until_decided(self):
        now = timezone.now()
        section = rated_section(players=4)
        staff = make_staff()
        player = make_player()
        for state, status in (("asked", "asked"), ("refused", "refused")):
            CorrectionRequest.objects.create(
                section=section,
                kind="other",
                text="I won.",
                change_digest=state,
                seen_version=1,
                asked_by=staff,
                state=state,
                **(
                    {"decided_by": staff, "decided_at": now, "decision_reason": "No."}
                    if state == "refused"
                    else {}
                ),
            )
            FloorRequest.objects.create(
                player=player,
                system="OTBR",
                floor=1500,
                day=date(2024, 5, 1),
                status=status,
                decision_reason="" if status == "asked" else "No.",
            )
        PendingAct.objects.create(
            kind="x", title="An act", reason="Why", proposed_by=staff
        )
        CorrectionRequest.objects.update(asked_at=now - timedelta(days=30))
        said = lines(now)
        assert said["correction request"] == (1, "30 days", 1)
        assert said["floor request"] == (1, "just now", 0)
        assert said["action awaiting second approval"] == (1, "just now", 0)

    def test_what_is_overdue_comes_first(self, td):
        now = timezone.now()
        PendingAct.objects.create(
            kind="x", title="An act", reason="Why", proposed_by=make_staff()
        )
        late = submitted(td)
        Submission.objects.filter(pk=late.pk).update(
            submitted_at=now - timedelta(days=7, minutes=1)
        )
        said = [(line.what, line.overdue) for line in pending_items(now) if line.number]
        assert said == [("report to review", 1), ("action awaiting second approval", 0)]

    def test_players_abroad_stay_pending_until_reviewed(self, signed_in):
        """One line for each list with pending players, the oldest first."""
        may, june = store_list({}, state="stored"), store_list({}, day=JUNE)
        refused = store_list({}, day=date(2024, 7, 1), state="refused")
        ada, bea = make_player(), make_player()
        for fide_list, player in ((june, ada), (june, bea), (may, ada), (refused, ada)):
            ForeignWork.objects.create(fide_list=fide_list, player=player, games=9)
        address = "/office/foreign/?list={}&state=to_do"
        of_may = "player to check for the FIDE list of May 2024", 1
        of_june = "players to check for the FIDE list of June 2024", 2
        assert abroad() == [
            (*of_may, address.format(may.pk)),
            (*of_june, address.format(june.pk)),
        ]
        # FIDE rated an event of April for the list of May: June does not change.
        april = {"starts": date(2024, 4, 6), "ends": date(2024, 4, 9)}
        make_result(foreign_staff(), ada, [(1900, 2)], **april)
        assert abroad() == [(*of_june, address.format(june.pk))]
        for work in june.foreign_work.all():
            close_work(actor=foreign_staff(), work_id=work.pk, reason="At home.")
        assert abroad() == []

    def test_the_column_of_the_overdue_stands_where_something_is(self, signed_in, td):
        late = submitted(td)
        assert "Overdue" not in text_of(signed_in.get(OFFICE))
        Submission.objects.filter(pk=late.pk).update(
            submitted_at=timezone.now() - timedelta(days=8)
        )
        words = text_of(signed_in.get(OFFICE))
        assert "1 report to review report to review 8 days 1 overdue" in words


class TestSystemStatus:
    def test_pending_rerates_show_count_and_first_day(self):
        assert standing("Pending rerates").text == "none: all events are rated in order"
        run = Run.objects.create(kind="rerate", status="discarded")
        for day, taken in ((20, None), (4, None), (1, run)):
            RerateMark.objects.create(
                kind="late", from_day=date(2024, 5, day), note="Late.", run=taken
            )
        assert standing("Pending rerates").text == "2 pending rerates, from May 4, 2024"

    def test_the_open_rerate_shows_its_progress(self):
        assert standing("Rerate").text == "none yet"
        run = Run.objects.create(
            kind="rerate", status="running", progress={"done": 30, "total": 120}
        )
        line = standing("Rerate", timezone.now())
        assert line.text == f"number {run.pk}, open for just now: running"
        assert line.percent == 25

    def test_a_published_and_a_failed_rerate_are_told_apart(self):
        run = Run.objects.create(
            kind="rerate",
            status="published",
            published_at=datetime(2024, 5, 20, tzinfo=UTC),
            publish_reason="All clear.",
        )
        assert (
            standing("Rerate").text
            == f"none open. Last: number {run.pk}, published, May 20, 2024"
        )
        run = Run.objects.create(kind="rerate", status="failed", message="Disk full.")
        line = standing("Rerate")
        assert (line.text, line.level) == (
            f"number {run.pk} failed: Disk full.",
            "error",
        )

    def test_a_what_if_is_no_rerate(self):
        Run.objects.create(kind="what_if", status="running")
        assert standing("Rerate").text == "none yet"

    @pytest.mark.parametrize(
        ("now", "level", "more"),
        [
            (datetime(2024, 6, 5, 12, tzinfo=UTC), "good", ""),
            (datetime(2024, 6, 6, 12, tzinfo=UTC), "warning", ". A newer list is due."),
        ],
    )
    def test_the_fide_list_in_force_is_named_and_grows_old(self, now, level, more):
        assert standing("FIDE list").text == "none imported yet"
        FideList.objects.create(
            list_date=date(2024, 5, 1),
            state="current",
            finished_at=datetime(2024, 5, 2, tzinfo=UTC),
            rows=1234567,
            size=1,
        )
        line = standing("FIDE list", now)
        assert line.text == f"May 2024, 1,234,567 players, imported May 2, 2024{more}"
        assert line.level == level

    def test_the_next_list_is_due_from_its_cut_off(self):
        # The third Wednesday of May 2024 is the 15th; 23:45 in Chicago is 04:45 UTC.
        cut_off = datetime(2024, 5, 16, 4, 45, tzinfo=UTC)
        OfficialList.objects.create(
            month=date(2024, 5, 1),
            cut_off=datetime(2024, 4, 18, 4, 45, tzinfo=UTC),
            members=1,
            prepared_at=cut_off,
            published_at=datetime(2024, 4, 20, tzinfo=UTC),
            reason="As every month.",
        )
        before = cut_off - timedelta(seconds=1)
        assert (
            standing("Official list", before).text == "May 2024, published Apr 20, 2024"
        )
        assert standing("Next list", before).text == (
            f"June 2024. Cutoff: {written_moment(cut_off)}"
        )
        assert standing("Next list", cut_off).text == (
            f"June 2024 needs to be prepared. Cutoff: {written_moment(cut_off)}"
        )
        ListDraft.objects.create(
            month=date(2024, 6, 1), cut_off=cut_off, prepared_at=cut_off
        )
        assert standing("Next list", cut_off).text == (
            f"June 2024 is ready to review. Cutoff: {written_moment(cut_off)}"
        )

    def test_failed_jobs_stand_out_until_tried_again(self):
        assert (
            standing("Background jobs").text == "no failed jobs; 0 running, 0 waiting"
        )
        ended = NOW - timedelta(hours=2)
        for state in ("failed", "done"):
            Job.objects.create(
                kind="test.work",
                key=state,
                state=state,
                run_after=ended,
                finished_at=ended,
            )
        line = standing("Background jobs")
        assert line.text == (
            "1 failed job to retry; 0 running, 0 waiting, last completed 2 hours ago"
        )
        assert line.level == "error"
        Job.objects.create(
            kind="test.work", key="failed", state="queued", run_after=NOW
        )
        assert standing("Background jobs").level != "error"

    def test_every_line_leads_somewhere(self):
        for line in [*status_lines(NOW), *pending_items(NOW)]:
            assert line.url.startswith("/office/"), line


class TestReports:
    """The list of reports, filtered by the form above it."""

    @pytest.fixture
    def reports(self, td):
        """Three pending reports of two clubs, two days, and two sizes."""
        mine = submitted(td, name="Spring Open")
        other = submitted(td, name="Autumn Open", starts=date(2024, 5, 1))
        small = submitted(make_td("tessa"), name="Small Quad")
        club = make_affiliate("B6000001", name="Ohio Chess", state="OH")
        Submission.objects.filter(pk=other.pk).update(
            affiliate=club, ends=date(2024, 6, 30)
        )
        Submission.objects.filter(pk=small.pk).update(entry_count=2)
        return mine, other, small

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ({}, ["Spring Open", "Autumn Open", "Small Quad"]),
            ({"name": "open"}, ["Spring Open", "Autumn Open"]),
            ({"affiliate": "ohio"}, ["Autumn Open"]),
            ({"affiliate": "b6000001"}, ["Autumn Open"]),
            ({"state": "oh"}, ["Autumn Open"]),
            ({"td": "tess"}, ["Small Quad"]),
            ({"since": "2024-06-30"}, ["Autumn Open"]),
            ({"until": "2024-06-29"}, ["Spring Open", "Small Quad"]),
            ({"fewest": "4"}, ["Spring Open", "Autumn Open"]),
            ({"most": "2"}, ["Small Quad"]),
            ({"most": "0"}, []),
            ({"report": "open"}, []),
            ({"report": "any"}, ["Small Quad", "Autumn Open", "Spring Open"]),
        ],
        ids=str,
    )
    def test_each_field_narrows(self, signed_in, reports, query, found):
        table = signed_in.get(OFFICE, query).context["table"]
        assert [row.record.event_name for row in table.page] == found

    def test_reports_of_other_states_say_who_has_them(self, signed_in, reports, td):
        _, other, _ = reports
        return_report(submission_id=other.pk, actor=make_staff("rita"), note="Hm.")
        upload(td, quad(td, name="Still Open"))
        found = text_of(signed_in.get(OFFICE, {"report": "any"}))
        words = re.sub(r"\d+ days late", "N days late", found)
        waiting = "N days late 4 1 warning"
        come = f"submitted {waiting}"
        assert f"Autumn Open Jun 30, 2024 {come} Returned for changes td" in words
        assert f"Still Open May 5, 2024 {waiting} Draft td" in words
        assert f"Spring Open May 5, 2024 {come} Unassigned td" in words
        words = text_of(signed_in.get(OFFICE, {"report": "returned"}))
        assert "1 report found" in words

    @pytest.mark.parametrize(
        ("query", "sentence"),
        [
            ({"report": "lost"}, "not one of the available choices"),
            ({"state": "Ohio"}, "Enter a two-letter state, such as IL."),
            ({"since": "soon"}, "Enter a date between 1900 and 2999"),
            ({"fewest": "-1"}, "Enter a number of entries, such as 40."),
            ({"most": "9" * 40}, "Enter a number of entries, such as 40."),
            ({"name": "\x00"}, "Null characters"),
        ],
    )
    def test_a_field_with_a_fault_is_named_and_passed_over(
        self, signed_in, reports, query, sentence
    ):
        response = signed_in.get(OFFICE, query)
        assert response.status_code == 422
        assert sentence in text_of(response)
        assert "Spring Open" in text_of(response)


@pytest.mark.parametrize("number", [1, 8])
def test_the_page_takes_the_same_queries_for_any_number(
    signed_in, td, django_assert_num_queries, number
):
    section = rated_section(players=4)
    fide_list = store_list({})
    for n in range(number):
        submitted(td, name=f"Open {n}")
        ForeignWork.objects.create(fide_list=fide_list, player=make_player(), games=9)
        RerateMark.objects.create(kind="late", from_day=date(2024, 5, 4), note="Late.")
        PendingAct.objects.create(
            kind="x", title="An act", reason="Why", proposed_by=td
        )
        Job.objects.create(
            kind="ratings.rate_section",
            key=f"test {n}",
            args={"section_id": section.pk},
            state="failed",
            run_after=NOW,
        )
    with django_assert_num_queries(40):
        response = signed_in.get(OFFICE)
    assert len(response.context["failed"]) == number


def test_the_menu_leads_to_every_page_of_the_office(signed_in):
    """Two clicks from the dashboard: a group, then a page of the group."""
    groups = [
        link.url for link in signed_in.get(OFFICE).context["office"]["menu"].groups
    ]
    menus = [signed_in.get(url).content.decode() for url in groups]
    for address in (
        "corrections",
        "approvals",
        "audit",
        "jobs",
        "permissions",
        "lists",
    ):
        assert any(f'href="/office/{address}/"' in menu for menu in menus), address
    # no office, no menu
    assert signed_in.get("/events/").context["office"]["menu"] is None


def test_members_who_look_alike_are_counted_apart_from_the_page(signed_in):
    """Comparing all members takes long, so the page loads it separately."""
    url, part = "/office/people-waiting/", {"HTTP_HX_REQUEST": "true"}
    words = text_of(signed_in.get(url, **part))
    assert words.split("0 ")[1].strip().startswith("No possible duplicates, and no")
    for number in ("12000001", "12000002"):
        make_player(number, "Bea", "Byron", birth_date=date(2001, 2, 3))
    assert "1 possible duplicates" in text_of(signed_in.get(url, **part))
    page = signed_in.get(OFFICE).content.decode()
    assert 'hx-get="/office/people-waiting/" hx-trigger="load"' in page
    # Without scripts, the link opens the whole page with the counts in it.
    whole = signed_in.get(url)
    assert "1 possible duplicates" in text_of(whole)
    assert "System status" in text_of(whole)
    assert 'hx-trigger="load"' not in whole.content.decode()


class TestCountsAndRows:
    """Each count of the to-do list links to exactly the rows that it counts."""

    @pytest.mark.parametrize("number", [0, 1, 3])
    def test_linked_pages_have_as_many_rows_as_the_list_says(self, client, td, number):
        fill_office(td, number)
        client.force_login(make_user("all", is_staff=True, is_superuser=True))
        items = pending_items(timezone.now())
        found = {line.what: len(rows_at(client, line.url)) for line in items}
        assert found == {line.what: line.number for line in items}
        assert {line.number for line in items} == {number}
        assert len(items) == (15 if number else 14)

    def test_lookups_beyond_the_first_fifty_are_on_a_second_page(self, signed_in, td):
        report = submitted(td)
        for _ in range(50):
            add_lookup(report)
        first = signed_in.get(OFFICE).content.decode()
        assert len(rows_in(first, "tasks")) == 50
        assert "tasks=2" not in first
        add_lookup(report)
        first = signed_in.get(OFFICE).content.decode()
        assert len(rows_in(first, "tasks")) == 50
        assert 'href="?tasks=2#tasks"' in first
        second = signed_in.get(OFFICE, {"tasks": "2"}).content.decode()
        assert len(rows_in(second, "tasks")) == 1
        for odd in ("0", "-1", "x", "9" * 30):  # the nearest page, never an empty one
            odd_page = signed_in.get(OFFICE, {"tasks": odd}).content.decode()
            assert len(rows_in(odd_page, "tasks")) in (1, 50)


def fill_office(td, number: int) -> None:
    """Create *number* rows of everything that the to-do list counts."""
    staff, now, today = foreign_staff(), timezone.now(), timezone.localdate()
    section = rated_section(players=4)
    fide_list = store_list({})
    for n in range(number):
        report = submitted(td, name=f"Open {n}")
        write_message(submission=report, actor=td, text="Hello.")
        add_lookup(report)
        PendingMember.objects.create(
            submission=report,
            number="NEW-1",
            given_name="Sam",
            family_name=f"Newman{'abc'[n]}",
            birth_date=date(2016, 5, 17),
            told_by=td,
        )
        CorrectionRequest.objects.create(
            section=section,
            kind="other",
            text="I won.",
            change_digest=str(n),
            seen_version=1,
            asked_by=staff,
        )
        player, account = make_player(), make_user()
        FloorRequest.objects.create(
            player=player, system="OTBR", floor=1500, day=date(2024, 5, 1)
        )
        PendingAct.objects.create(
            kind="x", title="An act", reason="Why", proposed_by=staff
        )
        EventRegistration.objects.create(
            name=f"Late {n}",
            starts=today - timedelta(20),
            ends=today - timedelta(20),
            affiliate=report.affiliate,
            chief=td.player,
            registered_by=td,
        )
        for as_td in (False, True):
            Claim.objects.create(
                player=player, account=account, state="asked", asked_at=now, as_td=as_td
            )
        FideOptIn.objects.create(
            player=player,
            entered_by=staff,
            opted_in_on=today - timedelta(9),
            opt_out_asked_on=today,
        )
        ForgetRequest.objects.create(player=player, account=account)
        PrivacyRequest.objects.create(player=player, account=account, make_private=True)
        make_result(staff, player, [(1900, 2)])
        ForeignWork.objects.create(fide_list=fide_list, player=make_player(), games=9)
    ForeignResult.objects.update(status="ready")
    # Neither decided nor unrelated rows are counted.
    FideOptIn.objects.create(player=make_player(), entered_by=staff, opted_in_on=today)
    upload(td, quad(td, name="Draft"))


def add_lookup(report: Submission) -> None:
    OfficeTask.objects.create(submission=report, player=make_player(), body="FIDE")


def rows_at(client, url: str) -> list[str]:
    """Return the rows of a page, or of its part that the anchor names."""
    address, _, anchor = url.partition("#")
    response = client.get(address)
    assert response.status_code == 200, url
    if re.fullmatch("/office/directors/[0-9]+/", address):  # a single one
        return [address]
    return rows_in(response.content.decode(), anchor)


def rows_in(page: str, anchor: str = "") -> list[str]:
    part = page[page.index("<main") : page.index("</main>")]
    if anchor:
        part = part[part.index(f'<section id="{anchor}"') :]
        part = part[: part.index("</section>")]
    else:
        part = part.partition('<section id="decided"')[0]
    bodies = re.findall("<tbody>(.*?)</tbody>", part, re.DOTALL)
    if bodies:
        return re.findall("<tr", bodies[0])
    lists = re.findall('<ul class="lines">(.*?)</ul>', part, re.DOTALL)
    return re.findall("<li", lists[0]) if lists else []
