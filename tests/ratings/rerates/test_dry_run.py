"""A dry run predicts a rerate exactly, and writes nothing."""

from dataclasses import replace
from datetime import date

import pytest

from events.models import Section
from events.records.services.packing import pack_section
from players.models import Player
from ratings.engine.inputs import Game
from ratings.engine.numbers import official
from ratings.ledger.services.pending_rerates import add_pending_rerate
from ratings.ledger.services.rating_inputs import read_section_facts
from ratings.models import (
    Adjustment,
    Calculation,
    Ceiling,
    Floor,
    FloorLowering,
    RatingChange,
    Run,
)
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.sources import from_json, to_json
from ratings.rerates.services.start import start_rerate
from ratings.rerates.services.what_if import Hypothesis, simulate, start_what_if
from ratings_site.common.jobs.services import run_due_jobs
from tests.factories import make_player, make_staff
from tests.ratings.rerates.factories import ratings
from tests.ratings.rerates.test_rerate import (  # noqa: F401 (a fixture)
    APRIL,
    MARCH,
    office,
    rated_in_this_order,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def rated(office):  # noqa: F811
    rated_in_this_order(office, [0, 1, 2])
    return office[1]


def changes_after_rerate(kind: str) -> dict:
    """Add a pending rerate, rerate, and return the whole ratings that change."""
    before = ratings()
    add_pending_rerate(kind=kind, day=MARCH, note="It changed.")
    run = start_rerate(actor=None, reason="Go.")
    run_due_jobs()
    publish_rerate(run_id=run.pk, actor=None, reason="Good.")
    return whole_changes(before, ratings())


def whole_changes(before: dict, after: dict) -> dict:
    changes = {}
    for key in before | after:
        pair = before.get(key, {}).get("rating"), after.get(key, {}).get("rating")
        if _whole(pair[0]) != _whole(pair[1]):
            changes[key] = pair
    return changes


def _whole(rating):
    return None if rating is None else official(rating)


def predicted_changes(hypothesis: Hypothesis) -> dict:
    """The prediction of the dry run, in the same form, without any change."""
    counts = Calculation.objects.count(), RatingChange.objects.count(), ratings()
    differences = simulate(hypothesis)
    assert counts == (
        Calculation.objects.count(),
        RatingChange.objects.count(),
        ratings(),
    )
    members = dict(Player.objects.values_list("pk", "member_id"))
    found = {
        (members[move.player], move.system): (
            move.before.rating if move.before else None,
            move.after.rating if move.after else None,
        )
        for move in differences.ratings
    }
    assert differences.whole_changes == len(found)
    return found


def test_corrected_result(rated):
    section = Section.objects.get(ends=MARCH)
    facts = read_section_facts(section)
    place, game = next(
        (place, game) for place, game in enumerate(facts.games) if game.score_a == 2
    )
    games = list(facts.games)
    games[place] = Game(game.a, game.b, 0, 2)
    supposed = replace(facts, games=tuple(games))
    hypothesis = Hypothesis(from_day=MARCH, facts={section.pk: supposed})
    said = predicted_changes(hypothesis)
    assert said
    lines = simulate(hypothesis).lines
    assert {line.source for line in lines} == {section.pk}

    in_order = section.games.order_by("round_number", "leg", "first__pairing_number")
    game = in_order[place]
    game.first_outcome, game.second_outcome = "L", "W"
    game.save()
    pack_section(section)
    assert changes_after_rerate("correction") == said


def test_section_that_is_not_there(rated):
    section = Section.objects.get(ends=APRIL)
    said = predicted_changes(Hypothesis(from_day=APRIL, facts={section.pk: None}))
    # A player of this section only is unrated then.
    assert any(after is None for _, after in said.values())


def test_merged_members(rated):
    """An unrated member of April turns out to be one of March."""
    kept, merged = rated[1], rated[4]
    hypothesis = Hypothesis(from_day=MARCH, merges=[(kept.pk, merged.pk)])
    said = predicted_changes(hypothesis)
    assert said[merged.member_id, "OTBR"][1] is None
    merged.status, merged.merged_into = "duplicate", kept
    merged.save()
    assert changes_after_rerate("merge") == said
    back = predicted_changes(Hypothesis(from_day=MARCH, unmerges=[merged.pk]))
    assert back == {key: (new, old) for key, (old, new) in said.items()}


@pytest.mark.parametrize(
    ("name", "make"),
    [
        (
            "floors",
            lambda player, staff: Floor(
                player=player,
                system="OTBR",
                kind="office",
                level=1800,
                starts=MARCH,
                reason="r",
                granted_by=staff,
            ),
        ),
        (
            "ceilings",
            lambda player, staff: Ceiling(
                player=player,
                system="OTBR",
                level=1500,
                starts=MARCH,
                reason="r",
                imposed_by=staff,
            ),
        ),
        (
            "lowerings",
            lambda player, staff: FloorLowering(
                player=player,
                system="OTBR",
                level=1700,
                starts=MARCH,
                reason="r",
                decided_by=staff,
            ),
        ),
        (
            "adjustments",
            lambda player, staff: Adjustment(
                player=player,
                system="OTBR",
                kind="executive",
                day=MARCH,
                rating=1925.5,
                games=30,
                reason="r",
                decided_by=staff,
            ),
        ),
    ],
)
def test_decisions(rated, name, make):
    staff = make_staff()
    unsaved = make(rated[1], staff)
    said = predicted_changes(Hypothesis(from_day=MARCH, **{name: [unsaved]}))
    assert (rated[1].member_id, "OTBR") in said
    make(rated[1], staff).save()
    assert changes_after_rerate("floor") == said


def test_changes_of_pending_rerates_are_no_difference(office):  # noqa: F811
    rated_in_this_order(office, [0, 2, 1])
    differences = simulate(Hypothesis(from_day=MARCH))
    assert (differences.players, differences.sections) == (0, [])


def test_another_edition_in_a_job(rated):
    hypothesis = Hypothesis(from_day=None, edition="2020-09-02")
    before = ratings()
    run = start_what_if(hypothesis=hypothesis, actor=None, reason="To compare.")
    run_due_jobs()
    run.refresh_from_db()
    assert (run.kind, run.status) == (Run.Kind.WHAT_IF, "ready")
    assert run.summary["whole_changes"] == simulate(hypothesis).whole_changes
    assert ratings() == before
    assert not run.calculation_set.exists()


def test_hypothesis_is_stored_and_read_again(rated):
    section = Section.objects.get(ends=MARCH)
    staff = make_staff()
    hypothesis = Hypothesis(
        from_day=MARCH,
        facts={section.pk: read_section_facts(section), 7: None},
        merges=[(1, 2)],
        unmerges=[3],
        floors=[
            Floor(
                player=rated[0],
                system="OTBR",
                level=1300,
                starts=MARCH,
                ends=date(2025, 1, 1),
                granted_by=staff,
            )
        ],
        edition="2025-02-10",
    )
    again = from_json(to_json(hypothesis))
    assert again.facts == hypothesis.facts
    assert (again.from_day, again.merges, again.unmerges, again.edition) == (
        MARCH,
        [(1, 2)],
        [3],
        "2025-02-10",
    )
    floor = again.floors[0]
    assert (floor.player_id, floor.system, floor.level) == (rated[0].pk, "OTBR", 1300)
    assert (floor.starts, floor.ends) == (MARCH, date(2025, 1, 1))


def test_adjustment_of_a_member_who_has_not_played_since(rated):
    """The rating so far is the one before, not none."""
    idle = make_player(ratings={"OTBR": (1730.0, 40)})
    adjustment = Adjustment(
        player=idle,
        system="OTBR",
        kind="executive",
        day=MARCH,
        rating=1650.0,
        games=40,
        reason="r",
        decided_by=make_staff(),
    )
    said = predicted_changes(Hypothesis(from_day=MARCH, adjustments=[adjustment]))
    assert said == {(idle.member_id, "OTBR"): (1730.0, 1650.0)}
    adjustment.save()
    assert changes_after_rerate("adjustment") == said
