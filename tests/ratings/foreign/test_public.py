"""Foreign events on public pages: the event, the derivation, the profile."""

import re
from datetime import date

import pytest

from events.foreign.services.results import correct_result, exclude_result
from events.models import ForeignEvent, ForeignVersion
from players.models import FideOptIn
from ratings.access import RatingViewer
from ratings.engine.numbers import official
from ratings.foreign.queries import (
    current_calculation,
    rated_inputs,
    results_of,
)
from ratings.ledger.services.foreign_facts import foreign_facts
from ratings.models import PlayerRating, RatingChange
from ratings.pages.profile.queries.profile import profile_of
from ratings.pages.why.queries.foreign import foreign_why
from tests.events.foreign.factories import foreign_staff, game, make_event
from tests.factories import (
    make_player,
    make_user,
)
from tests.ratings.foreign.factories import list_with_masters, master, rated

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff():
    list_with_masters()
    return foreign_staff()


def text_of(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def why_of(player, event, user=None):
    calculation = current_calculation(event.pk, player)
    played = rated_inputs(calculation, calculation.foreign)
    return foreign_why(
        calculation,
        calculation.changes.get(),
        played,
        foreign_facts(played.games).meetings,
        RatingViewer(user or make_user()),
        player.given_name,
    )


def test_event_shows_games_converted_opponents_and_ratings(client, staff):
    ada = master(given_name="Ada", family_name="Lind")
    result = rated(staff, ada, [(2400, 2), (None, 1), (1900, 2)])
    page = client.get(f"/foreign/{result.event.pk}/").content.decode()
    line = RatingChange.objects.get(calculation__foreign=result)
    assert 'data-label="Before">2300</td>' in page
    assert f'data-label="After">{official(line.post_rating)}' in page
    assert ">2468.00</td>" in page
    assert ">1903.73</td>" in page
    assert "not rated" in page
    assert "2/2</td>" in page
    assert f"/foreign/{result.event.pk}/why/{ada.member_id}/" in page


@pytest.mark.parametrize("key", ["color", "colour"])
def test_games_of_a_version_are_read_in_either_spelling(staff, key):
    result = rated(staff, master(), [(2400, 2)])
    ForeignVersion.objects.create(
        result=result,
        number=1,
        content={
            "starts": "2024-05-04",
            "ends": "2024-05-05",
            "is_youth": False,
            "games": [{"round_number": 1, key: "B", "half_points": 1}],
        },
        replaced_by=staff,
        reason="It was drawn",
    )
    calculation = current_calculation(result.event.pk, result.player)
    played = rated_inputs(calculation, calculation.foreign)
    assert [(one.color, one.half_points) for one in played.games] == [("B", 1)]


def test_event_of_which_nothing_is_rated_is_not_public(client, staff):
    event = make_event(staff)
    assert client.get(f"/foreign/{event.pk}/").status_code == 404
    assert (
        "No foreign events have been rated yet."
        in client.get("/foreign/").content.decode()
    )


def test_event_shows_the_nearest_50_for_an_age_based_start(client, staff):
    ada = master(rating=2312.4)
    PlayerRating.objects.filter(player=ada).update(age_start=2312.4)
    result = rated(staff, ada, [(2600, 2)])
    line = RatingChange.objects.get(calculation__foreign=result)
    page = client.get(f"/foreign/{result.event.pk}/").content.decode()
    assert 'data-label="Before">about 2300</td>' in page
    assert f'data-label="After">{official(line.post_rating)}<' in page
    assert "2312" not in page


def test_list_names_events_with_their_rated_members(client, staff):
    event = make_event(staff)
    rated(staff, master(1), [(2400, 2)], event=event)
    rated(staff, master(2), [(2400, 2)], event=event)
    make_event(staff, name="Not rated")
    page = client.get("/foreign/").content.decode()
    assert "Paris Open" in page
    assert 'data-label="Members">2</td>' in page
    assert "Not rated" not in page


@pytest.mark.parametrize("members", [2, 8])
def test_event_takes_the_same_queries_for_any_size(
    client, staff, django_assert_num_queries, members
):
    event = make_event(staff)
    for number in range(members):
        rated(staff, master(number), [(2400, 2), (2300, 1)], event=event)
    with django_assert_num_queries(6):
        page = client.get(f"/foreign/{event.pk}/").content.decode()
    assert page.count(">2468.00</td>") == members


@pytest.mark.parametrize("events", [2, 8])
def test_list_takes_the_same_queries_for_any_size(
    client, staff, django_assert_num_queries, events
):
    for number in range(events):
        rated(staff, master(number), [(2400, 2)], name=f"Open {number}")
    with django_assert_num_queries(2):
        page = client.get("/foreign/").content.decode()
    assert page.count("/foreign/") >= events


# --- The derivation ---


def test_derivation_agrees_with_the_ledger_and_shows_the_numbers(client, staff):
    ada = master(given_name="Ada", family_name="Lind")
    result = rated(staff, ada, [(2400, 2), (None, 1), (1900, 2), (2300, 2)])
    client.force_login(staff)
    page = client.get(f"/foreign/{result.event.pk}/why/{ada.member_id}/")
    text = text_of(page.content.decode())
    line = RatingChange.objects.get(calculation__foreign=result)
    assert "Our records have exactly the same numbers." in text
    assert "Ada scored 3 in 3 games of a foreign event;" in text
    assert "FIDE up to 2000 −1073 + 1.5667 × FIDE" in text
    assert "FIDE above 2000 20 + 1.02 × FIDE" in text
    assert f"{line.k:.3f}" in text
    assert f"{line.bonus:.2f}" in text
    assert "1 opponent without a FIDE rating does not count." in text
    assert "It is now based on 60 + 3 = 63 games and is established." in text


def test_youth_event_shows_its_conversion(staff):
    ada = master()
    result = rated(staff, ada, [(2000, 2)], is_youth=True)
    opponents = why_of(ada, result.event).steps[1]
    assert opponents["is_youth"]
    assert opponents["pieces"] == [
        {"above": "", "up_to": "2000", "start": "−453", "slope": "1.2667"},
        {"above": "2000", "up_to": "", "start": "80", "slope": "1"},
    ]


def test_derivation_says_when_the_ledger_differs(staff):
    """A ledger line cannot be changed, so it is compared with other games."""
    ada = master()
    result = rated(staff, ada, [(2400, 2)])
    result.games.update(half_points=0)
    names = [one.name for one in why_of(ada, result.event).differences]
    assert names == ["the new rating", "the score"]


@pytest.mark.parametrize(
    ("results", "sentence"),
    [
        ([(2400, 2), (2400, 2)], "A bonus needs at least 3 games in the event."),
        ([(2700, 0)] * 3, "The gain is below the threshold, so there is no bonus."),
    ],
)
def test_derivation_says_why_there_is_no_bonus(client, staff, results, sentence):
    ada = master()
    result = rated(staff, ada, results)
    page = client.get(f"/foreign/{result.event.pk}/why/{ada.member_id}/")
    step = page.content.decode().split("<h2>Bonus</h2>")[1].split("</details>")[0]
    assert f"<p>{sentence}" in step


def test_floor_is_told(staff):
    ada = master(rating=2300.0, games=30, given_name="Ada")
    result = rated(staff, ada, [(1600, 0)] * 25)
    why = why_of(ada, result.event)
    assert (why.outcome["floor"], why.outcome["move"]["after"]) == ("2100", "2100")
    assert why.differences == []


@pytest.mark.parametrize("reader", ["anybody", "the member", "the office"])
def test_derivation_shows_published_numbers_but_to_the_office(client, staff, reader):
    ada = master(rating=2300.27, account=make_user())
    result = rated(staff, ada, [(2400, 2), (2450, 2), (2500, 2)])
    line = RatingChange.objects.get(calculation__foreign=result)
    if reader != "anybody":
        client.force_login(ada.account if reader == "the member" else staff)
    page = client.get(f"/foreign/{result.event.pk}/why/{ada.member_id}/")
    page = page.content.decode()
    steps = page.split('class="working"')[1].split("Rules and check")[0]
    steps = re.sub(r'<p class="source">.*?</p>', "", steps)
    steps = steps.replace("0.00000739", "").replace("0.662", "")
    found = set(re.findall(r"\d+\.\d+", steps.partition("<table")[2]))
    own = {"2300.27", f"{line.post_rating:.2f}"}
    exact = {f"{line.k:.3f}", f"{line.bonus:.2f}", "2468.00"}
    whole = {f"{line.k:.1f}", f"{line.effective_games:.1f}", f"{line.expected:.2f}"}
    assert (own <= found) == (reader != "anybody")
    assert (exact <= found) == (reader == "the office")
    assert (whole <= found) == (reader != "the office")
    if reader != "the office":
        assert max(float(one) for one in found - own) < 50
        assert max(len(one.partition(".")[2]) for one in found) == 2
    if reader == "anybody":
        assert not own & found
    unrounded = "The office calculates with decimals, not with rounded ratings."
    assert page.count(unrounded) == (0 if reader == "the office" else 1)
    digest = line.calculation.inputs_digest
    assert (digest in page) == (reader == "the office")
    assert "Our records have exactly the same numbers." in page


@pytest.mark.parametrize("games", [2, 8])
def test_derivation_takes_the_same_queries_for_any_size(
    client, staff, django_assert_num_queries, games
):
    ada = master()
    result = rated(staff, ada, [(2300 + number, 1) for number in range(games)])
    with django_assert_num_queries(6):
        page = client.get(f"/foreign/{result.event.pk}/why/{ada.member_id}/")
    assert f"in {games} games of a foreign event" in text_of(page.content.decode())


def test_member_who_was_not_there_has_no_derivation(client, staff):
    result = rated(staff, master(1), [(2400, 2)])
    other = make_player()
    for member_id in (other.member_id, "00000000", "x"):
        url = f"/foreign/{result.event.pk}/why/{member_id}/"
        assert client.get(url).status_code == 404


# --- Corrections ---


def test_correction_shows_the_games_that_the_rating_rests_on(client, staff):
    ada = master()
    result = rated(staff, ada, [(2400, 2)])
    correct_result(
        actor=staff,
        result_id=result.pk,
        games=[game(1, 0, rating=2300)],
        reason="The game was lost",
    )
    (shown,) = results_of(result.event)
    assert [one.game.opponent_rating for one in shown.games] == [2400]
    assert shown.is_changed
    assert why_of(ada, result.event).differences == []
    page = client.get(f"/foreign/{result.event.pk}/").content.decode()
    assert "Corrected after it was rated." in page
    assert "“The game was lost”" in page


def test_event_moved_before_the_rules_is_shown_as_rated(client, staff):
    result = rated(staff, master(), [(2400, 2)])
    exclude_result(actor=staff, result_id=result.pk, reason="Wrong dates")
    ForeignEvent.objects.update(starts=date(2018, 5, 4))
    for page in ("", f"why/{result.player.member_id}/"):
        assert client.get(f"/foreign/{result.event_id}/{page}").status_code == 200


def test_result_left_out_stays_until_the_rerate(client, staff):
    result = rated(staff, master(), [(2400, 2)])
    exclude_result(actor=staff, result_id=result.pk, reason="Rapid games")
    (shown,) = results_of(result.event)
    assert shown.is_changed


# --- The profile ---


def test_profile_lists_the_event_with_its_pages(client, staff):
    ada = master()
    result = rated(staff, ada, [(2400, 2), (None, 0)])
    lines = profile_of(ada, None, None).lines
    assert [(one.title, one.section, one.games) for one in lines] == [
        ("Paris Open", "Foreign event", 1),
        ("Starting rating", "", 0),
    ]
    page = client.get(f"/players/{ada.member_id}/").content.decode()
    pk = result.event.pk
    assert f'<a href="/foreign/{pk}/">Paris Open</a>' in page
    assert f'href="/foreign/{pk}/why/{ada.member_id}/"' in page
    assert "\nParis Open\nMay 12, 2024</title>" in page  # on the chart


@pytest.mark.parametrize("events", [2, 6])
def test_profile_takes_the_same_queries_for_any_number_of_events(
    staff, django_assert_num_queries, events
):
    ada = master()
    for number in range(events):
        rated(
            staff,
            ada,
            [(2400, 2 - number % 3)],
            name=f"Open {number}",
            starts=date(2024, 5, 4 + number),
            ends=date(2024, 5, 4 + number),
        )
    with django_assert_num_queries(12):
        assert len(profile_of(ada, None, None).lines) == events + 1


def test_opt_in_is_seen_by_the_member_and_the_office_only(client, staff):
    account = make_user()
    ada = master(account=account)
    FideOptIn.objects.create(
        player=ada, opted_in_on=date(2024, 1, 2), entered_by=account
    )
    url = f"/players/{ada.member_id}/"
    assert "opted in" not in client.get(url).content.decode()
    client.force_login(make_user())
    assert "opted in" not in client.get(url).content.decode()
    for user in (account, staff):
        client.force_login(user)
        assert "opted in on Jan 2, 2024" in client.get(url).content.decode()
