"""Manual and file entry of foreign results on the office's pages."""

import re
from datetime import date

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from events.models import ForeignEvent, ForeignFile, ForeignResult
from tests.events.foreign.factories import (
    foreign_staff,
    make_event,
    make_result,
    store_list,
)
from tests.events.foreign.test_trf import HEADS, PLAYERS, file_of
from tests.factories import make_player

pytestmark = pytest.mark.django_db

EVENT = {
    "name": "Paris Open",
    "starts": "2024-05-04",
    "ends": "2024-05-12",
    "federation": "fra",
    "city": "Paris",
    "fide_code": "",
}
TRF = file_of(*HEADS, *PLAYERS)


@pytest.fixture
def staff():
    return foreign_staff()


@pytest.fixture
def desk(client, staff):
    client.force_login(staff)
    return client


def text(response):
    return " ".join(response.content.decode().split())


def rounds(*rows):
    """Return the posted rows: round, result, color, FIDE ID, name, rating."""
    data = {"form-TOTAL_FORMS": str(len(rows)), "form-INITIAL_FORMS": "0"}
    names = (
        "round_number",
        "result",
        "color",
        "opponent_fide_id",
        "opponent_name",
        "rating",
    )
    for place, row in enumerate(rows):
        for name, value in zip(names, row, strict=True):
            data[f"form-{place}-{name}"] = value
    return data


def games(result):
    return [
        (
            one.round_number,
            one.opponent_fide_id,
            one.opponent_name,
            one.opponent_rating,
            one.color,
            one.half_points,
        )
        for one in result.games.all()
    ]


def test_event_is_entered_and_the_same_one_found_again(desk):
    first = desk.post("/office/foreign/events/new/", EVENT)
    event = ForeignEvent.objects.get()
    assert (event.name, event.federation, event.is_youth) == (
        "Paris Open",
        "FRA",
        False,
    )
    again = desk.post("/office/foreign/events/new/", EVENT | {"name": "paris OPEN"})
    assert first.url == again.url == f"/office/foreign/events/{event.pk}/"
    assert ForeignEvent.objects.count() == 1


def test_event_for_a_member_leads_to_the_games(desk):
    player = make_player()
    response = desk.post(
        f"/office/foreign/events/new/?member={player.member_id}", EVENT
    )
    event = ForeignEvent.objects.get()
    assert response.url == (
        f"/office/foreign/events/{event.pk}/enter/{player.member_id}/"
    )


@pytest.mark.parametrize("member_id", ["12", "29999999", "Ada"])
def test_event_without_known_members_redirects_to_the_event(desk, member_id):
    response = desk.post(f"/office/foreign/events/new/?member={member_id}", EVENT)
    event = ForeignEvent.objects.get()
    assert response.url == f"/office/foreign/events/{event.pk}/"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"ends": "2024-05-03"}, "The last day is before the first day."),
        ({"federation": "FR"}, "Enter a federation as three letters, for example FRA."),
        ({"fide_code": "12-3"}, "Use only digits and capital letters."),
        ({"rated_list": "2024-05"}, "This list was published before the event ended."),
        ({"starts": "soon"}, "Enter a date such as 2024-05-04."),
    ],
)
def test_event_that_makes_no_sense_is_not_entered(desk, change, sentence):
    response = desk.post("/office/foreign/events/new/", EVENT | change)
    assert response.status_code == 422
    assert sentence in text(response)
    assert not ForeignEvent.objects.exists()


def test_change_needs_a_reason(desk, staff):
    event = make_event(staff)
    url = f"/office/foreign/events/{event.pk}/change/"
    assert desk.post(url, EVENT | {"is_youth": "on"}).status_code == 422
    desk.post(url, EVENT | {"is_youth": "on", "reason": "Under 14"})
    event.refresh_from_db()
    assert event.is_youth


def test_change_of_an_event_meanwhile_stays(desk, staff):
    event = make_event(staff)
    url = f"/office/foreign/events/{event.pk}/change/"
    shown = shown_digest(desk, url)
    theirs = EVENT | {"city": "Lyon", "reason": "The report"} | shown
    assert desk.post(url, theirs).status_code == 302
    mine = EVENT | {"name": "Paris Masters", "reason": "The website"}
    refused = desk.post(url, mine | shown)
    assert refused.status_code == 422
    assert "This has changed since you opened the page" in text(refused)
    assert 'value="Paris Masters"' in text(refused)
    # The same change twice, as by a double click, is no conflict.
    assert desk.post(url, theirs).status_code == 302
    event.refresh_from_db()
    assert (event.city, event.name) == ("Lyon", "Paris Open")
    assert desk.post(url, mine | shown_digest(desk, url)).status_code == 302


def test_games_are_entered_by_hand(desk, staff):
    store_list({11: (2310, 9, "FRA")})
    event, player = make_event(staff), make_player()
    url = f"/office/foreign/events/{event.pk}/enter/{player.member_id}/"
    assert text(desk.get(url)).count('name="form-0-result"') == 1
    response = desk.post(
        url,
        rounds(
            ("1", "2", "W", "11", "", ""),
            ("2", "1", "B", "", "Rossi, E", "2105"),
            ("3", "bye", "", "", "", ""),
            ("4", "", "", "", "", ""),
        ),
    )
    result = ForeignResult.objects.get()
    assert response.url == f"/office/foreign/results/{result.pk}/"
    assert games(result) == [
        (1, "11", "", 2310, "W", 2),
        (2, "", "Rossi, E", 2105, "B", 1),
    ]
    assert result.unplayed == [{"round": 3, "what": "bye"}]
    page = text(desk.get(url))
    assert 'value="Rossi, E"' in page


def shown_digest(desk, url):
    """Return the digest of what the form shows."""
    return {"was": re.search(r'name="was" value="(\w*)"', text(desk.get(url)))[1]}


@pytest.mark.parametrize("status", ["draft", "rated"])
def test_games_that_another_clerk_entered_meanwhile_stay(desk, staff, status):
    event, player = make_event(staff), make_player()
    url = f"/office/foreign/events/{event.pk}/enter/{player.member_id}/"
    blank = shown_digest(desk, url)
    theirs = rounds(("1", "2", "W", "11", "", ""), ("2", "bye", "", "", "", ""))
    theirs |= {"reason": "The report", "form-INITIAL_FORMS": "2"}
    assert desk.post(url, theirs | blank).status_code == 302
    result = ForeignResult.objects.get()
    ForeignResult.objects.update(status=status)
    mine = rounds(("1", "0", "B", "", "Rossi, E", "2105")) | {"reason": "A letter"}
    refused = desk.post(url, mine | blank)
    assert refused.status_code == 422
    assert "This has changed since you opened the page" in text(refused)
    assert 'value="Rossi, E"' in text(refused)
    assert 'name="was" value=""' in text(refused)
    assert [one.half_points for one in result.games.all()] == [2]
    # The same games twice, as by a double click, are no conflict.
    assert desk.post(url, theirs | blank).status_code == 302
    assert desk.post(url, mine | shown_digest(desk, url)).status_code == 302
    assert [one.half_points for one in result.games.all()] == [0]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([("1", "2", "W", "", "", "")], "Enter the opponent’s name or FIDE ID."),
        ([("", "2", "W", "11", "", "")], "Enter the round number."),
        ([("1", "", "W", "11", "", "")], "Choose the result."),
        ([("1", "2", "W", "11a", "", "")], "Enter a FIDE ID of up to ten digits."),
        ([("1", "", "", "", "", "")], "Enter at least one game."),
        ([("1", "bye", "", "", "", "")], "There’s no game that can be rated."),
        (
            [("1", "2", "W", "11", "", ""), ("1", "0", "B", "12", "", "")],
            "Round 1 is entered twice.",
        ),
    ],
)
def test_rows_that_make_no_sense_are_named_and_nothing_is_lost(
    desk, staff, rows, sentence
):
    event, player = make_event(staff), make_player()
    url = f"/office/foreign/events/{event.pk}/enter/{player.member_id}/"
    response = desk.post(url, rounds(*rows))
    assert response.status_code == 422
    assert sentence in text(response)
    assert (
        f'name="form-0-opponent_fide_id" value="{rows[0][3]}"' in text(response)
        or not (rows[0][3])
    )
    assert not ForeignResult.objects.exists()


def test_member_is_chosen_by_number(desk, staff):
    event, player = make_event(staff), make_player()
    url = f"/office/foreign/events/{event.pk}/member/"
    assert "No member has this ID." in text(desk.post(url, {"member_id": "99999999"}))
    response = desk.post(url, {"member_id": player.member_id})
    assert response.url == (
        f"/office/foreign/events/{event.pk}/enter/{player.member_id}/"
    )


def test_rated_games_are_corrected_with_a_reason_only(desk, staff):
    player = make_player()
    result = make_result(staff, player, [(2000, 2)])
    ForeignResult.objects.update(status="rated")
    url = f"/office/foreign/events/{result.event_id}/enter/{player.member_id}/"
    rows = rounds(("1", "0", "W", "", "Rossi", "2000"))
    assert desk.post(url, rows).status_code == 422
    assert [one.half_points for one in result.games.all()] == [2]
    desk.post(url, rows | {"reason": "It was lost"})
    assert [one.half_points for one in result.games.all()] == [0]
    assert result.versions.get().reason == "It was lost"


def test_effect_of_corrected_games_is_seen_before_they_are(desk, staff):
    player = make_player()
    result = make_result(staff, player, [(2000, 2)])
    ForeignResult.objects.update(status="rated")
    url = f"/office/foreign/events/{result.event_id}/enter/{player.member_id}/"
    assert text(desk.get(url)).count('name="look"') == 1
    lost = rounds(("1", "0", "W", "", "Rossi", "2000")) | {"reason": "It was lost"}
    looked = desk.post(url, lost | {"look": "1"})
    assert looked.status_code == 200
    assert "It was lost" in text(looked)
    assert result.versions.count() == 0
    seen = {"seen": re.search(r'name="seen" value="(\w+)"', text(looked))[1]}
    drawn = rounds(("1", "1", "W", "", "Rossi", "2000")) | {"reason": "It was lost"}
    assert desk.post(url, drawn | seen).status_code == 200
    assert result.versions.count() == 0
    assert desk.post(url, lost | seen).status_code == 302
    assert [one.half_points for one in result.games.all()] == [0]


def test_result_left_out_is_not_entered(desk, staff):
    player = make_player()
    result = make_result(staff, player, [(2000, 2)])
    ForeignResult.objects.update(status="excluded", excluded_because="Rapid")
    url = f"/office/foreign/events/{result.event_id}/enter/{player.member_id}/"
    assert desk.get(url).url == f"/office/foreign/results/{result.pk}/"


def send(desk, url, content, name="paris.trf", **more):
    return desk.post(url, {"file": SimpleUploadedFile(name, content), **more})


def test_tournament_brings_its_event(desk):
    make_player(fide_id="2012345", given_name="Ada", family_name="Lind")
    response = send(desk, "/office/foreign/upload/", TRF)
    assert response.status_code == 200
    assert "Ada Lind" in text(response)
    file = ForeignFile.objects.get()
    back = desk.get(f"/office/foreign/files/{file.pk}/")
    assert back.content == TRF
    assert back["Content-Disposition"] == 'attachment; filename="paris.trf"'


def test_table_is_sent_to_its_event(desk, staff):
    event, player = make_event(staff), make_player()
    url = f"/office/foreign/events/{event.pk}/upload/"
    table = b"round,opponent_name,opponent_rating,result\n1,Rossi,2100,1\n2,X,,9\n"
    response = send(desk, url, table, "paris.csv", member_id=player.member_id)
    assert "The result “9” isn’t 1, ½ or 0." in text(response)
    assert games(event.results.get(player=player)) == [(1, "", "Rossi", 2100, "", 2)]


def test_file_that_cannot_be_read_is_answered_with_422(desk, staff):
    event = make_event(staff)
    url = f"/office/foreign/events/{event.pk}/upload/"
    response = send(desk, url, b"\x00\x01\x02")
    assert response.status_code == 422
    assert "This is neither a text file nor a spreadsheet." in text(response)
    assert send(desk, url, b"").status_code == 422
    assert not ForeignFile.objects.exists()


def test_template_can_be_downloaded(desk):
    response = desk.get("/office/foreign/template.csv")
    assert response.content.decode().splitlines()[0] == (
        "member_id,fide_id,round,opponent_fide_id,opponent_name,opponent_federation,"
        "opponent_rating,color,result"
    )


def test_list_of_the_worklist_is_the_one_that_holds_the_event(desk):
    page = text(desk.get("/office/foreign/events/new/?list=2024-07"))
    assert 'name="rated_list" value="2024-07"' in page
    desk.post("/office/foreign/events/new/", EVENT | {"rated_list": "2024-07"})
    assert ForeignEvent.objects.get().rated_list == date(2024, 7, 1)
