"""A form that arrives after its session has ended is restored for its owner."""

import re
from html import unescape

import pytest
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from events.models import ReportMessage as Message
from ratings_site.common.jobs.services import enqueue, run_due_jobs
from ratings_site.common.models import User
from ratings_site.common.sign_in.pending_form import (
    COOKIE,
    KEY,
    LIFETIME_SECONDS,
    current_page_url,
)
from ratings_site.common.sign_in.services import CLEAR_SESSIONS
from tests.common.sign_in.test_second_factor import code_of, set_up
from tests.events.reports.test_report_pages import text_of
from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    make_user,
    section_report,
    upload,
    verified,
)

pytestmark = pytest.mark.django_db

TYPED = "The clock of board 3 <broke> & “nobody” saw it."


@pytest.fixture
def browser() -> Client:
    """A client that sends CSRF tokens as browsers do."""
    return Client(enforce_csrf_checks=True)


def sign_in(browser: Client, name: str, next_: str = "/", **also: str):
    page = browser.get(f"/accounts/login/?next={next_}")
    said = {"login": name, "password": "secret", "next": next_, "remember": "on"}
    token = token_in(page)
    return browser.post("/accounts/login/", {**said, **also, **token}, follow=True)


def token_in(page) -> dict[str, str]:
    found = re.search(r'csrfmiddlewaretoken" value="(\w+)"', page.content.decode())
    return {"csrfmiddlewaretoken": found[1]}


def end_sessions(name: str) -> None:
    """End all sessions as a reset of factors does: the cookie stays but is invalid."""
    user = User.objects.get(username=name)
    user.sessions_ended += 1
    user.save()


def sign_out(browser: Client) -> None:
    """Sign out, as in another window."""
    page = browser.get("/accounts/logout/")
    browser.post("/accounts/logout/", token_in(page))


def field(page, name: str) -> str:
    """Return the value of a field of a page."""
    html = page.content.decode()
    area = re.search(
        rf'<textarea[^>]*name="{name}"[^>]*>\n?(.*?)</textarea>', html, re.S
    )
    if area:
        return unescape(area[1])
    tag = re.search(rf'<input[^>]*name="{name}"[^>]*>', html)[0]
    return unescape((re.search(r'value="([^"]*)"', tag) or ["", ""])[1])


@pytest.fixture
def report():
    td = make_td("tessa")
    players = [make_player(), make_player()]
    return upload(td, event_report(td, [section_report(players, ["W2W", "L1B"])]))


def write(browser: Client, report, **also):
    """Open the report, lose the session in some way, and send a message."""
    sign_in(browser, "tessa")
    page = browser.get(report.get_absolute_url())
    also.pop("then", sign_out)(browser)
    address = f"/desk/reports/{report.pk}/messages/"
    said = {"text": TYPED, "place": "", **token_in(page)}
    referer = f"http://testserver{report.get_absolute_url()}"
    return browser.post(address, said, headers={"referer": referer})


@pytest.mark.parametrize("way", [sign_out, lambda _browser: end_sessions("tessa")])
def test_message_is_in_its_form_again_and_was_not_sent(browser, report, way):
    answer = write(browser, report, then=way)
    asked = browser.get(answer["Location"])
    assert "bring back the form as you filled it in" in text_of(asked)
    page = sign_in(browser, "tessa", answer["Location"].split("next=")[1])
    assert "Your entries are still here" in text_of(page)
    assert field(page, "text") == TYPED
    assert not Message.objects.exists()
    said = {"text": field(page, "text"), "place": "", **token_in(page)}
    browser.post(f"/desk/reports/{report.pk}/messages/", said)
    assert [one.text for one in Message.objects.all()] == [TYPED]
    again = browser.get(page.request["PATH_INFO"])
    assert "Here it is again" not in text_of(again)


def test_another_account_on_the_same_browser_does_not_see_it(browser, report):
    make_td("other")
    answer = write(browser, report)
    page = sign_in(browser, "other", answer["Location"].split("next=")[1])
    assert TYPED not in unescape(page.content.decode())
    assert KEY not in browser.session
    sign_out(browser)
    page = sign_in(browser, "tessa", answer["Location"].split("next=")[1])
    assert TYPED not in unescape(page.content.decode())


def test_nothing_is_saved_without_a_signed_in_account(browser, report):
    sign_in(browser, "tessa")
    page = browser.get(report.get_absolute_url())
    sign_out(browser)
    del browser.cookies[COOKIE]
    address = f"/desk/reports/{report.pk}/messages/"
    answer = browser.post(address, {"text": TYPED, **token_in(page)})
    assert answer.status_code == 403
    assert "You were signed out and nothing was saved." in text_of(answer)
    assert TYPED in unescape(answer.content.decode())
    assert KEY not in browser.session


def test_a_forged_cookie_keeps_nothing(browser, report):
    sign_in(browser, "tessa")
    page = browser.get(report.get_absolute_url())
    sign_out(browser)
    browser.cookies[COOKIE] = "1:made:up"
    address = f"/desk/reports/{report.pk}/messages/"
    browser.post(address, {"text": TYPED, **token_in(page)})
    assert KEY not in browser.session


def test_it_is_gone_after_an_hour(browser, report, monkeypatch):
    answer = write(browser, report)
    session = browser.session
    assert session.get_expiry_age() == LIFETIME_SECONDS
    session[KEY] = {**session[KEY], "until": session[KEY]["until"] - LIFETIME_SECONDS}
    session.save()
    page = sign_in(browser, "tessa", answer["Location"].split("next=")[1])
    assert TYPED not in unescape(page.content.decode())
    # After sign-in the session has its usual lifetime.
    assert browser.session.get_expiry_age() > LIFETIME_SECONDS


def test_second_factor_comes_between(browser, settings):
    settings.REQUIRE_SECOND_FACTOR = True
    verified(make_staff("clerk"))
    once = Client()
    once.post("/accounts/login/", {"login": "clerk", "password": "secret"})
    secret = set_up(once)
    address = "/office/duplicates/pair/"
    step = sign_in(browser, "clerk", address)
    browser.post(
        "/accounts/2fa/authenticate/", {"code": code_of(secret), **token_in(step)}
    )
    page = browser.get("/office/foreign/events/new/")
    sign_out(browser)
    said = {"name": TYPED[:40], "federation": "FRA", **token_in(page)}
    answer = browser.post("/office/foreign/events/new/", said)
    assert KEY in browser.session
    step = sign_in(browser, "clerk", answer["Location"].split("next=")[1])
    assert TYPED[:40] not in unescape(step.content.decode())

    cache.clear()  # a code is valid once
    said = {"code": code_of(secret), **token_in(step)}
    page = browser.post("/accounts/2fa/authenticate/", said, follow=True)
    assert field(page, "name") == TYPED[:40]


def test_upload_says_that_its_file_has_to_be_chosen_again(browser):
    make_td("tessa")
    sign_in(browser, "tessa")
    page = browser.get("/desk/upload/")
    end_sessions("tessa")
    chosen = SimpleUploadedFile("winter.csv", b"x" * 300_000)
    said = {"files": chosen, "pasted": TYPED, **token_in(page)}
    answer = browser.post("/desk/upload/", said)
    page = sign_in(browser, "tessa", answer["Location"].split("next=")[1])
    assert "Choose these files again: winter.csv." in text_of(page)
    assert field(page, "pasted") == TYPED


def test_form_of_the_admin_comes_back_too(browser):
    make_user("boss", is_staff=True, is_superuser=True)
    player = make_player(given_name="Ada")
    address = f"/admin/players/player/{player.pk}/change/"
    sign_in(browser, "boss")
    page = browser.get(address)
    end_sessions("boss")
    said = {"given_name": "Adalbertine", "status": "active", **token_in(page)}
    answer = browser.post(address, said)
    page = sign_in(browser, "boss", answer["Location"].split("next=")[1])
    assert field(page, "given_name") == "Adalbertine"
    player.refresh_from_db()
    assert player.given_name == "Ada"


def test_what_its_page_cannot_take_again_stands_above_it(browser):
    """Selected rows are restored on the list, which has no reason field."""
    make_user("boss", is_staff=True, is_superuser=True)
    sign_in(browser, "boss")
    page = browser.get("/office/duplicates/")
    end_sessions("boss")
    said = {"act": "merge", "confirm": "1", "row": "1:2", "reason": TYPED}
    address = "/office/duplicates/several/"
    referer = f"http://testserver{address}"
    said |= token_in(page)
    answer = browser.post(address, said, headers={"referer": referer})
    page = sign_in(browser, "boss", answer["Location"].split("next=")[1])
    assert page.request["PATH_INFO"] == "/office/duplicates/"
    assert "Copy what you wrote from below" in text_of(page)
    assert TYPED in unescape(page.content.decode())


def test_part_of_a_page_gives_way_to_the_sign_in(browser, report):
    sign_in(browser, "tessa")
    page = browser.get(report.get_absolute_url())
    end_sessions("tessa")
    at = {
        "hx-request": "true",
        "hx-current-url": f"http://testserver{page.request['PATH_INFO']}",
    }
    part = f"/desk/reports/{report.pk}/sections/1/entries/1/"
    shown = browser.get(part, headers=at)
    assert shown["HX-Redirect"] == f"/accounts/login/?next={report.get_absolute_url()}"
    said = {"version": 1, "fide_id": "1503014", **token_in(page)}
    sent = browser.post(part, said, headers=at)
    assert sent["HX-Redirect"] == f"/accounts/login/?next={part}"
    page = sign_in(browser, "tessa", part)
    assert field(page, "fide_id") == "1503014"


def test_background_requests_are_not_saved(browser, report):
    sign_in(browser, "tessa")
    page = browser.get(report.get_absolute_url())
    end_sessions("tessa")
    address = f"/desk/reports/{report.pk}/messages/"
    by_script = {"sec-fetch-dest": "empty"}
    said = {"text": TYPED, **token_in(page)}
    assert browser.post(address, said, headers=by_script).status_code == 302
    assert KEY not in browser.session


def test_no_secret_is_saved(browser, report):
    sign_in(browser, "tessa")
    page = browser.get(report.get_absolute_url())
    end_sessions("tessa")
    said = {"text": "Hm.", "password": "hidden one", "api_token": "hidden two"}
    said["secret_birth_date"] = "1990-01-01"  # of the claim, which has none
    browser.post(f"/desk/reports/{report.pk}/messages/", {**said, **token_in(page)})
    assert browser.session[KEY]["fields"] == [["text", "Hm."]]


def test_ended_sessions_are_cleared_at_night(browser, report):
    write(browser, report)
    assert Session.objects.count() == 1
    Session.objects.update(expire_date=timezone.now())
    enqueue(CLEAR_SESSIONS, key="a night")
    run_due_jobs()
    assert not Session.objects.exists()


@pytest.mark.parametrize(
    ("referer", "page"),
    [
        ("http://testserver/desk/?q=1#here", "/desk/?q=1"),
        ("http://testserver//elsewhere.example/x", "/elsewhere.example/x"),
        ("http://elsewhere.example/x", "/sent/?b=2"),
        ("", "/sent/?b=2"),
    ],
)
def test_only_a_page_of_ours_is_come_back_to(rf, referer, page):
    assert current_page_url(rf.post("/sent/?b=2", headers={"referer": referer})) == page
