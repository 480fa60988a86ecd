"""Checks against the office's records: each with a report that passes it."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from django.utils import timezone

from events.checks.queries.office_records import check_against_records
from events.formats.findings import Finding
from events.formats.report import ReportedEvent
from events.models import Affiliate, Official
from players.models import Membership, Player
from tests.factories import (
    END,
    START,
    accepted_event,
    event_report,
    make_affiliate,
    make_player,
    make_staff,
    make_td,
    section_report,
    swiss_rows,
    upload,
)

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.fixture
def td():
    return make_td()


@pytest.fixture
def players():
    return [
        make_player(given_name="Robert", family_name="Smith-Jones", suffix="Jr"),
        make_player(given_name="María José", family_name="Núñez"),
    ]


@pytest.fixture
def report(td, players):
    return event_report(td, [section_report(players, swiss_rows(2, 1))])


# These reports are of old events, and some have nicknames.
QUIET = {
    "event.late",
    "event.old",
    "member.nickname",
    "section.colors_unusual",
}


def loud(reported: ReportedEvent) -> list[tuple[str, str]]:
    """Return severity and code of the findings, except for quiet ones."""
    return [
        (finding.severity.value, finding.code)
        for finding in check_against_records(reported)
        if finding.code not in QUIET
    ]


def only(reported: ReportedEvent) -> Finding:
    [finding] = [f for f in check_against_records(reported) if f.code not in QUIET]
    return finding


def test_good_report_has_no_finding(report):
    assert loud(report) == []


# The affiliate and the TDs


def test_unknown_affiliate_is_an_error(report):
    wrong = replace(report, affiliate_id="A6999999")
    assert loud(wrong) == [("error", "affiliate.unknown")]
    assert "A6999999" in only(wrong).message


@pytest.mark.parametrize(
    ("expires", "codes"),
    [(END, []), (END - DAY, [("error", "affiliate.expired")])],
)
def test_affiliation_must_last_to_the_end_of_the_event(report, expires, codes):
    Affiliate.objects.update(expires=expires)
    assert loud(report) == codes


def test_missing_affiliate_is_left_to_the_checks_of_the_report(report):
    assert loud(replace(report, affiliate_id="")) == []


@pytest.mark.parametrize(
    ("until", "codes"),
    [(END, []), (END - DAY, ["director.lapsed"])],
)
def test_chief_must_be_certified_to_the_end_of_the_event(td, report, until, codes):
    Official.objects.update(certified_until=until)
    codes = [("error", f"{code}.{td.player.member_id}") for code in codes]
    assert loud(report) == codes


@pytest.mark.parametrize(
    ("until", "codes"),
    [(None, []), (END, []), (END - DAY, ["director.safe_play"])],
)
def test_safe_play_of_each_td_lasts_to_the_end_of_the_event(td, report, until, codes):
    Official.objects.update(safe_play_until=until)
    codes = [("caution", f"{code}.{td.player.member_id}") for code in codes]
    assert loud(report) == codes


def test_every_director_named_must_be_one(report, players, td):
    member = players[0].member_id
    wrong = replace(report, assistant_td_id=member, other_td_ids=("99999999",))
    assert {(f.code, f.place.field) for f in check_against_records(wrong)} >= {
        (f"director.unknown.{member}", "assistant_td_id"),
        ("director.unknown.99999999", "other_td_ids"),
    }
    right = replace(
        report,
        assistant_td_id=td.player.member_id,
        other_td_ids=(make_td().player.member_id,),
    )
    assert loud(right) == []


@pytest.mark.parametrize("field", ["chief_td_id", "assistant_td_id"])
def test_directors_of_a_section_must_be_directors(report, players, field):
    member = players[0].member_id
    finding = only(report.with_section(1, **{field: member}))
    assert finding.severity.value == "error"
    assert finding.key == f"director.unknown.{member}|s1|||{field}"
    assert loud(report.with_section(1, **{field: make_td().player.member_id})) == []


@pytest.mark.parametrize("nobody", ["", "00000000"])
def test_eight_zeros_name_no_director(report, nobody):
    """Pairing programs fill unused director fields with zeros."""
    empty = replace(report, assistant_td_id=nobody, other_td_ids=(nobody,))
    assert loud(empty.with_section(1, chief_td_id=nobody)) == []


# The dates


@pytest.mark.parametrize(
    ("days_ago", "codes"),
    [(-1, ["event.not_over"]), (0, []), (7, []), (8, ["event.late"])],
)
def test_event_is_over_and_reported_within_a_week(report, days_ago, codes):
    ends = timezone.localdate() - days_ago * DAY
    dated = replace(report, starts=ends, ends=ends)
    findings = check_against_records(dated)
    assert [finding.code for finding in findings] == codes
    assert [f.severity.value for f in findings] == [
        {"event.not_over": "error", "event.late": "note"}[code] for code in codes
    ]


def test_report_without_dates_is_checked_as_far_as_it_goes(report):
    assert loud(replace(report, starts=None, ends=None)) == []


# The members


def with_entry(reported: ReportedEvent, **changes) -> ReportedEvent:
    return reported.with_entry(1, 1, **changes)


@pytest.mark.parametrize("member_id", ["99999999", "01234567"])
def test_unknown_member_is_an_error_at_the_entry(report, member_id):
    finding = only(with_entry(report, member_id=member_id))
    assert (finding.severity.value, finding.code) == ("error", "member.unknown")
    assert finding.key == "member.unknown|s1|p1||member_id"
    assert member_id in finding.message


@pytest.mark.parametrize("text", ["", "00000000", "1234567", "1234567x", "١٢٣٤٥٦٧٨"])
def test_what_is_no_member_id_is_left_to_the_checks_of_the_report(report, text):
    assert loud(with_entry(report, member_id=text)) == []


@pytest.mark.parametrize(
    ("status", "codes"),
    [
        ("active", []),
        ("deceased", [("error", "member.deceased")]),
        ("duplicate", [("error", "member.duplicate")]),
        ("suspended", [("confirm", "member.suspended")]),
        ("revoked", [("confirm", "member.revoked")]),
    ],
)
def test_status_of_a_member(report, players, status, codes):
    kept = make_player() if status == "duplicate" else None
    Player.objects.filter(pk=players[0].pk).update(status=status, merged_into=kept)
    assert loud(report) == codes


@pytest.mark.parametrize(
    "name",
    [
        "SMITH-JONES, ROBERT",
        "Smith, Bob",  # half of the family name, and a nickname
        "JONES, R",
        "Robert",
        "ROBERT X. SMITHJONES",
        "smith jones robert jr",
        "",
    ],
)
def test_nicknames_and_partial_names_are_not_flagged(report, name):
    assert loud(with_entry(report, name=name)) == []


@pytest.mark.parametrize("name", ["NUNEZ, MARIA JOSE", "Núñez", "maria"])
def test_accents_do_not_matter(report, name):
    assert loud(report.with_entry(1, 2, name=name)) == []


def test_quite_another_name_is_to_be_confirmed(report):
    finding = only(with_entry(report, name="ZULU, ZOE"))
    assert (finding.severity.value, finding.code) == ("confirm", "member.other_name")
    assert "ZULU, ZOE" in finding.message
    assert "Robert Smith-Jones Jr" in finding.message


@pytest.mark.parametrize(
    ("starts", "expires", "word"),
    [
        (START, END, None),
        (START + DAY, END, "began"),
        (START, END - DAY, "ended"),
        (END + DAY, END + DAY, "began and ended"),
    ],
)
def test_membership_covers_the_first_and_the_last_day(
    report, players, starts, expires, word
):
    Membership.objects.filter(player=players[0]).update(starts=starts, expires=expires)
    if word is None:
        assert loud(report) == []
    else:
        finding = only(report)
        assert (finding.severity.value, finding.code) == ("confirm", "member.lapsed")
        assert f"when the section {word}." in finding.message


def test_membership_is_asked_for_the_section_s_own_days(report, players):
    Membership.objects.filter(player=players[0]).update(starts=END)
    assert loud(report.with_section(1, starts=END)) == []


def test_game_between_two_entries_of_one_member_is_an_error(td, players):
    one, two = players
    rows = ["W3W W2W", "U0 L1B", "L1B U0"]
    section = section_report([one, two, one], rows)
    finding = only(event_report(td, [section]))
    assert (finding.severity.value, finding.code) == ("error", "member.plays_own_entry")
    assert (finding.place.pairing_number, finding.place.round_number) == (1, 1)


def test_re_entry_without_such_a_game_is_quiet(td, players):
    one, two = players
    section = section_report([one, two, one], ["W2W U0", "L1B D3W", "U0 D2B"])
    assert loud(event_report(td, [section])) == []


def test_two_games_in_one_round_of_a_round_robin_are_an_error(td):
    players = [make_player() for _ in range(4)]
    # No. 1 reports the game against 2 again, in the column of 3.
    rows = ["U0 W2W W2W W4W", "L1B U0 W3W W4W", "U0 L2B U0 D4W", "L1B L2B D3B U0"]
    table = event_report(td, [section_report(players, rows, kind_letter="R")])
    assert loud(table) == [("error", "result.two_games.1.2")] * 2

    rows[0] = "U0 W2W U0 W4W"
    table = event_report(td, [section_report(players, rows, kind_letter="R")])
    assert loud(table) == []


# Duplicate events


def other_players(count: int) -> list[Player]:
    return [make_player() for _ in range(count)]


@pytest.mark.parametrize(("shared", "is_same"), [(10, True), (8, True), (7, False)])
def test_event_of_mostly_the_same_members_is_to_be_confirmed(td, shared, is_same):
    members = other_players(10)
    event = accepted_event(
        td, event_report(td, [section_report(members, swiss_rows(10, 1))])
    )
    again = members[:shared] + other_players(10 - shared)
    report = event_report(td, [section_report(again, swiss_rows(10, 2))])
    expected = [("confirm", f"event.received_before.{event.event_id}")]
    assert loud(report) == (expected if is_same else [])


def test_event_of_another_day_is_another_event(td, players):
    accepted_event(td, event_report(td, [section_report(players, swiss_rows(2, 1))]))
    report = event_report(
        td, [section_report(players, swiss_rows(2, 1))], ends=END + DAY
    )
    assert loud(report) == []


def test_accepted_report_is_not_its_own_double(td, players):
    event = accepted_event(
        td, event_report(td, [section_report(players, swiss_rows(2, 1))])
    )
    report = ReportedEvent.from_json(event.submission.content)
    findings = check_against_records(report, submission=event.submission)
    assert [finding.code for finding in findings] == ["event.late", "event.old"]


@pytest.mark.parametrize(("size", "events"), [(8, 1), (30, 3)])
def test_checks_take_the_same_queries_for_any_size(
    td, size, events, django_assert_num_queries
):
    members = other_players(size)
    for number in range(events):
        accepted_event(
            td,
            event_report(
                td,
                [section_report(other_players(2), swiss_rows(2, 1))],
                name=f"Other {number}",
            ),
        )
    report = event_report(td, [section_report(members, swiss_rows(size, 3))])
    with django_assert_num_queries(13):
        assert loud(report) == []


def test_dates_of_sentences_are_written_out(report):
    Affiliate.objects.update(expires=date(2024, 5, 4))
    assert "May 4, 2024" in only(report).message


class TestAuthorizedDirectors:
    """An affiliate with a list of TDs accepts reports of listed TDs only."""

    def found(self, report, submission=None) -> list[tuple[str, str, str]]:
        return [
            (finding.severity.value, finding.key, finding.message)
            for finding in check_against_records(report, submission=submission)
            if finding.code.startswith("affiliate.td_not_authorized")
        ]

    def authorize(self, td) -> None:
        td.player.official.affiliates.add(
            Affiliate.objects.get(affiliate_id="A6000001")
        )

    def test_without_a_list_any_director_will_do(self, td, report):
        assert self.found(report) == []

    def test_a_director_on_the_list_is_in_order(self, td, report):
        self.authorize(td)
        assert self.found(report) == []

    def test_a_chief_who_is_not_on_the_list_is_to_be_confirmed(self, td, report):
        self.authorize(make_td())
        ((severity, _, message),) = self.found(report)
        assert severity == "confirm"
        assert message == (
            f"Castle Chess Club has not authorized the chief TD, "
            f"{td.player.member_id}, to send its reports."
        )

    def test_the_list_of_another_affiliate_does_not_matter(self, td, report):
        other = make_affiliate("B6000001", name="Other Club")
        make_td().player.official.affiliates.add(other)
        assert self.found(report) == []

    def test_it_is_the_sender_who_has_to_be_authorized(self, td, report):
        self.authorize(td)  # the chief TD
        sender = make_td()
        submission = upload(sender, report)
        ((severity, _, message),) = self.found(report, submission)
        assert severity == "confirm"
        assert message == (
            "Castle Chess Club has not authorized Tessa Director to send its reports."
        )
        self.authorize(sender)
        assert self.found(report, submission) == []

    def test_staff_who_send_a_report_stand_for_its_chief(self, td, report):
        self.authorize(td)
        assert self.found(report, upload(make_staff(), report)) == []
