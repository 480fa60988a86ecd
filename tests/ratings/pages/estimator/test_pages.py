"""The estimator's pages: their content, and invalid input."""

import random
import re
import zlib
from base64 import urlsafe_b64encode
from html import unescape
from urllib.parse import parse_qsl, urlencode

import pytest
from django.urls import reverse

from players.models import Player
from ratings.engine.rules import DEFAULT_EDITION
from tests.factories import make_player

pytestmark = pytest.mark.django_db


def words_of(response) -> str:
    main = response.content.decode().split("<main")[1].split("</main")[0]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", main)).split())


def test_answer_tells_its_assumptions_and_that_it_is_an_estimate(client):
    words = words_of(
        client.get(
            "/estimate/?rating=1654.25&day=2025-06-07&o=1700&r=W&o=unr&r=&o=1500&r=D"
        )
    )
    assert "This is an estimate." in words
    assert f"Rules as of Jun 7, 2025, edition {DEFAULT_EDITION}" in words
    assert "Bonus none: fewer than 3 games" in words
    assert "1 game to play. What score do I need?" in words
    assert "We rate an unrated opponent by the game against you alone" in words
    for step in ("Starting point", "First pass", "Second pass", "Result", "Rules used"):
        assert step in words


def test_needed_score_stands_in_a_sentence(client):
    address = (
        "/estimate/target/?target=number&goal={}&rating=1960&day=2025-06-07&o=2000"
    )
    reached = words_of(client.get(address.format(1965)))
    assert "You need 1 of 1 in the remaining games." in reached
    assert "How the needed score is calculated" in reached
    far = words_of(client.get(address.format(2300)))
    assert "2300 is out of reach in this event. Even 1 of 1 takes you only to" in far
    safe = words_of(client.get(address.format(1900)))
    assert "You need no more points." in safe


@pytest.fixture
def named():
    """Members to find by name; two have the same name."""
    make_player("12000001", "Pat", "O'Brien", state="IL", ratings={"OTBR": (1654, 31)})
    make_player("12000002", "Luz", "Muñoz", state="TX", ratings={"OTBR": (1700, 40)})
    make_player("12000003", "Ann", "Lee", state="IL", ratings={"OTBR": (1500, 40)})
    make_player("12000004", "Ann", "Lee", state="NY", ratings={"OTBR": (1600, 40)})


def test_unique_names_select_members(client, named):
    answer = {"member": "pat obrien", "rating": "", "o": "Munoz, Luz", "r": "W"}
    response = client.get("/estimate/", answer)
    page = words_of(response)
    event = response.context["answer"]["event"]
    assert event.rating == 1654
    assert "From the member’s record: 1654, based on 31 games, floor 1400." in page
    assert "Luz Muñoz" in page
    assert "member=12000001" in response.context["link"]
    assert "o=12000002" in response.context["link"]


def test_name_of_several_members_is_asked_and_a_choice_answers(client, named):
    asked = {"member": "Pat O'Brien", "rating": "", "o": ["ann lee", "1500"]}
    asked |= {"r": ["W", "D"]}
    response = client.get("/estimate/", asked)
    assert response.status_code == 422
    body = response.content.decode()
    picks = re.findall(r'name="pick" value="([^"]+)"', body)
    assert picks == ["ann lee:12000003", "ann lee:12000004"]
    assert "Opponent 1: Choose a player, or enter the member ID." in words_of(response)

    chosen = client.get("/estimate/", asked | {"pick": picks[1]})
    assert chosen.status_code == 200
    assert "o=12000004" in chosen.context["link"]
    assert "pick" not in chosen.context["link"]


CHOOSE = "Choose a player, or enter the member ID."


@pytest.mark.parametrize(
    ("field", "text", "picks", "sentence"),
    [
        ("member", "ann lee", 2, CHOOSE),
        # Matches by typo or sound have to be chosen, even if there is only one.
        ("member", "orbien", 1, CHOOSE),
        ("o", "Nunoz", 1, CHOOSE),
        ("member", "xylophon", 0, "No player named “xylophon” found."),
        ("o", "xylophon", 0, "is not a player."),
    ],
)
def test_doubtful_names_are_asked(client, named, field, text, picks, sentence):
    asked = {"rating": "1500", "o": "1600", "r": "W"} | {field: text}
    response = client.get("/estimate/", asked)
    assert response.status_code == 422
    assert response.content.decode().count('name="pick"') == picks
    assert sentence in words_of(response)
    assert f'value="{text}"' in response.content.decode()


def test_link_is_the_whole_answer(client):
    """It omits blank values, and gives the same page again."""
    first = client.get(
        "/estimate/?member=&rating=1654.25&games=&day=2025-06-07&system=OTBR&control="
        "&o=1700P9&r=W&o=&r=&o=1500&r="
    )
    link = first.context["link"]
    assert link == ("?system=OTBR&rating=1654.25&day=2025-06-07&o=1700P9&r=W&o=1500&r=")
    again = client.get(f"/estimate/{link}")
    assert again.context["answer"]["result"] == first.context["answer"]["result"]
    assert f'href="/estimate/{link.replace("&", "&amp;")}"' in again.content.decode()


def test_why_links_of_a_section_keep_the_section(client):
    fields = {"rows": "1500 W2\r\n1600 Ben L1", "control": "G/60;d5"}
    response = client.get(f"/estimate/section/?{urlencode(fields)}")
    url = response.context["answer"]["lines"][1].cells[1].why_url
    page = client.get(f"/estimate/section/{url}")
    assert "Ben · Quick" in words_of(page)
    assert page.context["answer"]["lines"] == response.context["answer"]["lines"]


def test_typed_names_are_only_text(client):
    rows = "1500 <b>Ada</b> W2\n1600 <img/src=x> L1"
    query = urlencode({"rows": rows, "why": "1"})
    html = client.get(f"/estimate/section/?{query}").content.decode()
    assert "<b>Ada" not in html
    assert "<img" not in html
    # In the field, the table, the derivation's heading, sentence and opponents.
    assert html.count("&lt;b&gt;Ada&lt;/b&gt;") >= 4
    assert html.count("&lt;img/src=x&gt;") >= 4


def test_more_lines_come_as_they_are_filled_up_to_twenty(client):
    for filled, lines in ((0, 6), (5, 7), (19, 20), (20, 20)):
        query = urlencode([("rating", "1500"), *[("o", "1600")] * filled])
        page = client.get(f"/estimate/?{query}").content.decode()
        assert page.count('name="o"') == lines


@pytest.mark.parametrize("page", ["estimate", "estimate_target", "estimate_section"])
def test_empty_page_says_what_will_stand_there(client, page):
    assert "will appear here" in words_of(client.get(reverse(f"ratings:{page}")))


TOO_EARLY = "We have no over-the-board rating rules"
UNKNOWN = "No member has the ID 98765432."
SENTENCES = [
    ("?rating=abc", "Enter a number."),
    ("?rating=NaN", "Enter a number."),
    ("?rating=99", "greater than or equal to 100"),
    ("?rating=1500&games=1e9", "Enter a whole number, using the digits 0 to 9."),
    ("?rating=1500&floor=1600", "The floor is above the rating. Check both."),
    ("?system=FOO", "FOO is not one of the available choices."),
    ("?record=best", "best is not one of the available choices."),
    ("?day=1949-01-01", "Enter a date from 1950 to 2100."),
    ("?day=2025-02-30", "Enter a date such as 2024-05-04."),
    ("?day=1951-01-01&rating=1500&o=1600&r=W", TOO_EARLY),
    ("?control=quickly", "quickly"),
    ("?control=G/5;d0", "is rated in Blitz, not in Regular."),
    ("?control=G/1;d0", "too fast to be rated"),
    ("?member=1234", "Enter an 8-digit member ID"),
    ("?member=98765432", "No member has this ID."),
    ("?member=%00", "Null characters are not allowed."),
    ("?rating=1500&o=98765432&r=W", f"Opponent 1: {UNKNOWN}"),
    ("?rating=1500&o=1600&r=Z", "Opponent 1: Choose won, drawn, lost, or to play."),
    ("?rating=1500&o=&r=W", "Opponent 1: Opponent missing."),
    ("?rating=1500&o=%00", "is not a player."),
    ("?rating=1500&o=1600/1500", "Opponent 1: Enter one rating only"),
    ("?rating=1500" + "&o=1600" * 21, "You entered 21 opponents; the limit is 20."),
    ("target/?target=moon", "moon is not one of the available choices."),
    ("target/?target=number&rating=1500&o=1", "Enter the rating you want to reach."),
    ("target/?o=1500", "Without a rating there is no next class."),
    ("target/?rating=2500&o=2400", "There is no class above this one."),
    (
        "target/?rating=2500&floor=2100&target=floor&o=2400",
        "No rating earns a floor above 2100.",
    ),
    ("section/?rows=", "Enter the players, one per line."),
    ("section/?rows=1500", "A section needs at least two players"),
    ("section/?rows=1500+W2%0A1600", "Line 1 has W2, so line 2 must have L1"),
    ("section/?rows=1500%0A98765432", "Line 2: no member has the ID 98765432."),
    ("section/?rows=" + "x" * 4001, "This is too long for a link"),
    ("section/?rows=%00", "Null characters are not allowed."),
    ("section/?rows=1500%0A1600&control=G/1;d0", "too fast to be rated"),
    ("section/?rows=1500%0A1600&day=1951-01-01", TOO_EARLY),
]


@pytest.mark.parametrize(("query", "sentence"), SENTENCES)
def test_bad_input_gets_a_sentence(client, query, sentence):
    response = client.get(f"/estimate/{query}")
    assert response.status_code == 422
    assert sentence in words_of(response)
    assert response.context["answer"] is None


def test_error_stands_at_its_field_and_what_was_typed_stays(client):
    page = client.get("/estimate/?rating=1500&o=1600&r=W&o=ban%22ana&r=L")
    html = page.content.decode()
    assert 'value="ban&quot;ana"' in html
    assert html.count("is not a player.") == 2  # on top and at the field
    assert 'aria-invalid="true"' in html
    assert '<option value="L" selected>' in html


@pytest.mark.parametrize("query", ["why=0", "why=x&in=OTBQ", "why=2&in=FOO", "why=99"])
def test_nonsense_for_whose_working_leaves_the_ratings(client, query):
    response = client.get(f"/estimate/section/?rows=1500+W2%0A1600+L1&{query}")
    assert response.status_code == 200
    assert len(response.context["answer"]["lines"]) == 2


def test_member_twice_and_oneself_as_opponent_are_refused(client):
    ada = make_player()
    twin = make_player(merged_into=ada, status=Player.Status.DUPLICATE)
    rows = f"{ada.member_id} W2\n1500 L1\n{twin.member_id}"
    section = client.get(f"/estimate/section/?{urlencode({'rows': rows})}")
    assert "Line 3: this member is already on line 1." in words_of(section)
    own = client.get(f"/estimate/?member={ada.member_id}&o={twin.member_id}")
    assert "Opponent 1: You cannot be your own opponent." in words_of(own)


def rated_members(count: int) -> list[Player]:
    return [make_player(ratings={"OTBR": (1500.0 + n, 40)}) for n in range(count)]


# The members, and for all: ratings, players, memberships, foreign lists, floors,
# lowerings, and ceilings.
QUERIES = 8


@pytest.mark.parametrize("opponents", [2, 20])
@pytest.mark.parametrize("page", ["", "target/"])
def test_own_event_takes_the_same_queries_for_any_size(
    client, django_assert_num_queries, page, opponents
):
    me, *others = rated_members(opponents + 1)
    query = [("member", me.member_id), ("rating", "1500")]
    query += [("o", one.member_id) for one in others]
    # In addition, the user, the calendar, and the member's usual conditions.
    with django_assert_num_queries(QUERIES + 3):
        response = client.get(f"/estimate/{page}?{urlencode(query)}")
    assert len(response.context["answer"]["event"].meetings) == opponents


@pytest.mark.parametrize("players", [2, 60])
def test_section_takes_the_same_queries_for_any_size(
    client, django_assert_num_queries, players
):
    rows = "\n".join(one.member_id for one in rated_members(players))
    query = urlencode({"rows": rows, "control": "G/60;d5"})
    with django_assert_num_queries(QUERIES):
        response = client.get(f"/estimate/section/?{query}")
    assert len(response.context["answer"]["lines"]) == players


def test_pages_lead_to_the_estimator(client):
    ada = make_player(ratings={"OTBQ": (1500.0, 40)})
    home = client.get("/").content.decode()
    assert 'href="/estimate/"' in home.split("<main")[1]
    menu = home.split("<header")[1].split("</header")[0]
    assert 'href="/estimate/"' in menu  # it is on every page
    profile = client.get(f"/players/{ada.member_id}/").content.decode()
    assert f'href="/estimate/?member={ada.member_id}"' in profile
    # From there each of its pages is one click away.
    estimator = client.get("/estimate/").content.decode().split("<main")[1]
    for page in ("estimate", "estimate_target", "estimate_section"):
        assert f'href="{reverse(f"ratings:{page}")}"' in estimator


@pytest.mark.parametrize("page", ["", "target/", "section/"])
def test_day_without_the_rule_it_takes_is_refused_at_the_day(client, page):
    """The rule for newcomers with other ratings is known from June 1, 2020."""
    newcomer = make_player(ratings={"OTBQ": (1500.0, 40)})
    fields = {"day": "2015-06-07", "target": "number", "goal": "1500"}
    if page == "section/":
        fields |= {"rows": f"1500 W2\n{newcomer.member_id} L1"}
    else:
        result = "" if page else "W"
        fields |= {"rating": "1500", "o": newcomer.member_id, "r": result}
    response = client.get(f"/estimate/{page}?{urlencode(fields)}")
    assert response.status_code == 422
    assert list(response.context["form"].errors) == ["day"]
    assert response.context["answer"] is None


LONG = "\n".join(f"{1500 + number} Zoë Müller {number}" for number in range(50))


def test_section_that_is_sent_becomes_an_address_to_share(client):
    fields = {"rows": "1500 W2\n1600 L1", "control": "G/90;d5"}
    response = client.post("/estimate/section/", {**fields, "in": "OTBR"})
    page, _, query = response["Location"].partition("?")
    assert (response.status_code, page) == (302, "/estimate/section/")
    assert dict(parse_qsl(query)) == fields
    assert len(client.get(response["Location"]).context["answer"]["lines"]) == 2


def test_long_section_is_packed_into_a_short_address(client):
    plain = urlencode({"rows": LONG})
    response = client.post("/estimate/section/", {"rows": LONG})
    address = response["Location"]
    assert address.startswith("/estimate/section/?z=")
    assert len(plain) > 1000 > 2 * len(address)
    again = client.get(address)
    assert len(again.context["answer"]["lines"]) == 50
    assert again.context["form"]["rows"].value() == LONG
    assert again.context["link"] == address.removeprefix("/estimate/section/")


def test_player_of_a_packed_section_can_be_asked_for(client):
    rows = LONG.replace("Zoë Müller 0", "Zoë Müller W2").replace("Müller 1\n", "M L1\n")
    link = client.post("/estimate/section/", {"rows": rows})["Location"]
    why = client.get(link).context["answer"]["lines"][0].cells[0].why_url
    assert why.startswith("?z=")
    page = client.get(f"/estimate/section/{why}")
    assert page.context["answer"]["explained"].row.number == 1


def packed(text: bytes) -> str:
    return urlsafe_b64encode(zlib.compress(text)).decode()


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "é",
        "%00",
        "A" * 4000,
        packed(b"[]"),
        packed(b"{"),
        packed(b"[" * 40_000),
        packed(b"\xff"),
        packed(b'{"rows": "1500 W2", "control": "\\ud800"}'),
        packed(b'{"rows": "' + b"x" * 10**6 + b'"}'),
    ],
)
def test_damaged_link_says_so(client, text):
    response = client.get(f"/estimate/section/?z={text}")
    assert response.status_code == 422
    assert "This link is damaged." in words_of(response)


def test_section_that_makes_too_long_a_link_keeps_what_was_typed(client):
    chance = random.Random(1)
    names = [
        "".join(chr(chance.randrange(0x4E00, 0x9FFF)) for _ in range(60))
        for _ in range(59)
    ]
    rows = "\n".join(f"1500 {name}" for name in names)
    response = client.post("/estimate/section/", {"rows": rows})
    assert response.status_code == 422
    assert "This is too long for a link. Leave out the names." in words_of(response)
    assert response.context["form"]["rows"].value() == rows
