"""The preview of a report equals the later rating, and only reads."""

from dataclasses import replace
from datetime import date

import pytest
from django.apps import apps

from events.checks.queries.members import members_of
from events.formats.played_games import circle_method_round
from events.reports.services.submissions import (
    override_findings,
    reported_in,
    submit_report,
)
from events.review.services.acceptance import accept_report
from players.models import ExternalRating
from ratings.decisions.floors.queries.titles import member_titles
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import published, published_before
from ratings.ledger.services.previews import (
    EntryPreview,
    SectionPreview,
    preview_report,
)
from ratings.models import Floor, RatingChange
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.ui.formatting import format_rating
from tests.factories import (
    END,
    START,
    event_report,
    make_player,
    make_staff,
    make_td,
    open_rating,
    section_report,
    swiss_rows,
    upload,
)

pytestmark = pytest.mark.django_db


def previews_of(report):
    return preview_report(report, members_of(report))


def numbers_of(preview) -> dict:
    return {
        (line.pairing_number, line.system): (
            displayed_number(line.pre),
            displayed_number(line.post),
        )
        for line in preview.lines
    }


def displayed_number(number: float | None) -> str:
    return "unrated" if number is None else format_rating(number)


def results_of(section) -> dict:
    """Return the results of the rated section, as published."""
    lines = RatingChange.objects.filter(calculation__section=section)
    return {
        (entry.pairing_number, System(line.calculation.system)): (
            displayed_number(published_before(line)),
            displayed_number(published(line)),
        )
        for entry in section.entries.all()
        for line in lines.filter(player=entry.player_id)
    }


def row_counts() -> dict[str, int]:
    return {
        model._meta.label: model._default_manager.count() for model in apps.get_models()
    }


def mixed_players() -> list:
    """Established, floored, provisional, newcomers with and without sources."""
    staff = make_staff()
    strong = make_player(ratings={"OTBR": (2310.25, 80), "OTBQ": (2200.5, 40)})
    floored = make_player(ratings={"OTBR": (1501.5, 30)})
    Floor.objects.create(
        player=floored,
        system="OTBR",
        kind="office",
        level=1500,
        starts=START,
        reason="ruling",
        granted_by=staff,
    )
    provisional = make_player()
    open_rating(provisional, "OTBR", 1300.0, 6, record="all_wins", wins=6)
    with_fide = make_player()
    ExternalRating.objects.create(
        player=with_fide, body="FIDE", list_date=START, rating=1999
    )
    child = make_player(birth_date=date(2014, 2, 3))
    blitz = make_player(ratings={"OTBB": (1700.0, 12)})
    return [strong, floored, provisional, with_fide, child, blitz]


@pytest.mark.parametrize("time_control", ["G/60;d5", "G/90;d5"])
def test_preview_is_the_later_result_and_writes_nothing(time_control):
    td = make_td()
    section = section_report(
        mixed_players(), swiss_rows(6, 4), time_control=time_control
    )
    submission = upload(td, event_report(td, [section]))
    before = row_counts()

    [preview] = previews_of(reported_in(submission))

    assert row_counts() == before
    assert (preview.number, preview.problem) == (1, "")
    submit_report(submission_id=submission.pk, actor=td)
    event = accept_report(submission_id=submission.pk, actor=make_staff())
    run_due_jobs()
    assert numbers_of(preview) == results_of(event.sections.get())


def test_child_who_keeps_the_age_based_start_is_previewed_to_the_nearest_50():
    """A child of 10 starts at about 512 and scores exactly what is expected."""
    td = make_td()
    child = make_player(birth_date=date(2014, 2, 3))
    twin = make_player(birth_date=date(2014, 2, 3))
    report = event_report(td, [section_report([child, twin], ["D2W", "D1B"])])

    [preview] = previews_of(report)

    assert numbers_of(preview)[1, System.OTBR] == ("unrated", "about 500")


def test_both_pairing_numbers_of_a_re_entered_member_show_one_result():
    td = make_td()
    players = [make_player(ratings={"OTBR": (1500.0, 30)}) for _ in range(3)]
    section = section_report(
        [*players, players[0]], ["L2W U0", "W1B U0", "U0 L4W", "U0 W3B"]
    )
    submission = upload(td, event_report(td, [section]))

    [preview] = previews_of(reported_in(submission))

    posts = {line.pairing_number: line.post for line in preview.lines}
    assert posts[1] == posts[4]
    override_findings(
        submission_id=submission.pk,
        actor=td,
        finding_keys=["entry.member_repeated|s1|p4||member_id"],
        reason="He re-entered.",
    )
    submit_report(submission_id=submission.pk, actor=td)
    accept_report(submission_id=submission.pk, actor=make_staff())
    run_due_jobs()
    later = RatingChange.objects.get(
        player=players[0], calculation__section__isnull=False
    )
    assert published(later) == posts[1]


def test_stranger_counts_as_unrated_and_idler_has_no_result():
    td = make_td()
    known, idle = (make_player(ratings={"OTBR": (1500.0, 30)}) for _ in range(2))
    section = section_report([known, known, idle], ["D2W", "D1B", "B0"])
    entries = list(section.entries)
    entries[1] = replace(entries[1], member_id="99999999")
    report = event_report(td, [replace(section, entries=tuple(entries))])

    [preview] = previews_of(report)

    regular = {line.pairing_number: line for line in preview.lines}
    assert regular[1].pre == 1500.0
    # 750 as a child of 15, then drawn against 1500 with special formula: between.
    assert regular[2].pre is None
    assert 750 < regular[2].post < 1500
    assert regular[3] == EntryPreview(3, System.OTBR, 1500.0, None, games=30)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"time_control": "soon"}, "soon"),
        ({"time_control": "G/1"}, "G/1"),
        ({"starts": END, "ends": START}, "The dates are reversed."),
        ({"starts": date(1980, 1, 1), "ends": START}, "January 1, 1980"),
        ({"starts": date(2013, 1, 1), "ends": START}, "effective-games formula"),
    ],
)
def test_section_that_cannot_be_rated_says_why(changes, problem):
    td = make_td()
    players = [make_player(ratings={"OTBR": (1500.0, 30)}) for _ in range(2)]
    good = section_report(players, ["W2W", "L1B"])
    bad = replace(section_report(players, ["W2W", "L1B"], number=2), **changes)

    previews = previews_of(event_report(td, [good, bad]))

    assert len(previews[0].lines) == 2
    assert previews[1].lines == ()
    assert problem in previews[1].problem


def test_report_without_dates_says_so():
    td = make_td()
    players = [make_player(), make_player()]
    report = event_report(td, [section_report(players, ["W2W", "L1B"])])
    assert previews_of(replace(report, starts=None)) == [
        SectionPreview(1, problem="The dates are missing.")
    ]


@pytest.mark.parametrize("size", [4, 40])
def test_preview_takes_the_same_queries_for_any_size(size, django_assert_num_queries):
    td = make_td()
    players = [make_player(ratings={"OTBR": (1500.0, 30)}) for _ in range(size)]
    report = event_report(td, [section_report(players, swiss_rows(size, 3))])
    with django_assert_num_queries(10):
        [preview] = previews_of(report)
    assert len(preview.lines) == size


def expected_titles(section) -> dict:
    """Return the floors of the ledger's lines and the norms of the titles pages."""
    entries = {entry.player_id: entry for entry in section.entries.all()}
    lines = RatingChange.objects.filter(calculation__section=section)
    return {
        entries[line.player_id].pairing_number: (
            line.floor_used,
            [one.norm for one in member_titles(line.player).norms],
        )
        for line in lines
    }


@pytest.mark.parametrize("rounds", [3, 4])
def test_floors_and_norms_are_those_after_the_event(rounds):
    """A norm takes four rounds; the floored player loses all games."""
    td = make_td()
    players = [make_player(ratings={"OTBR": (1700.0, 60)}) for _ in range(5)]
    players.append(floored_player(1500))
    section = section_report(players, strongest_first(6, rounds))
    submission = upload(td, event_report(td, [section]))

    [preview] = previews_of(reported_in(submission))

    previewed = {
        line.pairing_number: (line.floor, [line.norm] if line.norm else [])
        for line in preview.lines
    }
    submit_report(submission_id=submission.pk, actor=td)
    event = accept_report(submission_id=submission.pk, actor=make_staff())
    run_due_jobs()
    assert previewed == expected_titles(event.sections.get())
    assert previewed[6] == (1500.0, [])
    # Four points, where 1600 has to expect about 1.5 and 1800 more than three.
    winner = [norm.level for norm in previewed[1][1]]
    assert winner == ([1600] if rounds == 4 else [])


@pytest.mark.parametrize("last", ["B", "H", "X2"])
def test_norms_of_three_games_are_those_after_the_event(last):
    td = make_td()
    players = [make_player(ratings={"OTBR": (1800.0, 60)}) for _ in range(4)]
    rows = [f"W2W W3B W4W {last}", "L1B D4W D3B U", "D4W L1W D2W H", "D3B D2B L1B H"]
    if last == "X2":
        rows[1] = "L1B D4W D3B F1"
    submission = upload(td, event_report(td, [section_report(players, rows)]))

    [preview] = previews_of(reported_in(submission))

    submit_report(submission_id=submission.pk, actor=td)
    event = accept_report(submission_id=submission.pk, actor=make_staff())
    run_due_jobs()
    previewed = {
        line.pairing_number: (line.floor, [line.norm] if line.norm else [])
        for line in preview.lines
    }
    assert previewed == expected_titles(event.sections.get())
    assert bool(previewed[1][1]) is (last != "H")


def floored_player(level: int):
    player = make_player(ratings={"OTBR": (level + 1.5, 30)})
    Floor.objects.create(
        player=player,
        system="OTBR",
        kind="office",
        level=level,
        starts=START,
        reason="ruling",
        granted_by=make_staff(),
    )
    return player


def strongest_first(players: int, rounds: int) -> list[str]:
    """Return rows of a round robin in which the lower number wins each game."""
    rows = [[""] * rounds for _ in range(players)]
    for a in range(1, players + 1):
        for b in range(a + 1, players + 1):
            at = circle_method_round(a, b, players=players) - 1
            if at < rounds:
                rows[a - 1][at], rows[b - 1][at] = f"W{b}W", f"L{a}B"
    return [" ".join(row) for row in rows]
