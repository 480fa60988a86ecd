"""Member IDs for new members: assigned, existing, or from the feed."""

import re
from dataclasses import replace
from datetime import date

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse

from events.checks.queries.members import members_of
from events.models import (
    Event,
    Official,
    PackedSection,
    PendingMember,
    Section,
    Submission,
)
from events.records.exceptions import NotPossible
from events.records.exports import export_json
from events.reports.services.submissions import (
    reported_in,
    return_report,
    withdraw_report,
)
from events.review.services.acceptance import accept_report
from events.review.services.newcomers import assign_member_ids, link_newcomer
from players.members.newcomers import match_newcomers
from players.models import Guardian, Player
from ratings.home.queries.news import fully_rated
from ratings.ledger.queries.published_ratings import published
from ratings.ledger.services.previews import preview_report
from ratings.models import Calculation, RatingChange
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry, Office
from tests.events.newcomers.reports import (
    SAM,
    pending_report,
    quad_with_newcomer,
    report_newcomer,
    report_newcomer_details,
    report_with_newcomer,
    submit,
)
from tests.factories import event_report, make_player, make_staff, make_td
from tests.players.imports.files import entered
from tests.response_text import contains_number

pytestmark = pytest.mark.django_db

CONFIRM = {"confirm": "yes", "reason": "New in the reports of May."}


@pytest.fixture
def td():
    return make_td("td")


@pytest.fixture
def clerk():
    return make_staff("clerk")


def accepted(td, clerk, **fields) -> tuple[Event, PendingMember]:
    submission, newcomer = pending_report(td, **fields)
    return accept_report(submission_id=submission.pk, actor=clerk), newcomer


def numbers_of(event: Event) -> list[int]:
    return list(event.sections.order_by("number").values_list("number", flat=True))


class TestNumbers:
    def test_next_free_number_is_given(self, td, clerk):
        _submission, newcomer = pending_report(td)
        highest = make_player("31000009").member_id
        [player] = assign_member_ids(numbers={newcomer.pk: ""}, actor=clerk)
        assert (highest, player.member_id) == ("31000009", "31000010")
        newcomer.refresh_from_db()
        assert (newcomer.resolved_to, newcomer.resolved_how) == (player, "issued")
        assert newcomer.resolved_by == clerk

    def test_number_can_be_typed(self, td, clerk):
        _submission, newcomer = pending_report(td)
        [player] = assign_member_ids(numbers={newcomer.pk: "45678901"}, actor=clerk)
        assert player.member_id == "45678901"

    def test_same_child_of_two_reports_gets_one_number(self, td, clerk):
        one = pending_report(td)[1]
        other_report = report_with_newcomer(td, name="June Quads")
        day = date(2024, 6, 8)
        other_report = replace(other_report, starts=day, ends=day)
        other = submit(td, report_newcomer(td, other_report)).newcomers.get()
        players = assign_member_ids(numbers={one.pk: "", other.pk: ""}, actor=clerk)
        assert len(players) == 1
        assert Player.objects.filter(family_name="Newman").count() == 1

    def test_report_goes_on_with_the_number(self, td, clerk):
        submission, newcomer = pending_report(td)
        [player] = assign_member_ids(numbers={newcomer.pk: ""}, actor=clerk)
        event = accept_report(submission_id=submission.pk, actor=clerk)
        assert numbers_of(event) == [1, 2]
        assert event.sections.get(number=2).entries.get(player=player)

    @pytest.mark.parametrize("year", [None, 2016])
    def test_child_gets_a_guardian_and_an_adult_none(self, td, clerk, year):
        child = pending_report(td)[1]
        if year:
            child.birth_date, child.birth_year = None, year
            child.save()
        grown = replace(SAM, given_name="Old", birth_date=date(1950, 1, 1))
        report = event_report(
            td, [quad_with_newcomer(td)], starts=date(2024, 7, 6), ends=date(2024, 7, 6)
        )
        adult = submit(
            td, report_newcomer(td, report, grown, section=1)
        ).newcomers.get()
        assign_member_ids(numbers={child.pk: "", adult.pk: ""}, actor=clerk)
        assert [one.player.given_name for one in Guardian.objects.all()] == ["Sam"]


class TestRefusedNumbers:
    def test_number_that_is_taken_gives_none(self, td, clerk):
        one = pending_report(td)[1]
        taken = make_player().member_id
        with pytest.raises(NotPossible, match=f"Sam Newman: .* {taken} is taken"):
            assign_member_ids(numbers={one.pk: taken}, actor=clerk)
        assert not Player.objects.filter(family_name="Newman").exists()
        one.refresh_from_db()
        assert one.resolved_to is None

    def test_numbers_of_another_system_are_typed(self, td, clerk):
        Office.objects.create(
            pk=Office.SINGLETON_ID, name="A federation", issues_ids=False
        )
        one = pending_report(td)[1]
        with pytest.raises(NotPossible, match="come from the membership system"):
            assign_member_ids(numbers={one.pk: ""}, actor=clerk)
        [player] = assign_member_ids(numbers={one.pk: "45678901"}, actor=clerk)
        assert player.member_id == "45678901"

    def test_nothing_follows_the_last_number(self, td, clerk):
        one = pending_report(td)[1]
        make_player("99999999")
        with pytest.raises(NotPossible, match="no ID after 99999999"):
            assign_member_ids(numbers={one.pk: ""}, actor=clerk)

    def test_who_has_a_number_gets_no_second(self, td, clerk):
        one = pending_report(td)[1]
        [player] = assign_member_ids(numbers={one.pk: ""}, actor=clerk)
        with pytest.raises(
            NotPossible, match=f"already has member ID {player.member_id}"
        ):
            assign_member_ids(numbers={one.pk: ""}, actor=clerk)

    def test_who_is_gone(self, clerk):
        with pytest.raises(NotPossible, match="removed from the report"):
            assign_member_ids(numbers={4711: ""}, actor=clerk)

    def test_withdrawn_report(self, td, clerk):
        submission, one = pending_report(td)
        withdraw_report(submission_id=submission.pk, actor=td, reason="Wrong files.")
        with pytest.raises(NotPossible, match="was withdrawn"):
            assign_member_ids(numbers={one.pk: ""}, actor=clerk)
        assert not Player.objects.filter(family_name="Newman").exists()

    def test_director_gives_no_numbers(self, td):
        one = pending_report(td)[1]
        with pytest.raises(PermissionDenied):
            assign_member_ids(numbers={one.pk: ""}, actor=td)
        with pytest.raises(PermissionDenied):
            link_newcomer(newcomer_id=one.pk, member_id="12345678", actor=td)

    @pytest.mark.parametrize(
        ("sent", "sentence"),
        [
            ({}, "Choose at least one new member."),
            ({"newcomer": "{pk}", "number-{pk}": "123"}, "“123” isn’t a member ID"),
            ({"link": "x:12345678"}, "Choose a new member from the table."),
            ({"link": "{pk}:1"}, "“1” isn’t a member ID"),
            ({"link": "{pk}"}, "“” isn’t a member ID"),
            ({"link": "{pk}:99887766"}, "No member has the ID 99887766."),
        ],
    )
    def test_page_says_what_it_refuses(self, td, clerk, client, sent, sentence):
        one = pending_report(td)[1]
        client.force_login(clerk)
        said = {k.format(pk=one.pk): v.format(pk=one.pk) for k, v in sent.items()}
        response = client.post(reverse("events:newcomers"), said)
        assert sentence in response.content.decode()
        assert not PendingMember.objects.exclude(resolved_to=None).exists()


def test_numbers_of_another_system_are_given_where_they_are_typed(td, clerk, client):
    """Rows with a typed ID are selected, and the others may stay blank."""
    Office.objects.create(pk=Office.SINGLETON_ID, name="A federation", issues_ids=False)
    one = pending_report(td)[1]
    details = replace(SAM, given_name="Kim")
    other = pending_report(td, name="June Quads", details=details)[1]
    client.force_login(clerk)
    page = client.get(reverse("events:newcomers")).content.decode()
    assert "next available" not in page
    assert 'type="checkbox"' not in page
    typed = {f"number-{one.pk}": "45678901", f"number-{other.pk}": ""}
    listed = client.post(reverse("events:newcomers"), typed).context["listed"]
    sent = {"act": "number", "row": [row.key for row in listed], **CONFIRM}
    client.post(reverse("events:several_newcomers"), sent)
    one.refresh_from_db()
    other.refresh_from_db()
    assert one.resolved_to.member_id == "45678901"
    assert other.resolved_to is None
    refused = client.post(reverse("events:newcomers"), {}).content.decode()
    assert "Enter the member ID from the membership system." in refused


def test_what_was_ticked_and_typed_is_there_after_a_refusal(td, clerk, client):
    one = pending_report(td)[1]
    details = replace(SAM, given_name="Kim")
    other = pending_report(td, name="June Quads", details=details)[1]
    client.force_login(clerk)
    said = {"newcomer": one.pk, f"number-{one.pk}": "123", f"number-{other.pk}": "77"}
    page = client.post(reverse("events:newcomers"), said).content.decode()
    assert f'value="{one.pk}" id="new-{one.pk}" checked' in page
    assert f'value="{other.pk}" id="new-{other.pk}"><label' in page
    assert 'value="123"' in page
    assert 'value="77"' in page


class TestBulkActions:
    """Rows are chosen in the table, previewed, and then processed one by one."""

    TABLE, SEVERAL = "/office/newcomers/", "/office/newcomers/several/"

    def waiting(self, td, *names: str, **other) -> list[PendingMember]:
        return [
            pending_report(
                td, name=f"{name} Quads", details=replace(SAM, given_name=name, **other)
            )[1]
            for name in names
        ]

    def chosen(self, client, newcomers, **typed) -> list[str]:
        """Select new members; return the keys of those that are listed."""
        sent = {"newcomer": [one.pk for one in newcomers], **typed}
        response = client.post(self.TABLE, sent)
        return [row.key for row in response.context["listed"]]

    def done(self, response) -> tuple[list[str], list[str]]:
        became = response.context["outcome"]
        return [one.name for one in became.done], [one.name for one in became.left_out]

    def members(self, *newcomers: PendingMember) -> list[str | None]:
        found = PendingMember.objects.select_related("resolved_to").in_bulk(
            [one.pk for one in newcomers]
        )
        members = [found[one.pk].resolved_to for one in newcomers]
        return [one and one.member_id for one in members]

    def test_chosen_ones_get_their_numbers_with_one_reason(self, td, clerk, client):
        one, other, third = self.waiting(td, "Ann", "Kim", "Lee")
        make_player("31000009")
        client.force_login(clerk)
        keys = self.chosen(client, [one, other], **{f"number-{other.pk}": "45678901"})
        assert self.members(one, other, third) == [None] * 3
        sent = {"act": "number", "row": keys, **CONFIRM}
        response = client.post(self.SEVERAL, sent)
        assert self.done(response) == (["Ann Newman", "Kim Newman"], [])
        assert self.members(one, other, third) == ["31000010", "45678901", None]
        entries = AuditEntry.objects.filter(action="submission.newcomer_numbered")
        assert [(entry.actor, entry.reason) for entry in entries] == [
            (clerk, CONFIRM["reason"])
        ] * 2

    def test_one_that_is_refused_stops_no_other(self, td, clerk, client):
        one, other = self.waiting(td, "Ann", "Kim")
        taken = make_player().member_id
        client.force_login(clerk)
        keys = self.chosen(client, [one, other], **{f"number-{one.pk}": taken})
        response = client.post(self.SEVERAL, {"act": "number", "row": keys, **CONFIRM})
        assert self.done(response) == (["Kim Newman"], ["Ann Newman"])
        assert self.members(one)[0] is None

    def test_who_is_a_member_gets_no_second_number_with_others(self, td, clerk, client):
        [one] = self.waiting(td, "Ann")
        [twin] = self.waiting(td, "Sam", birth_date=date(2016, 5, 18))
        member = make_player(
            given_name="Sam", family_name="Newman", birth_date=date(2016, 5, 18)
        )
        client.force_login(clerk)
        response = client.post(self.TABLE, {"newcomer": [one.pk, twin.pk]})
        assert [row.name for row in response.context["left_out"]] == ["Sam Newman"]
        assert member.member_id in response.context["left_out"][0].sentence
        alone = client.post(self.TABLE, {"only": twin.pk})
        assert [row.name for row in alone.context["listed"]] == ["Sam Newman"]
        assert "same" in [each.code for each in alone.context["listed"][0].effects]

    def test_member_who_comes_in_meanwhile_is_not_passed_over(self, td, clerk, client):
        one, other = self.waiting(td, "Ann", "Kim")
        client.force_login(clerk)
        keys = self.chosen(client, [one, other])
        make_player(given_name="Ann", family_name="Newman", birth_date=SAM.birth_date)
        seen = {int(key.split(":")[0]): key.split(":")[2] for key in keys}
        with pytest.raises(NotPossible, match="has changed since"):
            assign_member_ids(numbers={one.pk: ""}, seen=seen, actor=clerk)
        response = client.post(self.SEVERAL, {"act": "number", "row": keys, **CONFIRM})
        assert self.done(response) == (["Kim Newman"], ["Ann Newman"])
        assert self.members(one) == [None]

    def test_same_child_of_two_reports_gets_one_number(self, td, clerk, client):
        one = self.waiting(td, "Ann")[0]
        report = report_with_newcomer(td, name="June Quads")
        report = replace(report, starts=date(2024, 6, 8), ends=date(2024, 6, 8))
        details = replace(SAM, given_name="Ann")
        other = submit(td, report_newcomer(td, report, details)).newcomers.get()
        client.force_login(clerk)
        keys = self.chosen(client, [one, other])
        response = client.post(self.SEVERAL, {"act": "number", "row": keys, **CONFIRM})
        assert self.done(response) == (["Ann Newman"] * 2, [])
        number, same = self.members(one, other)
        assert number == same is not None
        assert (
            Player.objects.filter(given_name="Ann", family_name="Newman").count() == 1
        )

    def test_all_with_name_and_birth_date_of_a_member_are_linked(
        self, td, clerk, client
    ):
        one, other = self.waiting(td, "Ann", "Kim")
        member = make_player(
            given_name="Ann", family_name="Newman", birth_date=SAM.birth_date
        )
        make_player(given_name="Kim", family_name="Newman", birth_date=date(2016, 1, 1))
        client.force_login(clerk)
        response = client.post(self.TABLE, {"link": "all"})
        keys = [row.key for row in response.context["listed"]]
        assert keys == [f"{one.pk}:{member.member_id}"]
        response = client.post(self.SEVERAL, {"act": "link", "row": keys, **CONFIRM})
        assert self.done(response) == (["Ann Newman"], [])
        assert self.members(one, other) == [member.member_id, None]

    def test_another_birth_date_or_name_is_marked(self, td, clerk, client):
        [one] = self.waiting(td, "Ann")
        other = make_player(given_name="Eve", family_name="Newman")
        client.force_login(clerk)
        response = client.post(self.TABLE, {"link": f"{one.pk}:{other.member_id}"})
        [row] = response.context["listed"]
        marked = [effect.code for effect in row.effects if effect.level]
        assert marked == ["name", "birth"]

    @pytest.mark.parametrize(
        ("year", "told"),
        [
            (2016, "The birth years are the same."),
            (2017, "The birth dates differ."),
            (None, "There’s no birth date on record to compare."),
        ],
    )
    def test_a_year_on_record_is_compared(self, td, clerk, client, year, told):
        [one] = self.waiting(td, "Ann", birth_date=date(2016, 5, 18))
        other = make_player(
            given_name="Ann", family_name="Newman", birth_date=None, birth_year=year
        )
        client.force_login(clerk)
        response = client.post(self.TABLE, {"link": f"{one.pk}:{other.member_id}"})
        [row] = response.context["listed"]
        assert [e.sentence for e in row.effects if e.code == "birth"] == [told]

    @pytest.mark.parametrize("number", ["abc", "1" * 20, "1234567"])
    def test_no_number_of_another_kind_is_given(self, td, clerk, client, number):
        [one] = self.waiting(td, "Ann")
        client.force_login(clerk)
        sent = {"act": "number", "row": f"{one.pk}:{number}:x", **CONFIRM}
        response = client.post(self.SEVERAL, sent)
        assert self.done(response) == ([], ["Ann Newman"])
        assert self.members(one) == [None]

    def test_reports_that_went_back_and_strangers_are_left_out(self, td, clerk, client):
        submission, one = pending_report(td)
        return_report(submission_id=submission.pk, actor=clerk, note="Which round?")
        client.force_login(clerk)
        sent = {"act": "number", "row": [f"{one.pk}::x", "98765::x"], **CONFIRM}
        response = client.post(self.SEVERAL, sent)
        assert self.done(response) == ([], ["Sam Newman", "New member"])
        assert self.members(one) == [None]

    def test_it_is_the_offices(self, td, client):
        [one] = self.waiting(td, "Ann")
        client.force_login(td)
        sent = {"act": "number", "row": f"{one.pk}::x", **CONFIRM}
        assert client.post(self.SEVERAL, sent).status_code == 403
        assert self.members(one) == [None]

    @pytest.mark.parametrize("newcomers", [2, 8])
    def test_the_pages_take_the_same_queries_for_any_number(
        self, td, clerk, client, django_assert_num_queries, newcomers
    ):
        waiting = self.waiting(
            td, *(f"Ann{letter}" for letter in "abcdefgh"[:newcomers])
        )
        client.force_login(clerk)
        with django_assert_num_queries(10):
            client.get(self.TABLE)
        with django_assert_num_queries(9):
            keys = self.chosen(client, waiting)
        assert len(keys) == newcomers


class TestLinking:
    def test_newcomer_who_is_on_record(self, td, clerk):
        event, one = accepted(td, clerk)
        member = make_player(given_name="Sam", family_name="Newman")
        link_newcomer(newcomer_id=one.pk, member_id=member.member_id, actor=clerk)
        assert numbers_of(event) == [1, 2]
        assert event.sections.get(number=2).entries.get(player=member)
        assert not Guardian.objects.exists()

    def test_member_whose_membership_lapsed_is_the_offices_word(self, td, clerk):
        event, one = accepted(td, clerk)
        lapsed = make_player(member_until=date(2001, 1, 1))
        link_newcomer(newcomer_id=one.pk, member_id=lapsed.member_id, actor=clerk)
        assert numbers_of(event) == [1, 2]

    def test_member_already_in_the_section_is_another_person(self, td, clerk):
        event, one = accepted(td, clerk)
        taken = reported_in(event.submission).section(2).entry(1).member_id
        with pytest.raises(NotPossible, match="Sam Newman can’t be this member"):
            link_newcomer(newcomer_id=one.pk, member_id=taken, actor=clerk)
        assert numbers_of(event) == [1]
        one.refresh_from_db()
        assert one.resolved_to is None

    def test_member_who_has_died(self, td, clerk):
        event, one = accepted(td, clerk)
        gone = make_player(status="deceased").member_id
        with pytest.raises(NotPossible, match="has died"):
            link_newcomer(newcomer_id=one.pk, member_id=gone, actor=clerk)
        assert numbers_of(event) == [1]

    def test_table_says_to_the_office_whose_birth_date_agrees(self, td, clerk, client):
        pending_report(td, reason="Another one.")
        make_player(given_name="Sam", family_name="Newman", birth_date=SAM.birth_date)
        client.force_login(clerk)
        page = client.get(reverse("events:newcomers")).content.decode()
        assert "same birth date" in page
        assert "checked" not in page.partition("<tbody>")[2]


class TestWaiting:
    def test_only_the_section_of_the_newcomer_waits(self, td, clerk):
        event, one = accepted(td, clerk)
        run_due_jobs()
        assert numbers_of(event) == [1]
        assert event.sections.get().status == Section.Status.RATED
        assign_member_ids(numbers={one.pk: ""}, actor=clerk)
        run_due_jobs()
        second = event.sections.get(number=2)
        assert second.status == Section.Status.RATED
        assert PackedSection.objects.filter(section=second).exists()
        assert Calculation.objects.filter(section=second, is_current=True).exists()

    def test_section_of_two_newcomers_waits_for_both(self, td, clerk):
        report = report_with_newcomer(td)
        kim = replace(SAM, given_name="Kim")
        third = report.with_entry(2, 3, member_id="", name="NEWMAN, KIM")
        submission = report_newcomer(td, third)
        submission = submit(td, report_newcomer_details(td, submission, kim, number=3))
        event = accept_report(submission_id=submission.pk, actor=clerk)
        sam, kim = submission.newcomers.order_by("pk")
        assign_member_ids(numbers={sam.pk: ""}, actor=clerk)
        assert numbers_of(event) == [1]
        assign_member_ids(numbers={kim.pk: ""}, actor=clerk)
        assert numbers_of(event) == [1, 2]

    def test_event_of_which_everything_waits_breaks_no_page(self, td, clerk, client):
        report = event_report(td, [quad_with_newcomer(td)])
        submission = submit(td, report_newcomer(td, report, section=1))
        event = accept_report(submission_id=submission.pk, actor=clerk)
        run_due_jobs()
        assert numbers_of(event) == []
        assert event not in fully_rated()
        own = event.get_absolute_url()
        api = f"/api/v1/events/{event.event_id}"
        pages = ["/", "/events/", "/calendar/", own, api]
        downloads = [
            f"report.{one}" for one in ("zip", "csv", "json", "trf16", "trf26")
        ]
        for address in [*pages, *(f"{own}{name}" for name in downloads)]:
            assert client.get(address).status_code == 200, address
        page = client.get(event.get_absolute_url()).content.decode()
        assert "A section of this event is waiting for a new member’s ID." in page
        assert "NEW-1" not in page
        assert b"NEW-1" not in export_json(event)

    def test_returned_report_keeps_its_newcomer(self, td, clerk):
        submission, one = pending_report(td)
        return_report(submission_id=submission.pk, actor=clerk, note="Which round?")
        submission = submit(td, Submission.objects.get(pk=submission.pk))
        assert submission.newcomers.get() == one


class TestFeed:
    def test_new_member_of_the_same_name_and_birth_date_is_the_newcomer(
        self, td, clerk
    ):
        event, one = accepted(td, clerk)
        sam = make_player(given_name="SAM", family_name="Newman",
                          birth_date=SAM.birth_date)  # fmt: skip
        assert match_newcomers([make_player(), sam]) == 1
        one.refresh_from_db()
        assert (one.resolved_to, one.resolved_how, one.resolved_by) == (
            sam,
            "matched",
            None,
        )
        assert numbers_of(event) == [1, 2]
        assert match_newcomers([sam]) == 0

    def test_file_of_members_brings_the_newcomer(self, td, clerk):
        event, one = accepted(td, clerk)
        entered(f"45678901,Sam,Newman,{SAM.birth_date}")
        one.refresh_from_db()
        assert one.resolved_to.member_id == "45678901"
        assert numbers_of(event) == [1, 2]

    @pytest.mark.parametrize(
        "other",
        [
            {"birth_date": date(2016, 5, 18)},
            {"birth_date": None},
            {"given_name": "Samuel"},
        ],
    )
    def test_newcomer_without_an_exact_match_stays_pending(self, td, clerk, other):
        event, _one = accepted(td, clerk)
        said = {"given_name": "Sam", "birth_date": SAM.birth_date, **other}
        assert match_newcomers([make_player(family_name="Newman", **said)]) == 0
        assert numbers_of(event) == [1]

    def test_two_members_alike_are_left_to_the_office(self, td, clerk):
        accepted(td, clerk)
        same = {"given_name": "Sam", "family_name": "Newman"}
        twins = [make_player(**same, birth_date=SAM.birth_date) for _ in range(2)]
        assert match_newcomers(twins) == 0

    def test_year_alone_is_left_to_the_office(self, td, clerk):
        details = replace(SAM, birth_date=None, birth_year=2016)
        submit(td, report_newcomer(td, report_with_newcomer(td), details))
        same = {"given_name": "Sam", "family_name": "Newman"}
        assert match_newcomers([make_player(**same, birth_date=SAM.birth_date)]) == 0

    def test_member_whom_the_report_cannot_have_waits_on(self, td, clerk):
        event, one = accepted(td, clerk)
        sam = make_player(
            given_name="Sam", family_name="Newman", birth_date=SAM.birth_date,
            status="deceased",
        )  # fmt: skip
        assert match_newcomers([sam]) == 0
        one.refresh_from_db()
        assert one.resolved_to is None
        assert numbers_of(event) == [1]

    def test_report_without_newcomers_takes_no_query(self, django_assert_num_queries):
        with django_assert_num_queries(0):
            assert match_newcomers([]) == 0


class TestPreview:
    def test_newcomer_starts_from_the_age_that_was_told(self, td):
        old = replace(SAM, birth_date=date(1980, 1, 1))
        posts = []
        for details in (SAM, old):
            submission = report_newcomer(td, report_with_newcomer(td), details)
            births = {"NEW-1": details.birth_date}
            section = preview_report(reported_in(submission), {}, births=births)[1]
            posts.append(next(one.post for one in section.lines
                              if one.pairing_number == 4))  # fmt: skip
            withdraw_report(submission_id=submission.pk, actor=td, reason="Again.")
        assert posts[0] != posts[1]

    def test_newcomer_is_rated_as_previewed(self, td, clerk):
        submission, newcomer = pending_report(td)
        births = {"NEW-1": SAM.birth_date}
        reported = reported_in(submission)
        preview = preview_report(reported, members_of(reported), births)[1]
        [player] = assign_member_ids(numbers={newcomer.pk: ""}, actor=clerk)
        accept_report(submission_id=submission.pk, actor=clerk)
        run_due_jobs()
        line = RatingChange.objects.get(player=player)
        assert preview.lines[3].pairing_number == 4
        assert published(line) == preview.lines[3].post

    def test_sender_sees_the_first_rating_of_the_newcomer(self, td, client):
        submission = report_newcomer(td, report_with_newcomer(td))
        client.force_login(td)
        page = client.get(reverse("ratings:preview", args=[submission.pk]))
        row = page.content.decode().partition("NEW-1")[2].partition("</tr>")[0]
        assert re.search(r"unrated</td>.*>[1-9][0-9]{2,3}</td>", row)


class TestSecondPersonRules:
    def test_who_uploaded_a_report_does_not_accept_it(self, clerk):
        make_td_of(clerk)
        submission, _one = pending_report(clerk)
        with pytest.raises(NotPossible, match="another person in the office"):
            accept_report(submission_id=submission.pk, actor=clerk)
        assert accept_report(submission_id=submission.pk, actor=make_staff())

    def test_who_submitted_a_report_does_not_accept_it(self, td, clerk):
        submission = submit(clerk, report_newcomer(td, report_with_newcomer(td)))
        with pytest.raises(NotPossible, match="another person in the office"):
            accept_report(submission_id=submission.pk, actor=clerk)

    def test_page_says_who_may(self, td, clerk, client):
        submission = submit(clerk, report_newcomer(td, report_with_newcomer(td)))
        client.force_login(clerk)
        url = reverse("events:accept", args=[submission.pk])
        page = client.get(url).content.decode()
        assert "another person in the office has to accept it" in page
        assert "Accept and open next" not in page
        client.force_login(make_staff())
        assert "Accept and open next" in client.get(url).content.decode()

    def test_report_says_who_may_in_the_place_of_the_button(self, td, clerk, client):
        submission = submit(clerk, report_newcomer(td, report_with_newcomer(td)))
        accept = reverse("events:accept", args=[submission.pk])
        client.force_login(clerk)
        page = client.get(submission.get_absolute_url()).content.decode()
        assert "another person in the office has to accept it" in page
        assert accept not in page
        client.force_login(make_staff())
        page = client.get(submission.get_absolute_url()).content.decode()
        assert "has to accept it" not in page
        assert accept in page

    def test_director_who_plays_is_shown_to_the_office(self, td, clerk, client):
        report = report_with_newcomer(td).with_entry(
            1, 2, member_id=td.player.member_id, name="DIRECTOR, TESSA"
        )
        submission = submit(td, report_newcomer(td, report))
        client.force_login(clerk)
        page = client.get(reverse("events:accept", args=[submission.pk]))
        assert "is a director of this event and also played in it (section 1)" in (
            page.content.decode()
        )


def make_td_of(user) -> None:
    """Make a clerk a TD too."""
    Official.objects.create(
        player=make_player(given_name="Both", account=user),
        level="senior",
        certified_until=date(2099, 12, 31),
    )


def test_audit_says_changed_and_never_what(td, clerk):
    _event, one = accepted(td, clerk)
    assign_member_ids(numbers={one.pk: ""}, actor=clerk)
    told_facts = AuditEntry.objects.get(action="submission.newcomer_told").facts
    assert (told_facts["birth"], told_facts["email"]) == ("changed", "changed")
    kept = str(list(AuditEntry.objects.values_list("facts", "reason", "subject_name")))
    assert not contains_number(kept, 2016)
    assert "parent@" not in kept


def test_office_finds_a_newcomer_in_the_admin_and_changes_nothing(td, clerk, client):
    _submission, newcomer = pending_report(td)
    client.force_login(clerk)
    table = reverse("admin:events_pendingmember_changelist")
    found = client.get(table, {"q": "newman"}).content.decode()
    nobody = client.get(table, {"q": "nobody-of-this-name"}).content.decode()
    record = reverse("admin:events_pendingmember_change", args=[newcomer.pk])
    assert (record in found, record in nobody) == (True, False)
    assert client.post(record, {"given_name": "Ann"}).status_code == 403
    newcomer.refresh_from_db()
    assert newcomer.given_name == "Sam"
