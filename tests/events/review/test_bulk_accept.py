"""Bulk acceptance: clean reports, preview, result."""

import re
from dataclasses import replace
from datetime import date, timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse

from events.models import Event, OfficeTask, Submission
from events.reports.services.messages import write_message
from events.reports.services.submissions import (
    return_report,
    set_event,
    submit_report,
)
from events.review.queries.bulk_eligibility import ineligible_reports, with_open_items
from events.review.queries.previews import acceptance_previews, return_preview
from events.review.services.acceptance import accept_report
from events.review.services.bulk_acceptance import bulk_accept
from events.review.services.claims import claim_report
from events.review.tasks import enqueue_acceptance
from ratings_site.common.audit.services import entries_about
from ratings_site.common.jobs.services import page_of, run_due_jobs
from ratings_site.common.models import Job
from tests.events.newcomers.reports import report_newcomer, report_with_newcomer
from tests.events.reports.test_report_pages import database_state, quad
from tests.factories import (
    END,
    accepted_event,
    event_report,
    make_player,
    make_staff,
    make_td,
    make_user,
    rated_event,
    section_report,
    swiss_rows,
    upload,
)

pytestmark = pytest.mark.django_db

LIST = "/office/reports/several/"
ACCEPT = "/office/reports/accept/"


@pytest.fixture
def td():
    return make_td("td")


@pytest.fixture
def staff():
    return make_staff("staff")


@pytest.fixture
def signed_in(client, staff):
    client.force_login(staff)
    return client


def submitted(td, name: str = "May Open", *, days: int = 0) -> Submission:
    day = END - timedelta(days=days)
    report = quad(td, name=name, starts=day, ends=day)
    submission = upload(td, report)
    return submit_report(submission_id=submission.pk, actor=td)


def why(submission: Submission, actor) -> str | None:
    report = with_open_items(Submission.objects.all()).get(pk=submission.pk)
    out = ineligible_reports([report], actor).get(submission.pk)
    return out and out.why.value


def shown(*submissions: Submission) -> dict[int, int]:
    return {one.pk: Submission.objects.get(pk=one.pk).version for one in submissions}


def listed(response) -> list[int]:
    found = re.findall(rb'name="report" value="([0-9]+):[0-9]+"', response.content)
    return [int(one) for one in found]


def states(*submissions: Submission) -> list[str]:
    found = Submission.objects.in_bulk([one.pk for one in submissions])
    return [found[one.pk].state for one in submissions]


def codes_of(lines):
    return [line.code for line in lines]


class TestCleanReports:
    def test_a_report_without_anything_open_is(self, td, staff):
        assert why(submitted(td), staff) is None

    def test_one_that_the_clerk_took_is_clean_for_them_alone(self, td, staff):
        report = submitted(td)
        claim_report(submission_id=report.pk, actor=staff, holder_id=None)
        assert why(report, staff) is None
        assert why(report, make_staff()) == "taken"

    def test_own_reports_need_another_clerk(self, td, staff):
        report = submitted(td)
        assert why(report, td) == "own"
        staff.invited_by = td
        staff.save()
        assert why(report, staff) == "own"

    @pytest.mark.parametrize(
        ("counts", "expected"),
        [
            ({"error": 1}, "findings"),
            ({"confirm": 2}, "findings"),
            ({"overridden": 2, "caution": 1, "note": 3}, None),
        ],
    )
    def test_nothing_may_be_left_to_settle(self, td, staff, counts, expected):
        report = submitted(td)
        Submission.objects.filter(pk=report.pk).update(finding_counts=counts)
        assert why(report, staff) == expected

    def test_nothing_may_wait_to_be_looked_up_or_answered(self, td, staff):
        report, other = submitted(td), submitted(td, "Other", days=2)
        OfficeTask.objects.create(
            submission=report, player=td.player, body="FIDE", rating="1600"
        )
        write_message(submission=other, actor=td, text="Please wait for round 3.")
        assert why(report, staff) == "look_up"
        assert why(other, staff) == "unread"

    def test_decided_reports_are_left_out(self, td, staff):
        report = submitted(td)
        accept_report(submission_id=report.pk, actor=staff)
        assert why(report, staff) == "decided"


class TestPreview:
    def effects(self, td, sections, **event) -> list[str]:
        submission = upload(td, event_report(td, sections, **event))
        return codes_of(acceptance_previews([submission], td)[0])

    def quad(self, members, **fields):
        return section_report(members, swiss_rows(4, 3), **fields)

    def members(self):
        return [make_player() for _ in range(4)]

    def test_systems_and_members_are_counted_once(self, td):
        members = self.members()
        submission = upload(
            td,
            event_report(
                td,
                [
                    self.quad(members, number=1),
                    self.quad(members, number=2, time_control="G/45;d5"),
                    self.quad(self.members(), number=3, time_control="G/45;d5"),
                ],
            ),
        )
        [what] = acceptance_previews([submission], td)
        assert [one.sentence for one in what] == [
            "1 section: Regular.",
            "2 sections: Regular, Quick.",
            "The ratings of 8 members change.",
            "In date order, so no rerate is needed.",
        ]

    @pytest.mark.parametrize(
        ("ends", "expected"),
        [
            (END - timedelta(days=1), "late"),
            (END, "in_order"),
            (END + timedelta(days=1), "in_order"),
        ],
    )
    def test_late_is_what_ended_before_something_rated(self, td, ends, expected):
        members = self.members()
        rated_event(td, event_report(td, [self.quad(members)], starts=END))
        codes = self.effects(td, [self.quad(members)], starts=ends, ends=ends)
        assert expected in codes
        others = self.effects(td, [self.quad(self.members())], starts=ends, ends=ends)
        assert "in_order" in others

    def test_what_is_said_of_late_is_what_rating_does(self, td, staff):
        members = self.members()
        rated_event(td, event_report(td, [self.quad(members)]))
        day = date(2024, 4, 6)
        report = event_report(td, [self.quad(members)], starts=day, ends=day)
        [what] = acceptance_previews(
            [upload(td, replace(report, name="Late Open"))], staff
        )
        [late] = [one for one in what if one.code == "late"]
        rated = rated_event(td, replace(report, name="The same"))
        mark = rated.sections.get().rerate_marks.get()
        assert (mark.kind, mark.from_day) == ("late", day)
        assert "a pending rerate on Apr 6, 2024" in late.sentence

    def test_newcomers_and_playing_directors_are_told(self, td):
        report = report_with_newcomer(td).with_entry(
            1, 2, member_id=td.player.member_id, name="DIRECTOR, TESSA"
        )
        [what] = acceptance_previews([report_newcomer(td, report)], td)
        assert codes_of(what) == ["sections", "members", "in_order", "waits", "plays"]
        assert "4 members" in what[1].sentence

    def test_returning_says_who_is_told(self, td):
        what = return_preview(submitted(td), td)
        assert codes_of(what) == ["leaves", "told", "handed_in", "final", "alone"]

    def test_who_has_taken_it_is_named_to_the_others(self, td, staff):
        report = submitted(td)
        claim_report(submission_id=report.pk, actor=staff, holder_id=None)
        report.refresh_from_db()
        other = make_staff()
        assert "taken" in codes_of(acceptance_previews([report], other)[0])
        assert "taken" in codes_of(return_preview(report, other))
        assert "taken" not in codes_of(acceptance_previews([report], staff)[0])


class TestService:
    def test_each_is_accepted_in_the_order_of_the_events(self, td, staff):
        newer, older = submitted(td, "Newer"), submitted(td, "Older", days=3)
        done = bulk_accept(versions=shown(newer, older), actor=staff, reason="Mon")
        assert [event.name for event in done.events] == ["Older", "Newer"]
        assert done.ineligible_reports == []
        assert Job.objects.count() == 2
        for report in (newer, older):
            entry = entries_about(report).get(action="submission.accepted")
            assert (entry.actor, entry.reason) == (staff, "Mon")

    def test_one_that_changed_is_left_out_and_the_rest_accepted(self, td, staff):
        good, changed = submitted(td, "Good"), submitted(td, "Changed", days=3)
        versions = shown(good, changed)
        return_report(submission_id=changed.pk, actor=staff, note="Which city?")
        set_event(
            submission_id=changed.pk,
            actor=td,
            version=versions[changed.pk],
            changes={"city": "Rome"},
        )
        submit_report(submission_id=changed.pk, actor=td)
        done = bulk_accept(versions=versions, actor=staff)
        assert [event.name for event in done.events] == ["Good"]
        assert [(one.pk, one.why) for one in done.ineligible_reports] == [
            (changed.pk, "changed")
        ]
        assert states(good, changed) == ["accepted", "submitted"]

    def test_records_that_changed_are_found_as_one_by_one(self, td, staff):
        report = submitted(td)
        report.affiliate.expires = date(2020, 1, 1)
        report.affiliate.save()
        done = bulk_accept(versions=shown(report), actor=staff)
        assert [one.why for one in done.ineligible_reports] == ["refused"]
        assert why(report, staff) == "findings"
        assert not Event.objects.exists()

    def test_own_taken_decided_and_unknown_ones_are_left_out(self, td, staff):
        own, taken = submitted(staff_td(staff), "Own"), submitted(td, "Taken", days=1)
        claim_report(submission_id=taken.pk, actor=make_staff(), holder_id=None)
        gone = accepted_event(td, quad(td, name="Gone")).submission
        still_open = upload(td, quad(td, name="Open", starts=date(2024, 4, 1)))
        before = database_state()
        done = bulk_accept(
            versions={**shown(own, taken, gone, still_open), 987654: 1}, actor=staff
        )
        assert done.events == []
        assert {one.pk: one.why.value for one in done.ineligible_reports} == {
            own.pk: "own",
            taken.pk: "taken",
            gone.pk: "decided",
            still_open.pk: "decided",
            987654: "not_there",
        }
        assert database_state() == before

    def test_it_takes_the_permission(self, td):
        report = submitted(td)
        with pytest.raises(PermissionDenied):
            bulk_accept(versions=shown(report), actor=make_user(is_staff=True))
        assert states(report) == ["submitted"]


def staff_td(staff):
    """Make a clerk a TD too."""
    other = make_td()
    other.player.account = staff
    other.player.save()
    staff.refresh_from_db()
    return staff


class TestPages:
    def test_ticked_ones_are_listed_and_left_out_with_the_reason(
        self, signed_in, td, staff
    ):
        good, taken = submitted(td, "Good"), submitted(td, "Taken", days=2)
        claim_report(submission_id=taken.pk, actor=make_staff(), holder_id=None)
        response = signed_in.post(LIST, {"report": [good.pk, taken.pk, "987654"]})
        assert listed(response) == [good.pk]
        assert [(one.name, one.url) for one in response.context["left_out"]] == [
            (str(taken), taken.get_absolute_url()),
            ("Report 987654", ""),
        ]
        assert states(good) == ["submitted"]

    def test_all_clean_ones_are_those_of_the_queue_as_filtered(self, signed_in, td):
        one, _other = submitted(td, "One"), submitted(td, "Other", days=2)
        address = f"{LIST}?queue=name%3DOne"
        assert listed(signed_in.post(address, {"which": "all"})) == [one.pk]
        assert len(listed(signed_in.post(LIST, {"which": "all"}))) == 2

    def test_the_queue_offers_its_clean_reports_only(self, signed_in, td):
        clean, taken = submitted(td, "Clean"), submitted(td, "Taken", days=2)
        claim_report(submission_id=taken.pk, actor=make_staff(), holder_id=None)
        page = signed_in.get("/office/").content
        ticks = re.findall(rb'type="checkbox" name="report" value="([0-9]+)"', page)
        assert ticks == [str(clean.pk).encode()]
        assert b'value="ticked" data-key="A" data-for-ticked>' in page
        sent = {"which": "page", "on_page": [str(clean.pk)]}
        assert listed(signed_in.post(LIST, sent)) == [clean.pk]

    def test_one_can_be_left_out_and_the_note_stays(self, signed_in, td):
        one, other = submitted(td, "One"), submitted(td, "Other", days=2)
        response = signed_in.post(
            LIST,
            {
                "report": [f"{one.pk}:1", f"{other.pk}:1"],
                "leave_out": one.pk,
                "reason": "Monday's",
            },
        )
        assert listed(response) == [other.pk]
        assert response.context["form"]["reason"].value() == "Monday's"

    @pytest.mark.parametrize("address", [LIST, ACCEPT])
    @pytest.mark.parametrize(
        "sent",
        [{}, {"report": "x"}, {"report": "٣:1"}, {"report": "0:0"}, {"which": "none"}],
    )
    def test_nothing_chosen_changes_nothing(self, signed_in, td, address, sent):
        submitted(td)
        before = database_state()
        response = signed_in.post(address, sent)
        assert response.status_code == 422
        assert response.context["listed"] == response.context["left_out"] == []
        assert database_state() == before

    def test_the_answer_says_what_became_of_each(self, signed_in, td):
        good, stale = submitted(td, "Good"), submitted(td, "Stale", days=2)
        sent = {"report": [f"{good.pk}:{good.version}", f"{stale.pk}:77"]}
        page = signed_in.post(f"{ACCEPT}?queue=name%3DOne", sent)["Location"]
        assert page.endswith("/?queue=name%3DOne")
        working = signed_in.get(page).content.decode()
        assert f'hx-get="{page}" hx-trigger="every 2s"' in working
        assert "You can leave this page and come back." in working
        assert page.partition("?")[0] in signed_in.get("/office/").content.decode()
        assert not Event.objects.exists()
        run_due_jobs()
        polled = signed_in.get(page, headers={"HX-Request": "true"})
        assert polled["HX-Refresh"] == "true"
        outcome = signed_in.get(page).context["outcome"]
        event = Event.objects.get()
        assert event.submission == good
        assert [(one.name, one.note) for one in outcome.done] == [
            ("Good", f"event {event.event_id}")
        ]
        assert [one.name for one in outcome.left_out] == [str(stale)]

    def test_a_second_attempt_goes_on_after_the_reports_that_are_accepted(
        self, signed_in, td, staff
    ):
        one, other = submitted(td, "One"), submitted(td, "Other", days=2)
        versions = shown(one, other)
        job = enqueue_acceptance(versions, "", staff)
        accept_report(submission_id=one.pk, actor=staff)
        Job.objects.filter(pk=job.pk).update(attempts=1)
        run_due_jobs()
        outcome = signed_in.get(page_of(job)).context["outcome"]
        assert [row.name for row in outcome.done] == ["One", "Other"]
        assert outcome.left_out == []

    def test_a_list_sent_twice_is_one_job_and_leaves_nothing_out(
        self, signed_in, td, staff
    ):
        versions = shown(submitted(td, "One"))
        job = enqueue_acceptance(versions, "", staff)
        assert enqueue_acceptance(versions, "", staff) == job
        run_due_jobs()
        late = enqueue_acceptance(versions, "", staff)
        run_due_jobs()
        outcome = signed_in.get(page_of(late)).context["outcome"]
        assert [row.name for row in outcome.done] == ["One"]
        assert outcome.left_out == []

    @pytest.mark.parametrize("reports", [2, 12])
    def test_the_answer_takes_the_same_queries_for_any_number(
        self, signed_in, td, staff, django_assert_num_queries, reports
    ):
        several = [submitted(td, f"Open {n}", days=2 * n) for n in range(reports)]
        job = enqueue_acceptance(shown(*several), "", staff)
        run_due_jobs()
        with django_assert_num_queries(7):
            page = signed_in.get(page_of(job))
        assert len(page.context["outcome"].done) == reports

    def test_a_failed_job_shows_what_it_left(self, signed_in, td, staff):
        report = submitted(td)
        job = enqueue_acceptance(shown(report), "", staff)
        Job.objects.filter(pk=job.pk).update(state="failed", message="No disk space.")
        [row] = signed_in.get(page_of(job)).context["outcome"].left_out
        assert (row.name, row.sentence) == (str(report), "No disk space.")

    def test_a_refused_note_is_kept_and_nothing_accepted(self, signed_in, td):
        report = submitted(td)
        before = database_state()
        sent = {"report": f"{report.pk}:1", "reason": "Monday\x00"}
        response = signed_in.post(ACCEPT, sent)
        assert response.status_code == 422
        assert listed(response) == [report.pk]
        assert "Monday" in response.content.decode()
        assert database_state() == before

    def test_it_is_the_offices(self, client, td):
        report = submitted(td)
        before = database_state()
        for user in (td, make_user("desk", is_staff=True)):
            client.force_login(user)
            for address in (LIST, ACCEPT):
                sent = {"report": f"{report.pk}:1", "which": "all"}
                assert client.post(address, sent).status_code == 403
        assert database_state() == before

    @pytest.mark.parametrize("reports", [2, 12])
    def test_the_list_takes_the_same_queries_for_any_number(
        self, signed_in, td, django_assert_num_queries, reports
    ):
        for number in range(reports):
            submitted(td, f"Open {number}", days=2 * number)
        with django_assert_num_queries(17):
            response = signed_in.post(LIST, {"which": "all"})
        assert len(listed(response)) == reports


@pytest.mark.parametrize("act", [("accept", "reason"), ("return", "note")])
def test_typed_text_survives_a_concurrent_decision(signed_in, td, act):
    name, field = act
    report = submitted(td)
    accept_report(submission_id=report.pk, actor=make_staff())
    typed = "Round 2 is missing & the clock too."
    response = signed_in.post(
        reverse(f"events:{name}", args=[report.pk]), {field: typed}
    )
    assert response.status_code == 409
    assert "Round 2 is missing &amp; the clock too." in response.content.decode()


class TestNext:
    QUEUE = "?queue=sort%3D-ends%26name%3DOpen"

    def three(self, td) -> list[Submission]:
        """Create two reports that the filter keeps, newest first, and another one."""
        older = submitted(td, "Older Open", days=4)
        submitted(td, "Rapid", days=2)
        newer = submitted(td, "Newer Open")
        return [newer, older]

    def test_accepting_goes_on_with_the_next_of_the_same_queue(self, signed_in, td):
        first, second = self.three(td)
        address = reverse("events:accept", args=[first.pk]) + self.QUEUE
        response = signed_in.post(address, {"then": "next"})
        assert response.url == second.get_absolute_url() + self.QUEUE
        assert states(first) == ["accepted"]
        address = reverse("events:accept", args=[second.pk]) + self.QUEUE
        response = signed_in.post(address, {"then": "next"})
        assert response.url == "/office/?sort=-ends&name=Open"

    def test_returning_goes_on_as_well(self, signed_in, td):
        first, second = self.three(td)
        address = reverse("events:return", args=[first.pk]) + self.QUEUE
        sent = {"note": "Round 2 is missing.", "then": "next"}
        response = signed_in.post(address, sent)
        assert response.url == second.get_absolute_url() + self.QUEUE
        assert states(first) == ["returned"]

    def test_a_report_leads_to_the_next_and_hands_the_queue_on(self, signed_in, td):
        first, second = self.three(td)
        page = signed_in.get(first.get_absolute_url() + self.QUEUE).content.decode()
        assert f'href="{second.get_absolute_url()}{self.QUEUE}" data-key="f"' in page
        accept = reverse("events:accept", args=[first.pk])
        assert f'href="{accept}{self.QUEUE}" data-key="a"' in page
        page = signed_in.get(second.get_absolute_url() + self.QUEUE).content.decode()
        assert 'data-key="f"' not in page

    def test_the_queue_is_shown_next_to_a_pending_report(self, signed_in, td):
        first, second = self.three(td)
        page = signed_in.get(second.get_absolute_url() + self.QUEUE).content.decode()
        aside = page.partition("<aside")[2].partition("</aside>")[0]
        beside = re.findall(r'<a href="(/desk/[^"]*)"( aria-current="page")?', aside)
        assert beside == [
            (first.get_absolute_url() + self.QUEUE, ""),
            (second.get_absolute_url() + self.QUEUE, ' aria-current="page"'),
        ]
        signed_in.force_login(td)
        page = signed_in.get(second.get_absolute_url()).content.decode()
        assert "<aside" not in page

    @pytest.mark.parametrize("junk", ["%00", "a%3D1%26sort%3D-x%2500", "x" * 500])
    def test_a_strange_queue_is_the_plain_one(self, signed_in, td, junk):
        first, _second = self.three(td)
        response = signed_in.post(
            reverse("events:accept", args=[first.pk]) + f"?queue={junk}",
            {"then": "next"},
        )
        assert response.url.startswith("/office/")
        assert states(first) == ["accepted"]


def test_own_report_names_who_may_accept_it(client, td):
    clerk, other = make_staff("clerk"), make_staff("other")
    invited = make_user("invited", is_staff=True, invited_by=clerk)
    invited.groups.set(clerk.groups.all())
    report = submitted(staff_td(clerk))
    client.force_login(clerk)
    for address in (
        report.get_absolute_url(),
        reverse("events:accept", args=[report.pk]),
    ):
        page = client.get(address).content.decode()
        assert f"accept it: {other}." in page
        assert 'data-key="a"' not in page
