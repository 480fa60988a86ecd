"""One-step actions on findings, and assignment of reports."""

import re
from dataclasses import replace

import pytest
from django.urls import reverse

from events.checks.services import findings_of
from events.formats.findings import Severity
from events.formats.report import ReportedEntry, format_cell, parse_cell
from events.models import FindingOverride, Submission
from events.reports.pages.history import MAX_CELLS_SHOWN, history_of
from events.reports.services.messages import write_message
from events.reports.services.submissions import reported_in, set_entry, submit_report
from players.models import Player
from ratings_site.common.audit.services import record
from ratings_site.common.models import AuditEntry
from tests.events.reports.test_report_pages import (
    database_state,
    quad,
    text_of,
    upload,
    url,
)
from tests.factories import make_player, make_staff, make_td

pytestmark = pytest.mark.django_db


@pytest.fixture
def td():
    return make_td("td")


@pytest.fixture
def signed_in(client, td):
    client.force_login(td)
    return client


def named(td, **names: str) -> Submission:
    """Upload a quad in which entries of these pairing numbers (n1, n2 …) have names."""
    report = quad(td)
    for number, name in names.items():
        report = report.with_entry(1, int(number[1:]), name=name)
    return upload(td, report)


def entry(submission: Submission, number: int) -> ReportedEntry:
    submission.refresh_from_db()
    return reported_in(submission).section(1).entry(number)


def kinds(submission: Submission, code: str) -> list[str]:
    return [f.key for f in findings_of(submission) if f.code == code]


def shown_keys(submission: Submission, code: str = "") -> list[str]:
    found = findings_of(submission)
    return [one.shown_key for one in found if one.code.startswith(code)]


class TestOneReasonForSeveral:
    def test_each_finding_keeps_the_reason(self, signed_in, td):
        submission = named(td, n1="OTHER, NAME", n2="THIRD, PERSON")
        keys = kinds(submission, "member.other_name")
        page = text_of(signed_in.get(url("report", submission)))
        assert "Keep 2 similar entries as reported, with one reason" in page
        data = {
            "finding": shown_keys(submission, "member.other_name"),
            "reason": "Both married.",
        }
        html = signed_in.get(url("report", submission)).content.decode()
        assert [f'value="{key}"' in html for key in data["finding"]] == [True] * 2
        signed_in.post(url("override", submission), data)
        said = FindingOverride.objects.order_by("finding_key").values_list(
            "finding_key", "reason", "by"
        )
        assert list(said) == [(key, "Both married.", td.pk) for key in sorted(keys)]
        acts = AuditEntry.objects.filter(action="submission.finding_overridden")
        assert [act.reason for act in acts] == ["Both married."] * 2

    def test_all_pass_or_none(self, signed_in, td):
        submission = named(td, n1="OTHER, NAME")
        set_entry(
            submission_id=submission.pk,
            actor=td,
            version=1,
            section_number=1,
            pairing_number=3,
            changes={"member_id": ""},
        )
        submission.refresh_from_db()
        before = database_state()
        data = {"finding": shown_keys(submission), "reason": "All fine."}
        words = text_of(signed_in.post(url("override", submission), data))
        assert "An error can’t be kept as reported" in words
        assert database_state() == before

    @pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
    @pytest.mark.parametrize("changed", ["report", "record"])
    def test_what_says_something_else_now_is_not_kept(
        self, signed_in, td, headers, changed
    ):
        """In another tab the entry gets another member, or the member another name."""
        submission = named(td, n1="OTHER, NAME", n2="THIRD, PERSON")
        seen = shown_keys(submission, "member.other_name")
        if changed == "report":
            set_entry(
                submission_id=submission.pk,
                actor=td,
                version=1,
                section_number=1,
                pairing_number=1,
                changes={"member_id": make_player("19990001", "Kim", "Wu").member_id},
            )
        else:
            member_id = entry(submission, 1).member_id
            Player.objects.filter(member_id=member_id).update(family_name="Wu")
        before = database_state()
        data = {"finding": seen, "reason": "Both married."}
        response = signed_in.post(url("override", submission), data, headers=headers)
        assert "This issue is gone because the report has changed" in text_of(response)
        assert database_state() == before
        if not headers:  # the page shows what they say now, to be confirmed
            form = re.findall(
                'name="finding" value="([^"]*)"', response.content.decode()
            )
            submission.refresh_from_db()
            assert form == shown_keys(submission, "member.other_name")
            signed_in.post(url("override", submission), data | {"finding": form})
            assert FindingOverride.objects.count() == 2

    def test_nothing_chosen_is_said_so(self, signed_in, td):
        submission = named(td, n1="OTHER, NAME")
        response = signed_in.post(url("override", submission), {"reason": "Fine."})
        assert response.status_code == 422
        assert "Choose the issues to confirm" in text_of(response)


class TestUseTheRecord:
    def test_name_and_state_become_those_of_the_record(self, signed_in, td):
        submission = named(td, n1="OTHER, NAME")
        member_id = entry(submission, 1).member_id
        words = text_of(signed_in.get(url("report", submission)))
        assert "Use the member’s record: Ada Lind, IL" in words
        signed_in.post(url("use_record", submission), {"version": 1, "spot": "1-1"})
        changed = entry(submission, 1)
        assert (changed.member_id, changed.name, changed.state) == (
            member_id,
            "Lind, Ada",
            "IL",
        )
        assert kinds(submission, "member.other_name") == []
        act = AuditEntry.objects.get(action="submission.record_used")
        assert (act.actor, act.facts) == (
            td,
            {"entries": "1/1 OTHER, NAME, blank → Lind, Ada, IL"},
        )

    def test_several_at_once_are_one_change(self, signed_in, td):
        submission = named(td, n1="OTHER, NAME", n2="THIRD, PERSON")
        words = text_of(signed_in.get(url("report", submission)))
        assert "Use the member record for 2 entries" in words
        data = {"version": 1, "spot": ["1-1", "1-2"]}
        signed_in.post(url("use_record", submission), data)
        names = [entry(submission, number).name for number in (1, 2)]
        assert (names, submission.version) == (["Lind, Ada", "Ek, Bo"], 2)

    def test_what_agrees_already_changes_nothing(self, signed_in, td):
        submission = upload(td, quad(td).with_entry(1, 1, state="IL"))
        before = database_state()
        data = {"version": 1, "spot": "1-1"}
        response = signed_in.post(url("use_record", submission), data, follow=True)
        assert "Nothing was changed." in text_of(response)
        assert database_state() == before

    @pytest.mark.parametrize(
        ("data", "sentence"),
        [
            ({"version": 1}, "Choose the entries to update."),
            ({"version": 1, "spot": "1-٣"}, "Choose the entries to update."),
            ({"version": 1, "spot": "1"}, "Choose the entries to update."),
            ({"version": "x", "spot": "1-1"}, "Choose the entries to update."),
            ({"version": 1, "spot": "1-9"}, "not have exactly one entry with number 9"),
            ({"version": 1, "spot": "7-1"}, "not have exactly one entry with number 1"),
            ({"version": 1, "spot": "1-4"}, "No member has the ID 99999999."),
            ({"version": 9, "spot": "1-1"}, "The report has changed since"),
        ],
    )
    def test_what_cannot_be_is_refused(self, signed_in, td, data, sentence):
        report = quad(td).with_entry(1, 1, name="OTHER, NAME")
        submission = upload(td, report.with_entry(1, 4, member_id="99999999"))
        before = database_state()
        response = signed_in.post(url("use_record", submission), data)
        assert response.status_code == 409
        assert sentence in text_of(response)
        assert database_state() == before

    def test_nothing_changes_while_the_office_has_it(self, signed_in, td):
        submission = upload(td, quad(td))
        submit_report(submission_id=submission.pk, actor=td)
        before = database_state()
        data = {"version": 1, "spot": "1-1"}
        response = signed_in.post(url("use_record", submission), data)
        assert "in review and can’t be changed" in text_of(response)
        assert database_state() == before

    def test_another_td_is_not_told_that_the_report_exists(self, client, td):
        submission = named(td, n1="OTHER, NAME")
        client.force_login(make_td("other"))
        data = {"version": 1, "spot": "1-1"}
        assert client.post(url("use_record", submission), data).status_code == 404


class TestUseAMember:
    def test_a_likely_member_is_taken_with_name_and_state(self, signed_in, td):
        report = quad(td).with_entry(1, 2, member_id="99999999", name="EKK, BO")
        submission = upload(td, report)
        other = make_player(given_name="Bo", family_name="Ekk", state="WI")
        address = url("use_member", submission, 1, 2)
        page = signed_in.get(url("report", submission)).content.decode()
        assert f'action="{address}"' in page
        assert f'name="member_id" value="{other.member_id}"' in page
        signed_in.post(address, {"version": 1, "member_id": other.member_id})
        changed = entry(submission, 2)
        assert (changed.member_id, changed.name, changed.state) == (
            other.member_id,
            "EKK, BO",
            "WI",
        )
        act = AuditEntry.objects.get(action="submission.member_used")
        assert act.facts == {
            "section": 1,
            "pairing_number": 2,
            "instead_of": "99999999 EKK, BO",
            "member_id": other.member_id,
            "state": "WI",
        }

    @pytest.mark.parametrize(
        ("member_id", "sentence"),
        [
            ("77777777", "No member has the ID 77777777."),
            ("7", "A member ID has eight digits."),
            ("", "A member ID has eight digits."),
            ("20999999", "can’t be used"),
        ],
    )
    def test_who_cannot_play_is_refused(self, signed_in, td, member_id, sentence):
        make_player("20999999", status="deceased")
        submission = upload(td, quad(td))
        before = database_state()
        data = {"version": 1, "member_id": member_id}
        response = signed_in.post(url("use_member", submission, 1, 2), data)
        assert response.status_code == 409
        assert sentence in text_of(response)
        assert database_state() == before

    def test_a_repeated_number_must_be_told_apart_first(self, signed_in, td):
        report = quad(td).with_entry(1, 2, pairing_number=1)
        submission = upload(td, report)
        someone = make_player()
        data = {"version": 1, "member_id": someone.member_id}
        response = signed_in.post(url("use_member", submission, 1, 1), data)
        assert "not have exactly one entry with number 1" in text_of(response)


class TestConflictingResults:
    """Number 1 reports a draw with number 4 in round 1, and 4 reports a win."""

    @pytest.fixture
    def torn(self, td):
        return upload(td, quad(td).with_cell(1, 4, 1, parse_cell("W1")))

    def cells(self, submission: Submission) -> list[str]:
        return [format_cell(entry(submission, number).cell(1)) for number in (1, 4)]

    def test_one_finding_marks_both_cells_and_offers_both_words(self, signed_in, torn):
        assert kinds(torn, "result.not_mirrored") == ["result.not_mirrored|s1|p1|r1|"]
        page = signed_in.get(url("report", torn)).content.decode()
        assert page.count('class="chip error" title="A draw with 4') == 2
        buttons = re.findall(r">(1 won|It was a draw|4 won)</button>", page)
        assert buttons == ["It was a draw", "4 won"]

    @pytest.mark.parametrize(
        ("number", "cells"), [(1, ["D4W", "D1B"]), (4, ["L4W", "W1B"])]
    )
    def test_the_chosen_word_stands_for_both(self, signed_in, torn, number, cells):
        address = url("settle_result", torn, 1, number, 1)
        assert address in signed_in.get(url("report", torn)).content.decode()
        signed_in.post(address, {"version": 1})
        assert self.cells(torn) == cells
        assert kinds(torn, "result.not_mirrored") == []

    @pytest.mark.parametrize(
        ("place", "version"), [((9, 1), 1), ((1, 99), 1), ((1, 1), 7)]
    )
    def test_no_such_game_or_version_changes_nothing(
        self, signed_in, torn, place, version
    ):
        before = database_state()
        address = url("settle_result", torn, 1, *place)
        assert signed_in.post(address, {"version": version}).status_code == 409
        assert database_state() == before


class TestHistory:
    def test_what_one_person_types_at_a_stretch_is_one_line(self, signed_in, td):
        submission = upload(td, quad(td))
        other = make_staff("other")
        typed = ["1/1 W4", "2/1 blank, 1/3 1-0, 2-0", "1/2 D3 and 3 more"]
        for who, cells in zip((td, td, other), typed, strict=True):
            record(
                "submission.cells_typed",
                subject=submission,
                actor=who,
                facts={"section": 1, "cells": cells},
            )
        lines = [act.what for act in history_of(submission)]
        assert lines == [
            "other entered results for section 1 (number 1, round 2: D3 and 3 more)",
            "Tessa Director entered results for section 1 (number 1, round 1: W4; "
            "number 2, round 1: blank; number 1, round 3: 1-0, 2-0)",
            "Tessa Director uploaded the files",
        ]

    def test_a_long_stretch_is_told_by_its_beginning(self, td):
        submission = upload(td, quad(td))
        cells = ", ".join(f"{number}/1 B" for number in range(1, MAX_CELLS_SHOWN + 3))
        facts = {"section": 1, "cells": f"{cells} and 5 more"}
        record("submission.cells_typed", subject=submission, actor=td, facts=facts)
        [act, _sent] = history_of(submission)
        assert act.what.count("round 1: B") == MAX_CELLS_SHOWN
        assert act.what.endswith(" and 7 more)")

    @pytest.mark.parametrize(
        ("action", "facts", "said"),
        [
            ("newcomer_told",
             {"newcomer": "NEW-1", "name": "Tobin Quill", "birth": "changed"},
             "Birth date: changed; Name: Tobin Quill; Temporary ID: NEW-1"),
            ("newcomer_numbered", {"newcomer": "NEW-1", "how": "issued"},
             "New member ID; Temporary ID: NEW-1"),
            ("event_changed",
             {"starts": "2024-05-04", "zip_code": "", "other_td_ids": "('1', '2')"},
             "Other TDs’ member IDs: 1, 2; First day: May 4, 2024; ZIP code: blank"),
            ("section_changed", {"kind_letter": "R", "online": "True"},
             "Type: round robin; Played online: yes"),
            ("record_used", {"entries": "1/2 X, Y → Ek, Bo; 1/3 Z → Doe, Cy"},
             "section 1, number 2: X, Y → Ek, Bo; section 1, number 3: Z → Doe, Cy"),
            ("columns_told", {"columns": "number, left out, round_result"},
             "Pairing number, left out, Result of a round, such as W12"),
            ("taken", {"from": "anna"}, "Previously assigned to: anna"),
        ],
    )  # fmt: skip
    def test_what_was_changed_is_told_in_words(self, td, action, facts, said):
        submission = upload(td, quad(td))
        record(f"submission.{action}", subject=submission, actor=td, facts=facts)
        assert history_of(submission)[0].what.endswith(f" ({said})")

    def test_every_action_on_a_report_has_a_description(self, td):
        submission = upload(td, quad(td))
        write_message(submission=submission, actor=td, text="Please look.")
        assert history_of(submission)[0].what == "Tessa Director sent a message"


class TestAssignment:
    @pytest.fixture
    def waiting(self, td):
        submission = upload(td, quad(td))
        submit_report(submission_id=submission.pk, actor=td)
        return submission

    @pytest.fixture
    def anna(self, client):
        anna = make_staff("anna")
        client.force_login(anna)
        return anna

    def holder(self, submission: Submission) -> tuple:
        submission.refresh_from_db()
        return submission.claimed_by, submission.claimed_at is not None

    def cell(self, response) -> str:
        """Return the queue's cell that shows the assigned clerk."""
        [said] = re.findall(
            r'data-label="Assigned to"[^>]*>([^<]*)<', response.content.decode()
        )
        return said

    def test_staff_take_a_report_and_the_queue_says_so(self, client, anna, waiting):
        queue = reverse("events:queue")
        assert "Unassigned" in self.cell(client.get(queue, {"holder": "nobodys"}))
        client.post(url("claim", waiting), {"holder": ""})
        assert self.holder(waiting) == (anna, True)
        assert "anna" in self.cell(client.get(queue, {"holder": "mine"}))
        assert "No reports match these filters" in text_of(
            client.get(queue, {"holder": "nobodys"})
        )
        act = AuditEntry.objects.get(action="submission.taken")
        assert (act.actor, act.facts) == (anna, {})

    def test_a_report_is_reassigned_from_the_shown_clerk(self, client, anna, waiting):
        bert = make_staff("bert")
        client.post(url("claim", waiting), {"holder": ""})
        client.force_login(bert)
        refused = client.post(url("claim", waiting), {"holder": ""})
        assert "The report has been assigned to anna." in text_of(refused)
        assert self.holder(waiting) == (anna, True)
        client.post(url("claim", waiting), {"holder": anna.pk})
        assert self.holder(waiting) == (bert, True)
        taken = AuditEntry.objects.filter(action="submission.taken")
        assert [act.facts for act in taken.order_by("pk")] == [{}, {"from": "anna"}]

    def test_a_report_is_given_back_by_who_has_it(self, client, anna, waiting):
        client.post(url("claim", waiting), {"holder": ""})
        client.force_login(make_staff("bert"))
        words = text_of(client.post(url("release", waiting), follow=True))
        assert "The report wasn’t assigned to you." in words
        assert self.holder(waiting) == (anna, True)
        client.force_login(anna)
        client.post(url("release", waiting))
        assert self.holder(waiting) == (None, False)

    def test_only_what_is_with_the_office_can_be_taken(self, client, anna, td):
        submission = upload(td, replace(quad(td), name="Still open"))
        response = client.post(url("claim", submission), {"holder": ""})
        assert "Only a submitted report can be assigned" in text_of(response)
        assert self.holder(submission) == (None, False)

    def test_a_td_takes_nothing(self, client, td, waiting):
        client.force_login(td)
        assert client.post(url("claim", waiting)).status_code == 403
        assert client.post(url("release", waiting)).status_code == 403
        assert self.holder(waiting) == (None, False)


class TestRemoveAnEntry:
    def with_vacant_number(self, td, **changes) -> Submission:
        """Upload a quad whose number 3 has no results, and by default no name."""
        report = quad(td).with_entry(1, 3, **{"member_id": "", "name": "", **changes})
        section = report.section(1)
        unpaired = parse_cell("U0")
        entries = tuple(
            replace(
                one,
                cells=tuple(
                    unpaired if 3 in (one.pairing_number, cell.opponent) else cell
                    for cell in one.cells
                ),
            )
            for one in section.entries
        )
        return upload(td, report.with_section(1, entries=entries))

    def numbers(self, submission) -> list[int]:
        submission.refresh_from_db()
        section = reported_in(submission).section(1)
        return [one.pairing_number for one in section.entries]

    def test_nameless_entry_is_removed_and_other_numbers_stay(self, signed_in, td):
        submission = self.with_vacant_number(td)
        cells = entry(submission, 4).cells
        page = signed_in.get(url("edit_entry", submission, 1, 3))
        path = url("remove_entry", submission, 1, 3)
        assert f'action="{path}"' in page.content.decode()
        words = text_of(page)
        assert words.count("Remove entry") == 1
        assert "This entry has no name and no results." in words
        assert words.index("Remove entry") < words.index("Look up a member")
        words = text_of(signed_in.post(path, {"version": 1}, follow=True))
        assert "Number 3 was removed." in words
        assert self.numbers(submission) == [1, 2, 4]
        assert entry(submission, 4).cells == cells
        blocking = [
            one for one in findings_of(submission) if one.severity == Severity.ERROR
        ]
        assert blocking == []
        act = AuditEntry.objects.get(action="submission.entry_removed")
        assert act.facts["pairing_number"] == 3

    def test_named_entry_without_results_is_offered_last(self, signed_in, td):
        submission = self.with_vacant_number(td, name="NOBODY KNOWN")
        words = text_of(signed_in.get(url("edit_entry", submission, 1, 3)))
        assert "This entry has no results." in words
        assert words.index("Remove entry") > words.index("Look up a member")

    def test_entry_with_results_is_not_removed(self, signed_in, td):
        submission = upload(td, quad(td).with_entry(1, 3, name=""))
        page = text_of(signed_in.get(url("edit_entry", submission, 1, 3)))
        assert "Remove entry" not in page
        path = url("remove_entry", submission, 1, 3)
        words = text_of(signed_in.post(path, {"version": 1}, follow=True))
        assert "Pairing number 3 has results" in words
        assert self.numbers(submission) == [1, 2, 3, 4]

    def test_entry_that_an_opponent_names_is_not_removed(self, signed_in, td):
        submission = self.with_vacant_number(td)
        report = reported_in(submission).with_cell(1, 4, 1, parse_cell("W3W"))
        Submission.objects.filter(pk=submission.pk).update(content=report.to_json())
        page = text_of(signed_in.get(url("edit_entry", submission, 1, 3)))
        assert "Remove entry" not in page

    def test_outdated_page_removes_nothing(self, signed_in, td):
        submission = self.with_vacant_number(td)
        path = url("remove_entry", submission, 1, 3)
        signed_in.post(path, {"version": 7}, follow=True)
        assert self.numbers(submission) == [1, 2, 3, 4]

    def test_the_page_shows_the_section_without_it(self, signed_in, td):
        submission = self.with_vacant_number(td)
        path = url("remove_entry", submission, 1, 3)
        headers = {"HX-Request": "true", "X-Shown-Version": "1"}
        response = signed_in.post(path, {"version": 1}, headers=headers)
        page = response.content.decode()
        assert 'id="s1-table" hx-swap-oob="true"' in page
        assert 'id="s1p3"' not in page

    def test_other_director_removes_nothing(self, client, td):
        submission = self.with_vacant_number(td)
        client.force_login(make_td("other"))
        path = url("remove_entry", submission, 1, 3)
        assert client.post(path, {"version": 1}).status_code == 404
        assert self.numbers(submission) == [1, 2, 3, 4]
