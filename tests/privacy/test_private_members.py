"""The name of a private member is on no page and in no new file; the ID is."""

import gzip
from functools import partial

import pytest
from django.urls import resolve
from django.utils import timezone

from events.models import Entry
from players.models import Player
from players.privacy.services import decide_privacy
from ratings.lists.months import months_before
from ratings.lists.queries.official import latest_list
from ratings.lists.services.open_lists import open_file_rows
from ratings.lists.services.rows import compute_list
from ratings.models import OfficialListFile, PlayerRating, RerateMark
from ratings.open_data.queries import TABLES
from ratings_site.common.ui.formatting import whole
from ratings_site.demo import members
from tests.factories import make_player, make_user
from tests.sample_office import World
from tests.test_page_security import (
    ADDRESSES,
    address_of,
    shown,
    unpacked,
    walk,
    world,  # noqa: F401 (a fixture)
)

pytestmark = [pytest.mark.django_db, pytest.mark.gate]

# They are on every kind of page: rated, compared, followed, played abroad.
PRIVATE = ("Ana", "Mia", "Carla")
READERS = ("", "a member")
# Files that were published before stay as they are.
PUBLISHED = (
    *("ratings:list_file", "ratings:current_list_file", "ratings:newest_list_file"),
    *("ratings:open_file", "ratings:old_open_file"),
)
LETTERS = str.maketrans("0123456789", "abcdefghij")


def unusual_name(number: int) -> tuple[str, str]:
    return "Wq", f"Xq{number:04}zq".translate(LETTERS).title()


@pytest.fixture(scope="module", autouse=True)
def unusual_names():
    """Let the sample office be played under names that occur in no other text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(members, "name_of", unusual_name)
        yield


@pytest.fixture(scope="module")
def office(world, django_db_blocker) -> World:  # noqa: F811
    with django_db_blocker.unblock():
        for number, name in enumerate(PRIVATE):
            player = world.members[name]
            player.refresh_from_db()
            player.given_name = f"Wolfq{'abc'[number]}"
            player.fide_id = f"98761{number}"
            player.save()
            for note in ("{} was merged into {}.", "FIDE rating of {}: 1900."):
                RerateMark.objects.create(
                    kind=RerateMark.Kind.MERGE,
                    from_day=world.section.starts,
                    player=player,
                    run=world.published_run,
                    note=note.format(player.full_name, player),
                )
            decide_privacy(
                player_id=player.pk,
                make_private=True,
                actor=world.admin,
                reason="Asked on paper.",
            )
        world.users["a member"] = make_player(account=make_user()).account
        return world


def private_members(office: World) -> list[Player]:
    return [Player.objects.get(pk=office.members[name].pk) for name in PRIVATE]


def words(office: World) -> set[str]:
    """Return what must not be read: names in any case, and FIDE IDs."""
    return {
        word.casefold()
        for one in private_members(office)
        for word in (one.given_name, one.family_name, one.fide_id)
    }


def is_published_file(address: str) -> bool:
    return resolve(address.partition("?")[0]).view_name in PUBLISHED


def addresses(office: World) -> list[str]:
    found = [address_of(place, office) for place in ADDRESSES]
    ana, mia, carla = (one.member_id for one in private_members(office))
    event = office.event.event_id
    for number in (ana, mia, carla):
        found += [
            *(f"/players/{number}/{page}" for page in ("", "results/", "floors/")),
            f"/players/?q={number}",
            f"/players/?q={number}&_export=csv",
            f"/search/?q={number}",
            f"/search/suggestions/?q={number}",
            f"/search/?ids={number}",
            f"/estimate/?member={number}&system=OTBR",
            f"/matches/?one={number}&other={mia}&games=4",
            f"/players/{number}/against/{ana}/",
            f"/api/v1/members?query={number}",
            f"/api/v1/members/{number}",
            *(f"/api/v1/members/{number}/{one}" for one in ("history", "lists")),
        ]
    sections = {
        (entry.section.event.event_id, entry.section.number)
        for entry in Entry.objects.filter(
            player__member_id__in=(ana, mia, carla)
        ).select_related("section__event")
    }
    for event, number in sorted(sections):
        found += [f"/events/{event}/", f"/events/{event}/{number}/"]
        found += [f"/events/{event}/{number}/history/"]
        found += [
            f"/events/{event}/report.{file}"
            for file in (
                "report.zip",
                "report.trf16",
                "report.trf26",
                "report.csv",
                "report.json",
            )
        ]
        found += [f"/api/v1/events/{event}", f"/api/v1/events/{event}/report"]
        found += [f"/api/v1/events/{event}/sections/{number}/standings"]
    month = latest_list().slug
    found += [
        *(f"/api/v1/rankings/{system}" for system in ("OTBR", "OTBQ")),
        *(f"/players/?state={state}&sort=name" for state in ("OH", "IL", "CA")),
        *(f"/api/v1/members?state={state}" for state in ("OH", "IL", "CA")),
        f"/api/v1/lists/{month}/OTBR?limit=1",
        f"/lists/{month}/?sort=name",
    ]
    return found


@pytest.mark.parametrize("who", READERS)
def test_no_response_has_a_private_name(who, office):
    hidden, numbers = words(office), {one.member_id for one in private_members(office)}
    get = partial(shown, who, office)
    starts = [*addresses(office), "/"]
    answers = {address: get(address) for address in dict.fromkeys(starts)}
    found: dict[str, set[str]] = {}
    read, named = 0, set()
    for address, response in [*answers.items(), *walk(get, starts)]:
        assert response.status_code < 500, address
        if response.status_code != 200 or is_published_file(address):
            continue
        read += 1
        headers = " ".join(response.headers.values())
        text = unpacked(response.getvalue()) + headers
        if wrong := {word for word in hidden if word in text.casefold()}:
            found[address] = wrong
        named |= {number for number in numbers if number in text}
    assert found == {}
    assert named == numbers
    assert read > 100


def test_staff_read_the_names(office):
    """The crawl would see a name if one were shown: here it is."""
    one = private_members(office)[0]
    page = shown("staff", office, one.get_absolute_url()).content.decode()
    assert one.family_name in page


def test_the_numbers_stay(office):
    one = private_members(office)[0]
    page = shown("", office, one.get_absolute_url()).content.decode()
    rating = PlayerRating.objects.get(player=one, system="OTBR").rating
    assert "Private member" in page
    assert str(whole(rating)) in page


@pytest.mark.parametrize("who", READERS)
def test_only_the_id_finds_a_private_member(who, office):
    ana = private_members(office)[0]
    asked = (
        "/players/?q={}",
        "/search/?q={}",
        "/search/suggestions/?q={}",
        "/compare/?first={}&second=12000001",
        "/lists/?q={}",
        "/matches/?one={}&other=12000001",
        "/estimate/?member={}",
        "/events/?q={}",
        "/api/v1/members?query={}",
    )
    found = {
        (address, word)
        for address in asked
        for word in (
            ana.family_name,
            f"{ana.given_name} {ana.family_name}",
            ana.fide_id,
        )
        if ana.member_id in shown(who, office, address.format(word)).content.decode()
    }
    assert found == set()
    page = shown(who, office, f"/players/?q={ana.member_id}").content.decode()
    assert ana.get_absolute_url() in page


def test_new_files_have_no_private_name(office):
    hidden = {word.encode() for word in words(office)}
    published = OfficialListFile.objects.values_list("pk", "sha256")
    before, newest = dict(published), latest_list()
    listed = bytes(newest.files.get(kind="csv").content).lower()
    assert any(word in listed for word in hidden)
    month = months_before(newest.month, -1)
    files = [compute_list(month=month, moment=timezone.now()).csv]
    for row in open_file_rows(newest):
        gzipped = row.get("compressed")
        files.append(gzip.decompress(gzipped) if gzipped else row["content"])
    files += [repr(list(table.rows())).encode() for table in TABLES]
    texts = [unpacked(file).lower().encode() for file in files]
    assert not [text for text in texts if any(word in text for word in hidden)]
    assert sum(b"private member" in text for text in texts) == 9
    assert dict(published.all()) == before
