"""The question that the laboratory is for, on a federation whose truth is known."""

import json
from io import StringIO
from statistics import fmean

import pytest
from django.core.management import call_command
from django.db import transaction

from events.records.packed_section import unpack
from ratings.models import RatingChange
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings.research.experiments.services.ledger_replay import (
    LedgerSources,
    replay_ledger,
)
from ratings_site.common.jobs.services import run_due_jobs
from tests.federation import Federation
from tests.ground_truth_federation import GroundTruthFederation, truly_expected

pytestmark = pytest.mark.django_db
GAMES = 4000


@pytest.fixture(scope="module")
def federation(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), transaction.atomic():
        made_up = GroundTruthFederation(GAMES, region_count=6)
        made_up.build()
        run = start_rerate(actor=None, reason="All of it.", whole_history=True)
        run_due_jobs()
        publish_rerate(run_id=run.pk, actor=None, reason="It is good.")
        yield made_up
        transaction.set_rollback(True)


def test_an_undeserved_bonus_predicts_worse_and_inflates_ratings(federation):
    out = StringIO()
    call_command(
        *("laboratory", "run", "--books", "--json"),
        *("--from", "2016-01-01", "--to", "2024-12-31"),
        *("--vary", "bonus=1", "--vary", "bonus=14"),
        stdout=out,
        stderr=StringIO(),
    )
    found = json.loads(out.getvalue())
    lines = RatingChange.objects.filter(
        calculation__is_current=True, calculation__order_date__year__gte=2016
    )
    assert found["control"]["equal"] == found["control"]["lines"] == lines.count()
    sentences = [text.format(**values) for text, values in found["words"]]
    games = found["comparison"]["games"]
    assert sentences[1].startswith("With B = 1 from 2016 to 2024, ")
    assert sentences[3] == (
        f"B = 14 from 2016 to 2024 predicted these {games:,} games better than "
        "B = 1 from 2016 to 2024."
    )
    # The same verdict compares both with the actual rules.
    assert any(one.startswith("Compared with the actual rules") for one in sentences)
    generous, _mean = found["effects"]
    everybody = generous["everybody"]
    _low, _high, players, gained, lost, mean, *_rest = everybody
    assert gained > players / 2
    assert lost < players / 20
    assert mean > 10
    # The level rises from record to record, and never falls.
    assert generous["levels"][-1][3] - generous["levels"][-1][2] > 10


def test_predictions_are_near_the_truth(federation):
    """Of members who have played long, the truth itself is the best there is."""
    books = LedgerSources.read()
    found, ids = replay_ledger(books), books.members().ids
    played, predictions = found.played, found.replay.predictions
    truths, misses = [], []
    for game, prediction in enumerate(predictions):
        one, other = ids[played.one[game]], ids[played.other[game]]
        truth = truly_expected(federation, one, other)
        points = played.half_points[game] / 2
        if prediction == prediction:
            truths.append((points - truth) ** 2)
            misses.append((points - prediction) ** 2)
    assert len(misses) > GAMES / 2
    # With other seeds, too, it is between 1.22 and 1.27 times.
    assert fmean(truths) < fmean(misses) < 1.3 * fmean(truths)


@pytest.mark.parametrize("kind", [Federation, GroundTruthFederation])
def test_a_player_enters_a_section_once(kind):
    for section in kind(3000, region_count=6)._generate():
        players = unpack(section).players
        assert len(set(players)) == len(players)


def test_what_is_kept_of_one_federation_is_not_taken_for_another(tmp_path):
    made = [
        kind(300, cache_dir=tmp_path)._cached_sections()
        for kind in (Federation, GroundTruthFederation)
    ]
    assert made[0] != made[1]
    assert GroundTruthFederation(300, cache_dir=tmp_path)._cached_sections() == made[1]
