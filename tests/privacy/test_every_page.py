"""No page, file or answer shows a rating otherwise than it is published.

Every address of the program is read by readers of every kind, for the members of a
month's events and for a child whose rating still is the age-based start.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import partial
from typing import Any

import pytest

from players.models import GuardianAccount, Player
from ratings.engine.numbers import official
from ratings.ledger.queries.published_ratings import published
from ratings.models import PlayerRating, RatingChange
from ratings_site.common.models import User
from ratings_site.common.ui.formatting import ApproximateRating
from tests.factories import (
    event_report,
    make_player,
    make_td,
    make_user,
    open_rating,
    rated_event,
    section_report,
)
from tests.sample_office import World
from tests.test_page_security import (
    ADDRESSES,
    address_of,
    public_addresses,
    shown,
    unpacked,
    url,
    walk,
    world,  # noqa: F401 (a fixture)
)

pytestmark = [pytest.mark.django_db, pytest.mark.gate]

DAY = date(2024, 6, 8)
# 583.03 points on the day of the first event.
BORN = DAY - timedelta(days=4259)
READERS = (
    "anybody",
    "another member",
    "another TD",
    "the opponent",
    "the member",
    "the guardian",
    "the director",
)
DECIMALS = re.compile(r"(?<![\d.,])(\d{3,4}\.\d{1,16})(?![\d])")
WHOLE = re.compile(r"(?<![\d.,:/+−-])(\d{3,4})(?![\d.:/-])")
# Coordinates of charts, and other numbers that are not for people.
DRAWING = re.compile(
    r"<(?:svg|path|polyline|line|rect|circle|text|g)\b[^>]*>|"
    r'<text class="axis".*?</text>|(?:nonce|integrity|content|src|id|value)="[^"]*"'
)


class Families:
    """A child who lost all to much stronger players, and everyone around the child."""

    def __init__(self, world: World) -> None:  # noqa: F811
        self.director = make_td("the director")
        self.events: list[str] = []
        self.child = make_player("19990001", "Tiny", "Child", birth_date=BORN)
        self.strong = [
            make_player(f"1999001{n}", "Strong", f"Player{n}", birth_date=None)
            for n in range(4)
        ]
        for n, player in enumerate(self.strong):
            open_rating(player, "OTBR", 1511.37 + 31.41 * n, 40)
            open_rating(player, "OTBQ", 1402.83 + 17.29 * n, 40)
        self._play("Tiny Regular", DAY, "G/90;d5")
        self._play("Tiny Quick", DAY + timedelta(days=7), "G/15;d5")
        self.readers: dict[str, User | None] = {
            "anybody": None,
            "another member": make_player(account=make_user()).account,
            "another TD": make_td(),
            "the opponent": self._account(self.strong[0]),
            "the member": self._account(self.child),
            "the guardian": make_user(),
            "the director": self.director,
        }
        GuardianAccount.objects.create(
            player=self.child, account=self.readers["the guardian"]
        )
        for name, user in self.readers.items():
            if user is not None:
                world.users[name] = user

    def _play(self, name: str, day: date, control: str) -> None:
        rows = [
            "L2W L3B L4W L5B",
            "W1B D5W D3B D4W",
            "D4W W1W D2W H",
            "D3B H W1B D2B",
            "H D2B H W1W",
        ]
        players = [self.child, *self.strong]
        section = section_report(players, rows, time_control=control)
        report = event_report(self.director, [section], name=name, starts=day, ends=day)
        self.events.append(rated_event(self.director, report).event_id)

    def _account(self, player: Player) -> User:
        player.account = make_user()
        player.save()
        return player.account


@pytest.fixture(scope="module")
def families(world, django_db_blocker) -> Families:  # noqa: F811
    with django_db_blocker.unblock():
        return Families(world)


def addresses(world: World, families: Families) -> Iterator[str]:  # noqa: F811
    """Yield every address of the program, and those of the child and the events."""
    for place in ADDRESSES:
        yield address_of(place, world)
        parts = place.of(world)
        child: dict[str, Any] = {}
        if "member_id" in parts:
            child["member_id"] = families.child.member_id
        if "event_id" in parts:
            child["event_id"] = families.events[0]
        if child and "pk" not in parts:
            yield url(place, world, **child)
            yield url(place, world, **child) + "?decimals=1&system=OTBR&table=1"
    child, other = families.child.member_id, families.strong[0].member_id
    event = families.events[0]
    yield f"/players/{child}/against/{other}/"
    yield f"/estimate/?member={child}&system=OTBR"
    yield f"/estimate/?member={other}&system=OTBR"
    yield f"/matches/?one={other}&other={child}&games=4"
    yield f"/matches/?one={other}&other={families.strong[1].member_id}&games=4"
    for path in (
        f"members/{child}",
        f"members/{child}/ratings",
        f"members/{child}/history",
        f"members/{other}/history?system=OTBR",
        f"members/{child}/lists",
        f"members?query={child}",
        f"events/{event}",
        f"events/{event}/sections/1/standings",
        "rankings/OTBR",
        "lists",
    ):
        yield f"/api/v1/{path}"


class Numbers:
    """The numbers of the ledger that must not be read, and those that may be."""

    def __init__(self, lines: list[RatingChange]) -> None:
        raw = {
            number
            for line in lines
            for number in (
                line.pre_rating,
                line.post_rating,
                line.initial_rating,
                line.intermediate,
                line.peak,
            )
            if number is not None and number % 1
        }
        self.decimals = {
            f"{number:.{places}f}"
            for number in raw
            for places in range(1, 13)
            if f"{number % 1:.{places}f}".strip("0") not in (".", "1.", "")
        }
        about = [line for line in lines if line.age_start is not None]
        self.about = {
            str(official(number))
            for line in about
            for number in (line.post_rating, line.age_start)
        }
        # 1654.5 is 1655 for everyone: nowhere is it cut off.
        rounded = {str(official(number)) for number in raw}
        self.cut_off = {
            str(int(line.post_rating)) for line in lines if line.post_rating % 1 >= 0.5
        } - rounded

    def shown_wrongly(self, text: str) -> set[str]:
        seen = set(DECIMALS.findall(text)) & self.decimals
        return seen | set(WHOLE.findall(text)) & self.about


@pytest.mark.parametrize("who", READERS)
def test_every_rating_is_shown_as_published(who, world, families):  # noqa: F811
    lines = list(RatingChange.objects.select_related("calculation__section__event"))
    own = {
        "the opponent": {families.strong[0].pk},
        "the member": {families.child.pk},
        "the guardian": {families.child.pk},
    }.get(who, set())
    numbers = Numbers([line for line in lines if line.player_id not in own])
    allowed = Numbers([line for line in lines if line.player_id in own])
    directed = [f"events/{event}/" for event in families.events]
    found: dict[str, set[str]] = {}
    read = 0
    get = partial(shown, "" if who == "anybody" else who, world)
    starts = [*addresses(world, families), *public_addresses(world), "/", "/desk/"]
    answers = {address: get(address) for address in dict.fromkeys(starts)}
    for address, response in [*answers.items(), *walk(get, starts)]:
        assert response.status_code < 500, address
        if response.status_code != 200:
            continue
        read += 1
        if who == "the director" and any(one in address for one in directed):
            continue
        text = DRAWING.sub(" ", unpacked(response.getvalue()))
        wrong = numbers.shown_wrongly(text) - allowed.decimals - allowed.about
        if wrong:
            found[address] = wrong
    assert found == {}
    assert read > 100


def test_office_and_director_and_family_read_them_exactly(world, families):  # noqa: F811
    """The crawl would see a number if one were shown: here it is."""
    line = RatingChange.objects.get(player=families.child, calculation__system="OTBR")
    exact = f"{line.post_rating:.2f}"
    event = line.calculation.section.event.event_id
    crosstable = f"/events/{event}/1/?decimals=1"
    profile = f"/players/{families.child.member_id}/?decimals=1"
    read = {
        (who, address)
        for who in (*READERS, "staff")
        for address in (crosstable, profile)
        if exact
        in shown("" if who == "anybody" else who, world, address).content.decode()
    }
    assert read == {
        ("the director", crosstable),
        *(
            (who, address)
            for who in ("the member", "the guardian", "staff")
            for address in (crosstable, profile)
        ),
    }


def test_the_child_is_about_everywhere(world, families):  # noqa: F811
    rows = PlayerRating.objects.filter(player=families.child)
    assert {row.system: published(row) for row in rows} == {
        "OTBR": ApproximateRating(600),
        "OTBQ": ApproximateRating(600),
    }
    page = shown("", world, f"/players/{families.child.member_id}/").content.decode()
    assert "about 600" in page
