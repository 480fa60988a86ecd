"""My Chess: the first page of a signed-in account."""

import re
from datetime import date, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from events.corrections.services.requests import ask_for_correction
from events.models import EventRegistration
from events.reports.services.submissions import submit_report
from players.models import GuardianAccount, Player
from ratings.decisions.floors.queries.titles import member_titles
from ratings.home.queries.my_chess import my_chess
from ratings.lists.services.lists import prepare_list, publish_list
from ratings_site.common.models import User
from tests.factories import (
    event_report,
    make_affiliate,
    make_player,
    make_staff,
    make_td,
    make_user,
    merge_with_approval,
    rated_event,
    section_report,
    upload,
)

pytestmark = [pytest.mark.django_db, pytest.mark.calendar]

TODAY = timezone.localdate()
BORN = TODAY - timedelta(days=3650)


def home(client, user: User) -> str:
    client.force_login(user)
    return " ".join(client.get("/").content.decode().split())


def cards(html: str) -> dict[str, str]:
    """The text of each card by its heading."""
    part = html.partition('<ul class="cards mine">')[2]
    found = {}
    for card in re.split(r'<li class="card">', part)[1:]:
        card = re.sub(r"<svg.*?</svg>", "", card)
        heading = re.search(r"<h2>(.*?)</h2>", card)[1]
        words = re.sub(r"<.*?>", " ", card.partition("</h2>")[2])
        found[re.sub(r"<.*?>", "", heading)] = " ".join(words.split())
    return found


def play(player: Player, *, row: str = "L2W L3B", td=None, **event):
    """Rate a section in which the player loses to two players of 1500."""
    others = [make_player(ratings={"OTBR": (1500.0, 40)}) for _ in range(2)]
    section = section_report(
        [player, *others], [row, "W1B D3W", "D2B W1W"], time_control="G/90;d5"
    )
    td = td or make_td()
    return rated_event(td, event_report(td, [section], **event))


def linked(**facts) -> Player:
    return make_player(account=make_user(), ratings={"OTBR": (1511.0, 40)}, **facts)


def test_card_says_what_the_last_event_did_as_its_why_page_does(client):
    ada = linked()
    event = play(ada, name="Castle July")
    html = home(client, ada.account)
    why = f"/events/{event.event_id}/1/why/{ada.member_id}/OTBR/"
    sentence = re.search(r"Down \d+ at Castle July: 0 of 2, 1\.0 expected\.", html)[0]
    assert f'<a href="{why}">See why' in html
    assert sentence in " ".join(client.get(why).content.decode().split())


def test_card_has_current_and_official_rating_and_the_next_class(client):
    ada = linked()
    draft = prepare_list(month=TODAY.replace(day=1), actor=None)
    publish_list(month=draft.month, digest=draft.digest, actor=None, reason="Monthly.")
    play(ada, name="Castle July")
    now = my_chess(ada.account).members[0].ratings[0][0]
    text = cards(home(client, ada.account))["Ada Adams"]
    assert f"Regular {int(now.rating + 0.5)} 1511" in text
    assert f"Regular: {1600 - int(now.rating + 0.5)} points to Class B" in text


@pytest.mark.parametrize("other", [1311.0, 1711.0])
def test_card_has_the_official_rating_of_the_kept_number(client, other):
    ada, old = linked(), make_player(ratings={"OTBR": (other, 40)})
    draft = prepare_list(month=TODAY.replace(day=1), actor=None)
    publish_list(month=draft.month, digest=draft.digest, actor=None, reason="Monthly.")
    merge_with_approval(ada, old)
    [(_current, official)] = my_chess(ada.account).members[0].ratings
    assert official == 1511


def test_card_of_a_member_without_ratings_says_so(client):
    ada = make_player(account=make_user())
    text = cards(home(client, ada.account))["Ada Adams"]
    assert text.startswith("No rating yet.")


def test_newcomer_s_first_event_is_told(client):
    ada = make_player(account=make_user())
    play(ada, name="Castle July")
    assert re.search(
        r"First rating \d+ at Castle July: 0 of 2\.", home(client, ada.account)
    )


def test_guardian_sees_the_children_and_nothing_of_an_adult(client):
    parent = make_user()
    kid = make_player(given_name="Kim", birth_date=BORN)
    grown = make_player(given_name="Gro")
    for player in (kid, grown):
        GuardianAccount.objects.create(player=player, account=parent)
    assert list(cards(home(client, parent))) == ["Kim Adams"]


def test_account_without_anything_sees_three_choices(client):
    html = home(client, make_user())
    assert list(cards(html)) == [
        "I’m a member",
        "I’m a parent or guardian",
        "I’m a tournament director",
    ]
    assert re.findall(r'href="/welcome/(#\w+)"', html) == [
        "#member",
        "#parent",
        "#td",
    ]


def test_open_correction_counts_for_the_member_who_played(client):
    ada, bo = linked(), make_player()
    section = play(ada).sections.get()
    ask_for_correction(
        section=section, kind="name", change={"name": "New name"}, text="It is wrong.",
        version=section.version, actor=ada.account,
    )  # fmt: skip
    GuardianAccount.objects.create(player=bo, account=ada.account)
    Player.objects.filter(pk=bo.pk).update(birth_date=BORN, given_name="Bo")
    found = {
        card.player.given_name: card.corrections
        for card in my_chess(ada.account).members
    }
    assert found == {"Ada": 1, "Bo": 0}
    assert "1 open correction" in cards(home(client, ada.account))["Ada Adams"]


def registered(name: str, starts: date, **facts) -> None:
    EventRegistration.objects.create(
        name=name, starts=starts, ends=starts, affiliate=make_affiliate(),
        chief=facts.pop("chief", None) or make_player(),
        registered_by=facts.pop("by", None) or make_td(), **facts,
    )  # fmt: skip


def test_card_has_the_next_events_in_the_member_s_state(client):
    ada = linked(state="IL")
    registered("Late Open", TODAY + timedelta(9), state="IL")
    registered("Next Open", TODAY + timedelta(2), state="IL")
    registered("Third Open", TODAY + timedelta(19), state="IL")
    registered("Far Open", TODAY + timedelta(2), state="OH")
    events = [one.name for one in my_chess(ada.account).members[0].upcoming]
    assert events == ["Next Open", "Late Open"]


def test_td_sees_drafts_reports_due_and_results_to_send(client):
    td = make_td()
    registered("Ended Open", TODAY - timedelta(3), by=td)
    pair = [make_player(ratings={"OTBR": (1500, 30)}) for _ in range(2)]
    draft = event_report(td, [section_report(pair, ["W2W", "L1B"])], name="Draft Open")
    upload(td, draft)
    event = play(make_player(), td=td, name="Done & Rated")
    html = home(client, td)
    text = cards(html)["My reports"]
    for words in (
        "1 report to finish.",
        "Draft Open Draft",
        "Ended Open no report yet",
    ):
        assert words in text
    address = f"http://127.0.0.1:8000/events/{event.event_id}/"
    assert f'<span class="receipt">{address}</span>' in html
    mail = re.search(r'href="(mailto:[^"]*)"', html)[1]
    assert mail == (
        "mailto:?subject=Done%20%26%20Rated%3A%20Results&amp;body="
        f"http%3A%2F%2F127.0.0.1%3A8000%2Fevents%2F{event.event_id}%2F"
    )


def test_results_of_another_td_are_not_offered():
    play(make_player(), td=make_td())
    assert list(my_chess(make_td()).results) == []


def test_clerk_sees_the_queue_with_counts(client):
    td = make_td()
    pair = [make_player(ratings={"OTBR": (1500, 30)}) for _ in range(2)]
    report = upload(td, event_report(td, [section_report(pair, ["W2W", "L1B"])]))
    submit_report(submission_id=report.pk, actor=td)
    text = cards(home(client, make_staff()))["Office"]
    assert text.startswith("1 report is waiting for review. 1 report")
    assert "Office" not in cards(home(client, td))


@pytest.mark.parametrize("children", [1, 5])
def test_page_takes_the_same_queries_for_any_number_of_members(client, children):
    parent, td = make_user(), make_td()
    for number in range(children):
        kid = make_player(
            given_name=f"Kid{number}", birth_date=BORN, state="IL",
            ratings={"OTBR": (1500.0 + number, 40), "OTBQ": (1400.0, 30)},
        )  # fmt: skip
        GuardianAccount.objects.create(player=kid, account=parent)
        play(kid, td=td, name=f"Open {number}")
    client.force_login(parent)
    client.get("/")
    with CaptureQueriesContext(connection) as queries:
        html = client.get("/").content.decode()
    assert len(cards(" ".join(html.split()))) == children
    assert len(queries) == 19


def test_siblings_who_met_have_each_their_own_norms():
    parent, td = make_user(), make_td()
    kids = [
        make_player(given_name=name, birth_date=BORN, ratings={"OTBR": (1500.0, 40)})
        for name in ("Ann", "Ben", "Cy", "Dee", "Eve")
    ]
    for kid in kids[:2]:
        GuardianAccount.objects.create(player=kid, account=parent)
    rows = [
        "W2W W3B W4W W5B H",
        "L1B D5W H D4W D3B",
        "D4W L1W D5B H D2W",
        "D3B H L1B D2B D5W",
        "H D2B D3W L1W D4B",
    ]
    section = section_report(kids, rows, time_control="G/90;d5")
    rated_event(td, event_report(td, [section], name="Norm Open"))
    ann, ben = my_chess(parent).members
    for card in (ann, ben):
        progress = member_titles(card.player).progress
        assert card.titles == [one for one in progress if one.norms and not one.day]
    assert ("3rd Category", 1) in [(one.title.name, one.norms) for one in ann.titles]
    assert ann.titles != ben.titles
