"""What the office's group may do."""

import pytest
from django.apps import apps
from django.contrib.auth.models import Group

from events.groups import MAY_CHANGE, MAY_VIEW, OFFICE, fill_office_group
from tests.factories import make_staff

pytestmark = pytest.mark.django_db


def test_office_changes_records_and_only_looks_at_history():
    staff = make_staff()
    for name in ("players.change_player", "events.add_affiliate", "ratings.add_floor"):
        assert staff.has_perm(name)
    for name in ("ratings.view_ratingchange", "common.view_auditentry"):
        assert staff.has_perm(name)
    assert staff.has_perm("events.review_submission")


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


def test_filling_the_group_again_mends_it():
    group = Group.objects.get(name=OFFICE)
    wanted = set(group.permissions.values_list("pk", flat=True))
    group.permissions.clear()

    fill_office_group(sender=None, using="default")

    assert set(group.permissions.values_list("pk", flat=True)) == wanted
    assert Group.objects.filter(name=OFFICE).count() == 1
