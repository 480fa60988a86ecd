"""Which floor applies to a rating on a day, and its source."""

from datetime import date, timedelta

import pytest
from django.utils import timezone

from ratings.decisions.floors.queries.floors import current_floor, current_floors
from ratings.decisions.floors.queries.records import Viewer, member_floors
from ratings.engine.systems import System
from ratings.models import Ceiling, Floor, FloorLowering
from tests.factories import (
    END,
    START,
    event_report,
    make_player,
    make_staff,
    make_td,
    open_rating,
    rated_event,
    section_report,
)

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
OPENED = date(2024, 1, 1)


def granted(player, level, **changes):
    facts = {"system": "OTBR", "kind": "office", "starts": END, "reason": "A ruling."}
    return Floor.objects.create(
        player=player, level=level, granted_by=make_staff(), **facts | changes
    )


def lowered(player, level, starts, system="OTBR"):
    return FloorLowering.objects.create(
        player=player,
        system=system,
        level=level,
        starts=starts,
        reason="Asked for.",
        decided_by=make_staff(),
    )


def play(player, rating_of_opponent, row, day):
    """Rate a section of one game or more against one opponent."""
    opponent = make_player(ratings={"OTBR": (rating_of_opponent, 60)})
    mirror = {"W": "L", "L": "W", "D": "D"}
    other = " ".join(f"{mirror[cell[0]]}1B" for cell in row.split())
    td = make_td()
    section = section_report([player, opponent], [row, other], kind_letter="S")
    rated_event(td, event_report(td, [section], starts=day, ends=day))


def test_absolute_floor_shows_its_arithmetic():
    """The paper's example: 3 wins, 1 draw and 10 events make 124 (section 5)."""
    player = make_player()
    counts = {"wins": 3, "draws": 1, "three_game_events": 10}
    open_rating(player, "OTBR", 900.0, 30, **counts)
    open_rating(player, "OLR", 900.0, 30, **counts)
    regular, online = (current_floor(player, one) for one in (System.OTBR, System.OLR))
    assert (regular.level, regular.kind) == (124, "Absolute floor")
    assert regular.arithmetic == "100 + 4 × 3 + 2 × 1 + 1 × 10 = 124"
    assert (online.level, online.arithmetic) == (
        100,
        "100, the minimum for every rating",
    )


def test_absolute_floor_is_at_most_150():
    player = make_player()
    open_rating(player, "OTBR", 900.0, 30, wins=20)
    floor = current_floor(player, System.OTBR)
    assert floor.absolute == 150
    assert floor.arithmetic == "100 + 4 × 20 + 2 × 0 + 1 × 0 = 180, limited to 150"


@pytest.mark.parametrize(
    ("peak", "level", "arithmetic"),
    [
        (1941.0, 1700, "1941 − 200 = 1741, so 1700"),
        (1999.51, 1800, "2000 − 200 = 1800, so 1800"),
        (1388.0, None, "none: 1388 − 200 = 1188 is below the minimum of 1200"),
    ],
)
def test_peak_floor_shows_its_arithmetic(peak, level, arithmetic):
    """The three examples of the paper, section 5."""
    player = make_player()
    open_rating(player, "OTBR", 1300.0, 30, peak=peak)
    floor = current_floor(player, System.OTBR)
    assert (floor.peak_level, floor.peak_arithmetic) == (level, arithmetic)


def test_provisional_rating_has_no_peak():
    player = make_player(ratings={"OTBR": (1900.0, 12)})
    floor = current_floor(player, System.OTBR)
    assert (floor.peak, floor.peak_level, floor.is_established) == (None, None, False)
    assert floor.peak_arithmetic == "none: no established rating"


def test_unrated_member_has_no_floor():
    assert current_floor(make_player(), System.OTBR) is None
    assert current_floor(make_player(), System.OTBR, on=END) is None


def test_highest_floor_holds_and_names_its_kind():
    player = make_player(ratings={"OTBR": (1650.0, 30)})
    assert current_floor(player, System.OTBR).effective_floor == (1400, "Peak floor")
    granted(player, 1500, kind="money")
    granted(player, 1300)
    granted(player, 1600, system="OTBQ")
    assert current_floor(player, System.OTBR).effective_floor == (1500, "Money floor")


def test_floor_granted_since_the_last_rating_holds_today():
    player = make_player(ratings={"OTBR": (1650.0, 30)})
    today = timezone.localdate()
    granted(player, 1600, starts=today)
    granted(player, 2000, starts=OPENED, ends=today - DAY)
    assert player.ratings.get().floor == 1400.0
    assert current_floor(player, System.OTBR).level == 1600
    assert current_floor(player, System.OTBR, on=today - DAY).level == 2000


def test_lowering_ends_earlier_floors_and_resets_the_peak():
    player = make_player(ratings={"OTBR": (1850.0, 30)})
    granted(player, 1800, starts=OPENED)
    lowered(player, 1500, END)
    floor = current_floor(player, System.OTBR)
    assert (floor.effective_floor, floor.peak, floor.granted) == (
        (1500, "Lowered floor"),
        None,
        (),
    )
    granted(player, 1600, starts=END)
    assert current_floor(player, System.OTBR).effective_floor == (
        1600,
        "Set by the office",
    )
    assert current_floor(player, System.OTBR, on=END - DAY).level == 1800


def test_peak_since_a_lowering_is_read_from_the_lines_themselves():
    """Until a rerate follows, the lines carry the peak from before the lowering."""
    player = make_player(ratings={"OTBR": (1850.0, 30)})
    play(player, 1850.0, "L2W", END + 30 * DAY)
    after = player.ratings.get()
    assert after.peak == 1850.0
    lowered(player, 1500, END + DAY)
    floor = current_floor(player, System.OTBR)
    assert floor.peak == after.rating
    assert floor.effective_floor == (1600, "Peak floor")  # 1828 − 200, down to 1600


def test_newest_lowering_applies():
    player = make_player(ratings={"OTBR": (1850.0, 30)})
    lowered(player, 1500, END)
    lowered(player, 1400, END + DAY)
    lowered(player, 1200, END + DAY, system="OTBQ")
    assert current_floor(player, System.OTBR).level == 1400
    assert current_floor(player, System.OTBR, on=END).level == 1500


def test_floor_on_a_day_is_that_of_the_last_rating_up_to_it():
    player = make_player(ratings={"OTBR": (1590.0, 30)})
    play(player, 1590.0, "W2W", START)
    assert player.ratings.get().peak > 1600
    assert current_floor(player, System.OTBR, on=START).level == 1400
    assert current_floor(player, System.OTBR, on=START - DAY).level == 1300
    assert current_floor(player, System.OTBR, on=OPENED - DAY) is None


def test_grants_of_a_merged_duplicate_count():
    player = make_player(ratings={"OTBR": (1650.0, 30)})
    duplicate = make_player(status="duplicate", merged_into=player)
    granted(duplicate, 1600)
    assert current_floor(player, System.OTBR).level == 1600


def test_lowest_ceiling_in_force_is_named():
    player = make_player(ratings={"OTBR": (1650.0, 30)})
    common = {"player": player, "system": "OTBR", "reason": "Ruling."}
    today = timezone.localdate()
    for level, ends in ((1700, None), (1680, None), (1660, today - DAY)):
        Ceiling.objects.create(
            level=level, starts=END, ends=ends, imposed_by=make_staff(), **common
        )
    assert current_floor(player, System.OTBR).ceiling.level == 1680
    assert current_floor(player, System.OTBR, on=today - DAY).ceiling.level == 1660


def test_peak_names_the_section_that_reached_it_first():
    player = make_player(ratings={"OTBR": (1590.0, 30), "OTBQ": (1500.0, 40)})
    play(player, 1590.0, "W2W", START)
    play(player, 2400.0, "L2W", START + 30 * DAY)
    section = player.entries.order_by("section__starts").first().section
    regular, quick = member_floors(player)
    reached = regular.peak_reached
    assert (reached.day, reached.url) == (START, section.get_absolute_url())
    assert reached.title == "May Open, Section 1"
    assert (quick.peak_reached.day, quick.peak_reached.url) == (OPENED, "")
    assert quick.peak_reached.title == "Opening rating"


def test_history_keeps_names_and_private_reasons_for_the_office():
    player = make_player(ratings={"OTBR": (1650.0, 30)})
    granted(player, 1500, kind="money", evidence="A letter.", starts=END + DAY)
    Ceiling.objects.create(
        player=player,
        system="OTBR",
        level=1700,
        starts=END,
        reason="Under review.",
        imposed_by=make_staff(),
    )
    [public] = member_floors(player)
    [office] = member_floors(player, Viewer.OFFICE)
    shown = [(line.what, line.why, line.evidence, line.by) for line in public.history]
    assert shown == [("Money floor", "A ruling.", "", ""), ("Ceiling", "", "", "")]
    assert [(line.why, line.evidence) for line in office.history] == [
        ("A ruling.", "A letter."),
        ("Under review.", ""),
    ]
    assert all(line.by for line in office.history)


@pytest.mark.parametrize("systems", [1, 6])
def test_floors_take_the_same_queries_for_any_number(
    systems, django_assert_num_queries
):
    names = [system.value for system in System][:systems]
    player = make_player(ratings=dict.fromkeys(names, (1650.0, 30)))
    for name in names:
        for level in (1500, 1600):
            granted(player, level, system=name)
    with django_assert_num_queries(5):
        assert len(current_floors(player)) == systems
    with django_assert_num_queries(13):
        assert len(member_floors(player)) == systems
