"""The membership feed: what it enters and changes, and what the office owns."""

import json

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client

from players.models import Intake, Player
from ratings_site.common.api_keys.services import make_key
from ratings_site.common.models import AuditEntry
from tests.factories import make_player, make_staff, make_td
from tests.players.intake.files import everybody

pytestmark = pytest.mark.django_db

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
    return make_key(
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
    assert AuditEntry.objects.filter(action="intake.entered").count() == 1


def test_a_batch_again_changes_nothing_and_leaves_no_trace(key):
    put(key, ADA)
    before = everybody()
    assert results(put(key, ADA)) == [("unchanged", "")]
    assert everybody() == before
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
    before = everybody()
    answer = put(key, *ended)
    assert answer.status_code == 409
    assert "40 of 40" in answer.json()["detail"]
    assert everybody() == before
    assert put(key, *ended[:20]).json()["changed"] == 20
    assert put(key, *ended[20:]).status_code == 409


def test_only_a_key_for_it_and_an_owner_who_may_open_the_feed(key):
    td = make_td()
    reports = make_key(owner=td, name="Reports", may_submit=True)[1]
    assert put(reports, ADA).status_code == 403
    assert put("ro_nothing", ADA).status_code == 401
    with pytest.raises(PermissionDenied):
        make_key(owner=td, name="Feed", may_submit=False, may_feed=True)
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
    assert "may send reports" in answer.json()["detail"]


@pytest.mark.parametrize(
    "members", [[], [ADA] * 1001, [ADA | {"rating": "2400"}], [{"state": "TX"}]]
)
def test_what_is_no_batch_is_refused_as_a_whole(key, members):
    answer = put(key, *members)
    assert answer.status_code == 422
    assert answer.json()["errors"]
    assert not Player.objects.exists()
