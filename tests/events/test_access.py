"""Access rules."""

import pytest
from django.contrib.auth.models import AnonymousUser, Permission
from django.core.exceptions import PermissionDenied
from django.http import Http404

from events.access import (
    get_submission_or_404,
    is_office,
    official_of,
    require_office,
    require_reporter,
)
from events.reports.services.submissions import submit_report
from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    make_user,
    section_report,
    swiss_rows,
    upload,
)

pytestmark = pytest.mark.django_db


def make_member():
    user = make_user()
    make_player(account=user)
    return user


def make_superuser():
    return make_user(is_staff=True, is_superuser=True)


def make_staff_without_the_group():
    return make_user(is_staff=True)


def make_permission_without_staff():
    user = make_user()
    user.user_permissions.add(Permission.objects.get(codename="review_submission"))
    return user


def make_dismissed_staff():
    user = make_staff()
    user.is_active = False
    user.save()
    return user


@pytest.mark.parametrize(
    ("who", "office", "reporter"),
    [
        (AnonymousUser, False, False),
        (make_user, False, False),
        (make_member, False, False),
        (make_td, False, True),
        (make_staff, True, True),
        (make_superuser, True, True),
        (make_staff_without_the_group, False, False),
        (make_permission_without_staff, False, False),
        (make_dismissed_staff, False, False),
    ],
)
def test_office_and_reporters(who, office, reporter):
    user = who()
    assert is_office(user) is office
    for require, may in ((require_office, office), (require_reporter, reporter)):
        if may:
            require(user)
        else:
            with pytest.raises(PermissionDenied):
                require(user)


def test_official_is_told_by_the_account():
    td = make_td()
    assert official_of(td).player == td.player
    assert official_of(make_member()) is None
    assert official_of(AnonymousUser()) is None


@pytest.fixture
def td():
    return make_td()


@pytest.fixture
def submission(td):
    players = [make_player(), make_player()]
    return upload(td, event_report(td, [section_report(players, swiss_rows(2, 1))]))


def test_report_is_seen_by_its_td_and_by_the_office(td, submission):
    for user in (td, make_staff(), make_superuser()):
        assert get_submission_or_404(user, submission.pk) == submission


@pytest.mark.parametrize("who", [AnonymousUser, make_member, make_td])
def test_others_are_not_told_that_it_exists(submission, who):
    user = who()
    with pytest.raises(Http404) as theirs:
        get_submission_or_404(user, submission.pk)
    with pytest.raises(Http404) as nobodys:
        get_submission_or_404(user, submission.pk + 1)
    assert str(theirs.value) == str(nobodys.value)


@pytest.mark.parametrize("pk", [0, -1, 10**30])
def test_impossible_numbers_are_not_found(td, submission, pk):
    with pytest.raises(Http404):
        get_submission_or_404(td, pk)


def test_report_can_be_edited_until_it_is_at_the_office(td, submission):
    assert get_submission_or_404(td, submission.pk).is_editable
    submit_report(submission_id=submission.pk, actor=td)
    assert not get_submission_or_404(td, submission.pk).is_editable
