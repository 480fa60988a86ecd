"""Entry of a new member by the TD: errors, stored data, privacy."""

import json
import re
from dataclasses import replace
from datetime import date

import pytest
from django.urls import reverse

from events.checks.services import blocking_findings, findings_of
from events.models import PendingMember, Submission
from events.newcomers.forms import NewMemberForm
from events.newcomers.services import enter_newcomer
from events.records.exceptions import NotPossible, VersionConflict
from events.reports.services.submissions import reported_in, set_entry
from tests.events.newcomers.reports import (
    SAM,
    quad_with_newcomer,
    report_newcomer,
    report_newcomer_details,
    report_with_newcomer,
    submit,
)
from tests.factories import event_report, make_player, make_td, upload
from tests.response_text import contains_number

pytestmark = pytest.mark.django_db


@pytest.fixture
def td():
    return make_td("td")


def codes_at(submission: Submission, section: int, number: int) -> set[str]:
    return {
        one.code
        for one in findings_of(Submission.objects.get(pk=submission.pk))
        if (one.place.section, one.place.pairing_number) == (section, number)
        and one.place.round_number is None
    }


def test_entry_without_a_number_blocks_until_it_is_a_new_member(td):
    submission = upload(td, report_with_newcomer(td))
    assert "entry.member_id_missing" in codes_at(submission, 2, 4)
    submission = report_newcomer_details(td, submission)
    assert codes_at(submission, 2, 4) == {"newcomer.waits"}
    entry = reported_in(submission).section(2).entry(4)
    assert (entry.member_id, entry.name, entry.state) == ("NEW-1", "NEWMAN, SAM", "IL")
    blocking = {one.code for one in blocking_findings(submission)}
    assert not blocking & {"entry.member_id_missing", "entry.member_id_malformed"}


def test_unreported_number_is_an_error(td):
    report = report_with_newcomer(td).with_entry(2, 4, member_id="NEW-7")
    assert codes_at(upload(td, report), 2, 4) == {"newcomer.unknown"}


def test_what_was_told_can_be_changed_under_the_same_number(td):
    submission = report_newcomer(td, report_with_newcomer(td))
    submission = report_newcomer_details(
        td, submission, replace(SAM, given_name="Samantha")
    )
    newcomer = submission.newcomers.get()
    assert (newcomer.number, newcomer.given_name) == ("NEW-1", "Samantha")
    assert reported_in(submission).section(2).entry(4).name == "NEWMAN, SAMANTHA"


def test_same_person_in_two_sections_is_one_newcomer(td):
    sections = [quad_with_newcomer(td, number=1), quad_with_newcomer(td, number=2)]
    submission = upload(td, event_report(td, sections))
    report_newcomer_details(td, submission, section=1)
    submission = report_newcomer_details(td, submission, section=2)
    report = reported_in(submission)
    assert [report.section(n).entry(4).member_id for n in (1, 2)] == ["NEW-1", "NEW-1"]
    assert submission.newcomers.count() == 1


def test_two_newcomers_get_two_numbers(td):
    sections = [quad_with_newcomer(td, number=1), quad_with_newcomer(td, number=2)]
    report = event_report(td, sections).with_entry(2, 4, name="NEWMAN, SUE")
    submission = upload(td, report)
    report_newcomer_details(td, submission, section=1)
    other = replace(SAM, given_name="Sue", birth_date=date(2015, 1, 1))
    submission = report_newcomer_details(td, submission, other, section=2)
    assert reported_in(submission).section(2).entry(4).member_id == "NEW-2"


def test_one_newcomer_in_two_sections_is_told_once(td):
    sections = [quad_with_newcomer(td, number=1), quad_with_newcomer(td, number=2)]
    submission = upload(td, event_report(td, sections))
    submission = report_newcomer_details(td, submission, section=1)
    told = [one.entry(4).member_id for one in reported_in(submission).sections]
    assert told == ["NEW-1", "NEW-1"]


class TestRefusals:
    def test_member_of_the_same_name_needs_a_reason(self, td):
        # The answer must not depend on the member's birth date.
        make_player(given_name="Sam", family_name="Newman", birth_date=date(1980, 1, 1))
        submission = upload(td, report_with_newcomer(td))
        with pytest.raises(NotPossible, match="A member is named Sam Newman"):
            report_newcomer_details(td, submission)
        submission = report_newcomer_details(
            td, submission, reason="A first tournament."
        )
        assert submission.newcomers.get().duplicate_reason == "A first tournament."

    def test_same_answer_whether_or_not_the_birth_dates_agree(self, td, client):
        make_player(
            given_name="Sam", family_name="Newman", birth_date=date(2016, 5, 17)
        )
        submission = upload(td, report_with_newcomer(td))
        client.force_login(td)
        answers = [
            shown(client, submission, birth_date=day)
            for day in ("2016-05-17", "2012-01-01")
        ]
        assert answers[0].status_code == answers[1].status_code == 422
        assert plain(answers[0], "2016-05-17") == plain(answers[1], "2012-01-01")

    def test_entry_of_a_member_is_no_newcomer(self, td):
        submission = upload(td, report_with_newcomer(td))
        with pytest.raises(NotPossible, match="is a member’s ID"):
            report_newcomer_details(td, submission, section=1)

    def test_entry_that_is_not_there(self, td):
        submission = upload(td, report_with_newcomer(td))
        with pytest.raises(
            NotPossible, match="not have exactly one entry with number 9"
        ):
            report_newcomer_details(td, submission, number=9)

    def test_report_that_has_changed_since(self, td):
        submission = report_newcomer(td, report_with_newcomer(td))
        with pytest.raises(VersionConflict):
            enter_newcomer(
                submission_id=submission.pk,
                actor=td,
                version=1,
                section_number=2,
                pairing_number=4,
                details=SAM,
            )
        assert PendingMember.objects.count() == 1

    def test_report_that_is_with_the_office(self, td):
        submission = submit(td, report_newcomer(td, report_with_newcomer(td)))
        with pytest.raises(NotPossible, match="in review"):
            report_newcomer_details(td, submission)

    def test_report_with_too_many(self, td):
        submission = report_newcomer(
            td, event_report(td, [quad_with_newcomer(td)]), section=1
        )
        PendingMember.objects.update(number="NEW-9999")
        with pytest.raises(NotPossible, match="too many new members"):
            report_newcomer_details(
                td, submission, replace(SAM, given_name="Kim"), section=1
            )

    @pytest.mark.parametrize(
        ("typed", "field", "sentence"),
        [
            ({"birth_date": "1899-12-31"}, "birth_date", "1900 or later"),
            ({"birth_date": "2024-05-04"}, "birth_date", "before the event"),
            ({"birth_date": "17. Mai"}, "birth_date", "such as 5/4/2016"),
            ({"birth_date": ""}, "birth_date", "at least the birth year"),
            ({"birth_date": "", "birth_year": "1899"}, "birth_year", "1900 or later"),
            (
                {"birth_date": "", "birth_year": "2025"},
                "birth_year",
                "before the event",
            ),
            ({"birth_date": "", "birth_year": "x"}, "birth_year", "whole number"),
            ({"state": "Illinois"}, "state", "two-letter state"),
            ({"email": "parent"}, "email", "valid email"),
            ({"given_name": ""}, "given_name", "required"),
        ],
    )
    def test_what_the_form_refuses(self, typed, field, sentence):
        form = NewMemberForm({**FIELDS, **typed}, event_day=date(2024, 5, 4))
        assert sentence in " ".join(form.errors[field])

    def test_year_alone_is_enough(self):
        typed = {**FIELDS, "birth_date": "", "birth_year": "2016"}
        form = NewMemberForm(typed, event_day=date(2024, 5, 4))
        assert form.is_valid()
        details = form.details()
        assert (details.birth_date, details.birth_year) == (None, 2016)


FIELDS = {
    "version": 1,
    "given_name": "Sam",
    "family_name": "Newman",
    "birth_date": "2016-05-17",
    "state": "IL",
    "email": "parent@example.org",
}


def shown(client, submission: Submission, **typed):
    url = reverse("events:new_member", args=[submission.pk, 2, 4])
    return client.post(url, {**FIELDS, "version": submission.version, **typed})


def plain(response, typed: str) -> str:
    """Return the page without typed values and tokens."""
    text = response.content.decode().replace(typed, "")
    return re.sub(r'(csrfmiddlewaretoken" value|nonce|content)="[^"]*"', "", text)


def test_newcomer_whose_entry_is_a_member_after_all_is_forgotten(td):
    member = make_player()
    submission = report_newcomer(td, report_with_newcomer(td))
    submission = set_entry(
        submission_id=submission.pk,
        actor=td,
        version=submission.version,
        section_number=2,
        pairing_number=4,
        changes={"member_id": member.member_id, "name": "ADAMS, ADA"},
    )
    submit(td, submission)
    assert PendingMember.objects.count() == 0


def test_another_td_does_not_reach_the_form(td, client):
    submission = report_newcomer(td, report_with_newcomer(td))
    client.force_login(make_td())
    url = reverse("events:new_member", args=[submission.pk, 2, 4])
    response = client.get(url)
    assert response.status_code == 404
    assert not contains_number(response.content.decode(), 2016)


def test_entry_form_keeps_the_temporary_number(td, client):
    submission = report_newcomer(td, report_with_newcomer(td))
    client.force_login(td)
    url = reverse("events:edit_entry", args=[submission.pk, 2, 4])
    page = client.get(url).content.decode()
    assert "NEW-1" not in page.partition('id="id_member_id"')[2][:200]
    client.post(
        url,
        {
            "version": submission.version,
            "member_id": "",
            "name": "NEWMAN, SAM JR",
            "state": "IL",
            "pairing_number": "4",
        },
    )
    submission.refresh_from_db()
    entry = reported_in(submission).section(2).entry(4)
    assert (entry.member_id, entry.name) == ("NEW-1", "NEWMAN, SAM JR")


def test_grid_shows_a_new_member_and_offers_to_enter_one(td, client):
    submission = upload(td, report_with_newcomer(td))
    client.force_login(td)
    grid = reverse("events:grid", args=[submission.pk, 2])
    form = reverse("events:new_member", args=[submission.pk, 2, 4])
    assert form in client.get(grid).content.decode()
    report_newcomer_details(td, submission)
    page = client.get(grid).content.decode()
    assert "Edit new member" in page
    assert not contains_number(page, 2016)


def test_exports_omit_birth_date_and_address(td, client):
    submission = submit(td, report_newcomer(td, report_with_newcomer(td)))
    content = json.dumps(submission.content)
    said = " ".join(one.message for one in findings_of(submission))
    client.force_login(td)
    pages = "".join(
        client.get(reverse(name, args=[submission.pk])).content.decode()
        for name in ("events:report", "ratings:preview")
    )
    for text in (content, said, pages):
        assert "2016-05-17" not in text
        assert "17 May" not in text
        assert "parent@example.org" not in text
