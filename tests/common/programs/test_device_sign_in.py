"""A pairing program signs in with a code that the TD confirms in the browser."""

import json
import re
from datetime import timedelta

import pytest
import time_machine
from allauth.idp.oidc.internal.oauthlib import device_codes
from allauth.idp.oidc.models import Client as ClientProgram
from allauth.idp.oidc.models import Token
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from events.formats.json.writer import report_document
from events.models import Submission
from ratings_site.common.jobs.services import enqueue, run_due_jobs
from ratings_site.common.models import AuditEntry, ProgramAccess
from ratings_site.common.programs.services import CLEAR_TOKENS
from tests.common.programs.factories import make_program
from tests.common.programs.site import DEVICE_GRANT, Program
from tests.factories import (
    event_report,
    make_player,
    make_td,
    open_rating,
    section_report,
    swiss_rows,
    verified,
)

pytestmark = pytest.mark.django_db(transaction=True)

ALL = "report:draft report:submit members:read"
PAGE, LIST = "/device/", "/account/programs/"


@pytest.fixture(autouse=True)
def _fresh_limits():
    cache.clear()


@pytest.fixture
def td():
    return verified(make_td("td"))


@pytest.fixture
def browser(td):
    client = Client()
    client.force_login(td)
    return client


@pytest.fixture
def program(live_server, td):
    make_program()
    return Program(live_server.url, "pairings")


def decide(browser, program, decision: str = "allow"):
    code = program.device["user_code"]
    shown = browser.get(PAGE, {"code": code.replace("-", " ").lower()})
    assert f"<strong>{code}</strong>" in shown.content.decode()
    return browser.post(PAGE, {"code": code, "decision": decision})


def later(program, seconds: int = 6):
    return time_machine.travel(timezone.now() + timedelta(seconds=seconds))


def signed_in(browser, program, scope: str = ALL) -> dict:
    program.start(scope)
    decide(browser, program)
    said = program.poll()
    assert program.status == 200, said
    return said


def report_of(td) -> bytes:
    players = [make_player() for _ in range(4)]
    report = event_report(td, [section_report(players, swiss_rows(4, 3))])
    return json.dumps(report_document(report)).encode()


def send(program, said, path: str = "", body: bytes = b"") -> dict:
    office = program.discovery["issuer"]
    url = f"{office}/api/v1/reports{path}"
    return program.ask(url, token=said["access_token"], body=body or b"{}")


def test_program_waits_for_the_td_and_sends_a_report(td, browser, program, mailoutbox):
    office = program.discovery["issuer"]
    shown = program.start(ALL)
    assert shown["verification_uri"] == f"{office}{PAGE}"
    assert re.fullmatch("[A-Z]{4}-[A-Z]{4}", shown["user_code"])
    assert program.poll()["error"] == "authorization_pending"
    assert program.poll()["error"] == "slow_down"
    page = decide(browser, program).content.decode()
    assert "Pairings Plus is connected" in page
    with later(program):
        said = program.poll()
    assert (said["token_type"], set(said["scope"].split())) == (
        "Bearer",
        {*ALL.split()},
    )
    assert said["expires_in"] == 3600
    assert program.headers["Cache-Control"] == "no-store"

    sent = send(program, said, body=report_of(td))
    assert (program.status, sent["state"]) == (201, "open"), sent
    assert Submission.objects.get().uploaded_by == td
    done = send(program, said, f"/{sent['id']}/submit")
    assert (program.status, done["state"]) == (200, "submitted"), done

    run_due_jobs()
    [letter] = [one for one in mailoutbox if "Pairings Plus" in one.body]
    assert letter.to == [td.email]
    entry = AuditEntry.objects.get(action="account.program_allowed")
    assert (entry.actor, entry.facts["program"]) == (td, "Pairings Plus")
    assert "A program or site got access" in browser.get("/account/").content.decode()


def test_code_is_redeemed_once_and_confirmed_once(browser, program):
    signed_in(browser, program)
    assert program.poll()["error"] == "invalid_grant"
    again = browser.post(
        PAGE, {"code": program.device["user_code"], "decision": "allow"}
    )
    assert (again.status_code, ProgramAccess.objects.count()) == (422, 1)


@pytest.mark.parametrize(
    ("decision", "other", "shown"),
    [
        ("allow", "refuse", "Pairings Plus is connected"),
        ("refuse", "allow", "Pairings Plus is not connected"),
    ],
)
def test_form_that_is_sent_twice_shows_what_was_decided(
    browser, program, decision, other, shown, monkeypatch
):
    program.start(ALL)
    decide(browser, program, decision)
    code = program.device["user_code"]
    answers = [browser.post(PAGE, {"code": code, "decision": decision})]
    # Both forms are checked before the first is carried out.
    opened = (
        cache.get(device_codes.cache_user_code_key(code)),
        ClientProgram.objects.get(),
    )
    monkeypatch.setattr(device_codes, "validate_user_code", lambda _code: opened)
    answers += [
        browser.post(PAGE, {"code": code, "decision": sent})
        for sent in (decision, other)
    ]
    for again in answers:
        assert (again.status_code, shown in again.content.decode()) == (200, True)
    assert ProgramAccess.objects.count() == (decision == "allow")


def test_what_another_account_decided_is_not_shown(browser, program):
    program.start(ALL)
    decide(browser, program)
    other = Client()
    other.force_login(verified(make_td("other")))
    again = other.post(PAGE, {"code": program.device["user_code"], "decision": "allow"})
    assert (again.status_code, ProgramAccess.objects.count()) == (422, 1)


@pytest.mark.parametrize("resource", ["abc", "", "https://e.org/#f", "https://e.org//"])
@pytest.mark.parametrize(
    ("endpoint", "sent"),
    [
        ("device_authorization_endpoint", {"scope": ALL}),
        ("token_endpoint", {"grant_type": "refresh_token", "refresh_token": "x"}),
        ("token_endpoint", {"grant_type": DEVICE_GRANT, "device_code": "x"}),
    ],
)
def test_resource_that_is_no_address_is_named(program, resource, endpoint, sent):
    sent |= {"client_id": program.client_id, "resource": resource}
    said = program.ask(program.discovery[endpoint], sent)
    assert (program.status, said["error"]) == (400, "invalid_target")
    assert "esource" in said["error_description"]


def test_refused_program_gets_nothing(browser, program):
    program.start(ALL)
    assert "is not connected" in decide(browser, program, "refuse").content.decode()
    assert program.poll()["error"] == "access_denied"
    assert not ProgramAccess.objects.exists()


def test_code_expires(browser, program):
    device = program.start(ALL)
    with later(program, device["expires_in"] + 1):
        assert program.poll()["error"] == "invalid_grant"
        page = browser.get(PAGE, {"code": device["user_code"]})
    assert page.status_code == 422
    assert "This code isn’t valid, or it has expired" in page.content.decode()


def test_other_site_cannot_confirm_for_the_td(td, program):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(td)
    program.start(ALL)
    code = program.device["user_code"]
    strict.get(PAGE, {"code": code, "decision": "allow"})
    refused = strict.post(PAGE, {"code": code, "decision": "allow"})
    assert refused.status_code == 403
    assert program.poll()["error"] == "authorization_pending"


def test_page_asks_for_a_sign_in_first(client, program):
    code = program.start(ALL)["user_code"]
    to = client.get(PAGE, {"code": code})["Location"]
    assert to == f"/accounts/login/?next=/device/%3Fcode%3D{code}"


def test_clerk_needs_a_second_factor_to_confirm_and_to_use(
    td, browser, program, settings
):
    said = signed_in(browser, program)
    td.is_staff = True
    td.save()
    settings.REQUIRE_SECOND_FACTOR = True
    assert browser.get(PAGE)["Location"] == "/accounts/2fa/"
    send(program, said, "/1/submit")
    assert program.status == 401


@pytest.mark.parametrize(
    ("client_id", "scope", "error"),
    [
        ("pairings", "", "invalid_scope"),
        ("pairings", "report:accept", "invalid_scope"),
        ("pairings", "openid", "invalid_scope"),
        ("nobody", ALL, "invalid_request"),
        ("pair\x00ings", ALL, "invalid_request"),
    ],
)
def test_wrong_request_names_its_error(program, client_id, scope, error):
    program.client_id = client_id
    assert program.start(scope)["error"] == error
    assert 400 <= program.status < 500


def test_program_gets_no_more_than_it_is_registered_for(live_server, td):
    make_program(["report:draft"])
    program = Program(live_server.url, "pairings")
    assert program.start("report:draft report:submit")["error"] == "invalid_scope"


@pytest.mark.parametrize(
    ("scope", "missing"),
    [("report:draft", "report:submit"), ("members:read", "report:draft")],
)
def test_missing_scope_is_named(td, browser, program, scope, missing):
    said = signed_in(browser, program, scope)
    if missing == "report:submit":
        sent = send(program, said, body=report_of(td))
        assert program.status == 201, sent
        refused = send(program, said, f"/{sent['id']}/submit")
        assert Submission.objects.get().state == "open"
    else:
        refused = send(program, said, body=report_of(td))
        assert not Submission.objects.exists()
    assert program.status == 403
    assert (refused["title"], refused["scope"]) == (
        "The access token lacks a scope.",
        missing,
    )
    assert missing in refused["detail"]
    challenge = f'Bearer error="insufficient_scope", scope="{missing}"'
    assert program.headers["WWW-Authenticate"] == challenge
    assert program.headers["Content-Type"] == "application/problem+json"


def test_reading_takes_a_scope_and_shows_what_everyone_sees(td, browser, program):
    open_rating(td.player, "OTBR", 1650.4, 40)
    number = td.player.member_id
    url = f"{program.discovery['issuer']}/api/v1/members/{number}/ratings"
    said = signed_in(browser, program, "report:submit")
    refused = program.ask(url, token=said["access_token"])
    assert (program.status, refused["scope"]) == (403, "members:read")
    said = signed_in(browser, program, "members:read")
    read = program.ask(url, token=said["access_token"])
    assert (program.status, program.headers["Cache-Control"][:7]) == (200, "private")
    assert (
        int(program.headers["RateLimit-Policy"].split("q=")[1].split(";")[0]) == 50_000
    )
    assert read == program.ask(url)


def test_token_expires_and_is_refreshed(browser, program):
    said = signed_in(browser, program)
    with time_machine.travel(timezone.now() + timedelta(seconds=3601)):
        send(program, said, "/1/submit")
        assert program.status == 401
        fresh = program.refresh(said)
        assert program.status == 200, fresh
        send(program, fresh, "/1/submit")
        assert program.status == 404  # there is no such report
        assert program.refresh(said)["error"] == "invalid_grant"


def test_unused_access_ends_after_half_a_year(browser, program):
    said = signed_in(browser, program)
    with time_machine.travel(timezone.now() + timedelta(days=181)):
        assert program.refresh(said)["error"] == "invalid_grant"
        enqueue(CLEAR_TOKENS, key="tonight")
        run_due_jobs()
    assert not Token.objects.exists()


def test_td_revokes_at_once(td, browser, program):
    said = signed_in(browser, program)
    page = browser.get(LIST).content.decode()
    assert "Pairings Plus" in page
    assert "Submit your rating reports to the office" in page
    access = ProgramAccess.objects.get()
    stranger = Client()
    stranger.force_login(make_td("other"))
    assert stranger.post(f"{LIST}{access.pk}/revoke/").status_code == 404
    assert browser.post(f"{LIST}{access.pk}/revoke/").url == LIST
    send(program, said, "/1/submit")
    assert program.status == 401
    assert program.refresh(said)["error"] == "invalid_grant"
    assert (
        "Pairings Plus"
        not in browser.get("/account/programs/").content.decode().split("role=")[-1]
    )
    assert AuditEntry.objects.get(action="account.program_revoked").actor == td


def test_new_password_revokes_all_access(td, browser, program):
    said = signed_in(browser, program)
    browser.post(
        "/accounts/password/change/",
        {
            "oldpassword": "secret",
            "password1": "Rook-to-e8!",
            "password2": "Rook-to-e8!",
        },
    )
    td.refresh_from_db()
    assert td.check_password("Rook-to-e8!")
    send(program, said, "/1/submit")
    assert program.status == 401


def test_program_that_signs_out_leaves_the_list(browser, program):
    said = signed_in(browser, program)
    program.revoke(said["access_token"])
    assert ProgramAccess.objects.get().revoked_at is None
    program.revoke(said["refresh_token"])
    assert ProgramAccess.objects.get().revoked_at is not None


def test_inactive_account_and_turned_off_scope_open_nothing(td, browser, program):
    said = signed_in(browser, program)
    client = ProgramAccess.objects.get().client
    client.set_scopes(["members:read"])
    client.save()
    assert send(program, said, "/1/submit")["scope"] == "report:draft"
    td.is_active = False
    td.save()
    send(program, said, "/1/submit")
    assert program.status == 401
    assert program.refresh(said)["error"] == "invalid_grant"


def test_guesses_of_codes_are_limited(browser, program):
    program.start(ALL)
    pages = [browser.get(PAGE, {"code": f"BBBB-BBB{n}"}) for n in "CDFGHJKLMNP"]
    assert {page.status_code for page in pages} == {422}
    page = browser.get(PAGE, {"code": program.device["user_code"]})
    assert page.status_code == 422


def test_new_codes_are_limited_by_address(program):
    for _ in range(10):
        assert "user_code" in program.start(ALL)
    program.start(ALL)
    assert (program.status, program.headers["Retry-After"]) == (429, "60")


@pytest.mark.parametrize("programs", [1, 6])
def test_list_takes_the_same_queries_for_any_number(
    td, browser, django_assert_num_queries, programs
):
    from allauth.idp.oidc.models import Client as Registered

    for n in range(programs):
        client = Registered.objects.create(id=f"p{n}", name=f"Program {n}")
        ProgramAccess.objects.create(owner=td, client=client, scopes="report:draft")
    browser.get(LIST)
    with django_assert_num_queries(QUERIES):
        page = browser.get(LIST)
    assert page.content.count(b"Program ") >= programs


QUERIES = 9
