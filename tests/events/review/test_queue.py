"""The office's queue: decisions on reports, foreign ratings, retries."""

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from events.checks.services import findings_of
from events.models import Event, OfficeTask, Submission
from events.reports.services.submissions import (
    override_findings,
    set_entry,
    submit_report,
    withdraw_report,
)
from players.models import ExternalRating
from ratings_site.common.dashboard.queries import age
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import Job
from tests.events.newcomers.reports import report_newcomer, report_with_newcomer
from tests.events.reports.test_report_pages import database_state, quad, text_of, url
from tests.factories import (
    accepted_event,
    make_affiliate,
    make_player,
    make_staff,
    make_td,
    make_user,
    upload,
)
from tests.response_text import is_not_found

pytestmark = pytest.mark.django_db

QUEUE = "/office/"


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


def task_of(td) -> OfficeTask:
    submission = upload(td, quad(td))
    set_entry(
        submission_id=submission.pk,
        actor=td,
        version=1,
        section_number=1,
        pairing_number=1,
        changes={"fide_id": "2020009", "fide_rating": "1612"},
    )
    submit_report(submission_id=submission.pk, actor=td)
    return OfficeTask.objects.get()


def task_url(task: OfficeTask) -> str:
    return reverse("events:task", args=[task.pk])


class TestAccess:
    def test_the_office_is_closed_to_tds_and_members(self, client, td):
        submission = submitted(td)
        paths = (
            QUEUE,
            url("accept", submission),
            url("return", submission),
            reverse("events:task", args=[1]),
            reverse("events:retry", args=[1]),
        )
        before = database_state()
        for user in (td, make_user("member"), make_user("desk", is_staff=True)):
            client.force_login(user)
            for path in paths:
                for response in (client.get(path), client.post(path, {"note": "no"})):
                    assert response.status_code == 403, path
                    assert "You can’t open this page" in text_of(response)
        assert database_state() == before


class TestQueue:
    def test_an_empty_queue_says_what_will_stand_there(self, signed_in):
        words = text_of(signed_in.get(QUEUE))
        assert "Reports that TDs submit will appear here" in words
        assert "it will appear here" in words

    def test_the_oldest_report_comes_first_with_what_matters(self, signed_in, td):
        newer = submitted(td, name="Newer Open")
        older = upload(td, quad(td, name="Older Open").with_entry(1, 1, name="X, Y"))
        for finding in findings_of(older):
            if finding.severity == "confirm":
                override_findings(
                    submission_id=older.pk,
                    actor=td,
                    finding_keys=[finding.key],
                    reason="She has married.",
                )
        submit_report(submission_id=older.pk, actor=td)
        now = timezone.now()
        Submission.objects.filter(pk=older.pk).update(
            submitted_at=now - timedelta(days=3)
        )
        words = text_of(signed_in.get(QUEUE))
        rest = r".*? May 5, 2024 .*?4 1 [a-z]+ Unassigned td Castle Chess Club"
        assert re.search(f"3 days Older Open {rest}", words)
        assert re.search(f"just now Newer Open {rest}", words)
        assert words.index("Older Open") < words.index("Newer Open")
        assert newer.get_absolute_url() in signed_in.get(QUEUE).content.decode()

    def test_what_is_not_submitted_is_not_in_the_queue(self, signed_in, td):
        upload(td, quad(td, name="Still Open"))
        gone = submitted(td, name="Gone Open")
        withdraw_report(submission_id=gone.pk, actor=td, reason="Wrong files.")
        words = text_of(signed_in.get(QUEUE))
        assert "Still Open" not in words
        assert "Gone Open" not in words

    @pytest.mark.parametrize("reports", [2, 20])
    def test_the_queue_takes_the_same_queries_for_any_number(
        self, signed_in, td, django_assert_num_queries, reports
    ):
        report = quad(td)
        affiliates = [make_affiliate(f"A600000{i}", name=f"Club {i}") for i in (1, 2)]
        for number in range(reports):
            day = report.starts - timedelta(days=number)  # no player in two events
            one = replace(report, name=f"Open {number}", starts=day, ends=day)
            submission = upload(td, one)
            submit_report(submission_id=submission.pk, actor=td)
            Submission.objects.filter(pk=submission.pk).update(
                affiliate=affiliates[number % 2]
            )
        with django_assert_num_queries(39):
            response = signed_in.get(QUEUE)
        assert text_of(response).count("just now Open") == reports

    def test_a_strange_question_is_answered_with_the_first_page(self, signed_in, td):
        submitted(td)
        for query in ("page=9999", "page=%00", "page=٣", "sort=x", "sort=-age%00"):
            words = text_of(signed_in.get(f"{QUEUE}?{query}"))
            assert "just now May Open" in words

    def test_age_is_told_in_the_largest_unit(self):
        now = datetime(2024, 5, 6, 12, tzinfo=UTC)
        waits = [timedelta(days=2), timedelta(minutes=61), timedelta(seconds=70)]
        assert [age(now - wait, now) for wait in waits] == [
            "2 days",
            "1 hour",
            "1 minute",
        ]
        assert age(now + timedelta(minutes=5), now) == "just now"


class TestDecisions:
    def test_accepting_enters_the_event_and_shows_the_progress(self, signed_in, td):
        submission = submitted(td)
        page = text_of(signed_in.get(url("accept", submission)))
        assert "Section 1: Quad G/90;d5, 4 entries, May 4 to 5, 2024" in page
        response = signed_in.post(url("accept", submission), {"reason": "All clear."})
        assert response.url == submission.get_absolute_url()
        event = Event.objects.get()
        assert (event.submission, event.event_id) == (submission, "202405050004")
        words = text_of(signed_in.get(response.url))
        assert "0 of 1 sections are rated." in words
        assert "accepted the report (Event ID: 202405050004): “All clear.”" in words

    def test_records_that_changed_since_hold_the_acceptance_up(self, signed_in, td):
        submission = submitted(td)
        make_affiliate()
        submission.affiliate.expires = date(2020, 1, 1)
        submission.affiliate.save()
        before = database_state()
        response = signed_in.post(url("accept", submission))
        assert response.status_code == 422
        assert "it has new issues. Return it to the TD." in text_of(response)
        assert database_state() == before

    def test_what_is_held_up_can_only_be_returned(self, signed_in, td):
        submission = submitted(td)
        submission.affiliate.expires = date(2020, 1, 1)
        submission.affiliate.save()
        response = signed_in.get(url("accept", submission))
        assert not {"effects", "after"} & response.context.keys()
        page = response.content.decode()
        main = page[page.index("<main") : page.index("</main>")]
        assert "<form" not in main
        back = url("return", submission)
        assert f'<a class="button primary" href="{back}" data-key="b">' in main
        assert "1 error" in text_of(signed_in.get(QUEUE))
        for address in (QUEUE, submission.get_absolute_url()):
            page = signed_in.get(address).content.decode()
            assert back in page
            assert url("accept", submission) not in page
        refused = signed_in.post(url("accept", submission), {"reason": "All clear."})
        assert refused.status_code == 422
        assert "All clear." in refused.content.decode()

    def test_button_promises_a_rating_only_where_no_section_waits(self, signed_in, td):
        waits = report_newcomer(td, report_with_newcomer(td))
        submit_report(submission_id=waits.pk, actor=td)
        for submission, promised in ((waits, False), (submitted(td), True)):
            words = text_of(signed_in.get(url("accept", submission)))
            assert ("Accept and rate" in words) is promised
            assert "Accept and open next" in words

    def test_opening_a_report_counts_its_findings_as_they_are_now(self, signed_in, td):
        submission = submitted(td)
        counted = dict(submission.finding_counts)
        assert "error" not in counted
        submission.affiliate.expires = date(2020, 1, 1)
        submission.affiliate.save()
        signed_in.get(submission.get_absolute_url())
        submission.refresh_from_db()
        assert submission.finding_counts == {**counted, "error": 1}
        assert "1 error" in text_of(signed_in.get(QUEUE))
        Submission.objects.update(state="withdrawn", finding_counts=counted)
        signed_in.get(submission.get_absolute_url())
        submission.refresh_from_db()
        assert submission.finding_counts == counted

    def test_a_returned_report_shows_the_note_to_the_td(self, signed_in, td):
        submission = submitted(td)
        response = signed_in.post(
            url("return", submission), {"note": "Round 2 is missing.\nPlease look."}
        )
        assert response.url == QUEUE
        submission.refresh_from_db()
        assert submission.state == Submission.State.RETURNED
        signed_in.force_login(td)
        words = text_of(signed_in.get(submission.get_absolute_url()))
        assert "Round 2 is missing. Please look." in words
        assert "Submit to the office" in words

    @pytest.mark.parametrize("junk", ["", " ", "\x00", "x" * 5000])
    def test_a_note_must_be_one(self, signed_in, td, junk):
        submission = submitted(td)
        before = database_state()
        response = signed_in.post(url("return", submission), {"note": junk})
        assert response.status_code == 422
        assert "There is 1 problem to fix." in text_of(response)
        assert database_state() == before

    def test_a_note_with_a_nul_does_not_accept(self, signed_in, td):
        submission = submitted(td)
        before = database_state()
        response = signed_in.post(url("accept", submission), {"reason": "A\x00B"})
        assert response.status_code == 422
        assert "There is 1 problem to fix." in text_of(response)
        assert database_state() == before

    @pytest.mark.parametrize("name", ["accept", "return"])
    def test_a_report_is_decided_once(self, signed_in, td, name):
        event = accepted_event(td, quad(td))
        before = database_state()
        for answer in (signed_in.get, signed_in.post):
            response = answer(url(name, event.submission), {"note": "Too late."})
            assert response.status_code == 409
            assert "Its status is: accepted" in text_of(response)
        assert database_state() == before


class TestTasks:
    def test_a_rating_is_entered_from_its_list(self, signed_in, td):
        task = task_of(td)
        assert "reported by the TD: 1612" in text_of(signed_in.get(QUEUE))
        response = signed_in.post(
            task_url(task),
            {
                "decision": "enter",
                "rating": "1620",
                "list_date": "2024-05-01",
                "body_id": "2020009",
                "reason": "FIDE list of May 2024",
            },
        )
        assert response.url == task.submission.get_absolute_url()
        entered = ExternalRating.objects.get()
        assert (entered.player, entered.body, entered.rating, entered.list_date) == (
            task.player,
            "FIDE",
            1620,
            date(2024, 5, 1),
        )
        task.refresh_from_db()
        assert (task.state, task.player.fide_id) == ("done", "2020009")
        words = text_of(signed_in.get(task_url(task)))
        assert "Done by staff" in words
        assert "“FIDE list of May 2024”" in words

    def test_declining_needs_only_a_reason(self, signed_in, td):
        task = task_of(td)
        signed_in.post(task_url(task), {"decision": "decline", "reason": "Not found."})
        task.refresh_from_db()
        assert (task.state, task.reason) == ("declined", "Not found.")
        assert not ExternalRating.objects.exists()

    @pytest.mark.parametrize(
        ("change", "sentence"),
        [
            ({"decision": ""}, "Choose whether to add the rating"),
            ({"decision": "\x00"}, "not one of the available choices"),
            ({"rating": ""}, "required to add the rating"),
            ({"rating": "٣"}, "digits 0 to 9"),
            ({"rating": "9" * 40}, "digits 0 to 9"),
            ({"rating": "3501"}, "less than or equal to 3500"),
            ({"list_date": ""}, "required to add the rating"),
            ({"list_date": "2099-01-01"}, "This date is in the future"),
            ({"list_date": "\x00"}, "Enter a date such as"),
            ({"body_id": "12x"}, "no letters"),
            ({"body_id": "7777777"}, "already has this FIDE ID"),
            ({"reason": ""}, "Enter the source"),
            ({"reason": "x" * 201}, "at most 200 characters"),
        ],
    )
    def test_junk_is_named_and_changes_nothing(self, signed_in, td, change, sentence):
        make_player(fide_id="7777777")
        task = task_of(td)
        data = {
            "decision": "enter",
            "rating": "1620",
            "list_date": "2024-05-01",
            "body_id": "2020009",
            "reason": "The list",
        }
        before = database_state()
        response = signed_in.post(task_url(task), {**data, **change})
        assert response.status_code == 422
        assert sentence in text_of(response)
        assert database_state() == before
        assert not ExternalRating.objects.exists()

    def test_a_task_is_decided_once(self, signed_in, td):
        task = task_of(td)
        data = {"decision": "decline", "reason": "Not found."}
        signed_in.post(task_url(task), data)
        before = database_state()
        response = signed_in.post(task_url(task), {**data, "reason": "Again."})
        assert response.status_code == 422
        assert "has already been decided" in text_of(response)
        assert database_state() == before

    def test_an_unknown_task_is_not_there(self, signed_in):
        for number in (1, 10**30):
            path = reverse("events:task", args=[number])
            assert is_not_found(signed_in.get(path))


class TestFailedRatings:
    def test_a_failed_rating_is_tried_again_and_leaves_the_list(self, signed_in, td):
        event = accepted_event(td, quad(td))
        Job.objects.update(state=Job.State.FAILED, message="The disk is full.")
        job = Job.objects.get()
        assert "May Open, section 1 The disk is full." in text_of(signed_in.get(QUEUE))
        response = signed_in.post(reverse("events:retry", args=[job.pk]))
        assert response.url == event.submission.get_absolute_url()
        assert "The disk is full." not in text_of(signed_in.get(QUEUE))
        run_due_jobs()
        words = text_of(signed_in.get(response.url))
        assert "All sections are rated." in words

    def test_only_what_failed_is_tried_again(self, signed_in, td):
        accepted_event(td, quad(td))
        job = Job.objects.get()
        before = database_state()
        response = signed_in.post(reverse("events:retry", args=[job.pk]), follow=True)
        assert "This rating hasn’t failed" in text_of(response)
        assert signed_in.get(reverse("events:retry", args=[job.pk])).url == QUEUE
        assert database_state() == before
