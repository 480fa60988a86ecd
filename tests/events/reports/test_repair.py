"""The repair of a report: issues by cause, best matches, undo, and clerks' fixes."""

from dataclasses import replace

import pytest
from django.urls import reverse

from events.checks.services import findings_of
from events.formats.report import ReportedEntry, ReportedEvent
from events.models import OfficeTask, Submission
from events.records.exceptions import NotPossible
from events.reports.pages.history import history_of
from events.reports.pages.report import report_page
from events.reports.services.submissions import (
    reported_in,
    restore_entries,
    set_entry,
    set_event,
    submit_report,
)
from players.models import Player
from ratings_site.common.models import AuditEntry, Notice
from tests.cpu_time import cpu_time
from tests.events.reports.test_live_updates import shown
from tests.events.reports.test_report_actions import entry
from tests.events.reports.test_report_pages import (
    cell_data,
    database_state,
    entry_data,
    event_data,
    quad,
    section_data,
    text_of,
    upload,
    url,
)
from tests.factories import (
    accepted_event,
    event_report,
    make_player,
    make_staff,
    make_td,
    merge_with_approval,
    section_report,
    swiss_rows,
)

pytestmark = pytest.mark.django_db

UNKNOWN = "98765432"


@pytest.fixture
def td():
    return make_td("td")


@pytest.fixture
def signed_in(client, td):
    client.force_login(td)
    return client


def three_sections(td, **first) -> ReportedEvent:
    """Return a report in which number 1 of each section is one player."""
    report = quad(td)
    [section] = report.sections
    entries = (replace(section.entries[0], **first), *section.entries[1:])
    sections = [replace(section, number=n, entries=entries) for n in (1, 2, 3)]
    return report.with_event(sections=tuple(sections), total_sections=3)


def firsts(submission: Submission) -> list[ReportedEntry]:
    submission.refresh_from_db()
    return [section.entry(1) for section in reported_in(submission).sections]


def issues(submission: Submission, kind: str) -> list[tuple[str, list[int]]]:
    """Return the sentences of a severity, each with the sections it is listed for."""
    fresh = Submission.objects.get(pk=submission.pk)
    return [
        (
            line.finding.message,
            [one.finding.place.section for one in (line, *line.also)],
        )
        for group in report_page(fresh).groups
        if group.kind == kind
        for part in group.kinds
        for entry in part.entries
        for line in entry.lines
    ]


def name_of(number: int) -> str:
    """Return a name that begins unlike the others: Baba, Bebu, Bibi ..."""
    consonants, vowels = "bdfghklmnprstvz", "aeiou"
    parts = [number % 15, number // 15 % 15, number // 225 % 15]
    return "".join(consonants[at] + vowels[at % 5] for at in parts).capitalize()


def unknown_players(td, number: int) -> Submission:
    """Upload a section in which no member has any of the IDs."""
    players = [
        make_player(given_name=f"{name_of(i)}n", family_name=f"{name_of(i + 7)}r")
        for i in range(number)
    ]
    section = section_report(players, swiss_rows(number, 3))
    report = event_report(td, [section])
    for i in range(1, number + 1):
        report = report.with_entry(1, i, member_id=f"9{i:07}")
    return upload(td, report)


class TestOneIssueForOneCause:
    def test_an_unknown_player_of_three_sections_is_one_issue(self, signed_in, td):
        submission = upload(td, three_sections(td, member_id=UNKNOWN))
        sentence = f"No member has the ID {UNKNOWN}."
        assert issues(submission, "error") == [(sentence, [1, 2, 3])]
        assert submission.finding_counts["error"] == 1
        page = text_of(signed_in.get(submission.get_absolute_url()))
        assert "1 error to fix before you can submit" in page

    def test_choosing_the_member_fixes_all_places(self, signed_in, td):
        report = three_sections(td, member_id=UNKNOWN)
        submission = upload(td, report)
        member = Player.objects.get(given_name="Ada", family_name="Lind")
        data = {"version": 1, "member_id": member.member_id}
        signed_in.post(url("use_member", submission, 2, 1), data)
        assert [one.member_id for one in firsts(submission)] == [member.member_id] * 3
        assert submission.version == 2
        audit = AuditEntry.objects.get(action="submission.member_used")
        assert audit.facts == {
            "section": 2,
            "pairing_number": 1,
            "instead_of": f"{UNKNOWN} LIND, ADA",
            "member_id": member.member_id,
            "state": "IL",
            "also": "1/1, 3/1",
        }

    def test_another_name_with_the_same_id_is_another_player(self, signed_in, td):
        report = three_sections(td, member_id=UNKNOWN)
        submission = upload(td, report.with_entry(3, 1, name="OTHER, PERSON"))
        member = Player.objects.get(given_name="Ada", family_name="Lind")
        data = {"version": 1, "member_id": member.member_id}
        signed_in.post(url("use_member", submission, 1, 1), data)
        ids = [one.member_id for one in firsts(submission)]
        assert ids == [member.member_id, member.member_id, UNKNOWN]

    def test_two_of_one_name_without_an_id_in_a_section_are_two_players(self, td):
        report = three_sections(td, member_id="00000000", name="DOE, J")
        submission = upload(
            td, report.with_entry(1, 2, member_id="00000000", name="DOE, J")
        )
        [*own] = issues(submission, "error")
        assert [sections for _sentence, sections in own] == [[1], [1], [2], [3]]

    @pytest.mark.parametrize(("everywhere", "changed"), [("on", 3), ("", 1)])
    def test_the_form_of_an_entry_asks_for_the_other_places(
        self, signed_in, td, everywhere, changed
    ):
        submission = upload(td, three_sections(td, member_id=UNKNOWN))
        path = url("edit_entry", submission, 1, 1)
        page = text_of(signed_in.get(path))
        assert "Also change Section 2, pairing number 1, Section 3" in page
        data = entry_data(submission, name="LIND, ADA B", everywhere=everywhere)
        signed_in.post(path, data | {"member_id": UNKNOWN})
        names = [one.name for one in firsts(submission)]
        assert names.count("LIND, ADA B") == changed

    def test_an_unknown_td_is_one_issue_and_one_fix(self, signed_in, td):
        report = three_sections(td)
        stranger = make_player().member_id
        report = report.with_event(chief_td_id=stranger)
        for number in (1, 2):
            report = report.with_section(number, chief_td_id=stranger)
        submission = upload(td, report)
        assert issues(submission, "error") == [
            (f"Member {stranger} is not a certified TD.", [None, 1, 2])
        ]
        data = event_data(submission, chief_td_id=td.player.member_id)
        signed_in.post(url("edit_event", submission), data | {"everywhere": "on"})
        submission.refresh_from_db()
        told = reported_in(submission)
        assert [told.chief_td_id, *(one.chief_td_id for one in told.sections[:2])] == [
            td.player.member_id
        ] * 3
        assert issues(submission, "error") == []

    def test_another_td_of_the_event_changes_no_chief_of_a_section(self, signed_in, td):
        chief, assistant = make_player().member_id, make_player().member_id
        report = three_sections(td).with_event(
            chief_td_id=chief, assistant_td_id=assistant
        )
        submission = upload(td, report.with_section(1, chief_td_id=chief))
        data = event_data(submission, assistant_td_id=td.player.member_id)
        signed_in.post(url("edit_event", submission), data | {"everywhere": "on"})
        submission.refresh_from_db()
        told = reported_in(submission)
        assert (told.chief_td_id, told.assistant_td_id) == (chief, td.player.member_id)
        assert told.sections[0].chief_td_id == chief
        audit = AuditEntry.objects.get(action="submission.event_changed")
        assert "also" not in audit.facts

    def test_a_missing_time_control_is_fixed_in_all_sections(self, signed_in, td):
        report = three_sections(td)
        for number in (1, 2, 3):
            report = report.with_section(number, time_control="")
        submission = upload(td, report)
        [(_sentence, sections), *_] = issues(submission, "error")
        assert sections == [1, 2, 3]
        data = section_data(submission, time_control="G/60;d5", everywhere="on")
        signed_in.post(url("edit_section", submission, 1), data)
        submission.refresh_from_db()
        controls = [one.time_control for one in reported_in(submission).sections]
        assert controls == ["G/60;d5"] * 3

    def test_one_reason_keeps_all_places(self, signed_in, td):
        submission = upload(td, three_sections(td, name="OTHER, PERSON"))
        [(_sentence, sections)] = issues(submission, "confirm")
        assert sections == [1, 2, 3]
        found = [f for f in findings_of(submission) if f.code == "member.other_name"]
        data = {"finding": [f.shown_key for f in found], "reason": "Married."}
        signed_in.post(url("override", submission), data)
        assert issues(submission, "confirm") == []
        assert issues(submission, "overridden")[0][1] == [1, 2, 3]


class TestIssuesByKind:
    def test_many_of_a_kind_are_one_line_with_a_table(self, signed_in, td):
        submission = unknown_players(td, 8)
        response = signed_in.get(submission.get_absolute_url())
        [group] = [
            one for one in response.context["page"].groups if one.kind == "error"
        ]
        assert [(one.name, one.label, one.is_long) for one in group.kinds] == [
            ("unmatched", "Players without a match", True)
        ]
        page = response.content.decode()
        assert '<details class="kind" id="kind-error-unmatched">' in page
        assert reverse("events:match_players", args=[submission.pk]) in page

    def test_few_of_a_kind_keep_their_buttons(self, signed_in, td):
        submission = upload(td, quad(td).with_entry(1, 1, member_id=UNKNOWN))
        page = signed_in.get(submission.get_absolute_url()).content.decode()
        assert '<details class="kind" id="kind-error-unmatched" open>' in page
        assert "Use this member" in page


def offers(response) -> list[str]:
    """Return the buttons on members, in the order of the page."""
    names = ("Use this member", "Keep the ID and use its", "Use the member’s record:")
    text = text_of(response)
    found = [(text.find(name), name) for name in names if name in text]
    return [name for _at, name in sorted(found)]


class TestBestMatch:
    def test_an_exact_name_comes_before_the_record_of_a_wrong_id(self, signed_in, td):
        """Another member's ID: that record was the first button once."""
        other = make_player(given_name="Casimir", family_name="Quintero", state="IL")
        report = quad(td).with_entry(1, 4, member_id=other.member_id)
        response = signed_in.get(upload(td, report).get_absolute_url())
        assert offers(response) == ["Use this member", "Keep the ID and use its"]
        right = Player.objects.get(family_name="Fox").member_id
        page = response.content.decode()
        first = page.index('class="button small primary" type="submit">Use this member')
        assert right in page[first - 200 : first]

    def test_a_record_alone_stays_the_first_button(self, signed_in, td):
        other = make_player(given_name="Casimir", family_name="Quintero")
        report = quad(td).with_entry(
            1, 4, member_id=other.member_id, name="STRANGER, NEMO"
        )
        response = signed_in.get(upload(td, report).get_absolute_url())
        assert offers(response) == ["Use the member’s record:"]

    @pytest.mark.parametrize(
        ("is_clerk", "told"), [(True, "born 1990"), (False, "adult")]
    )
    def test_a_birth_year_is_for_the_office(self, client, td, is_clerk, told):
        submission = upload(td, quad(td).with_entry(1, 1, member_id=UNKNOWN))
        client.force_login(make_staff() if is_clerk else td)
        page = text_of(client.get(submission.get_absolute_url()))
        assert told in page
        assert ("1990" in page) == is_clerk

    def test_the_office_sees_a_birth_year_without_a_date(self, client, td):
        submission = upload(td, quad(td).with_entry(1, 1, member_id=UNKNOWN))
        Player.objects.filter(family_name="Lind").update(
            birth_date=None, birth_year=1991
        )
        client.force_login(make_staff())
        assert "born 1991" in text_of(client.get(submission.get_absolute_url()))

    def test_a_merged_id_offers_the_member_who_was_kept(self, signed_in, td):
        report = quad(td)
        old = make_player(given_name="A.", family_name="Lindd")
        kept = Player.objects.get(family_name="Lind")
        merge_with_approval(kept, old)
        submission = upload(td, report.with_entry(1, 1, member_id=old.member_id))
        page = text_of(signed_in.get(submission.get_absolute_url()))
        assert "Merged member IDs (1)" in page
        assert "current ID after a merge" in page
        data = {"version": 1, "member_id": kept.member_id}
        signed_in.post(url("use_member", submission, 1, 1), data)
        assert entry(submission, 1).member_id == kept.member_id
        assert issues(submission, "error") == []


class TestUndo:
    def fixed(self, client, td) -> tuple[Submission, ReportedEntry]:
        submission = upload(td, quad(td).with_entry(1, 1, member_id=UNKNOWN))
        before = entry(submission, 1)
        kept = Player.objects.get(family_name="Lind")
        data = {"version": 1, "member_id": kept.member_id}
        client.post(url("use_member", submission, 1, 1), data)
        return submission, before

    def test_what_was_reported_stays_beside_what_was_chosen(self, signed_in, td):
        submission, before = self.fixed(signed_in, td)
        page = text_of(signed_in.get(submission.get_absolute_url()))
        assert page.count(f"Reported: {before.identity}") == 2  # in the list and table
        assert entry(submission, 1).as_reported == before
        form = text_of(signed_in.get(url("edit_entry", submission, 1, 1)))
        assert f"Reported: {before.identity} Undo: restore as reported" in form

    def test_one_button_restores_the_entry_exactly(self, signed_in, td):
        submission, before = self.fixed(signed_in, td)
        set_entry(
            submission_id=submission.pk,
            actor=td,
            version=2,
            section_number=1,
            pairing_number=1,
            changes={"name": "SOMEONE, ELSE"},
        )
        now = entry(submission, 1)
        signed_in.post(url("undo_fixes", submission), {"version": 3, "spot": "1-1"})
        assert entry(submission, 1) == before
        audit = AuditEntry.objects.get(action="submission.entry_restored")
        assert audit.facts == {"entries": f"1/1 {now.identity} → {before.identity}"}
        assert history_of(submission)[0].what == (
            "Tessa Director restored entries as reported (section 1, number 1: "
            f"{now.identity} → {before.identity})"
        )

    def test_a_result_is_restored_too(self, signed_in, td):
        submission = upload(td, quad(td))
        before = entry(submission, 1)
        data = cell_data(submission, code="D", both_sides="")
        signed_in.post(url("edit_cell", submission, 1, 1, 1), data)
        assert entry(submission, 1).cells != before.cells
        signed_in.post(url("undo_fixes", submission), {"version": 2, "spot": "1-1"})
        assert entry(submission, 1) == before

    def test_a_change_back_by_hand_leaves_nothing_to_undo(self, signed_in, td):
        submission, before = self.fixed(signed_in, td)
        set_entry(
            submission_id=submission.pk,
            actor=td,
            version=2,
            section_number=1,
            pairing_number=1,
            changes={"member_id": before.member_id, "name": before.name}
            | {"state": before.state},
        )
        assert entry(submission, 1) == before
        state = database_state()
        refused = signed_in.post(
            url("undo_fixes", submission), {"version": 3, "spot": "1-1"}
        )
        assert refused.status_code == 409
        assert "There is nothing to undo." in text_of(refused)
        assert database_state() == state

    def test_an_outdated_page_undoes_nothing(self, signed_in, td):
        submission, _before = self.fixed(signed_in, td)
        state = database_state()
        refused = signed_in.post(
            url("undo_fixes", submission), {"version": 1, "spot": "1-1"}
        )
        assert "The report has changed since you opened this page" in text_of(refused)
        assert database_state() == state

    def test_another_td_undoes_nothing(self, client, td):
        submission = upload(td, quad(td))
        client.force_login(make_td())
        answer = client.post(
            url("undo_fixes", submission), {"version": 1, "spot": "1-1"}
        )
        assert answer.status_code == 404


class TestClerks:
    @pytest.fixture
    def clerk(self):
        return make_staff("clerk")

    @pytest.fixture
    def waiting(self, td) -> Submission:
        submission = upload(td, quad(td).with_entry(1, 1, state="WI"))
        submit_report(submission_id=submission.pk, actor=td)
        return submission

    def test_a_merge_after_submission_is_fixed_without_returning(
        self, client, td, clerk, waiting
    ):
        old = Player.objects.get(family_name="Lind")
        kept = make_player(given_name="Ada", family_name="Lind", state="IL")
        merge_with_approval(kept, old)
        client.force_login(clerk)
        page = text_of(client.get(waiting.get_absolute_url()))
        assert "current ID after a merge" in page
        before = entry(waiting, 1)
        data = {"version": 1, "member_id": kept.member_id}
        client.post(url("use_member", waiting, 1, 1), data)
        now = entry(waiting, 1)
        assert (waiting.state, now.member_id) == ("submitted", kept.member_id)
        assert issues(waiting, "error") == []
        [notice] = Notice.objects.filter(account=td, title__contains="changed")
        assert notice.title == f"The office changed your report: {waiting}"
        assert notice.text == f"1/1 {before.identity} → {now.identity}"
        client.force_login(td)
        assert "clerk chose the member for number 1 in section 1" in text_of(
            client.get(waiting.get_absolute_url())
        )

    def test_name_and_state_are_fixed_in_the_form(self, client, clerk, waiting):
        client.force_login(clerk)
        path = url("edit_entry", waiting, 1, 1)
        fields = set(client.get(path).context["form"].fields)
        assert fields == {"version", "member_id", "name", "state"}
        data = {"version": 1, "member_id": entry(waiting, 1).member_id, "state": "IL"}
        client.post(path, {**data, "name": "LIND, ADA MARIE", "fide_id": "123"})
        now = entry(waiting, 1)
        assert (now.name, now.state, now.fide_id) == ("LIND, ADA MARIE", "IL", "")

    def test_the_page_of_a_clerk_is_loaded_again_with_its_buttons(
        self, client, clerk, waiting
    ):
        client.force_login(clerk)
        data = {"version": 1, "spot": "1-1"}
        answer = client.post(url("use_record", waiting), data, headers=shown(1))
        assert answer["HX-Refresh"] == "true"
        page = text_of(client.get(waiting.get_absolute_url()))
        assert "Names and states were updated from the member records." in page

    def test_a_clerk_undoes_a_fix_in_review(self, client, clerk, waiting):
        client.force_login(clerk)
        before = entry(waiting, 1)
        data = {"version": 1, "spot": "1-1"}
        client.post(url("use_record", waiting), data)
        assert entry(waiting, 1).state == "IL"
        client.post(url("undo_fixes", waiting), {**data, "version": 2})
        assert entry(waiting, 1) == before

    def test_a_result_that_the_td_fixed_is_not_undone_in_review(
        self, client, td, clerk
    ):
        submission = upload(td, quad(td))
        client.force_login(td)
        cell = entry(submission, 1).cell(1)
        played = {"opponent": cell.opponent, "color": cell.color, "both_sides": "on"}
        path = url("edit_cell", submission, 1, 1, 1)
        code = "W" if cell.code == "D" else "D"
        client.post(path, cell_data(submission, code=code, **played))
        fixed = entry(submission, 1)
        assert fixed.as_reported.cells != fixed.cells
        submit_report(submission_id=submission.pk, actor=td)
        client.force_login(clerk)
        data = {"version": 2, "spot": "1-1"}
        refused = client.post(url("undo_fixes", submission), data)
        assert refused.status_code == 409
        assert "Return it to the TD for other changes." in text_of(refused)
        assert entry(submission, 1) == fixed

    def test_results_sections_and_the_event_go_back_to_the_td(
        self, client, clerk, waiting
    ):
        client.force_login(clerk)
        state = database_state()
        for path, data in (
            (url("edit_cell", waiting, 1, 1, 1), cell_data(waiting, code="D")),
            (url("edit_section", waiting, 1), section_data(waiting, name="B")),
            (url("edit_event", waiting), event_data(waiting, name="B")),
        ):
            assert client.post(path, data).status_code == 409
        assert database_state() == state

    @pytest.mark.parametrize("who", ["td", "other"])
    def test_only_the_office_changes_a_report_in_review(self, client, td, waiting, who):
        client.force_login(td if who == "td" else make_td())
        state = database_state()
        status = 409 if who == "td" else 404
        data = {"version": 1, "spot": "1-1", "member_id": entry(waiting, 2).member_id}
        for path in (
            url("use_record", waiting),
            url("undo_fixes", waiting),
            url("use_member", waiting, 1, 1),
            url("edit_entry", waiting, 1, 1),
            url("match_players", waiting),
        ):
            assert client.post(path, data).status_code == status
        assert database_state() == state

    def test_a_rated_report_refuses(self, client, td, clerk):
        report = quad(td).with_entry(1, 1, state="WI")
        submission = accepted_event(td, report).submission
        client.force_login(clerk)
        state = database_state()
        data = {
            "version": 1,
            "spot": "1-1",
            "member_id": entry(submission, 2).member_id,
        }
        for path in (
            url("use_record", submission),
            url("undo_fixes", submission),
            url("use_member", submission, 1, 1),
            url("edit_entry", submission, 1, 1),
            url("match_players", submission),
        ):
            assert client.post(path, data).status_code == 409
        assert database_state() == state

    def test_the_offices_own_change_of_its_own_report_needs_no_notice(self, clerk):
        td = make_td()
        submission = upload(clerk, quad(td))
        set_entry(
            submission_id=submission.pk,
            actor=clerk,
            version=1,
            section_number=1,
            pairing_number=1,
            changes={"state": "WI"},
        )
        assert not Notice.objects.filter(title__contains="changed").exists()

    def test_a_lookup_follows_the_member(self, client, td, clerk):
        report = quad(td).with_entry(1, 1, fide_id="2020009", fide_rating="2100")
        submission = upload(td, report)
        submit_report(submission_id=submission.pk, actor=td)
        kept = make_player(given_name="Ada", family_name="Lind", state="IL")
        client.force_login(clerk)
        data = {"version": 1, "member_id": kept.member_id}
        client.post(url("use_member", submission, 1, 1), data)
        tasks = OfficeTask.objects.values_list("player", "body_id", "rating")
        assert list(tasks) == [(kept.pk, "2020009", "2100")]


def test_what_is_typed_first_was_not_reported_otherwise(td):
    """Without files, typing in the grid has nothing to restore."""
    report = quad(td)
    submission = upload(td, report)
    set_event(submission_id=submission.pk, actor=td, version=1, changes={"name": "B"})
    assert [one.as_reported for one in reported_in(submission).section(1).entries] == [
        None
    ] * 4


def test_a_repeated_number_cannot_be_undone(td):
    submission = upload(td, quad(td).with_entry(1, 2, pairing_number=1))
    where = {"submission_id": submission.pk, "actor": td, "version": 1}
    with pytest.raises(NotPossible):
        restore_entries(**where, entry_keys=[(1, 1)])


@pytest.mark.parametrize("size", [8, 80])
def test_the_page_takes_the_same_queries_at_two_sizes(
    signed_in, td, django_assert_num_queries, size
):
    submission = unknown_players(td, size)
    signed_in.get(submission.get_absolute_url())
    with django_assert_num_queries(24):
        page = signed_in.get(submission.get_absolute_url())
    assert page.content.count(b'class="finding error"') == size


def test_three_hundred_players_render_within_a_second(signed_in, td):
    submission = unknown_players(td, 300)
    signed_in.get(submission.get_absolute_url())
    with cpu_time() as spent:
        page = signed_in.get(submission.get_absolute_url())
    assert page.content.count(b'class="finding error"') >= 100
    assert spent.seconds < 1
