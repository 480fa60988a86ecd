"""Every action has an audit entry: who did what to which record, and why."""

import pytest
from django.db import transaction

from ratings_site.common.audit.services import entries_about, record
from ratings_site.common.models import AuditEntry
from ratings_site.common.web.middleware import request_id
from tests.factories import make_affiliate, make_player, make_user

pytestmark = pytest.mark.django_db


def test_entry_names_the_action():
    actor = make_user("olaf")
    player = make_player("20123456", "Ann", "Archer")
    token = request_id.set("abc123")
    try:
        entry = record(
            "player.merged",
            subject=player,
            actor=actor,
            reason="The same person.",
            facts={"into": "20123457"},
        )
    finally:
        request_id.reset(token)

    entry.refresh_from_db()
    assert (entry.action, entry.actor, entry.reason) == (
        "player.merged",
        actor,
        "The same person.",
    )
    assert (entry.subject_type, entry.subject_id, entry.subject_name) == (
        "players.player",
        str(player.pk),
        "Ann Archer (20123456)",
    )
    assert (entry.facts, entry.request_id) == ({"into": "20123457"}, "abc123")


def test_the_office_s_own_tasks_have_no_actor():
    entry = record("section.rated", subject=make_player(), actor=None)
    entry.refresh_from_db()
    assert (entry.actor, entry.reason, entry.facts, entry.request_id) == (
        None,
        "",
        {},
        "-",
    )


def test_long_name_of_a_record_is_cut():
    affiliate = make_affiliate()
    affiliate.name = "N" * 300
    entry = record("affiliate.renamed", subject=affiliate, actor=None)
    entry.refresh_from_db()
    assert entry.subject_name == "N" * 200


def test_entries_about_a_record_are_its_own_newest_first():
    player = make_player()
    affiliate = make_affiliate()
    affiliate.pk = player.pk  # the same number in another table
    affiliate.affiliate_id = "A6000002"
    affiliate.save()
    for action in ("player.one", "player.two"):
        record(action, subject=player, actor=None)
    record("affiliate.one", subject=affiliate, actor=None)

    assert [entry.action for entry in entries_about(player)] == [
        "player.two",
        "player.one",
    ]
    assert [entry.action for entry in entries_about(affiliate)] == ["affiliate.one"]


def test_entry_is_rolled_back_with_a_failed_action():
    with transaction.atomic():
        record("player.changed", subject=make_player(), actor=None)
        transaction.set_rollback(True)
    assert not AuditEntry.objects.exists()


def test_personal_values_are_not_kept():
    entry = record(
        "player.merged",
        subject=make_player(),
        actor=None,
        facts={
            "email": {"from": "ann@example.org", "to": "bo@example.org"},
            "moved": {"fields": {"birth_date": "2014-03-01", "state": "OH"}},
        },
    )
    entry.refresh_from_db()
    assert entry.facts == {
        "email": "changed",
        "moved": {"fields": {"birth_date": "changed", "state": "OH"}},
    }
