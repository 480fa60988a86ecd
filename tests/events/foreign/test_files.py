"""Files of foreign events: stored unchanged, linked to their event, read in limits."""

import hashlib
from datetime import date

import pytest

from events.foreign.services import file_reader
from events.foreign.services.file_reader import read_in_sandbox
from events.foreign.services.files import receive_file
from events.formats.foreign.reader import read_foreign
from events.models import ForeignEvent, ForeignFile
from players.formats.xlsx_writer import write_xlsx
from ratings_site.common.uploads.services import read_upload
from tests.events.foreign.factories import (
    foreign_staff,
    make_event,
    make_result,
    store_list,
)
from tests.events.foreign.test_trf import HEADS, PLAYERS, file_of
from tests.factories import make_player

pytestmark = pytest.mark.django_db

TRF = file_of(*HEADS, *PLAYERS)


def send(staff, content, **more):
    return receive_file(actor=staff, name="paris.trf", content=content, **more)


def games_of(result):
    return [
        (one.round_number, one.opponent_rating, one.rating_source, one.half_points)
        for one in result.games.all()
    ]


def test_members_of_a_tournament_are_found_by_their_fide_ids():
    staff = foreign_staff()
    ada = make_player(fide_id="2012345")
    make_player(fide_id="999")
    store_list({611111: (2305, 9, "FRA")})
    received = send(staff, TRF, fide_code="384210", is_youth=True)
    event = ForeignEvent.objects.get()
    assert (event.name, event.fide_code, event.is_youth, received.is_new_event) == (
        "Open de Paris",
        "384210",
        True,
        True,
    )
    assert received.remarks == ()
    (result,) = received.results
    assert result.player == ada
    assert result.source == "paris.trf, line 7"
    # Élena Rossi has no FIDE ID and no rating in the file.
    assert games_of(result) == [
        (1, 2305, "list", 2),
        (2, None, "", 1),
        (4, 2305, "list", 0),
    ]
    assert result.unplayed == [{"round": 3, "what": "half-point bye"}]


def test_file_is_kept_byte_for_byte_and_once():
    staff = foreign_staff()
    first = send(staff, TRF)
    again = send(staff, TRF)
    assert again.event == first.event
    assert not again.is_new_event
    stored = ForeignFile.objects.get()
    assert read_upload(stored.stored_as) == TRF
    assert stored.sha256 == hashlib.sha256(TRF).hexdigest()
    assert stored.size == len(TRF)


def test_file_that_was_deleted_is_stored_when_it_comes_again():
    staff = foreign_staff()
    send(staff, TRF)
    ForeignFile.objects.update(stored_as="")
    send(staff, TRF)
    assert read_upload(ForeignFile.objects.get().stored_as) == TRF


def test_member_who_is_linked_later_is_found_when_the_file_comes_again():
    staff = foreign_staff()
    assert [one.sentence for one in send(staff, TRF).remarks] == [
        "None of our members is in this tournament."
    ]
    make_player(fide_id="2012345")
    assert len(send(staff, TRF).results) == 1


def test_result_that_is_entered_stays_as_it_is():
    staff = foreign_staff()
    ada = make_player("12345678", "Ada", "Lind", fide_id="2012345")
    event = send(staff, TRF).event
    result = event.results.get()
    before = games_of(result)
    received = send(staff, TRF.replace(b"2300", b"2301"))
    assert received.results == ()
    assert [str(one) for one in received.remarks] == [
        "Line 7: Ada Lind already has a result. It wasn’t changed. Edit it on its own "
        "page."
    ]
    assert games_of(event.results.get(player=ada)) == before
    assert event.files.count() == 2


def test_table_may_hold_several_members_and_strangers_are_named():
    staff = foreign_staff()
    ada, eve = make_player("12345678"), make_player(fide_id="2012345")
    event = make_event(staff)
    rows = [
        "member_id,fide_id,round,opponent_name,opponent_rating,result",
        "12345678,,1,Rossi,2100,1",
        ",2012345,1,Dupont,2200,=",
        "87654321,,1,Rossi,2100,0",
        ",,1,Rossi,2100,0",
        "12345678,,2,Dupont,2200,x",
    ]
    received = send(staff, "\n".join(rows).encode(), event=event)
    assert {one.player for one in received.results} == {ada, eve}
    assert [(one.place, one.sentence) for one in received.remarks] == [
        ("Row 6", "The result “x” isn’t 1, ½ or 0."),
        ("Row 4", "No member has the ID 87654321."),
        ("Row 5", "The row has no member."),
    ]


def test_table_without_members_is_of_the_one_that_was_chosen():
    staff, ada = foreign_staff(), make_player()
    event = make_event(staff)
    table = b"round,opponent_rating,opponent_name,result\n1,2100,Rossi,1\n"
    received = send(staff, table, event=event, player=ada)
    assert [one.player for one in received.results] == [ada]
    assert games_of(received.results[0]) == [(1, 2100, "file", 2)]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"round,result\n1,1\n", "A table doesn’t say which event it belongs to."),
        (
            file_of(HEADS[0], *PLAYERS),
            "The file has no event name, first day, or last day.",
        ),
        (b"\x00\x01", "This is neither a text file nor a spreadsheet."),
    ],
)
def test_file_without_an_event_changes_nothing(content, sentence):
    make_player(fide_id="2012345")
    received = send(foreign_staff(), content)
    assert received.remarks[-1].sentence == sentence
    assert received.results == ()
    assert not ForeignEvent.objects.exists()
    assert not ForeignFile.objects.exists()


def test_member_without_a_game_is_remarked_on():
    staff = foreign_staff()
    make_player("12345678", "Ada", "Lind")
    received = send(
        staff, b"member_id,round,result\n12345678,1,bye\n", event=make_event(staff)
    )
    assert [str(one) for one in received.remarks] == [
        "Row 2: Ada Lind: There’s no game that can be rated."
    ]


def test_result_left_out_is_not_entered_again():
    staff = foreign_staff()
    ada = make_player("12345678")
    result = make_result(staff, ada, [(2000, 2)])
    type(result).objects.update(status="excluded", excluded_because="Rapid")
    received = send(
        staff,
        b"member_id,round,opponent_name,result\n12345678,1,X,1\n",
        event=result.event,
    )
    assert received.results == ()


def test_tournament_of_other_days_is_remarked_on():
    staff = foreign_staff()
    make_player(fide_id="2012345")
    event = make_event(staff, name="Lyon Open", ends=date(2024, 5, 11))
    received = send(staff, TRF, event=event)
    assert received.event == event
    assert [one.sentence for one in received.remarks] == [
        "The file is from Open de Paris, May 4, 2024 to May 12, 2024."
    ]


SHEET = write_xlsx([["round", "opponent", "result"], ["1", "Rossi, Élena", "x"]])


MEMBERS_SHEET = write_xlsx(
    [
        ["member_id", "round", "opponent", "opponent_rating", "result"],
        ["12000001", "1", "Rossi, Élena", "2100", "1"],
    ]
)


def test_sheet_of_results_is_entered_with_its_rows():
    staff = foreign_staff()
    ada = make_player("12000001")
    received = send(staff, MEMBERS_SHEET, event=make_event(staff))
    (result,) = received.results
    assert (result.player, result.source) == (ada, "paris.trf, row 2")
    assert send(staff, MEMBERS_SHEET, event=result.event).results == ()


@pytest.mark.parametrize(
    "content",
    [
        TRF + b"### \n" * 20_000,
        SHEET,
        MEMBERS_SHEET,
        b"round,result\n" + b"1,1\n" * 30_000,
    ],
    ids=["TRF", "sheet", "sheet of members", "CSV"],
)
def test_process_of_its_own_reads_the_same(content):
    assert read_in_sandbox(content) == read_foreign(content)


def test_file_that_asks_for_too_much_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr(file_reader, "MEGABYTES", 40)
    staff = foreign_staff()
    table = b"round,opponent,result\n" + b"1,Ann,1\n" * 600_000
    received = send(staff, table, event=make_event(staff))
    assert [str(one) for one in received.remarks] == [
        "The file is too large or too complex to read. Upload the results of one event "
        "only, or save them as CSV."
    ]
    assert received.results == ()
    assert not ForeignFile.objects.exists()
