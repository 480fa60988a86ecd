"""Official ratings on a day, and their revisions since."""

import re
from datetime import date, timedelta

import pytest
from django.utils import timezone

from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import (
    PublishedValue,
    list_in_force,
    lists_since,
    published_for,
)
from ratings.lists.queries.official import (
    OfficialValue,
    latest_list,
    list_history,
    official_rating,
    revised_values,
)
from ratings.models import Run
from ratings_site.common.ui.formatting import ApproximateRating
from tests.factories import (
    event_report,
    make_player,
    make_td,
    rated_event,
    section_report,
    swiss_rows,
)
from tests.ratings.lists.helpers import (
    JULY,
    JUNE,
    line_of,
    newcomer_who_lost,
    published,
    published_rerate,
    undo,
)

pytestmark = pytest.mark.django_db


def four():
    return [
        make_player(ratings={"OTBR": (1500.0 + 50 * number, 30)}) for number in range(4)
    ]


def play(td, players, ends: date, name: str):
    return rated_event(
        td,
        event_report(
            td,
            [section_report(players, swiss_rows(len(players), len(players) - 1))],
            starts=ends - timedelta(days=1),
            ends=ends,
            name=name,
        ),
    )


def value_of(official, player) -> OfficialValue:
    [row] = official.ratings.filter(player=player, system="OTBR")
    return revised_values([row])[row.pk]


def test_a_rating_is_official_from_the_first_of_its_month():
    player = make_player(ratings={"OTBR": (1500.0, 30)})
    published(JUNE)
    published_rerate({line_of(player).pk: 1550.0})
    published(date(2024, 8, 1))

    days = [
        date(2024, 5, 31),
        date(2024, 6, 1),
        date(2024, 7, 31),
        date(2024, 8, 1),
        date(2030, 1, 1),
    ]
    assert [official_rating(player, System.OTBR, on=day) for day in days] == [
        None,
        1500,
        1500,
        1550,
        1550,
    ]
    assert official_rating(player, System.OTBQ, on=days[-1]) is None


def test_many_ratings_are_asked_for_in_two_queries(django_assert_num_queries):
    known = make_player(ratings={"OTBR": (1500.0, 30)})
    young = make_player(ratings={"OTBR": (1100.4, 9)})
    unknown = make_player()
    published(JUNE)
    ids = [known.pk, young.pk, unknown.pk]

    with django_assert_num_queries(2):
        assert published_for(ids, System.OTBR, on=JUNE) == {
            known.pk: PublishedValue(1500, 30, is_provisional=False),
            young.pk: PublishedValue(1100, 9, is_provisional=True),
        }
    assert published_for(ids, System.OTBR, on=date(2024, 5, 31)) == {}


def test_lists_by_date():
    assert latest_list() is None
    make_player(ratings={"OTBR": (1500.0, 30)})
    june = published(JUNE)
    between = timezone.now()
    july = published(JULY)

    assert latest_list() == july
    assert list_in_force(date(2024, 6, 30)) == june
    assert list(lists_since(between)) == [july]
    assert list(lists_since(june.published_at)) == [july, june]


# Revised


def test_what_a_rerate_changed_stands_beside_what_was_published():
    players = four()
    june = published(JUNE)
    run = published_rerate({line_of(players[0]).pk: 1404.5})

    assert value_of(june, players[0]) == OfficialValue(1500, 30, False, 1405, run.pk)
    assert value_of(june, players[1]) == OfficialValue(1550, 30, False, 1550, run.pk)
    assert value_of(june, players[0]).is_revised
    assert not value_of(june, players[1]).is_revised

    undo(run)
    assert value_of(june, players[0]) == OfficialValue(1500, 30, False, 1500)


def test_what_was_rated_after_the_list_is_no_revision():
    td, players = make_td(), four()
    play(td, players, date(2024, 5, 5), "May Open")
    june = published(JUNE)
    may = [line_of(player) for player in players]
    play(td, players, date(2024, 6, 9), "June Open")

    assert value_of(june, players[0]).is_revised is False

    run = published_rerate({may[0].pk: 1777.0})
    assert value_of(june, players[0]).revised == 1777
    assert value_of(june, players[0]).rerate == run.pk


def test_a_late_section_before_the_list_is_no_revision_until_a_rerate():
    td, players = make_td(), four()
    play(td, players, date(2024, 5, 5), "May Open")
    play(td, players[:2], date(2024, 4, 7), "April Open")
    june = published(JUNE)
    row = june.ratings.get(player=players[0])
    assert line_of(players[0]).calculation.is_late

    assert value_of(june, players[0]).revised == row.rating

    # The rerate puts April first, so the rating after the May Open counts.
    may = june.ratings.get(player=players[0]).latest
    run = published_rerate({may.changes.get(player=players[0]).pk: 1600.0})
    assert value_of(june, players[0]) == OfficialValue(
        row.rating, row.games, False, 1600, run.pk
    )


def test_a_late_section_after_the_list_is_no_revision():
    td, players = make_td(), four()
    play(td, players, date(2024, 5, 5), "May Open")
    june = published(JUNE)
    play(td, players[:2], date(2024, 4, 7), "April Open")

    assert not value_of(june, players[0]).is_revised


def test_ratings_that_are_gone_are_revised_to_unrated():
    player = make_player(ratings={"OTBR": (1500.0, 30)})
    other = make_player(ratings={"OTBR": (1500.0, 30)})
    june = published(JUNE)
    run = published_rerate({})
    gone = line_of(player).calculation
    type(gone).objects.filter(pk=gone.pk).update(is_current=False)

    assert value_of(june, player).revised is None
    assert value_of(june, player).is_revised
    assert value_of(june, other) == OfficialValue(1500, 30, False, 1500, run.pk)


def test_rating_that_still_is_its_start_is_published_about_and_is_no_revision():
    child = newcomer_who_lost()
    june = published(JUNE)

    value = value_of(june, child)
    assert value == OfficialValue(
        ApproximateRating(500), 4, True, ApproximateRating(500)
    )
    assert isinstance(value.rating, ApproximateRating)
    assert isinstance(value.revised, ApproximateRating)
    assert not value.is_revised

    # With a later correction it is another rating, and no longer a start by age.
    run = published_rerate({line_of(child).pk: 561.7})
    assert value_of(june, child) == OfficialValue(
        ApproximateRating(500), 4, True, 562, run.pk
    )


def test_number_rounded_by_an_earlier_rule_has_that_of_its_line_beside_it():
    player = make_player(ratings={"OTBR": (1384.3, 12)})
    [row] = published(JUNE).ratings.filter(player=player)
    row.rating, row.is_about = 1400, True  # as the migration sets such rows

    value = revised_values([row])[row.pk]
    assert value == OfficialValue(ApproximateRating(1400), 12, True, 1384)
    assert isinstance(value.rating, ApproximateRating)
    assert not isinstance(value.revised, ApproximateRating)
    assert value.is_revised


# A member's lists


def test_history_goes_over_all_lists_and_systems():
    player = make_player(ratings={"OTBR": (1500.0, 30), "OTBQ": (1400.0, 9)})
    june = published(JUNE)
    run = published_rerate({line_of(player).pk: 1490.0})
    july = published(JULY)

    assert [(line.list, line.values) for line in list_history(player)] == [
        (
            july,
            {
                System.OTBR: OfficialValue(1490, 30, False, 1490),
                System.OTBQ: OfficialValue(1400, 9, True, 1400),
            },
        ),
        (
            june,
            {
                System.OTBR: OfficialValue(1500, 30, False, 1490, run.pk),
                System.OTBQ: OfficialValue(1400, 9, True, 1400, run.pk),
            },
        ),
    ]
    assert [line.list for line in list_history(player, limit=1)] == [july]


def test_lists_of_a_member_sort_by_a_system_and_are_a_file(client):
    player = make_player(ratings={"OTBR": (1500.0, 30)})
    published(JUNE)
    published_rerate({line_of(player).pk: 1490.0})
    double = make_player(ratings={"OTBQ": (1400.0, 9)})
    published(JULY)
    double.status, double.merged_into = "duplicate", player
    double.save()
    path = f"/players/{player.member_id}/lists/"

    def months(sort: str) -> list[str]:
        page = client.get(f"{path}?sort={sort}").content.decode()
        return re.findall(r'"/lists/(2024-0.)/"', page)

    assert months("") == months("-list") == months("OTBR") == ["2024-07", "2024-06"]
    assert months("list") == months("-OTBR") == months("OTBQ") == ["2024-06", "2024-07"]
    file = client.get(f"{path}?format=csv&sort=list").getvalue().decode()
    assert file.splitlines() == [
        "month,otbr,otbr_about,otbr_games,otbr_provisional,otbr_revised,"
        "otbq,otbq_about,otbq_games,otbq_provisional,otbq_revised",
        "2024-06-01,1500,,30,,1490,,,,,",
        "2024-07-01,1490,,30,,1490,1400,,9,Y,1400",
    ]


def test_history_follows_a_member_who_was_merged():
    kept = make_player(ratings={"OTBR": (1600.0, 30)})
    double = make_player(ratings={"OTBQ": (1450.0, 30)})
    june = published(JUNE)
    double.status, double.merged_into = "duplicate", kept
    double.save()

    [line] = list_history(kept)
    assert line.list == june
    assert {system: one.rating for system, one in line.values.items()} == {
        System.OTBR: 1600,
        System.OTBQ: 1450,
    }


@pytest.mark.parametrize("own", [1300.0, 1700.0])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_of_a_person_s_numbers_on_a_list_the_kept_one_has_the_rating(own, place):
    """The place is that among the numbers, the oldest first."""
    both = [dict.fromkeys(("OTBR", "OTBQ"), (one, 30)) for one in (1400, 1600)]
    both.insert(place, {"OTBR": (own, 30)})
    doubles = [make_player(ratings=ratings) for ratings in both]
    published(JUNE)
    kept = doubles.pop(place)
    for double in doubles:
        double.status, double.merged_into = "duplicate", kept
        double.save()
    [line] = list_history(kept)
    assert {system: one.rating for system, one in line.values.items()} == {
        System.OTBR: own,
        System.OTBQ: 1400,
    }


@pytest.mark.parametrize("lists", [1, 6])
def test_history_takes_the_same_queries_for_any_length(
    client, django_assert_num_queries, lists
):
    player = make_player("30000001", ratings={"OTBR": (1500.0, 30)})
    for number in range(lists):
        published(date(2024, number + 1, 1))
        published_rerate({line_of(player).pk: 1500.0 + 10 * number + 10})

    with django_assert_num_queries(6):
        response = client.get("/players/30000001/lists/")

    page = response.content.decode()
    assert page.count("since revised to") == lists
    rerate = Run.objects.latest("pk")
    assert f'<a href="/rerates/{rerate.pk}/">rerate {rerate.pk}</a>' in page
    # There is no column for a system without official ratings of the member.
    assert 'data-label="Regular"' in page
    assert ">Quick</th>" not in page
