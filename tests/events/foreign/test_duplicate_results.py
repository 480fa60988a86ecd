"""Duplicate games: found by opponents and scores on overlapping days."""

from datetime import date

import pytest

from events.checks.queries.office_records import check_against_records
from events.foreign.queries import duplicate_games_of, rated_abroad
from events.foreign.services.results import enter_result, exclude_result
from events.models import Event, ForeignResult
from events.records.exceptions import NotPossible
from events.reports.services.submissions import (
    override_findings,
    return_report,
    submit_report,
)
from events.review.services.acceptance import accept_report
from tests.events.foreign.factories import foreign_staff, game, make_event
from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    rated_event,
    section_report,
    upload,
)

pytestmark = pytest.mark.django_db


def entered(staff, player, games, **event):
    return enter_result(
        actor=staff,
        event_id=make_event(staff, **event).pk,
        player=player,
        games=games,
    )


def sentences(result):
    found = ForeignResult.objects.select_related("event", "player").get(pk=result.pk)
    return [one.sentence for one in duplicate_games_of([found])[result.pk]]


GAMES = [game(1, 2, fide_id="11"), game(2, 1, fide_id="12"), game(3, 0, fide_id="13")]
SAME = (
    "3 games with the same opponents and scores also appear in Paris Open, entered "
    "abroad on overlapping days."
)


def test_same_games_in_another_foreign_event_are_found():
    staff, ada = foreign_staff(), make_player()
    entered(staff, ada, GAMES)
    other = entered(staff, ada, GAMES, name="Festival de Paris")
    assert sentences(other) == [SAME]


def test_names_are_compared_where_ids_are_missing():
    staff, ada = foreign_staff(), make_player()
    entered(staff, ada, [game(1, 2, name="Müller, Jörg"), game(2, 1, name="Rossi, E")])
    other = entered(
        staff,
        ada,
        [game(4, 2, name="Jorg Muller"), game(5, 1, name="E. Rossi")],
        name="Festival",
    )
    assert sentences(other) == [SAME.replace("3 games", "2 games")]


@pytest.mark.parametrize(
    ("starts", "ends", "is_found"),
    [
        (date(2024, 5, 12), date(2024, 5, 20), True),
        (date(2024, 5, 13), date(2024, 5, 20), False),
        (date(2024, 4, 20), date(2024, 5, 4), True),
        (date(2024, 4, 20), date(2024, 5, 3), False),
    ],
)
def test_days_have_to_overlap(starts, ends, is_found):
    staff, ada = foreign_staff(), make_player()
    entered(staff, ada, GAMES)
    other = entered(staff, ada, GAMES, name="Other", starts=starts, ends=ends)
    assert bool(sentences(other)) is is_found


@pytest.mark.parametrize(
    ("scores", "is_found"),
    [((2, 1, 0), True), ((2, 1, 2), True), ((2, 0, 2), False), ((0, 2, 1), False)],
)
def test_half_of_the_games_are_enough(scores, is_found):
    staff, ada = foreign_staff(), make_player()
    entered(staff, ada, GAMES)
    games = [
        game(number, score, fide_id=str(10 + number))
        for number, score in enumerate(scores, start=1)
    ]
    other = entered(staff, ada, games, name="Other")
    assert bool(sentences(other)) is is_found


def test_games_of_other_players_and_of_excluded_results_do_not_count():
    staff, ada, eve = foreign_staff(), make_player(), make_player()
    entered(staff, eve, GAMES)
    left = entered(staff, ada, GAMES, name="Left out")
    ForeignResult.objects.filter(pk=left.pk).update(
        status="excluded", excluded_because="Rapid"
    )
    assert sentences(entered(staff, ada, GAMES, name="Other")) == []


def at_home():
    """Ada won against Bo and drew with Cleo in Springfield on 4 and 5 May 2024."""
    ada = make_player(given_name="Ada", ratings={"OTBR": (2000.0, 40)})
    bo = make_player(
        given_name="Bo", fide_id="611", family_name="Berg", ratings={"OTBR": (2000, 40)}
    )
    cleo = make_player(
        given_name="Cleo", family_name="Court", ratings={"OTBR": (2000.0, 40)}
    )
    rows = ["W2W D3B", "L1B H", "H D1W"]
    section = section_report([ada, bo, cleo], rows)
    td = make_td()
    return ada, rated_event(td, event_report(td, [section])).sections.get()


def test_event_rated_at_home_is_found_by_ids_and_names():
    staff = foreign_staff()
    ada, section = at_home()
    by_id = entered(staff, ada, [game(1, 2, fide_id="611"), game(2, 1, fide_id="7")])
    assert sentences(by_id) == [
        (
            "1 game with the same opponent and score also appears in May Open, section "
            "1, rated at home on overlapping days."
        )
    ]
    found = ForeignResult.objects.select_related("event", "player").get()
    assert duplicate_games_of([found])[found.pk][0].url == section.get_absolute_url()
    games = [game(1, 2, name="Berg, Bo"), game(2, 1, name="Cleo COURT")]
    by_name = entered(staff, ada, games, name="Other")
    assert sentences(by_name)[-1].startswith("2 games with the same opponents")


def test_other_games_at_the_same_time_are_no_double():
    staff = foreign_staff()
    ada, _ = at_home()
    other = entered(staff, ada, [game(1, 0, fide_id="611"), game(2, 2, fide_id="12")])
    assert sentences(other) == []


def test_games_under_a_merged_number_are_found():
    staff = foreign_staff()
    ada, _ = at_home()
    kept = make_player()
    type(ada).objects.filter(pk=ada.pk).update(status="duplicate", merged_into=kept)
    result = entered(staff, kept, [game(1, 2, fide_id="611")])
    assert len(sentences(result)) == 1


@pytest.mark.parametrize("members", [2, 8])
def test_queries_do_not_grow_with_the_results(django_assert_num_queries, members):
    staff = foreign_staff()
    for _ in range(members):
        at_home_player, _ = at_home()
        entered(staff, at_home_player, [game(1, 2, fide_id="12")])
        type(at_home_player).objects.filter(fide_id="611").update(fide_id=None)
    results = list(ForeignResult.objects.select_related("event", "player"))
    with django_assert_num_queries(6):
        found = duplicate_games_of(results)
    assert len(found) == members


# --- Reported at home after it was rated abroad ---


@pytest.fixture
def three_players():
    """Create Ada, Bo and Cleo, who play each other on 4 and 5 May 2024."""
    return [
        make_player(given_name="Ada", family_name="Adams", fide_id="610"),
        make_player(given_name="Bo", family_name="Berg", fide_id="611"),
        make_player(given_name="Cleo", family_name="Court"),
    ]


def reported(three_players, **event):
    """Return a report of the games of `at_home`."""
    section = section_report(three_players, ["W2W D3B", "L1B H", "H D1W"])
    return event_report(make_td(), [section], **event)


def rated_in_paris(player, games, **event) -> ForeignResult:
    result = entered(foreign_staff(), player, games, **event)
    ForeignResult.objects.filter(pk=result.pk).update(status="rated")
    return result


def findings_of_report(report, submission=None) -> list[tuple[str, str, str]]:
    return [
        (finding.severity.value, finding.key, finding.message)
        for finding in check_against_records(report, submission=submission)
        if finding.code == "section.rated_abroad"
    ]


TWO_GAMES = [game(1, 2, fide_id="611"), game(2, 1, name="Court, Cleo")]
ONE_GAME = (
    "1 game with the same opponent and score also appears in Paris Open, rated abroad "
    "on overlapping days."
)


def test_report_of_games_that_were_rated_abroad_names_event_and_members(three_players):
    rated_in_paris(three_players[0], TWO_GAMES)
    rated_in_paris(three_players[1], [game(1, 0, fide_id="610")])
    assert findings_of_report(reported(three_players)) == [
        (
            "error",
            "section.rated_abroad|s1|||name",
            "Games of this section are already rated. "
            f"Ada Adams: {ONE_GAME} Bo Berg: {ONE_GAME}",
        )
    ]


@pytest.mark.parametrize(
    ("games", "event", "status"),
    [
        (TWO_GAMES, {"ends": date(2024, 5, 4)}, "draft"),
        (TWO_GAMES, {}, "ready"),
        (TWO_GAMES, {"starts": date(2024, 5, 6)}, "rated"),
        ([game(1, 0, fide_id="611"), game(2, 1, fide_id="7")], {}, "rated"),
    ],
)
def test_games_not_rated_or_other_games_do_not_hold_a_report(
    three_players, games, event, status
):
    """Games only entered abroad are refused there after the report is accepted."""
    result = rated_in_paris(three_players[0], games, **event)
    ForeignResult.objects.filter(pk=result.pk).update(status=status)
    assert findings_of_report(reported(three_players)) == []


def test_games_rated_abroad_under_a_merged_number_hold_a_report(three_players):
    number = make_player()
    rated_in_paris(number, TWO_GAMES)
    type(number).objects.filter(pk=number.pk).update(
        status="duplicate", merged_into=three_players[0]
    )
    assert len(findings_of_report(reported(three_players))) == 1


def test_result_that_was_left_out_does_not_hold_a_report(three_players):
    result = rated_in_paris(three_players[0], TWO_GAMES)
    exclude_result(actor=foreign_staff(), result_id=result.pk, reason="Rated at home.")
    assert findings_of_report(reported(three_players)) == []


def test_report_rated_abroad_meanwhile_waits_for_the_word_of_the_office(three_players):
    """The TD cannot override it; staff can, with a reason, and then accept it."""
    report = reported(three_players)
    td, staff = make_td(), make_staff()
    submission = upload(td, report)
    submit_report(submission_id=submission.pk, actor=td)
    rated_in_paris(three_players[0], TWO_GAMES)
    with pytest.raises(NotPossible, match="has new issues"):
        accept_report(submission_id=submission.pk, actor=staff)
    assert not Event.objects.exists()

    return_report(submission_id=submission.pk, actor=staff, note="Rated in Paris?")
    [(_, key, message)] = findings_of_report(report)
    with pytest.raises(NotPossible, match="Only the ratings office"):
        override_findings(
            submission_id=submission.pk, actor=td, finding_keys=[key], reason="No."
        )
    (let_pass,) = override_findings(
        submission_id=submission.pk,
        actor=staff,
        finding_keys=[key],
        reason="Two matches on the same days.",
    )
    assert (let_pass.message, let_pass.by) == (message, staff)
    submit_report(submission_id=submission.pk, actor=td)
    event = accept_report(submission_id=submission.pk, actor=staff)
    assert event.sections.get().games.count() == 2
    submission.refresh_from_db()
    assert findings_of_report(report, submission) == []


@pytest.mark.parametrize("members", [2, 8])
def test_queries_for_a_report_do_not_grow(django_assert_num_queries, members):
    players = [make_player(fide_id=str(600 + place)) for place in range(members)]
    for number, player in enumerate(players):
        rated_in_paris(player, GAMES, name=f"Open {number}")
    rows = [f"W{n + 1}W" if n % 2 else f"L{n - 1}B" for n in range(1, members + 1)]
    report = event_report(make_td(), [section_report(players, rows)])
    named = {player.member_id: player for player in players}
    with django_assert_num_queries(2):
        assert list(rated_abroad(report, named)) == []
