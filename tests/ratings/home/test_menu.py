"""The menus, the clicks to every tool, help, and error pages."""

import re

import pytest
from django.contrib.staticfiles import finders
from django.core.cache import cache
from django.urls import reverse

from events.models import Submission
from ratings.home.context_processors import MAIN
from ratings.home.views.help import TOPICS
from ratings_site.common.models import User
from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    make_user,
    rated_section,
    section_report,
    upload,
)

pytestmark = pytest.mark.django_db

TOOLS = [reverse(page.name) for entry in MAIN for page in (entry.pages or (entry,))]


def make_member() -> User:
    account = make_user()
    make_player(account=account)
    return account


def uploaded(td: User, name: str = "Spring Open") -> Submission:
    pair = [make_player(ratings={"OTBR": (1500, 30)}) for _ in range(2)]
    sections = [section_report(pair, ["W2W", "L1B"])]
    return upload(td, event_report(td, sections, name=name))


def menu_of(client, address: str = "/help/") -> str:
    html = client.get(address).content.decode()
    return re.search(r"<header.*?</header>", html, re.DOTALL)[0]


def entries(html: str, label: str) -> list[str]:
    """The labels at the first level of a menu, each with its count."""
    nav = re.search(rf'<nav aria-label="{label}".*?</nav>', html, re.DOTALL)[0]
    flat = re.sub(r"</summary>.*?</details>", "</summary>", nav, flags=re.DOTALL)
    found = re.findall(r"<(?:a|summary)[^>]*>(.*?)</(?:a|summary)>", flat, re.DOTALL)
    return [" ".join(re.sub(r"<.*?>", " ", one).split()) for one in found]


MAIN_ENTRIES = ["Players", "Events", "Ratings", "Tools", "Help"]


def test_visitor_sees_five_entries_and_sign_in(client):
    html = menu_of(client)
    assert entries(html, "Main") == MAIN_ENTRIES
    assert entries(html, "Account") == ["Sign in"]


@pytest.mark.parametrize(
    ("make", "own"),
    [
        (make_member, ["My Chess"]),
        (make_td, ["My Chess", "My reports"]),
        (make_staff, ["My Chess", "Office"]),
        (
            lambda: User.objects.create_superuser("root", "root@example.org", "root"),
            ["My Chess", "Office"],
        ),
    ],
    ids=["member", "td", "staff", "superuser"],
)
def test_each_account_sees_what_is_its_own(client, make, own):
    client.force_login(make())
    html = menu_of(client)
    assert entries(html, "Main") == MAIN_ENTRIES
    assert entries(html, "Account") == [*own, "Notices", "Account"]


def test_numbers_count_reports_to_finish_and_reports_waiting(client):
    td, staff = make_td(), make_staff()
    for state in ("open", "returned", "submitted"):
        report = uploaded(td, name=f"Open {state}")
        Submission.objects.filter(pk=report.pk).update(
            state=state,
            submitted_at=report.received_at,
            decided_by=staff if state == "returned" else None,
        )
    client.force_login(td)
    assert "My reports 2 to finish" in entries(menu_of(client), "Account")
    client.force_login(staff)
    assert "Office 1 waiting" in entries(menu_of(client), "Account")


@pytest.mark.parametrize("reports", [1, 8])
def test_menu_takes_the_same_queries_for_any_number_of_reports(
    client, django_assert_num_queries, reports
):
    td = make_td()
    for number in range(reports):
        uploaded(td, name=f"Open {number}")
    client.force_login(td)
    client.get("/help/")
    # Session, account, and one query for player, TD and reports; three of permissions.
    with django_assert_num_queries(3):
        html = menu_of(client)
    assert f"My reports {reports} to finish" in entries(html, "Account")


def test_current_page_is_marked_with_its_menu(client):
    html = menu_of(client, "/matches/")
    assert '<summary aria-current="true">Tools</summary>' in html
    assert '<a href="/matches/" aria-current="page">Match calculator</a>' in html
    assert '<a href="/events/" aria-current="page">' in menu_of(client, "/events/")


def test_office_has_one_row_of_its_own(client):
    client.force_login(make_staff())
    html = menu_of(client, "/office/corrections/")
    assert entries(html, "Office")[:3] == ["Daily work", "To do", "Messages"]
    assert '<a href="/office/corrections/" aria-current="page">' in html
    assert 'aria-label="Office"' not in menu_of(client, "/events/")


@pytest.mark.parametrize("address", TOOLS)
def test_every_tool_is_two_clicks_from_the_first_page(client, address):
    # Open the menu, choose the page.
    assert f'href="{address}"' in menu_of(client, "/")
    assert client.get(address).status_code == 200


def test_parent_reads_why_in_two_clicks(client):
    """Type the child's name and press Enter; choose Why: the answer."""
    section = rated_section()
    child = section.entries.first().player
    home = client.get("/").content.decode()
    assert '<form class="find large" role="search" action="/search/"' in home
    opened = client.get("/search/", {"q": child.name})
    assert opened["Location"] == child.get_absolute_url()
    profile = client.get(opened["Location"]).content.decode()
    why = re.search(r'href="(/events/[^"]*/why/[^"]*)"', profile)[1]
    assert "Why this rating" in client.get(why).content.decode()


def test_first_page_has_one_search_box_and_other_pages_one_in_the_header(client):
    assert client.get("/").content.count(b'role="search"') == 1
    assert client.get("/help/").content.count(b'role="search"') == 1


def test_first_page_shows_an_account_its_members_and_work(client):
    td = make_td()
    uploaded(td, name="Spring Open")
    client.force_login(td)
    html = client.get("/").content.decode()
    assert "<h1>My Chess</h1>" in html
    assert f'<a href="{td.player.get_absolute_url()}">{td.player.name}</a>' in html
    assert "1 report to finish." in html


# Help


def test_help_lists_tasks_by_reader(client):
    html = client.get("/help/").content.decode()
    labels = re.findall(r'<li class="card">\s*<h2>(.*?)</h2>', html)
    assert labels == ["Members", "Parents", "TDs", "Clerks", "Committee"]
    assert re.findall(r'<li><a href="/help/([^"]+)/"', html) == list(TOPICS)


@pytest.mark.parametrize("slug", TOPICS)
def test_task_page_has_steps_a_picture_and_links_that_lead_somewhere(client, slug):
    topic = TOPICS[slug]
    html = client.get(f"/help/{slug}/").content.decode()
    main = html.split("<main", 1)[1].split("</main>")[0]
    assert f"<h1>{topic.title}</h1>" in main
    assert main.count("<li>") >= 3 or slug == "glossary"
    assert (f"office/help/{slug}" in main) == topic.has_picture
    if topic.has_picture:
        assert finders.find(f"office/help/{slug}.png")
    client.force_login(make_staff())
    for address in re.findall(r'<a (?:class="button" )?href="(/[^"#]+)', main):
        assert client.get(address).status_code in (200, 302, 403), address


def test_help_page_is_one_of_the_list(client):
    for slug in ("page", "index", "nothing", "base"):
        assert client.get(f"/help/{slug}/").status_code == 404


def test_help_says_how_to_reach_the_office(client, settings):
    settings.OFFICE_CONTACT = "ratings@example.org\n+1 555 0100"
    cache.clear()
    html = client.get("/help/").content.decode()
    assert "mailto:ratings@example.org" in html
    assert "+1 555 0100" in html


# Errors


def test_refusal_says_whose_page_it_is_and_where_to_go(client):
    client.force_login(make_member())
    for address, sentence in (
        ("/office/", "This page is for clerks of the ratings office."),
        ("/desk/", "Only tournament directors and clerks of the ratings office can"),
    ):
        response = client.get(address)
        html = response.content.decode()
        assert response.status_code == 403
        assert sentence in html
        assert "You are signed in as" in html
        for way in ("/", "/search/", "/help/"):
            assert f'<a href="{way}">' in html


def test_report_of_another_td_says_who_may_open_it(client):
    report = uploaded(make_td())
    client.force_login(make_td())
    response = client.get(report.get_absolute_url())
    html = response.content.decode()
    assert response.status_code == 404
    assert "Only its TD and clerks of the ratings office can open a report." in html
    assert 'role="search"' in html


def test_unknown_address_tells_nothing_of_the_program(client):
    make_player()
    html = client.get("/nowhere/").content.decode()
    assert "Page not found" in html
    assert "urlpatterns" not in html
    assert "tried" not in html
