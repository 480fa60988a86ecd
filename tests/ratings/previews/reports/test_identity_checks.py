"""Improbable ratings and results, found with current ratings."""

import pytest

from events.checks.queries.likely_members import likely_members
from events.formats.findings import Finding
from events.formats.report import ReportedEntry, ReportedEvent
from events.records.section_rater import section_rater
from players.models import Player
from ratings.models import PlayerRating
from ratings.previews.reports.queries.identity import (
    check_ratings_of_players,
    reported_rating,
)
from ratings_site.common.ui.formatting import format_rating
from tests.factories import event_report, make_player, make_td, section_report

pytestmark = pytest.mark.django_db


def established(*ratings: float, games: int = 40) -> list[Player]:
    return [
        make_player(given_name=f"P{n}", ratings={"OTBR": (rating, games)})
        for n, rating in enumerate(ratings)
    ]


def report_against_all(players: list[Player], results: str) -> ReportedEvent:
    """The first player plays all others in turn, with these results."""
    own = " ".join(f"{code}{n}W" for n, code in enumerate(results, start=2))
    mirror = {"W": "L", "L": "W", "D": "D"}
    rows = [own]
    for place, code in enumerate(results):
        cells = ["U0"] * len(results)
        cells[place] = f"{mirror[code]}1B"
        rows.append(" ".join(cells))
    rows += ["U0 " * len(results)] * (len(players) - len(rows))
    return event_report(make_td(), [section_report(players, rows)])


def found(reported: ReportedEvent, code: str) -> list[Finding]:
    return [f for f in check_ratings_of_players(reported) if f.code == code]


def test_likely_members_are_told_published_ratings():
    players = established(1500.4, 583.03)
    PlayerRating.objects.filter(player=players[1]).update(age_start=583.03)
    now = section_rater().current_ratings([player.pk for player in players])
    assert [
        (system, format_rating(rating))
        for player in players
        for system, rating in now[player.pk].items()
    ] == [("R", "1500"), ("R", "about 600")]


def test_rating_that_still_is_a_start_is_named_to_the_nearest_50():
    players = established(583.03, *[1500.0] * 6)
    PlayerRating.objects.filter(player=players[0]).update(age_start=583.03)
    report = report_against_all(players, "D")
    [reported] = found(report.with_entry(1, 1, rating="1900"), "member.other_rating")
    [outlier] = found(report, "member.rating_outlier")
    for finding in (reported, outlier):
        assert "600" in finding.message
        assert "583" not in finding.message


@pytest.mark.parametrize(
    ("own", "results", "flagged"),
    [
        (1200, "WWDL", 1),  # 1900s: 62 percent is far out of reach
        (1200, "LLLL", 0),
        (1500, "WWWW", 1),
        (1800, "WWWW", 0),  # a perfect score against slightly better players
        (1250, "WWD", 1),
        (1250, "WDD", 0),  # far off, but probable enough in three games
        (1250, "WW", 0),  # two games are too few
        (2600, "LLLL", 1),
        (2300, "LLLD", 1),
        (2300, "WWLL", 0),
    ],
)
def test_performance_600_points_off_that_chance_does_not_bring(own, results, flagged):
    players = established(own, *[1900.0] * len(results))
    findings = found(report_against_all(players, results), "member.performance")
    assert [
        (f.severity.value, f.place.pairing_number, f.place.field) for f in findings
    ] == [("caution", 1, "member_id")] * flagged


def test_performance_is_said_in_figures():
    [finding] = found(
        report_against_all(established(1200, *[1900.0] * 4), "WWDL"),
        "member.performance",
    )
    assert finding.message == (
        "ADAMS, P0 is rated 1200 but performed at 2000: 2½ of 4 games."
    )


def test_newcomer_s_rating_tells_nothing():
    players = [*established(1200, games=20), *established(*[1900.0] * 4)]
    assert list(check_ratings_of_players(report_against_all(players, "WWWW"))) == []


@pytest.mark.parametrize(
    ("reported", "flagged"),
    [
        ("1500", False),
        ("1100", False),
        ("1099", True),
        ("1901P12", True),
        ("1901*", True),
        ("", False),
        ("UNR", False),
        ("0", False),
        ("15001", False),
    ],
)
def test_rating_in_the_report_far_from_every_rating_of_the_member(reported, flagged):
    report = report_against_all(established(1500, 1500), "D")
    findings = found(report.with_entry(1, 1, rating=reported), "member.other_rating")
    assert [(f.severity.value, f.place.pairing_number) for f in findings] == (
        [("caution", 1)] if flagged else []
    )


def test_rating_of_another_system_is_the_member_s_too():
    player = make_player(ratings={"OTBR": (1500.0, 40), "OTBB": (2000.0, 40)})
    report = report_against_all([player, *established(1500)], "D")
    assert found(report.with_entry(1, 1, rating="1950"), "member.other_rating") == []


def test_number_is_read_from_what_programs_write():
    texts = ["1523", "1523P12", " 987/4", "UNR", "", "12", "15231"]
    assert [reported_rating(ReportedEntry(1, rating=text)) for text in texts] == [
        *(1523, 1523, 987),
        *(None, None, None, None),
    ]


@pytest.mark.parametrize(
    ("ratings", "flagged"),
    [
        ([2200, 1500, 1520, 1540, 1560, 1580, 1590], [1]),
        ([2190, 1500, 1520, 1540, 1560, 1580, 1590], []),
        ([800, 1500, 1520, 1540, 1560, 1580, 1590], [1]),
        ([2200, 1500, 1520, 1540, 1560, 1580], []),  # too few others
    ],
)
def test_rating_far_from_the_field_is_a_note(ratings, flagged):
    report = report_against_all(established(*ratings), "D")
    findings = found(report, "member.rating_outlier")
    assert [(f.severity.value, f.place.pairing_number) for f in findings] == [
        ("note", number) for number in flagged
    ]


def test_parent_of_the_name_stands_beside_a_performance_out_of_reach():
    players = established(1200, *[1900.0] * 4)
    strong = make_player(given_name="P0", ratings={"OTBR": (2000.0, 200)})
    report = report_against_all(players, "WWDL").with_entry(1, 1, rating="2010")
    findings = list(check_ratings_of_players(report))
    likely = likely_members(report, findings)
    assert [(one.member_id, one.rating) for one in likely[1, 1]] == [
        (strong.member_id, "2000 R")
    ]


@pytest.mark.parametrize("size", [2, 30])
def test_ratings_take_one_query_for_any_size(django_assert_num_queries, size):
    report = report_against_all(established(*[1500.0] * size), "D" * (size - 1))
    with django_assert_num_queries(1):
        list(check_ratings_of_players(report))
