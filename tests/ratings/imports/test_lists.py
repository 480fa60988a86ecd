"""Lists of ratings with a row for each member."""

from datetime import date

import pytest

from players.formats.errors import InputRefused
from ratings.imports.files import ListDefaults, RatingRow, read_ratings
from ratings.lists.files import ListedMember, ListedRating, csv_file, dbf_file, tsv_file

TODAY = date(2026, 11, 29)
SAID = ListDefaults(as_of="2026-11-01", games="100")


def ratings_in(folder, content, said=SAID):
    path = folder / "list"
    path.write_bytes(content)
    return [
        (row.member_id, str(row.system), row.rating, row.games, row.as_of)
        if isinstance(row, RatingRow)
        else row.reason.code
        for row in read_ratings(path, TODAY, defaults=said)[1]
    ]


def listed() -> list[ListedMember]:
    established = ListedRating(1654, False, 31, False, 1400)
    provisional = ListedRating(1234, False, 12, True, 100)
    about = ListedRating(900, True, 5, True, 100)
    ends = date(2027, 1, 31)
    return [
        ListedMember(
            "13000001", "Adams, Ada", "TX", ends,
            {"OTBR": established, "OLB": provisional},
        ),
        ListedMember("13000002", "Baker, Ben", "NY", ends, {"OTBQ": about}),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "content",
    [csv_file(listed()), tsv_file(listed()), dbf_file(listed(), month=TODAY)],
    ids=["csv", "tsv", "dbf"],
)
def test_the_files_of_our_own_lists_are_read(tmp_path, content):
    day = date(2026, 11, 1)
    assert ratings_in(tmp_path, content) == [
        ("13000001", "OTBR", 1654, 100, day),
        ("13000001", "OLB", 1234, 12, day),
        "rating_is_about",
    ]


def test_the_golden_database_and_the_supplement_are_read(tmp_path):
    day = date(2026, 11, 1)
    golden = b"MEM_ID\tMEM_NAME\tR_LPB_RAT\tQ_LPB_RAT\n12000004\tX, Y\t1268/8\t1150*\n"
    assert ratings_in(tmp_path, golden) == [
        ("12000004", "OTBR", 1268, 8, day),
        "no_number",
    ]
    supplement = b"R_MEM_ID,R_MEM_NAME,R_RATING1,R_RATING2\n13000001,A,1575/40,0\n"
    assert ratings_in(tmp_path, supplement) == [("13000001", "OTBR", 1575, 40, day)]


def test_a_number_of_games_is_not_made_up(tmp_path):
    content = b"ID,Regular,FIDE rating\n13000001,1654,1700\n"
    assert ratings_in(tmp_path, content, ListDefaults("2026-11-01")) == [
        "games_not_in_list",
        ("13000001", "FIDE", 1700, 0, date(2026, 11, 1)),
    ]


def test_a_list_without_a_day_is_refused(tmp_path):
    with pytest.raises(InputRefused) as refused:
        ratings_in(tmp_path, b"ID,Regular\n13000001,1654/12\n", ListDefaults())
    assert refused.value.reason.code == "ratings_without_day"
