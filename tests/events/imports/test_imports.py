"""Files of affiliates and TDs: dry run, import, repetition, undo."""

from datetime import date
from io import StringIO

import pytest
from django.core.management import call_command

from events.models import Affiliate, Official
from players.models import Intake, Player
from tests.factories import make_affiliate, make_player, rated_section
from tests.players.imports.files import (
    as_csv,
    as_xlsx,
    counts,
    entered,
    received,
    undone,
)

pytestmark = pytest.mark.django_db

CLUBS = "Affiliate ID,Name,State,Expires"
TDS = "TD ID,Level,Expires,Affiliates"


def codes(intake: Intake) -> list[tuple[int, str]]:
    rows = intake.rows.filter(kind="refused")
    return [(row.line, row.reason["code"]) for row in rows]


def clubs(*rows: str, take=entered, write=as_csv) -> Intake:
    return take(*rows, headings=CLUBS, kind="affiliates", write=write)


def directors(*rows: str, take=entered, write=as_csv) -> Intake:
    return take(*rows, headings=TDS, kind="directors", write=write)


def officials() -> list[tuple]:
    rows = Official.objects.order_by("player__member_id", "affiliates__affiliate_id")
    return list(
        rows.values_list(
            "player__member_id", "level", "certified_until", "affiliates__affiliate_id"
        )
    )


def test_affiliates_enter_change_and_are_given_back():
    clubs("A6000001,Castle,GA,2026-12-31", "A6000002,Rook,,12/31/2027")
    again = clubs("A6000001,Castle,GA,2026-12-31", take=received)
    assert counts(again) == {"unchanged": 1}
    changed = clubs("A6000001,Castle Club,,2028-12-31")
    castle = Affiliate.objects.get(affiliate_id="A6000001")
    assert (castle.name, castle.state, castle.expires) == (
        "Castle Club",
        "GA",
        date(2028, 12, 31),
    )
    undone(changed)
    castle.refresh_from_db()
    assert (castle.name, castle.expires.year) == ("Castle", 2026)


def test_both_come_as_spreadsheets_too():
    make_player("20000001")
    clubs("A6000001,Castle,GA,2026-12-31", write=as_xlsx)
    directors("20000001,local,2028-12-31,A6000001", write=as_xlsx)
    assert officials() == [("20000001", "local", date(2028, 12, 31), "A6000001")]
    again = directors("20000001,local,2028-12-31,A6000001", take=received, write=as_csv)
    assert counts(again) == {"unchanged": 1}


def test_directors_enter_with_their_affiliates_and_are_given_back():
    make_player("20000001")
    make_affiliate("A6000001")
    make_affiliate("A6000002")
    first = directors("20000001,Local TD,2028-12-31,A6000002 A6000001")
    assert officials() == [
        ("20000001", "local", date(2028, 12, 31), "A6000001"),
        ("20000001", "local", date(2028, 12, 31), "A6000002"),
    ]
    changed = directors("20000001,senior,2028-12-31,A6000001")
    assert officials() == [("20000001", "senior", date(2028, 12, 31), "A6000001")]
    undone(changed)
    assert {row[1] for row in officials()} == {"local"}
    undone(first)
    assert officials() == []


def test_safe_play_enters_with_the_director_and_is_given_back():
    make_player("20000001")

    def until():
        return Official.objects.get().safe_play_until

    def with_safe_play(row: str) -> Intake:
        headings = f"{TDS},Safe Play"
        return entered(row, headings=headings, kind="directors", write=as_csv)

    with_safe_play("20000001,local,2028-12-31,,2027-03-01")
    assert until() == date(2027, 3, 1)
    directors("20000001,senior,2028-12-31,")
    changed = with_safe_play("20000001,senior,2028-12-31,,2028-03-01")
    assert until() == date(2028, 3, 1)
    undone(changed)
    assert until() == date(2027, 3, 1)


def test_each_fault_has_its_code():
    make_player("20000001")
    kept, merged = make_player("20000007"), make_player("20000008")
    Player.objects.filter(pk=merged.pk).update(merged_into=kept, status="duplicate")
    assert codes(
        clubs(
            "60000001,Castle,GA,2026-12-31",
            "A6000001,Castle,ZZ,2026-12-31",
            "A6000002,,GA,2026-12-31",
            "A6000003,Castle,GA,soon",
            "A6000004,Castle,GA,2026-12-31",
            "A6000004,Rook,GA,2026-12-31",
            take=received,
        )
    ) == [
        (2, "no_affiliate_id"),
        (3, "state_unknown"),
        (4, "new_lacks"),
        (5, "no_day"),
        (7, "key_twice"),
    ]
    assert codes(
        directors(
            "20000001,grandmaster,2028-12-31,",
            "29999999,club,2028-12-31,",
            "20000008,club,2028-12-31,",
            "20000007,club,2028-12-31,A6999999",
            take=received,
        )
    ) == [
        (2, "level_unknown"),
        (3, "director_unknown"),
        (4, "member_is_merged"),
        (5, "affiliate_unknown"),
    ]


def test_an_affiliate_with_events_stays():
    intake = clubs("A6000001,Castle Chess Club,,2099-12-31")
    rated_section(players=4)
    assert Affiliate.objects.get().event_set.exists()
    undone(intake)
    assert (intake.state, intake.problem["code"]) == ("entered", "record_rested_on")
    assert Affiliate.objects.exists()


def test_the_commands_take_the_same_files(tmp_path):
    make_player("20000001")
    for command, text in (
        ("import_affiliates", f"{CLUBS}\nA6000001,Castle,GA,2026-12-31\n"),
        ("import_directors", f"{TDS}\n20000001,club,2028-12-31,A6000001\n"),
    ):
        path = tmp_path / "file.csv"
        path.write_text(text)
        out = StringIO()
        call_command(command, str(path), "--apply", stdout=out)
        assert "Imported." in out.getvalue()
    assert officials() == [("20000001", "club", date(2028, 12, 31), "A6000001")]
