"""Sources that need an unknown rule are named and left out; all others are replayed."""

from datetime import date

import pytest
from django.urls import reverse

from events.models import Section
from players.models import ExternalRating
from ratings.engine.replay import rule_rows
from ratings.engine.rule_history import NoRuleInForce
from ratings.ledger.services.rating_inputs import read_section_facts
from ratings.models import Calculation, Run
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.replay import NotReplayable
from ratings.rerates.services.sources import Hypothesis
from ratings.rerates.services.start import RerateRefused
from ratings.rerates.services.what_if import simulate
from tests.factories import make_staff
from tests.ratings.rerates.factories import ledger, play, ratings
from tests.ratings.rerates.test_rerate import (  # noqa: F401 (a fixture)
    MARCH,
    office,
    rated_in_this_order,
    rerate,
)

pytestmark = pytest.mark.django_db

BEFORE_THE_RULES, FEBRUARY = date(2015, 9, 5), date(2024, 2, 10)


@pytest.fixture
def section_of_2015(office):  # noqa: F811
    """A section long before conversions are known, of a player with a FIDE rating.

    It is marked as rated, though it cannot be.
    """
    td, players = office
    ExternalRating.objects.create(
        player=players[4], body="FIDE", rating=1900, list_date=date(2015, 9, 1)
    )
    event = play(td, players[4:6], ends=BEFORE_THE_RULES, rounds=1, name="Long ago")
    section = event.sections.get()
    assert section.status != Section.Status.RATED
    Section.objects.filter(pk=section.pk).update(status=Section.Status.RATED)
    return section


@pytest.fixture
def no_rule_in_february(monkeypatch):
    """The effective number of games is unknown before March 1, 2024.

    Rules changed on that day: replays treat them as constant between two changes.
    """
    numbers_of = rule_rows._GROUPS[rule_rows.EFFECTIVE_LIMIT]

    def forgotten(rules):
        if rules.day < date(2024, 3, 1):
            raise NoRuleInForce("effective number of games", rules.day)
        return numbers_of(rules)

    monkeypatch.setitem(rule_rows._GROUPS, rule_rows.EFFECTIVE_LIMIT, forgotten)


def test_one_section_without_rules_does_not_bring_down_the_others(
    office,  # noqa: F811
    section_of_2015,
):
    rated_in_this_order(office, [0, 1, 2])
    before = ledger(), ratings()
    run = rerate(whole_history=True)
    assert run.status == Run.Status.READY
    named = run.summary["left_out"]
    assert named["count"] == 1
    (one,) = named["shown"]
    assert (one["rank"], one["source"]) == (2, section_of_2015.pk)
    assert one["starts"] == "2015-09-05"
    assert "FIDE conversion" in one["rules"]
    publish_rerate(run_id=run.pk, actor=None, reason="Good.")
    assert (ledger(), ratings()) == before


def test_the_preview_names_section_rules_and_choice(
    client,
    office,  # noqa: F811
    section_of_2015,
):
    run = rerate(whole_history=True)
    client.force_login(make_staff())
    page = client.get(reverse("ratings:office_rerate", args=[run.pk])).content.decode()
    assert section_of_2015.get_absolute_url() in page
    for rule in run.summary["left_out"]["shown"][0]["rules"]:
        assert rule in page
    assert "import_history" in page


def test_what_is_rated_today_is_not_lost_for_want_of_a_rule(
    office,  # noqa: F811
    no_rule_in_february,
):
    td, players = office
    play(td, players[:4], ends=FEBRUARY, name="February Open")
    rated_in_this_order(office, [0, 1, 2])
    before = ledger(), ratings()
    run = rerate(whole_history=True)
    left_out = Calculation.objects.filter(order_date=FEBRUARY, is_current=True)
    assert left_out.exists()
    assert run.status == Run.Status.READY
    assert run.summary["retired"] == 0
    assert [one["faults"] for one in run.summary["invariants"]][-1] == left_out.count()
    with pytest.raises(RerateRefused, match="No rule is missing for anything"):
        publish_rerate(run_id=run.pk, actor=None, reason="Good.")
    assert (ledger(), ratings()) == before


def test_a_supposition_that_needs_an_unknown_rule_says_so(
    office,  # noqa: F811
    section_of_2015,
):
    rated_in_this_order(office, [0, 1, 2])
    # A rule that is missing on both sides is no difference.
    assert simulate(Hypothesis()).effects.ratings == 0
    march = Section.objects.get(ends=MARCH)
    supposed = Hypothesis(facts={march.pk: read_section_facts(section_of_2015)})
    with pytest.raises(NotReplayable, match="2015-09-05"):
        simulate(supposed)
