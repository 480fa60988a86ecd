"""A federation moves in: from an empty office to its first official list.

The way of docs/moving-in.md, with a made-up federation of some hundred members.
"""

from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone

from players.models import Player
from ratings.lists.queries.official import next_month_due
from ratings.lists.services import lists
from ratings.models import OfficialRating, PlayerRating, RerateMark
from ratings_site.common.models import AuditEntry
from tests.factories import make_staff
from tests.onboarding_files import write_members, write_ratings

pytestmark = [pytest.mark.django_db, pytest.mark.calendar, pytest.mark.gate]

MEMBERS = 300


def run(command: str, path: Path, *options: str) -> str:
    out = StringIO()
    call_command(command, str(path), "--apply", *options, stdout=out, stderr=out)
    return out.getvalue()


def test_from_an_empty_office_to_the_first_official_list(client, tmp_path):
    staff = make_staff("clerk")
    members, ratings = tmp_path / "members.csv", tmp_path / "ratings.csv"
    write_members(members, MEMBERS)
    said = write_ratings(ratings, MEMBERS)

    assert f"{MEMBERS} new" in run("import_members", members)
    assert "matches the file" in run("import_ratings", ratings, "--by", staff.username)
    assert "There is nothing to import" in run("import_members", members)
    assert "There is nothing to import" in run("import_ratings", ratings)

    stored = PlayerRating.objects.values_list("player__member_id", "system", "rating")
    assert {(one, system): rating for one, system, rating in stored} == said
    assert not RerateMark.objects.exists()

    month = next_month_due(timezone.now())
    draft = lists.prepare_list(month=month, actor=None)
    assert [one for one in draft.summary["checks"] if one["level"] == "error"] == []
    published = lists.publish_list(
        month=month, digest=draft.digest, actor=None, reason="The first list."
    )
    official = OfficialRating.objects.filter(list=published)
    assert official.count() == len(said)
    assert AuditEntry.objects.filter(action="list.published").exists()

    for player in Player.objects.filter(pk__in=official.values("player"))[:2]:
        assert (
            player.family_name in client.get(player.get_absolute_url()).content.decode()
        )
    page = client.get(published.get_absolute_url()).content.decode()
    assert published.name in page
    assert client.get("/").status_code == 200


def test_a_later_list_keeps_to_its_cut_off(tmp_path):
    """Only the first list after the import uses the current ratings."""
    members, ratings = tmp_path / "members.csv", tmp_path / "ratings.csv"
    write_members(members, MEMBERS)
    write_ratings(ratings, MEMBERS)
    run("import_members", members)
    run("import_ratings", ratings, "--by", make_staff().username)
    month = next_month_due(timezone.now())
    now = timezone.now()
    draft = lists.prepare_list(month=month, actor=None)
    assert draft.cut_off >= now
    lists.publish_list(
        month=month, digest=draft.digest, actor=None, reason="The first list."
    )
    following = (month + timedelta(days=32)).replace(day=1)
    assert lists.prepare_list(month=following, actor=None).cut_off == (
        lists.cut_off_for(following)
    )
