"""Permissions of the office's groups."""

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission

from events.review.groups import (
    ACTION_PERMISSIONS,
    CHANGE_PERMISSIONS,
    COMMITTEE,
    DIRECTOR,
    MANAGER,
    OFFICE,
    VIEW_PERMISSIONS,
    sync_groups,
)
from ratings_site.common.accounts.permissions import action_permissions
from ratings_site.common.models import GivenPermission
from tests.factories import make_staff, make_user

pytestmark = pytest.mark.django_db


def test_office_can_change_records_and_only_view_history():
    staff = make_staff()
    for name in (
        "players.change_player",
        "players.change_guardian",
        "events.add_affiliate",
    ):
        assert staff.has_perm(name)
    for name in ("ratings.view_ratingchange", "common.view_auditentry"):
        assert staff.has_perm(name)
    assert not staff.has_perm("ratings.add_floor")  # floors are granted by a service


def actions_of(*groups: str) -> set[str]:
    """Return the actions that an account of these groups may do."""
    user = make_user(is_staff=True)
    user.groups.set(Group.objects.filter(name__in=groups))
    return {act for act in action_permissions() if user.has_perm(act)}


def test_each_group_has_its_own_actions():
    daily = {
        "common.retry_job",
        "events.decide_correction",
        "events.rate_foreign",
        "events.review_submission",
        "players.change_privacy",
        "players.change_status",
        "players.decide_claim",
        "players.enter_opt_in",
        "players.import_fide_list",
        "players.link_fide_id",
        "players.merge_players",
        "players.take_in",
        "ratings.grant_floor",
        "ratings.lower_floor",
        "ratings.start_rerate",
    }
    assert actions_of(OFFICE) == daily
    assert actions_of(MANAGER) == {
        "common.invite_staff",
        "common.reset_factors",
        "players.forget_member",
        "ratings.adjust_rating",
        "ratings.grant_floor",
        "ratings.publish_experiment",
        "ratings.publish_list",
        "ratings.publish_rerate",
        "ratings.run_experiment",
        "ratings.undo_rerate",
    }
    assert actions_of(DIRECTOR) == {
        "common.export_office",
        "common.invite_staff",
        "players.approve_opt_out",
        "ratings.adjust_rating",
        "ratings.impose_ceiling",
    }
    assert actions_of(COMMITTEE) == {
        "ratings.publish_experiment",
        "ratings.run_experiment",
    }
    assert actions_of(OFFICE, MANAGER) == daily | actions_of(MANAGER)


def test_every_action_belongs_to_a_group():
    given = {act for names in ACTION_PERMISSIONS.values() for act in names}
    assert given == set(action_permissions())


def test_office_cannot_delete_anything_nor_write_history():
    names = {
        f"{p.content_type.app_label}.{p.codename}"
        for p in Group.objects.get(name=OFFICE).permissions.select_related(
            "content_type"
        )
    }
    assert not [name for name in names if ".delete_" in name]
    for app, models in VIEW_PERMISSIONS.items():
        for model in models:
            assert f"{app}.view_{model}" in names
            assert not {f"{app}.add_{model}", f"{app}.change_{model}"} & names


def test_lists_name_real_models():
    for app, models in [*CHANGE_PERMISSIONS.items(), *VIEW_PERMISSIONS.items()]:
        for model in models:
            assert apps.get_model(app, model)


def test_accounts_and_inputs_with_birth_dates_are_out_of_the_office_s_reach():
    staff = make_staff()
    assert not staff.has_perm("common.change_user")
    assert not staff.has_perm("ratings.view_calculationinputs")


def permissions_of_group(name: str) -> set[int]:
    return set(Group.objects.get(name=name).permissions.values_list("pk", flat=True))


@pytest.mark.parametrize("name", [OFFICE, MANAGER, DIRECTOR, COMMITTEE])
def test_what_a_federation_gives_or_takes_survives_an_upgrade(name):
    group, ours = Group.objects.get(name=name), permissions_of_group(name)
    taken = min(ours)
    given = Permission.objects.exclude(pk__in=ours).first()
    group.permissions.remove(taken)
    group.permissions.add(given)

    sync_groups(sender=None, using="default")

    assert permissions_of_group(name) == ours - {taken} | {given.pk}
    assert Group.objects.filter(name=name).count() == 1


def test_an_upgrade_adds_and_takes_away_what_is_ours(monkeypatch):
    ours = permissions_of_group(COMMITTEE)
    monkeypatch.setitem(
        ACTION_PERMISSIONS, COMMITTEE, ["ratings.run_experiment", "players.take_in"]
    )
    sync_groups(sender=None, using="default")
    assert {
        f"{one.content_type.app_label}.{one.codename}"
        for one in Group.objects.get(name=COMMITTEE).permissions.all()
    } == {"ratings.run_experiment", "players.take_in"}
    monkeypatch.undo()
    sync_groups(sender=None, using="default")
    assert permissions_of_group(COMMITTEE) == ours


def test_groups_of_an_office_of_before_keep_what_they_have():
    """No permissions are remembered there, so all of ours are added once."""
    group, ours = Group.objects.get(name=OFFICE), permissions_of_group(OFFICE)
    GivenPermission.objects.all().delete()
    extra = Permission.objects.exclude(pk__in=ours).first()
    group.permissions.set([extra])
    sync_groups(sender=None, using="default")
    assert permissions_of_group(OFFICE) == ours | {extra.pk}
