"""The scripted month of an office: every turn of it, and the proof at its end."""

import gzip
import hashlib
import io

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from events.models import SectionVersion
from ratings.lists.queries.official import revised_values
from ratings.models import Calculation, PlayerRating, RatingChange, RerateMark
from ratings.rerates.services.audit import run_audit
from ratings_site.demo import month as script
from tests.ratings.ledger.reference_formulas import effective_games, expectancy

pytestmark = [pytest.mark.django_db, pytest.mark.calendar, pytest.mark.gate]


@pytest.fixture
def month() -> script.Month:
    return script.play_month(lambda sentence: None)


def line_of(month, name: str, event: str) -> RatingChange:
    return RatingChange.objects.get(
        player=month.members[name],
        calculation__is_current=True,
        calculation__section=month.section(event),
    )


def test_month_of_an_office(month, client):
    """One month, looked over turn by turn; playing it again for each would be slow."""
    late_events_are_rated_in_order(month)
    a_correction_makes_a_new_version_and_keeps_the_old(month, client)
    results_of_the_second_number_belong_to_the_member(month, client)
    floor_cap_and_request_apply(month)
    the_youth_event_counts_once_with_its_own_conversion(month)
    the_list_stays_and_shows_the_revision(month, client)
    everything_can_be_replayed(month)


def late_events_are_rated_in_order(month):
    late = Calculation.objects.filter(section=month.section("Forgotten Open"))
    as_it_came, in_place = late.order_by("pk")
    assert (as_it_came.is_late, as_it_came.is_current) == (True, False)
    assert (in_place.is_late, in_place.is_current) == (False, True)
    assert in_place.run == month.runs[0] == as_it_came.superseded_by
    # It now goes on from the winter event, and the spring event from it.
    winter, late, spring = (
        line_of(month, "Carla", event)
        for event in ("Winter Open", "Forgotten Open", "Spring Open")
    )
    assert (late.previous_id, late.pre_rating) == (winter.pk, winter.post_rating)
    assert (spring.previous_id, spring.pre_rating) == (late.pk, late.post_rating)
    assert not RerateMark.objects.filter(run=None).exists()


def a_correction_makes_a_new_version_and_keeps_the_old(month, client):
    section = month.section("Spring Open")
    first, second = SectionVersion.objects.filter(section=section).order_by("number")
    assert first.digest != second.digest
    game = section.games.get(round_number=1, first__pairing_number=1)
    assert (game.first_outcome, game.second_outcome) == ("D", "D")
    page = client.get(month.events["Spring Open"].get_absolute_url()).content.decode()
    assert "The score sheets show a draw." in page


def results_of_the_second_number_belong_to_the_member(month, client):
    ben, again = month.members["Ben"], month.members["Ben again"]
    assert line_of(month, "Ben", "May Open").pre_rating is not None
    assert not PlayerRating.objects.filter(player=again).exists()
    response = client.get(reverse("ratings:profile", args=[again.member_id]))
    assert response.headers["Location"] == ben.get_absolute_url()


def floor_cap_and_request_apply(month):
    rosa = line_of(month, "Rosa", "May Open")
    assert (rosa.half_points, rosa.games) == (0, 3)
    assert (rosa.floor_used, rosa.post_rating) == (1600.0, 1600.0)
    hugo, iris = (line_of(month, name, "Club match") for name in ("Hugo", "Iris"))
    assert hugo.post_rating == hugo.pre_rating + 50.0
    # Four losses cost at most 50; the floor of 1800 held until it was lowered by 100.
    assert (iris.floor_given, iris.post_rating) == (1700.0, iris.pre_rating - 50.0)
    month.request.refresh_from_db()
    assert month.request.lowering.level == 1700


def the_youth_event_counts_once_with_its_own_conversion(month):
    """2½ of 3 against 2010, 1954 and 2121, by the formulas of the text's section 6."""
    line = RatingChange.objects.get(
        calculation__foreign=month.abroad, calculation__is_current=True
    )
    opponents = [80 + 2010, -453 + 1.2667 * 1954, 80 + 2121]
    pre = line.pre_rating
    expected = sum(expectancy(pre, opponent) for opponent in opponents)
    k = 800 / (effective_games(pre, line.pre_games) + 3)
    surplus = k * (2.5 - expected)
    bonus = max(0.0, surplus - 12 * 2.0)
    assert line.post_rating == pytest.approx(pre + surplus + bonus)
    assert (line.games, line.post_games) == (3, line.pre_games + 3)


def the_list_stays_and_shows_the_revision(month, client):
    published = month.published
    row = published.ratings.get(player=month.members["Iris"], system="OTBR")
    now = month.rating("Iris")
    assert (row.rating, now < 1799) == (1800, True)
    assert revised_values([row])[row.pk].revised == int(now + 0.5)
    for file in published.files.all():
        kept = file.compressed and gzip.decompress(file.compressed)
        content = bytes(kept if file.content is None else file.content)
        assert hashlib.sha256(content).hexdigest() == file.sha256
    assert month.runs[1].marks.get().kind in ("floor", "match")
    profile = client.get(month.members["Iris"].get_absolute_url()).content.decode()
    assert f"/rerates/{month.runs[1].pk}/" in profile


def everything_can_be_replayed(month):
    for finding in run_audit(None):
        assert (finding.faults, finding.is_good) == ([], True)
        assert finding.checked > 0


def test_command_tells_the_month_and_ends_with_a_good_audit():
    said = io.StringIO()
    call_command("demo_office", stdout=said)
    story = said.getvalue()
    assert "1800 → 1762" not in story.split("The official list is published.")[0]
    assert story.rstrip().endswith(")")
    assert " NO " not in story
    with pytest.raises(CommandError, match="already has members"):
        call_command("demo_office", stdout=said)
