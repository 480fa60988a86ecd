"""A federation moves in: from an empty office to its first official list.

The way of docs/moving-in.md, with a made-up federation of some hundred members.
"""

import random
from datetime import date, timedelta
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
from ratings_site.demo.names import name_of
from tests.factories import make_staff

pytestmark = pytest.mark.django_db

MEMBERS = 300
SYSTEMS = ("OTBR", "OTBQ", "OTBB", "OLR", "OLQ", "OLB")


def write_members(path: Path) -> None:
    chance = random.Random(7)
    with path.open("w", encoding="utf-8") as file:
        file.write("USCF ID,Last Name,First Name,DOB,State,Type,Start,Expires\n")
        for number in range(MEMBERS):
            family, given = name_of(number)
            born = date(1950, 1, 1) + timedelta(days=chance.randrange(25_000))
            until = timezone.localdate() + timedelta(days=300)
            file.write(
                f"{20_000_000 + number},{family},{given},{born:%m/%d/%Y},TX,Regular,"
                f"2020-01-01,{until}\n"
            )


def write_ratings(path: Path) -> dict[tuple[str, str], float]:
    chance = random.Random(8)
    said = {}
    with path.open("w", encoding="utf-8") as file:
        file.write("Member ID,System,Rating,Games,Date,Peak,Floor\n")
        for number in range(0, MEMBERS, 2):
            for system in SYSTEMS[: 1 + number % 6]:
                member_id = str(20_000_000 + number)
                rating = round(chance.uniform(400, 2400), 6)
                said[member_id, system] = rating
                floor = 100 if number == 0 else ""
                file.write(
                    f"{member_id},{system},{rating},{chance.randrange(26, 400)},"
                    f"2025-12-14,{rating + 50},{floor}\n"
                )
    return said


def run(command: str, path: Path, *options: str) -> str:
    out = StringIO()
    call_command(command, str(path), "--apply", *options, stdout=out, stderr=out)
    return out.getvalue()


def test_from_an_empty_office_to_the_first_official_list(client, tmp_path):
    staff = make_staff("clerk")
    members, ratings = tmp_path / "members.csv", tmp_path / "ratings.csv"
    write_members(members)
    said = write_ratings(ratings)

    assert f"{MEMBERS} new" in run("import_members", members)
    assert "as in the file" in run("import_ratings", ratings, "--by", staff.username)
    assert "There is nothing to enter" in run("import_members", members)
    assert "There is nothing to enter" in run("import_ratings", ratings)

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
    """Only the first list after moving in is made of the present books."""
    members, ratings = tmp_path / "members.csv", tmp_path / "ratings.csv"
    write_members(members)
    write_ratings(ratings)
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
