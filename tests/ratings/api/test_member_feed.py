"""The membership feed: its changes, and the fields that only the office changes."""

import json

import pytest
import time_machine
from django.core.exceptions import PermissionDenied
from django.test import Client

from players.models import Intake, IntakeRow, Player
from ratings_site.common.api_keys.services import create_key
from ratings_site.common.models import AuditEntry, UploadPart
from tests.factories import make_player, make_staff, make_td
from tests.players.imports.files import all_players, undone

pytestmark = pytest.mark.django_db

DAY = "2030-12-31"
ADA = {
    "member_id": "20000001",
    "given_name": "Ada",
    "family_name": "Adams",
    "birth_date": "2011-02-13",
    "state": "TX",
    "membership": "Youth",
    "starts": "2026-01-01",
    "expires": "2026-12-31",
    "guardian_email": "mum@example.org",
}


@pytest.fixture
def key():
    return create_key(
        owner=make_staff(), name="Membership", may_submit=False, may_feed=True
    )[1]


def put(key: str, *members: dict):
    return Client().put(
        "/api/v1/members",
        json.dumps({"members": members}),
        content_type="application/json",
        headers={"Authorization": f"Bearer {key}"},
    )


def results(answer) -> list[tuple[str, str]]:
    return [(row["result"], row["code"]) for row in answer.json()["rows"]]


def test_a_batch_enters_and_answers_row_by_row(key):
    answer = put(key, ADA, {"member_id": "20000002", "birth_date": "1899-12-31"})
    assert results(answer) == [("new", ""), ("refused", "birth_date_too_early")]
    assert (answer.json()["new"], answer.json()["refused"]) == (1, 1)
    ada = Player.objects.get()
    assert (ada.name, ada.guardian.email) == ("Ada Adams", "mum@example.org")
    intake = Intake.objects.get()
    assert (intake.by_feed, intake.state, intake.new) == (True, "entered", 1)
    assert not UploadPart.objects.exists()
    assert (intake.stored_as, len(intake.sha256)) == ("", 64)
    assert AuditEntry.objects.filter(action="intake.entered").count() == 1


@pytest.mark.parametrize("odd", ["\0", "\x1b", "\x7f", "\ufffd", chr(0xD800)])
@pytest.mark.parametrize("field", [*ADA, "suffix", "email", "guardian_id"])
def test_garbled_text_fails_its_own_row_only(key, field, odd):
    bad = ADA | {"member_id": "20000002"}
    text = bad.get(field, "ada@example.org")
    answer = put(key, bad | {field: f"{text[:2]}{odd}{text[2:]}"}, ADA)
    assert results(answer) == [("refused", "letters_garbled"), ("new", "")]
    [refused] = IntakeRow.objects.filter(kind="refused")
    assert "\ufffd" in refused.reason["cell"]
    assert refused.reason["cell"] in refused.values["cells"]
    assert Player.objects.get().member_id == "20000001"


def test_a_batch_again_changes_nothing_and_leaves_no_trace(key):
    put(key, ADA)
    before = all_players()
    assert results(put(key, ADA)) == [("unchanged", "")]
    assert all_players() == before
    assert Intake.objects.count() == 1


def test_what_the_office_owns_stays(key):
    put(key, ADA)
    Player.objects.update(status="suspended")
    answer = put(key, ADA | {"status": "active", "fide_id": "2000016", "state": "OK"})
    assert results(answer) == [("changed", "")]
    ada = Player.objects.get()
    assert (ada.status, ada.fide_id, ada.state) == ("suspended", None, "OK")


def test_a_merged_number_is_refused_with_the_one_that_goes_on(key):
    kept, merged = make_player("20000007"), make_player("20000008")
    Player.objects.filter(pk=merged.pk).update(merged_into=kept, status="duplicate")
    [row] = put(key, ADA | {"member_id": "20000008"}).json()["rows"]
    assert row["code"] == "member_is_merged"
    assert "20000007" in row["sentence"]


def test_a_feed_that_would_end_most_memberships_is_refused_in_small_batches_too(key):
    people = [
        {"member_id": str(20_000_100 + n), "family_name": f"F{n}", "expires": day}
        for day in ("2030-12-31",)
        for n in range(40)
    ]
    assert put(key, *people).json()["new"] == 40
    ended = [one | {"expires": "2030-01-31"} for one in people]
    before = all_players()
    answer = put(key, *ended)
    assert answer.status_code == 409
    assert "40 of 40" in answer.json()["detail"]
    assert all_players() == before
    assert put(key, *ended[:20]).json()["changed"] == 20
    assert put(key, *ended[20:]).status_code == 409


def test_a_day_with_two_readings_is_refused(key):
    answer = put(key, ADA | {"birth_date": "03/05/2007"})
    assert results(answer) == [("refused", "day_has_two_readings")]
    put(key, ADA | {"birth_date": "3/25/2007"})
    assert str(Player.objects.get().birth_date) == "2007-03-25"


def test_rows_of_one_member_in_a_batch_are_a_history(key):
    years = [
        ADA | {"starts": f"{year}-01-01", "expires": f"{year}-12-31"}
        for year in (2026, 2027, 2025)
    ]
    answer = put(key, years[0], {"member_id": "bad"}, *years[1:])
    assert [kind for kind, _ in results(answer)] == ["new", "refused", "new", "new"]
    terms = Player.objects.get().memberships.order_by("starts")
    assert [one.starts.year for one in terms] == [2025, 2026, 2027]
    assert Intake.objects.get().new == 1


def test_small_batches_of_one_night_count_together(key):
    people = [
        {"member_id": str(20_000_100 + n), "family_name": f"F{n}", "expires": DAY}
        for n in range(100)
    ]
    put(key, *people)
    renamed = [one | {"family_name": "Baker"} for one in people]
    for start in range(0, 20, 5):
        # Each batch confirms as many members as it renames.
        batch = [*renamed[start : start + 5], *people[50 + start : 55 + start]]
        assert put(key, *batch).json()["changed"] == 5
    answer = put(key, *renamed[20:80])
    assert answer.status_code == 409
    assert "80 of 100 current members" in answer.json()["detail"]
    client = Client()
    client.force_login(make_staff())
    page = client.get("/office/intake/").content.decode()
    assert "The membership feed “Membership” was stopped on" in page
    assert "80 of 100 current members change" in page
    assert Player.objects.filter(family_name="Baker").count() == 20


def test_a_night_is_one_import_and_is_undone_in_one_action(key):
    make_player("20000007", "Max", "Moore")
    before = all_players()
    put(key, ADA, {"member_id": "20000007", "state": "NM"})
    put(key, ADA | {"state": "OK"}, {"member_id": "20000007", "state": "NY"})
    put(key, ADA | {"state": "NY", "expires": "2027-12-31"})
    night = Intake.objects.get()
    assert (night.new, night.changed, night.rows_read) == (1, 4, 5)
    assert [row.line for row in night.rows.all()] == [1, 2, 3, 4, 5]
    assert night.stored_as == ""  # the rows have the changes
    facts = AuditEntry.objects.filter(action="intake.entered").order_by("pk")
    assert [(one.facts["new"], one.facts["changed"]) for one in facts] == [
        (1, 1),
        (0, 2),
        (0, 1),
    ]
    digests = [one.facts["sha256"] for one in facts]
    assert len(set(digests)) == 3
    assert night.sha256 == digests[-1]
    undone(night)
    assert (night.state, all_players()) == (Intake.State.UNDONE, before)


@pytest.mark.parametrize(
    ("begin", "again", "imports"),
    [
        ("2026-11-23T23:50Z", "2026-11-24T02:10Z", 1),
        ("2026-11-23T01:00Z", "2026-11-24T00:59Z", 2),
    ],
)
def test_a_night_ends_when_the_feed_is_silent(key, begin, again, imports):
    for moment, state in ((begin, "TX"), (again, "OK")):
        with time_machine.travel(moment, tick=False):
            put(key, ADA | {"state": state})
    assert Intake.objects.count() == imports


def test_what_comes_after_an_undo_is_another_import(key):
    put(key, ADA)
    undone(Intake.objects.get())
    put(key, ADA)
    assert Intake.objects.count() == 2
    assert Player.objects.count() == 1


def test_only_a_key_for_it_and_an_owner_who_may_open_the_feed(key):
    td = make_td()
    reports = create_key(owner=td, name="Reports", may_submit=True)[1]
    assert put(reports, ADA).status_code == 403
    assert put("ro_nothing", ADA).status_code == 401
    with pytest.raises(PermissionDenied):
        create_key(owner=td, name="Feed", may_submit=False, may_feed=True)
    owner = AuditEntry.objects.filter(action="api_key.made").earliest("pk").actor
    owner.groups.clear()
    assert put(key, ADA).status_code == 403
    assert not Player.objects.filter(member_id="20000001").exists()


def test_a_key_of_the_feed_sends_no_reports(key):
    answer = Client().post(
        "/api/v1/reports/check",
        "{}",
        content_type="application/json",
        headers={"Authorization": f"Bearer {key}"},
    )
    assert answer.status_code == 403
    assert "can send reports" in answer.json()["detail"]


@pytest.mark.parametrize(
    "members", [[], [ADA] * 1001, [ADA | {"rating": "2400"}], [{"state": "TX"}]]
)
def test_what_is_no_batch_is_refused_as_a_whole(key, members):
    answer = put(key, *members)
    assert answer.status_code == 422
    assert answer.json()["errors"]
    assert not Player.objects.exists()
