"""Access rules."""

from datetime import date

import pytest
from django.contrib.auth.models import AnonymousUser, Permission
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.urls import reverse
from django.utils import timezone

from events.access import (
    get_submission_or_404,
    is_office,
    is_td_of,
    official_of,
    officials_by_id,
    require_office,
    require_reporter,
    td_records,
)
from events.calendar.queries.registrations import filter_by_td
from events.calendar.services import can_change_registration
from events.certification.hooks import td_claims
from events.certification.services import warn_directors
from events.corrections.queries import playing_directors, td_accounts
from events.models import Entry, EventOfficial, EventRegistration, Official
from events.reports.services.submissions import submit_report
from events.review.services.invitations import create_director_list
from players.imports.kinds import ImportRefused
from players.models import Player
from players.privacy.services import PrivacyRefused, decide_privacy
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import Notice, User
from tests.events.corrections.samples import make_section, request_correction
from tests.factories import (
    event_report,
    make_affiliate,
    make_player,
    make_staff,
    make_td,
    make_user,
    merge_with_approval,
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


@pytest.fixture
def merged_td():
    """A TD whose account is now that of the kept record."""
    user = make_td()
    Official.objects.update(certified_until=date(2098, 12, 31))
    merge_with_approval(make_player(), user.player)
    return User.objects.get(pk=user.pk)


def test_td_keeps_certification_and_record_after_a_merge(client, merged_td):
    kept, record = merged_td.player, Official.objects.get()
    client.force_login(merged_td)
    for page in ("events:desk", "events:register", "events:upload"):
        assert client.get(reverse(page)).status_code == 200
    for number in (kept.member_id, record.player.member_id):
        for page in ("events:director", "events:director_record"):
            assert client.get(reverse(page, args=[number])).status_code == 200
        assert td_claims(number) == {"td_level": "senior"}
    assert {*officials_by_id([kept.member_id]).values()} == {record}
    with pytest.raises(PrivacyRefused):
        decide_privacy(
            player_id=kept.pk,
            make_private=True,
            actor=make_user(is_superuser=True),
            reason="Asked.",
        )
    client.force_login(merged_td)
    assert "Senior TD through Dec 31, 2098" in client.get("/account/").content.decode()
    record.certified_until = timezone.localdate()
    record.save()
    assert warn_directors(timezone.localdate()) == 1


def test_event_leads_to_the_td_page_of_a_merged_td(client, merged_td):
    event = make_section(make_td("other")).event
    for player in (merged_td.player, Official.objects.first().player):
        EventOfficial.objects.create(event=event, player=player, role="other")
    page = client.get(event.get_absolute_url()).content.decode()
    for number in EventOfficial.objects.values_list("player__member_id", flat=True):
        assert f'href="/tds/{number}/"' in page


def test_td_certified_under_a_merged_id_is_invited_once(merged_td):
    """By the kept ID, and only without an account."""
    staff = make_user(is_superuser=True)
    with pytest.raises(ImportRefused):
        create_director_list(actor=staff)
    kept = merged_td.player
    Player.objects.update(account=None)
    Official.objects.create(
        player=kept, level="club", certified_until=date(2097, 12, 31)
    )
    listed = create_director_list(actor=staff)
    run_due_jobs()
    rows = listed.rows.values_list("key", flat=True)
    assert list(rows) == [kept.member_id]


def test_td_is_not_warned_about_a_record_that_does_not_count(merged_td):
    today = timezone.localdate()
    Official.objects.update(certified_until=today)
    assert warn_directors(today) == 1
    Official.objects.create(
        player=merged_td.player, level="local", certified_until=date(2099, 12, 31)
    )
    Notice.objects.all().delete()
    assert warn_directors(today) == 0


@pytest.mark.parametrize(("year", "level"), [(2097, "senior"), (2099, "local")])
def test_certification_that_ends_later_counts(merged_td, year, level):
    later = date(year, 12, 31)
    Official.objects.create(
        player=merged_td.player, level="local", certified_until=later
    )
    assert official_of(merged_td).level == level
    assert td_records(account=merged_td)[0].level == level


def test_directors_keep_their_events_after_a_merge(client, merged_td):
    section = make_section(make_td())
    merged = merged_td.player.duplicates.get()
    EventOfficial.objects.update(player=merged)
    request = request_correction(section, make_player(account=make_user()).account)
    assert is_td_of(merged_td, section)
    assert merged_td in td_accounts(section)
    client.force_login(merged_td)
    page = reverse("events:correction", args=[request.pk])
    assert client.get(page).status_code == 200
    Entry.objects.filter(player=section.entries.first().player).update(
        player=merged_td.player
    )
    assert [one.name for one in playing_directors(request, ())] == [
        str(merged_td.player)
    ]


def test_chief_td_keeps_a_registration_after_a_merge(merged_td):
    days = {"starts": date(2098, 5, 1), "ends": date(2098, 5, 1)}
    registered = EventRegistration.objects.create(
        name="Open",
        affiliate=make_affiliate(),
        chief=merged_td.player.duplicates.get(),
        registered_by=make_td(),
        **days,
    )
    assert can_change_registration(merged_td, registered)
    assert [*filter_by_td(EventRegistration.objects.all(), merged_td)] == [registered]
