"""The packed form of a section."""

from array import array
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from events.records.packed_section import UnpackedSection, pack, packed_players, unpack


@given(
    players=st.lists(st.integers(1, 2**62), max_size=9),
    control=st.sampled_from(["", "G/60;d5", "40/120, SD/60; +30", "½"]),
)
def test_players_are_found_without_reading_the_rest(players, control):
    seats = range(len(players) // 2)
    section = UnpackedSection(
        kind="match",
        is_online=True,
        starts=date(2024, 5, 3),
        ends=date(2024, 5, 4),
        time_control=control,
        players=array("q", players),
        first=array("H", seats),
        second=array("H", reversed(seats)),
        scores=bytes(6 for _ in seats),
    )
    data = pack(section)
    assert unpack(data) == section
    assert packed_players(data) == section.players
