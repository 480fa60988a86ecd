"""Affiliates and tournament directors in the admin."""

from datetime import date, timedelta

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse
from django.utils import timezone

from events.admin import expiry_status
from events.models import Official
from events.review.groups import MANAGER, OFFICE
from ratings_site.common.models import AuditEntry
from tests.events.reports.test_report_pages import text_of
from tests.factories import make_affiliate, make_player, make_staff, make_user

pytestmark = pytest.mark.django_db

ENDS = {"ended": -1, "today": 0, "soon": 60, "later": 61}


def in_days(days: int) -> date:
    return timezone.localdate() + timedelta(days=days)


@pytest.fixture
def signed_in(client):
    client.force_login(make_staff("staff"))
    return client


@pytest.fixture
def directors() -> dict[str, Official]:
    return {
        name: Official.objects.create(
            player=make_player(given_name=name.title(), family_name="Director"),
            level="club" if name == "soon" else "senior",
            certified_until=in_days(days),
        )
        for name, days in ENDS.items()
    }


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (0, "expires in 0 days"),
        (1, "expires in 1 day"),
        (60, "expires in 60 days"),
        (61, "active"),
    ],
)
def test_the_last_day_counts(days, words):
    assert expiry_status(in_days(days)) == words


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({}, {"ended", "today", "soon", "later"}),
        ({"ends": "over"}, {"ended"}),
        ({"ends": "soon"}, {"today", "soon"}),
        ({"ends": "later"}, {"later"}),
        ({"level__exact": "club"}, {"soon"}),
        ({"ends": "over", "level__exact": "club"}, set()),
    ],
)
def test_directors_are_found_by_end_and_level(signed_in, directors, query, names):
    url = reverse("admin:events_official_changelist")
    found = signed_in.get(url, query).context["cl"].queryset
    assert {official.player.given_name.lower() for official in found} == names


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({}, {"ended", "today", "soon", "later"}),
        ({"ends": "over"}, {"ended"}),
        ({"ends": "soon"}, {"today", "soon"}),
        ({"ends": "later"}, {"later"}),
    ],
)
def test_affiliates_are_found_by_end(signed_in, query, names):
    for number, (name, days) in enumerate(ENDS.items()):
        expires = in_days(days)
        make_affiliate(f"A600000{number}", name=name, expires=expires)
    url = reverse("admin:events_affiliate_changelist")
    found = signed_in.get(url, query).context["cl"].queryset
    assert {affiliate.name for affiliate in found} == names


def test_lists_say_how_it_stands(signed_in, directors):
    directors["later"].affiliates.add(make_affiliate(name="Castle Chess Club"))
    make_affiliate("A6000002", name="Open House")
    words = text_of(signed_in.get(reverse("admin:events_official_changelist")))
    assert "active Castle Chess Club" in words
    assert "expires in 60 days" in words
    words = text_of(signed_in.get(reverse("admin:events_affiliate_changelist")))
    assert "Castle Chess Club - December 31, 2099 active 1" in words
    assert "Open House - December 31, 2099 active any" in words


@pytest.mark.parametrize("model", ["affiliate", "official"])
def test_lists_take_the_same_queries_for_any_size(
    signed_in, django_assert_max_num_queries, model
):
    counts = []
    url = reverse(f"admin:events_{model}_changelist")
    for size in (2, 20):
        for number in range(size):
            affiliate = make_affiliate(f"{'AB'[size == 2]}60000{number:02}")
            official = Official.objects.create(
                player=make_player(), level="club", certified_until=in_days(0)
            )
            official.affiliates.add(affiliate)
        with django_assert_max_num_queries(30) as queries:
            signed_in.get(url)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_a_change_is_audited_with_names_and_leads_there(signed_in, directors):
    official = directors["later"]
    old, new = make_affiliate(name="Old Club"), make_affiliate("A6000002", name="New")
    official.affiliates.add(old)
    url = reverse("admin:events_official_change", args=[official.pk])
    signed_in.post(
        url,
        {
            "player": official.player_id,
            "level": "national",
            "certified_until": "2030-12-31",
            "affiliates": [new.pk],
            "reason_for_change": "Passed the examination.",
        },
    )
    entry = AuditEntry.objects.get(action="official.changed")
    assert entry.facts == {
        "level": {"from": "senior", "to": "national"},
        "certified_until": {
            "from": str(in_days(61)),
            "to": "2030-12-31",
        },
        "affiliates": {"from": "Old Club (A6000001)", "to": "New (A6000002)"},
    }
    history = reverse("admin:events_official_history", args=[official.pk])
    words = text_of(signed_in.get(history, follow=True))
    assert "staff official: changed" in words
    assert "affiliates: Old Club (A6000001) → New (A6000002)" in words
    assert "level: senior → national" in words


def test_adding_a_group_is_audited(client):
    client.force_login(make_user("boss", is_staff=True, is_superuser=True))
    clerk = make_staff("clerk")
    url = reverse("admin:common_user_change", args=[clerk.pk])
    groups = Group.objects.filter(name__in=[OFFICE, MANAGER])
    response = client.post(
        url,
        {
            "username": "clerk",
            "is_active": "on",
            "is_staff": "on",
            "groups": [group.pk for group in groups],
            "date_joined_0": f"{clerk.date_joined:%Y-%m-%d}",
            "date_joined_1": f"{clerk.date_joined:%H:%M:%S}",
        },
    )
    assert response.status_code == 302
    facts = AuditEntry.objects.get(action="account.changed").facts
    assert facts["groups"] == {
        "from": "Ratings office",
        "to": "Ratings manager, Ratings office",
    }


def test_every_level_of_director_can_be_chosen():
    assert [label for _, label in Official.Level.choices] == [
        "Club TD",
        "Local TD",
        "Senior TD",
        "Associate National TD",
        "National TD",
    ]


def test_certification_ends_on_a_day_that_can_be(signed_in, directors):
    official = directors["later"]
    url = reverse("admin:events_official_change", args=[official.pk])
    said = {"player": official.player_id, "level": "local", "reason_for_change": "?"}
    for field in ("certified_until", "safe_play_until"):
        days = {"certified_until": "2030-12-31", field: "0002-05-01"}
        page = signed_in.post(url, said | days)
        assert "Enter a date from 1950 to 2100." in text_of(page)
    days = {"certified_until": "2030-12-31", "safe_play_until": ""}
    assert signed_in.post(url, said | days).status_code == 302
