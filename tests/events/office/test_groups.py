"""What the office's groups may do."""

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission

from events.office.groups import (
    COMMITTEE,
    DIRECTOR,
    MANAGER,
    MAY_CHANGE,
    MAY_DO,
    MAY_VIEW,
    OFFICE,
    fill_groups,
)
from ratings_site.common.accounts.permissions import acts
from ratings_site.common.models import GivenPermission
from tests.factories import make_staff, make_user

pytestmark = pytest.mark.django_db


def test_office_changes_records_and_only_looks_at_history():
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


def acts_of(*groups: str) -> set[str]:
    """Return the acts that an account of these groups may do."""
    user = make_user(is_staff=True)
    user.groups.set(Group.objects.filter(name__in=groups))
    return {act for act in acts() if user.has_perm(act)}


def test_each_group_has_its_own_acts():
    daily = {
        "common.retry_job",
        "events.decide_correction",
        "events.rate_foreign",
        "events.review_submission",
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
    assert acts_of(OFFICE) == daily
    assert acts_of(MANAGER) == {
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
    assert acts_of(DIRECTOR) == {
        "common.invite_staff",
        "players.approve_opt_out",
        "ratings.adjust_rating",
        "ratings.impose_ceiling",
    }
    assert acts_of(COMMITTEE) == {
        "ratings.publish_experiment",
        "ratings.run_experiment",
    }
    assert acts_of(OFFICE, MANAGER) == daily | acts_of(MANAGER)


def test_every_act_is_somebody_s():
    given = {act for names in MAY_DO.values() for act in names}
    assert given == set(acts())


def test_office_cannot_delete_anything_nor_write_history():
    names = {
        f"{p.content_type.app_label}.{p.codename}"
        for p in Group.objects.get(name=OFFICE).permissions.select_related(
            "content_type"
        )
    }
    assert not [name for name in names if ".delete_" in name]
    for app, models in MAY_VIEW.items():
        for model in models:
            assert f"{app}.view_{model}" in names
            assert not {f"{app}.add_{model}", f"{app}.change_{model}"} & names


def test_lists_name_real_models():
    for app, models in [*MAY_CHANGE.items(), *MAY_VIEW.items()]:
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

    fill_groups(sender=None, using="default")

    assert permissions_of_group(name) == ours - {taken} | {given.pk}
    assert Group.objects.filter(name=name).count() == 1


def test_an_upgrade_adds_and_takes_away_what_is_ours(monkeypatch):
    ours = permissions_of_group(COMMITTEE)
    monkeypatch.setitem(
        MAY_DO, COMMITTEE, ["ratings.run_experiment", "players.take_in"]
    )
    fill_groups(sender=None, using="default")
    assert {
        f"{one.content_type.app_label}.{one.codename}"
        for one in Group.objects.get(name=COMMITTEE).permissions.all()
    } == {"ratings.run_experiment", "players.take_in"}
    monkeypatch.undo()
    fill_groups(sender=None, using="default")
    assert permissions_of_group(COMMITTEE) == ours


def test_groups_of_an_office_of_before_keep_what_they_have():
    """Nothing is remembered there, so all of ours is added once."""
    group, ours = Group.objects.get(name=OFFICE), permissions_of_group(OFFICE)
    GivenPermission.objects.all().delete()
    extra = Permission.objects.exclude(pk__in=ours).first()
    group.permissions.set([extra])
    fill_groups(sender=None, using="default")
    assert permissions_of_group(OFFICE) == ours | {extra.pk}
