"""The member search: what it finds, what it shows, and what it never reveals."""

from datetime import date, timedelta

import pytest
from django.utils import timezone

from players.members.queries import find_players, suggest_players
from players.models import Membership, MembershipType
from ratings_site.common.models import User
from ratings_site.common.ui.formatting import format_day
from tests.factories import make_player, make_staff

pytestmark = pytest.mark.django_db

HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def zoe():
    return make_player("31415926", "Zoë Ana", "Łukasik-Ngô", state="NY")


@pytest.fixture
def others():
    return [make_player(given_name="Lukas", family_name="Zoellner", state="TX")]


@pytest.mark.parametrize(
    "text",
    [
        "lukasik",
        "ŁUKASIK",
        "Łukasik-Ngô, Zoë",
        "lukasik ngo zoe",
        "zoe lukasik",
        "zoe ana luk",
        "luk zoe an",
        "zo ng",
        "  zoe   ana ",
        "31415926",
        "3141",
        "３１４１",
    ],
)
def test_finds_by_either_name_by_beginnings_and_by_id(zoe, others, text):
    assert list(find_players(text)) == [zoe]


@pytest.mark.parametrize(
    "text", ["ukasik", "zoe lukas x", "1415926", "9", "%", "_", "\x00", "؟", "'"]
)
def test_does_not_find_by_the_middle_of_a_word_or_by_signs(zoe, others, text):
    assert zoe not in find_players(text)


def test_punctuation_alone_finds_no_member(zoe):
    assert list(find_players("%_%")) == []


def test_state_narrows_the_search(zoe, others):
    assert list(find_players("zoe", "NY")) == [zoe]
    assert list(find_players("zoe", "TX")) == others
    assert list(find_players("", "TX")) == others
    assert list(find_players("", "")) == []


def test_page_shows_name_id_state_rating_and_membership(client, zoe):
    Membership.objects.filter(player=zoe).update(expires=date(2031, 12, 31))
    make_player("27182818", "Zoe", "Rated", ratings={"OTBR": (1654.5, 30)})
    page = client.get("/players/", {"q": "zoe"}).content.decode()
    assert '<a href="/players/31415926/">Zoë Ana Łukasik-Ngô</a>' in page
    assert "Member until Dec 31, 2031" in page
    assert ">NY</td>" in page
    assert '<td class="num">unrated</td>' in page
    assert '<td class="num">1655</td>' in page
    assert "2 members" in page


def test_membership_that_ended_says_so_and_its_type_is_not_told(client):
    player = make_player(given_name="Yan", family_name="Young", adult=False)
    yesterday = timezone.localdate() - timedelta(days=1)
    youth = MembershipType.objects.create(name="Youth under 16")
    player.memberships.update(expires=yesterday, type=youth)
    page = client.get("/players/", {"q": "young"}).content.decode()
    assert f"Membership ended {format_day(yesterday)}" in page
    assert "Youth" not in page


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("deceased", "Deceased"),
        ("duplicate", "Duplicate ID"),
        ("suspended", "Not a current member"),
        ("revoked", "Not a current member"),
    ],
)
def test_status_is_told_decently(client, status, words):
    make_player(given_name="Stan", family_name="Status", status=status)
    page = client.get("/players/", {"q": "status"}).content.decode()
    assert words in page
    assert "Member until" not in page
    assert "uspended" not in page


@pytest.mark.parametrize("as_staff", [False, True])
def test_birth_date_and_email_are_in_no_result(client, as_staff):
    account = make_staff("private")
    account.email = "private@example.org"
    account.save()
    make_player(
        given_name="Petra",
        family_name="Private",
        birth_date=date(2013, 7, 19),
        account=account,
    )
    if as_staff:
        client.force_login(account)
    page = client.get("/players/", {"q": "private"}).content.decode()
    assert "Petra Private" in page
    for secret in ("2013", "19 July", "private@example.org"):
        assert secret not in page


def test_htmx_gets_the_results_alone(client, zoe):
    whole = client.get("/players/", {"q": "zoe"}).content.decode()
    part = client.get("/players/", {"q": "zoe"}, **HTMX)
    body = part.content.decode()
    assert "HX-Request" in part.headers["Vary"]
    assert "<html" in whole
    assert "<html" not in body
    assert "Zoë Ana Łukasik-Ngô" in body
    assert body.strip() in whole


def test_typed_text_and_state_stay_in_the_form(client, zoe):
    page = client.get("/players/", {"q": 'zoe"<', "state": "NY"}).content.decode()
    assert 'value="zoe&quot;&lt;"' in page
    assert "<option selected>NY</option>" in page
    assert "Łukasik" in page


def test_empty_result_suggests_what_to_try(client, zoe):
    page = client.get("/players/", {"q": "xylophon"}).content.decode()
    assert "No players found for “xylophon”." in page
    assert "another spelling" in page


def test_before_a_search_no_member_is_listed(client, zoe):
    page = client.get("/players/").content.decode()
    assert "Zoë" not in page
    assert "Enter a name or member ID" in page


def test_file_of_a_visitor_is_limited_and_the_page_says_so(client, monkeypatch):
    monkeypatch.setattr("players.members.views.MAX_ANONYMOUS_ROWS", 2)
    for number in range(3):
        make_player(given_name=f"Given{number}", family_name="Many", state="OH")

    def file_lines() -> int:
        response = client.get("/players/", {"state": "OH", "format": "csv"})
        return b"".join(response.streaming_content).count(b"\r\n")

    said = "The CSV file has the first 2 members."
    assert file_lines() == 1 + 2
    assert said in client.get("/players/", {"state": "OH"}).content.decode()
    client.force_login(make_staff())
    assert file_lines() == 1 + 3
    assert said not in client.get("/players/", {"state": "OH"}).content.decode()


def test_results_come_fifty_to_a_page(client):
    for number in range(51):
        make_player(given_name=f"Given{number:02}", family_name="Many")
    first = client.get("/players/", {"q": "many"}).content.decode()
    last = client.get("/players/", {"q": "many", "page": 2}).content.decode()
    assert first.count('<th scope="row"') == 50
    assert "51 members, 1 to 50 shown" in first
    assert '<a rel="next" href="?q=many&amp;page=2">Next</a>' in first
    assert last.count('<th scope="row"') == 1
    assert "Given50" in last


@pytest.mark.parametrize(
    "query",
    [
        {"q": "zoe", "page": "10" * 3000},
        {"q": "zoe", "page": "-1"},
        {"q": "zoe", "page": "١"},
        {"q": "zoe", "page": "\x00"},
        {"q": "zoe" + " a" * 5000},
        {"q": "zoe", "state": "\x00"},
        {"q": "zoe", "state": "nowhere"},
        {"q": ["zoe", "zoe"], "state": ["NY", "NY"]},
    ],
    ids=str,
)
def test_weird_queries_are_answered(client, zoe, query):
    assert "Łukasik" in client.get("/players/", query).content.decode()


@pytest.mark.parametrize("players", [1, 40])
def test_search_takes_the_same_queries_for_any_size(
    client, django_assert_num_queries, players
):
    for number in range(players):
        make_player(
            given_name=f"Given{number}",
            family_name="Many",
            state="IL",
            ratings={"OTBR": (1500, 30)},
        )
    # Queries: states, count, members, memberships, ratings.
    with django_assert_num_queries(5):
        page = client.get("/players/", {"q": "many"}).content.decode()
    assert page.count('<td class="num">1500') == players


@pytest.fixture
def alikes():
    """Members whose names look or sound alike, by a distinguishing word."""
    names = {
        "robert": ("Robert", "Smith"),
        "bobby": ("Bobby", "Smith"),
        "smyth": ("Roberta", "Smyth"),
        "schmidt": ("Robert", "Schmidt"),
        "smithson": ("Ann", "Smithson"),
        "given": ("Smith", "Adler"),
    }
    return {key: make_player(None, *name) for key, name in names.items()}


def found_by(text, alikes):
    keys = {player: key for key, player in alikes.items()}
    return [keys[player] for player in find_players(text)]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        # The family name, then prefixes and given names, then names that sound alike.
        ("smith", ["bobby", "robert", "given", "smithson", "schmidt", "smyth"]),
        ("smith robert", ["robert", "bobby", "schmidt", "smyth"]),
        ("Bob Smith", ["bobby", "robert"]),
        ("bob", ["bobby", "schmidt", "robert", "smyth"]),
        ("Schmitt", ["schmidt", "bobby", "robert", "smyth"]),
        ("smiths", ["smithson"]),
        ("robert schmit", ["schmidt", "robert", "smyth"]),
    ],
)
def test_likeliest_comes_first(alikes, text, keys):
    assert found_by(text, alikes) == keys


def test_whole_numbers_come_before_their_beginnings():
    beginning = make_player("12345678", "Ann", "Adams")
    fide = make_player("22345678", "Ben", "Bishop", fide_id="123456")
    assert list(find_players("1234")) == [beginning, fide]
    assert list(find_players("123456")) == [fide, beginning]
    assert list(find_players("12345678")) == [beginning]
    assert list(find_players("23456")) == []


def test_sound_follows_a_change_of_name(zoe):
    assert list(find_players("lucasick")) == [zoe]
    zoe.family_name = "Novak"
    zoe.save()
    assert list(find_players("lucasick")) == []
    assert list(find_players("nowack")) == [zoe]


@pytest.fixture
def spelled():
    """Members whose names are spelled in several ways, numbered from 1."""
    names = [
        ("Pat", "O'Brien", "IL"),
        ("Patrick", "OBrien", "NY"),
        ("Robert", "De la Cruz", "TX"),
        ("Luz", "Muñoz", "CA"),
        ("Boris", "Yankovsky", "NY"),
        ("Boris", "Iankovski", "TX"),
        ("Oleg", "Popov", "AL"),
        ("Albert", "Popov", "WI"),
    ]
    for number, (given, family, state) in enumerate(names, 1):
        make_player(f"1200000{number}", given, family, state=state)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("obrien", "21"),
        ("o brien", "12"),
        ("O’Brien, Pat", "12"),
        ("bob delacruz", "3"),
        ("munoz", "4"),
        ("Jankovsky", "65"),
        ("Popoff", "87"),
        ("popov wi", "8"),
        ("obrien IL", "1"),
        ("Jankovsky, TX", "6"),
        # Al is a name and a state: members with this name come first.
        ("popov al", "87"),
        ("120 00001", "1"),
        ("12-00 00-01", "1"),
    ],
)
def test_finds_names_and_numbers_as_people_write_them(spelled, text, found):
    assert "".join(player.member_id[-1] for player in find_players(text)) == found


@pytest.mark.parametrize(
    ("text", "state", "meant"),
    [
        ("orbien", "", "12"),
        ("obrien bob", "", "12"),
        ("Hobrien NY", "", "21"),
        ("luz nunoz", "", "4"),
        ("120 00011", "", "1"),
        ("obrien", "TX", "21"),
        ("xylophon", "", ""),
        ("ob", "TX", "21"),
        ("'", "", ""),
    ],
)
def test_empty_result_suggests_similar_members(client, spelled, text, state, meant):
    assert not find_players(text, state)
    assert "".join(one.member_id[-1] for one in suggest_players(text, state)) == meant
    page = client.get("/players/", {"q": text, "state": state}, **HTMX)
    body = page.content.decode()
    assert "No players found" in body
    assert ("Did you mean one of these?" in body) == bool(meant)
    assert body.count('<th scope="row"') == len(meant)


def test_admin_searches_members_as_every_page_does(client, spelled):
    boss = User.objects.create_superuser("boss", "boss@example.org", "boss")
    client.force_login(boss)
    page = client.get("/admin/players/player/", {"q": "obrien IL"}).content.decode()
    assert "12000001" in page
    assert "12000002" not in page


@pytest.mark.parametrize("text", ["h smith", "hhhh", "smith " * 30, "8 8 8", "bob bob"])
def test_odd_words_do_not_hurt(client, alikes, text):
    page = client.get("/players/", {"q": text}).content.decode()
    assert "Smith" in page or "No players found" in page


def test_results_as_one_types_do_not_read_the_states(
    client, zoe, django_assert_num_queries
):
    # Queries: count, members, memberships, ratings.
    with django_assert_num_queries(4):
        page = client.get("/players/", {"q": "zoe", "state": "NY"}, **HTMX)
    assert "Łukasik" in page.content.decode()
