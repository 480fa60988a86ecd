"""Guardians identified by their own member IDs."""

from datetime import UTC, datetime

import pytest
import time_machine

from players.guardians.queries import children_of
from players.imports.services.feed import import_batch
from players.models import Contact, Guardian, GuardianAccount, IntakeRow, Player
from tests.factories import make_player, make_staff, make_user
from tests.players.imports.files import (
    as_csv,
    as_xlsx,
    counts,
    entered,
    received,
    undone,
)

pytestmark = pytest.mark.django_db

HEADINGS = "ID,Last name,Birth date,E-mail,Parent e-mail,Parent ID"
CHILD = "20000001,Adams,2015-02-13,,,20000009"
PARENT = "20000009,Adams,1985-02-13,mum@example.org,,"


def parent(**kwargs) -> Player:
    player = make_player("20000009", birth_date=None, **kwargs)
    Contact.objects.create(player=player, email="mum@example.org")
    return player


def code_of(*rows: str) -> str:
    intake = received(*rows, headings=HEADINGS)
    return intake.rows.get(kind=IntakeRow.Kind.REFUSED).reason["code"]


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
@pytest.mark.parametrize("rows", [(CHILD, PARENT), (PARENT, CHILD)])
def test_a_guardian_of_the_same_file_gives_the_address(rows, write):
    intake = entered(*rows, headings=HEADINGS, write=write)
    assert counts(intake) == {"new": 2}
    [guardian] = Guardian.objects.all()
    assert (guardian.player.member_id, guardian.email) == (
        "20000001",
        "mum@example.org",
    )
    assert counts(received(*rows, headings=HEADINGS, write=write)) == {"unchanged": 2}
    undone(intake)
    assert not Player.objects.exists()


def test_an_address_that_is_stated_stays():
    parent()
    entered(CHILD.replace(",,,2", ",,dad@example.org,2"), headings=HEADINGS)
    assert Guardian.objects.get().email == "dad@example.org"
    assert counts(received(CHILD, headings=HEADINGS)) == {"unchanged": 1}


def test_a_guardian_s_account_speaks_for_the_child_and_no_more_when_undone():
    account = make_user("mum")
    parent(account=account)
    intake = entered(CHILD, headings=HEADINGS)
    [child] = children_of(account)
    assert child.member_id == "20000001"
    assert counts(received(CHILD, headings=HEADINGS)) == {"unchanged": 1}
    undone(intake)
    assert (children_of(account), Player.objects.count()) == ([], 1)


def test_a_second_guardian_is_added_to_the_first():
    first, second = make_user("dad"), make_user("mum")
    make_player("20000008", account=first)
    parent(account=second)
    child = make_player("20000001", "", "Adams", birth_date=None)
    GuardianAccount.objects.create(player=child, account=first)
    intake = entered(CHILD, headings=HEADINGS)
    assert counts(intake) == {"changed": 1}
    assert (children_of(first), children_of(second)) == ([child], [child])
    undone(intake)
    assert (children_of(first), children_of(second)) == ([child], [])


def test_what_rests_on_a_guardian_of_another_way_keeps_the_child():
    parent()
    intake = entered(CHILD, headings=HEADINGS)
    child = Player.objects.get(member_id="20000001")
    GuardianAccount.objects.create(player=child, account=make_user("aunt"))
    undone(intake)
    assert intake.problem["code"] == "rested_on"


def test_an_adult_has_no_guardian():
    parent(account=make_user("mum"))
    entered(CHILD.replace("2015", "1995"), headings=HEADINGS)
    assert not Guardian.objects.exists()
    assert not GuardianAccount.objects.exists()


def test_guardians_that_cannot_be_are_refused_with_their_row():
    assert code_of(CHILD) == "guardian_unknown"
    assert code_of(CHILD.replace("20000009", "20000001")) == "guardian_is_self"
    assert code_of(CHILD.replace("20000009", "mum")) == "no_member_id"
    assert code_of(CHILD, PARENT.replace("mum@example.org", "")) == (
        "guardian_without_email"
    )
    mother = make_player("20000009")
    Player.objects.filter(pk=mother.pk).update(birth_date="2014-01-01")
    assert code_of(CHILD) == "guardian_is_a_child"
    kept = make_player("20000010")
    Player.objects.filter(pk=mother.pk).update(merged_into=kept, status="duplicate")
    assert code_of(CHILD) == "guardian_is_merged"


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
def test_a_child_of_the_same_file_is_no_guardian(write):
    sister = PARENT.replace("1985", "2013")
    for rows in [(CHILD, sister), (sister, CHILD)]:
        intake = received(*rows, headings=HEADINGS, write=write)
        refused = intake.rows.get(kind=IntakeRow.Kind.REFUSED)
        assert (refused.key, refused.reason["code"]) == (
            "20000001",
            "guardian_is_a_child",
        )
    parent()
    assert code_of(CHILD, sister) == "guardian_is_a_child"


def test_a_refused_row_of_the_same_file_is_no_guardian():
    sister = PARENT.replace("1985-02-13", "13.13.2013")
    intake = received(CHILD, sister, headings=HEADINGS)
    codes = dict(intake.rows.values_list("key", "reason__code"))
    assert codes == {"20000001": "guardian_unknown", "20000009": "no_day"}
    intake = received(CHILD, PARENT.replace("Adams", ""), headings=HEADINGS)
    codes = dict(intake.rows.values_list("key", "reason__code"))
    assert codes == {"20000001": "guardian_unknown", "20000009": "new_without_name"}


def test_a_year_of_birth_tells_a_child_too():
    assert code_of(CHILD, PARENT.replace("1985-02-13", "2013")) == "guardian_is_a_child"
    mother = make_player("20000009", birth_date=None, birth_year=2013)
    assert code_of(CHILD) == "guardian_is_a_child"
    mother.delete()
    with time_machine.travel(datetime(2026, 12, 30, 12, tzinfo=UTC)):
        may_be_17 = PARENT.replace("1985-02-13", "2008")
        assert code_of(CHILD, may_be_17) == "guardian_is_a_child"


@pytest.mark.parametrize("cell", ["1995", ""])
def test_an_adult_by_birth_year_has_no_guardian(cell):
    parent(account=make_user("mum"))
    make_player("20000001", "", "Adams", birth_date=None, birth_year=1995)
    intake = received(CHILD.replace("2015-02-13", cell), headings=HEADINGS)
    assert counts(intake) == {"unchanged": 1}


def test_a_child_of_the_same_batch_is_no_guardian():
    staff = make_staff()
    row = {"member_id": "20000001", "family_name": "Adams", "guardian_id": "20000009"}
    sister = {
        "member_id": "20000009",
        "family_name": "Adams",
        "birth_date": "2013-02-13",
        "email": "sister@example.org",
    }
    first, second = import_batch(rows=[row, sister], actor=staff, key_name="Ours")
    assert (first.reason["code"], second.kind) == ("guardian_is_a_child", "new")
    assert not Guardian.objects.exists()


def test_the_feed_tells_guardians_too():
    parent()
    staff = make_staff()
    row = {"member_id": "20000001", "family_name": "Adams", "guardian_id": "20000009"}
    [results] = import_batch(rows=[row], actor=staff, key_name="Ours")
    assert results.kind == "new"
    assert Guardian.objects.get().email == "mum@example.org"
    unknown = {**row, "member_id": "20000002", "guardian_id": "20000007"}
    [results] = import_batch(rows=[unknown], actor=staff, key_name="Ours")
    assert results.reason["code"] == "guardian_unknown"
