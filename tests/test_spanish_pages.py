"""The main pages in Spanish have no English text."""

import re
from collections.abc import Iterator

import pytest
from django.test import Client

from ratings_site.common.models import User
from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    rated_section,
    section_report,
    upload,
)
from tests.page_texts import Texts
from tests.tools.messages import spanish

pytestmark = pytest.mark.django_db

PUBLIC = (
    *("/", "/players/?q=Adams", "/players/?q=nobody", "/events/", "/calendar/"),
    *("/rankings/", "/rankings/OTBR/", "/rankings/OTBR/gains/", "/lists/"),
    *("/distribution/", "/classes/", "/rerates/", "/matches/", "/open-data/"),
    *("/estimate/", "/estimate/target/", "/estimate/section/"),
    *("/search/", "/search/?q=nobody", "/help/", "/help/why-a-rating-changed/"),
    *("/search/?q=12000001,99999999", "/compare/?first=x&second=y"),
    *("/estimate/?control=quickly&day=2024-05-04", "/laboratory/"),
    *("/laboratory/systems/glicko2/", "/accounts/login/", "/accounts/password/reset/"),
)
DESK = (
    *("/desk/", "/desk/upload/", "/desk/type-in/", "/desk/corrections/"),
    *("/desk/registered/", "/calendar/register/", "/account/notices/"),
    *(
        "/account/webhooks/",
        "/account/keys/",
        "/account/programs/",
        "/device/",
        "/accounts/email/",
    ),
    *("/accounts/password/change/", "/accounts/2fa/", "/accounts/logout/"),
)
OFFICE = (
    *("/office/", "/office/corrections/", "/office/rerates/", "/office/lists/"),
    *("/office/floor-requests/", "/office/life-masters/", "/office/adjustments/"),
    *("/office/foreign/", "/office/foreign/events/", "/office/foreign/preview/"),
    *("/office/messages/", "/office/lateness/", "/office/expected/"),
    "/laboratory/experiments/",
)
# Words of nearly every English sentence, and of no Spanish one.
ENGLISH = re.compile(
    r"\b(?:the|of|is|are|was|has|have|not|and|or|with|from|this|that|which|for|will|"
    r"been|its|their|who|what|when|if|to|in)\b"
)
# What others wrote keeps its title.
TITLES = re.compile(r"Example of the Glicko-2 system")
PUT_IN = re.compile(r"%\(\w+\)[sd]|\{[^}]*\}|<[^>]*>|%%")
READ = {200, 422}  # what was typed may be wrong, and the page says so


def ours() -> set[str]:
    """English of ours of two or more words whose Spanish is different."""
    return {
        said
        for message in spanish()
        if isinstance(message.id, str) and message.string != message.id
        if " " in (said := " ".join(message.id.split())) and not PUT_IN.search(said)
    }


def is_english(text: str, sentences: set[str]) -> bool:
    text = TITLES.sub("", text)
    if text in sentences or len(set(ENGLISH.findall(text))) > 1:
        return True
    parts = re.split(r"(?<=[.:;?!])\s+", text)
    return len(parts) > 1 and any(part in sentences for part in parts)


def spanish_client(user: User | None = None) -> Client:
    client = Client(headers={"accept-language": "es"})
    if user is not None:
        client.force_login(user)
    return client


def report_with_findings(td: User) -> int:
    """Send a report in which much is wrong, so that it has findings of many kinds."""
    ada, bob, eve = (make_player() for _ in range(3))
    eve.status = "deceased"
    eve.save()
    sections = [
        section_report([ada, bob], ["W2W", "W1W"], time_control="G/1;d0"),
        section_report([ada, eve], ["W2W N2W", "U0"], number=2, time_control="quickly"),
        section_report([ada, bob], ["D2W", "D1B"], number=4, kind_letter="M"),
    ]
    return upload(td, event_report(td, sections)).pk


def addresses() -> Iterator[tuple[str, User | None]]:
    """Yield the addresses of the main pages, each with its reader."""
    td, staff = make_td(), make_staff()
    section = rated_section(players=4)
    member = section.entries.first().player
    event = section.event
    for url in PUBLIC:
        yield url, None
    for tail in ("", "floors/", "titles/"):
        yield f"/players/{member.member_id}/{tail}", None
    yield f"/events/{event.event_id}/", None
    yield f"/events/{event.event_id}/{section.number}/", None
    for url in DESK:
        yield url, td
    faulty = report_with_findings(td)
    for tail in ("", "preview/", "messages/", "event/", "sections/new/"):
        yield f"/desk/reports/{faulty}/{tail}", td
    yield f"/desk/reports/{faulty}/", staff
    for url in OFFICE:
        yield url, staff


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ("<p>El informe of the month</p>", ["El informe of the month"]),
        ("<p lang='en'>Rule of the <b>day</b> is.</p><p>No</p>", []),
        ("<p>Ada: No ratings.</p>", ["Ada: No ratings."]),
        ("<input title='No ratings.'>", ["No ratings."]),
        ("<p>Sin ratings: May Open, G/60;d5.</p><code>if a in b</code>", []),
    ],
)
def test_english_in_running_text_is_found(page, found):
    texts = Texts(page).found
    assert [text for text in texts if is_english(text, {"No ratings."})] == found


def test_no_english_of_ours_is_left_on_the_main_pages():
    sentences = ours()
    clients: dict[User | None, Client] = {}
    found: dict[str, list[str]] = {}
    unread = []
    for url, reader in addresses():
        client = clients.setdefault(reader, spanish_client(reader))
        response = client.get(url, follow=True)
        if response.status_code not in READ or '<html lang="es"' not in response.text:
            unread.append((url, response.status_code))
            continue
        texts = Texts(response.text).found
        if english := [text for text in texts if is_english(text, sentences)]:
            found[url] = english
    assert (unread, found) == ([], {})
