"""Findings of reports with matches."""

from datetime import date

import pytest

from events.checks.services import findings_of
from events.formats.findings import Severity
from events.models import Submission
from events.records.exceptions import NotPossible
from events.reports.services.submissions import override_findings, submit_report
from ratings.models import PlayerRating
from ratings.previews.reports.queries.time_controls import check_matches
from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    section_report,
    upload,
)
from tests.ratings.decisions.matches.factories import (
    DAY,
    FIRST,
    established,
    match_report,
    published,
    rated_match,
)

pytestmark = pytest.mark.django_db

BASIS = (
    "Based on current ratings, because there was no official rating list on that date."
)


def found(*sections, day=FIRST):
    report = event_report(make_td(), list(sections), starts=day, ends=day)
    return list(check_matches(report))


def test_match_of_two_established_players_400_apart_is_in_order():
    assert found(match_report(established(1900.0), established(1500.0), "DD")) == []


@pytest.mark.parametrize(
    ("one", "other", "sentence"),
    [
        (
            (1901.0, 40),
            (1500.0, 40),
            "The published ratings 1901 and 1500 are more than 400 points apart.",
        ),
        (
            (1600.0, 25),
            (1500.0, 26),
            "Ann Able has no established published rating.",
        ),
    ],
)
def test_match_that_the_rules_do_not_allow_is_an_error(one, other, sentence):
    players = [
        make_player(given_name=given, family_name=family, ratings={"OTBR": rating})
        for given, family, rating in (("Ann", "Able", one), ("Bob", "Best", other))
    ]
    [finding] = found(match_report(*players, "D"))
    assert (finding.severity, finding.code) == (
        Severity.ERROR,
        "section.match_not_eligible",
    )
    assert finding.message == f"Regular: {sentence} ({BASIS})"


def test_each_system_of_a_dual_rated_match_has_to_allow_it():
    players = [make_player(ratings={"OTBR": (1500.0, 40)}) for _ in range(2)]
    [finding] = found(match_report(*players, "D", time_control="G/60;d5"))
    assert finding.message.startswith("Quick: Ada Adams has no established published")
    assert "Regular" not in finding.message


@pytest.mark.parametrize(("games", "errors"), [(20, 0), (21, 1)])
def test_match_has_at_most_20_games(games, errors):
    players = [established(1500.0), established(1500.0)]
    findings = found(match_report(*players, "D" * games))
    assert len(findings) == errors
    assert all("this one has 21" in finding.message for finding in findings)


def test_official_list_in_force_at_the_start_decides():
    """Current ratings are within 400 points; the published ones were not."""
    players = [established(1800.0), established(1500.0)]
    published(date(2024, 5, 1), dict(zip(players, (1910, 1500), strict=True)))
    published(date(2024, 6, 1), dict.fromkeys(players, 1500))
    [finding] = found(match_report(*players, "D"))
    assert finding.message == (
        "Regular: The published ratings 1910 and 1500 are more than 400 points "
        "apart. (Based on the official rating list of May 2024.)"
    )
    assert found(match_report(*players, "D"), day=date(2024, 6, 1)) == []


def test_player_who_is_not_on_the_list_may_not_play():
    players = [established(1500.0, given_name="Nora"), established(1500.0)]
    published(date(2024, 5, 1), {players[1]: 1500})
    [finding] = found(match_report(*players, "D"))
    assert finding.message.startswith(
        "Regular: Nora Adams has no established published rating."
    )


def test_other_sections_and_unknown_members_are_left_alone():
    known, unknown = established(1500.0), make_player(member_id="39999999")
    report = match_report(known, unknown, "D")
    unknown.memberships.all().delete()
    unknown.delete()
    swiss = section_report([known, established(2200.0)], ["D2W", "D1B"])
    assert found(report) == []
    assert found(swiss) == []


# --- Results reduced by the limits ---


def test_match_over_its_limit_gets_a_note_with_the_arithmetic():
    one = established(1500.0, games=26, given_name="Wanda", family_name="Winner")
    other = established(1895.0, games=26)
    rated_match(one, other, "WWWW", FIRST)
    second = match_report(one, established(1895.0, games=26), "WWWW")
    notes = [
        finding
        for finding in found(second, day=FIRST + DAY)
        if finding.code == "section.match_limited"
    ]
    [note] = [note for note in notes if note.message.startswith("Wanda")]
    assert note.severity == Severity.NOTE
    assert note.place.pairing_number == 1
    assert "but the match limits allow +50 (50 points in a match;" in note.message
    assert "100 − 50 = 50 in 180 days; 200 − 50 = 150 in three years)." in note.message


def test_match_at_the_limit_is_rated_with_no_change():
    one = established(1500.0, games=26, given_name="Wanda", family_name="Winner")
    for number in range(2):
        rated_match(one, established(1895.0, games=26), "WWWW", FIRST + number * DAY)
    third = match_report(one, established(1895.0, games=26), "WWWW")
    messages = [finding.message for finding in found(third, day=FIRST + 2 * DAY)]
    [message] = [text for text in messages if text.startswith("Wanda")]
    assert "but the match limits allow no more change (50 points in a match;" in message
    assert "100 − 100 = 0 in 180 days; 200 − 100 = 100 in three years)." in message

    rated_match(one, established(1895.0, games=26), "WWWW", FIRST + 2 * DAY)
    assert PlayerRating.objects.get(player=one).rating == 1600.0


# --- Permission to accept it ---


def reported(td) -> Submission:
    players = [established(1950.0), established(1500.0)]
    return upload(td, event_report(td, [match_report(*players, "D")]))


def error_of(submission):
    return next(
        finding
        for finding in findings_of(submission)
        if finding.code == "section.match_not_eligible"
    )


def test_staff_may_let_a_match_pass_and_the_td_may_not():
    td = make_td()
    submission = reported(td)
    with pytest.raises(NotPossible, match="Fix 1 issue before you submit the report"):
        submit_report(submission_id=submission.pk, actor=td)
    facts = {
        "submission_id": submission.pk,
        "finding_keys": [error_of(submission).key],
        "reason": "Agreed before the list came out.",
    }
    with pytest.raises(NotPossible, match="Only the ratings office"):
        override_findings(actor=td, **facts)
    override_findings(actor=make_staff(), **facts)
    assert submit_report(submission_id=submission.pk, actor=td).state == "submitted"


def test_only_staff_are_offered_to_let_it_pass(client):
    td = make_td()
    submission = reported(td)
    key = error_of(submission).key
    pages = []
    for user in (td, make_staff()):
        client.force_login(user)
        pages.append(client.get(submission.get_absolute_url()).content.decode())
    assert [f':{key}"' in page for page in pages] == [False, True]
