"""A member's history as CSV."""

import csv
import io
from datetime import date

import pytest

from players.models import GuardianAccount
from ratings.pages.profile.rows import COLUMNS
from tests.factories import (
    event_report,
    make_player,
    make_td,
    make_user,
    open_rating,
    rated_event,
    section_report,
)
from tests.ratings.imports import archives

pytestmark = pytest.mark.django_db


def rows(client, player, query: str = "") -> list[dict[str, str]]:
    response = client.get(f"/players/{player.member_id}/history.csv{query}")
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    name = f'attachment; filename="history-{player.member_id}.csv"'
    assert response["Content-Disposition"] == name
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def play(player, **event):
    other = make_player(ratings={"OTBR": (1500.0, 40)})
    section = section_report([player, other], ["W2W", "L1B"], time_control="G/90;d5")
    day = date(2024, 5, 4)
    report = event_report(make_td(), [section], starts=day, ends=day, **event)
    return rated_event(make_td(), report)


def test_history_has_named_columns_and_iso_dates_newest_first(client):
    ada = make_player(ratings={"OTBR": (1500.37, 40)})
    event = play(ada, name="May Open")
    after = round(ada.ratings.get().rating)
    start = dict.fromkeys(COLUMNS, "")
    assert rows(client, ada) == [
        start | {
            "date": "2024-05-04", "event": "May Open", "section": "Section 1",
            "url": f"http://127.0.0.1:8000/events/{event.event_id}/1/",
            "system": "OTBR", "score": "1.0", "games": "1", "before": "1500",
            "after": str(after), "change": str(after - 1500),
        },
        start | {
            "date": "2024-01-01", "event": "Starting rating", "system": "OTBR",
            "games": "0", "after": "1500",
        },
    ]  # fmt: skip


def test_history_of_one_system(client):
    ada = make_player(ratings={"OTBR": (1500, 40), "OTBQ": (1400, 40)})
    assert [row["system"] for row in rows(client, ada, "?system=OTBQ")] == ["OTBQ"]
    assert len(rows(client, ada)) == 2


def test_member_and_guardian_get_decimals_and_strangers_do_not(client):
    kid = make_player(birth_date=date(2099, 1, 1), account=make_user())
    open_rating(kid, "OTBR", 1500.376, 40)
    parent = make_user()
    GuardianAccount.objects.create(player=kid, account=parent)
    found = []
    for reader in (None, make_user(), kid.account, parent):
        client.logout()
        if reader:
            client.force_login(reader)
        found.append(rows(client, kid)[0]["after"])
    assert found == ["1500", "1500", "1500.38", "1500.38"]


def test_number_that_is_only_about_says_so(client):
    kid = make_player(birth_date=date(2013, 11, 4), account=make_user())
    twin = make_player(birth_date=date(2013, 11, 4))
    section = section_report([kid, twin], ["D2W", "D1B"])
    rated_event(make_td(), event_report(make_td(), [section]))
    [row] = rows(client, kid)
    assert (row["after"], row["change"]) == ("about 500", "")
    client.force_login(kid.account)
    [row] = rows(client, kid)
    exact = f"{kid.ratings.get().rating:.2f}"
    assert row["after"] == exact


def test_names_of_events_are_no_formulas(client):
    ada = make_player(ratings={"OTBR": (1500, 40)})
    play(ada, name="=1+1")
    assert rows(client, ada)[0]["event"] == "'=1+1"


def test_imported_events_are_there_with_the_ratings_of_their_reports(client):
    td = make_td()
    old = [make_player(f"1999995{number}", "Old", "Hand") for number in range(4)]
    files = archives.dbf_in("old", archives.report_of(td, old, "Old Open"))
    archives.entered(make_user(is_staff=True, is_superuser=True), files)
    [row] = rows(client, old[0])
    assert (row["event"], row["system"]) == ("Old Open", "imported")
    assert rows(client, old[0], "?system=OTBR") == []


def test_merged_member_s_address_gives_the_kept_record(client):
    kept = make_player("31000001", ratings={"OTBR": (1500, 40)})
    make_player("31000002", status="duplicate", merged_into=kept)
    response = client.get("/players/31000002/history.csv")
    assert "history-31000001.csv" in response["Content-Disposition"]


@pytest.mark.parametrize("events", [1, 6])
def test_history_takes_the_same_queries_for_any_length(
    client, events, django_assert_num_queries
):
    ada = make_player(ratings={"OTBR": (1500, 40)})
    for number in range(events):
        play(ada, name=f"Open {number}")
    with django_assert_num_queries(5):
        assert len(rows(client, ada)) == events + 1
