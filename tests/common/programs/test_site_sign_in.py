"""Another site's members sign in with their account here (OpenID Connect)."""

from datetime import date, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from players.guardians.services import revoke_guardian_access, set_consent
from players.models import GuardianAccount, Player
from ratings.models import OfficialList, OfficialRating, RatingChange
from ratings_site.common.models import AuditEntry, ProgramAccess, SigningKey
from ratings_site.common.ui.formatting import ApproximateRating
from tests.common.programs.factories import CALLBACK, make_site
from tests.common.programs.site import Site
from tests.factories import make_player, make_td, make_user

pytestmark = pytest.mark.django_db(transaction=True)

ALL = "openid name member_id ratings membership td_level"
BORN = timezone.localdate().replace(day=1) - timedelta(days=3650)
AUTHORIZE = "/identity/o/authorize"


@pytest.fixture(autouse=True)
def _fresh_limits():
    cache.clear()


@pytest.fixture
def site(live_server, db):
    make_site()
    return Site(live_server.url, "entries", redirect_uri=CALLBACK)


def browser_of(account) -> Client:
    browser = Client()
    browser.force_login(account)
    return browser


def ask(browser, site, scope: str = ALL, **changed):
    """Follow the site's link in the browser."""
    url = urlsplit(site.sign_in_url(scope, **changed))
    return browser.get(f"{url.path}?{url.query}", headers={"Host": url.netloc})


def consent(browser, site, scope: str = ALL, *, action: str = "grant", **said) -> str:
    """Agree on the page; return where the browser is sent."""
    page = ask(browser, site, scope)
    assert page.status_code == 200, page
    form = page.context["form"]
    data = {"request": form.initial["request"], "action": action}
    if "scopes" in form.fields:
        data["scopes"] = form.fields["scopes"].initial
    if "member" in form.fields:
        data["member"] = form.fields["member"].initial
    answer = browser.post(AUTHORIZE, data | said)
    assert answer.status_code == 302, answer.context["form"].errors
    return answer["Location"]


def sign_in(account, site, scope: str = ALL, **said) -> dict:
    tokens = site.redeem(consent(browser_of(account), site, scope, **said))
    assert site.status == 200, tokens
    return tokens


def error_in(location: str) -> str:
    return parse_qs(urlsplit(location).query)["error"][0]


def listed(player, rating: float, system: str = "OTBR") -> None:
    change = RatingChange.objects.filter(player=player).first()
    published, _ = OfficialList.objects.get_or_create(
        month=date(2024, 6, 1),
        defaults={
            "cut_off": timezone.now(),
            "digest": "0" * 64,
            "members": 1,
            "summary": {"totals": {}},
            "prepared_at": timezone.now(),
            "published_at": timezone.now(),
            "reason": "monthly",
        },
    )
    OfficialRating.objects.create(
        list=published, player=player, system=system, rating=rating, games=40,
        is_provisional=False, floor=100, place=1, above=0,
        change=change, latest=change.calculation,
    )  # fmt: skip


@pytest.fixture
def kid():
    return make_player(given_name="Kim", birth_date=BORN, ratings={"OTBR": (812.3, 40)})


@pytest.fixture
def parent(kid):
    account = make_user("parent")
    GuardianAccount.objects.create(player=kid, account=account)
    return account


def test_site_learns_what_the_member_agreed_to_and_no_birth_date(site):
    td = make_td("td", "12000077")
    player = td.player
    player.birth_date = date(1971, 3, 29)
    player.save()
    tokens = sign_in(td, site)
    assert tokens["token_type"] == "Bearer"
    claims = site.verified(tokens["id_token"])
    told = {
        "sub": str(ProgramAccess.objects.get().subject),
        "name": "Tessa Director",
        "given_name": "Tessa",
        "family_name": "Director",
        "member_id": "12000077",
        "official_ratings": None,
        "membership": {"ends": None, "is_current": True, "is_life": True},
        "td_level": "senior",
    }
    assert {name: claims[name] for name in told} == told
    assert set(claims) - set(told) == {
        *("iss", "aud", "iat", "exp", "jti", "nonce", "at_hash"),
    }
    assert site.userinfo(tokens) == told
    assert site.headers["Cache-Control"] == "no-store"
    for written in (b"1971", b"03-29", b"birth"):
        assert written not in site.received, written


def test_official_ratings_are_those_of_the_list(site):
    account = make_user("member")
    player = make_player(account=account, ratings={"OTBR": (1500.4, 40)})
    listed(player, 1502)
    claims = site.verified(sign_in(account, site, "openid ratings")["id_token"])
    assert claims["official_ratings"] == {
        "month": "2024-06",
        "ratings": {"OTBR": 1502},
    }
    assert "name" not in claims
    assert "member_id" not in claims


def test_age_based_start_is_no_claim(monkeypatch):
    """The published number would be to the nearest 50; even that is left out."""
    from ratings.lists import hooks

    account = make_user("member")
    player = make_player(account=account, ratings={"OTBR": (500, 4)})
    listed(player, 500)
    line = hooks.list_history(player, limit=1)[0]
    about = ApproximateRating(line.values["OTBR"].rating)
    object.__setattr__(line.values["OTBR"], "rating", about)
    monkeypatch.setattr(hooks, "list_history", lambda *_, **__: [line])
    assert hooks.rating_claims(player.member_id)["official_ratings"]["ratings"] == {}


def test_member_agrees_to_a_part(site):
    account = make_user("member")
    make_player(account=account)
    tokens = sign_in(account, site, scopes=["member_id"])
    claims = site.verified(tokens["id_token"])
    assert "member_id" in claims
    assert {"name", "official_ratings", "membership"}.isdisjoint(claims)
    assert set(tokens["scope"].split()) == {"openid", "member_id"}


def test_two_sites_know_a_member_by_different_names(site, live_server):
    make_site(id="second", name="Second")
    second = Site(live_server.url, "second", redirect_uri=CALLBACK)
    account = make_user("member")
    make_player(account=account)
    names = [
        one.verified(sign_in(account, one, "openid")["id_token"])["sub"]
        for one in (site, second, site)
    ]
    assert names[0] == names[2] != names[1]


def test_cancel_and_faults_go_back_to_the_site(site):
    account = make_user("member")
    make_player(account=account)
    browser = browser_of(account)
    refused = consent(browser, site, action="cancel")
    assert error_in(refused) == "access_denied"
    faults = {
        "invalid_request": {"code_challenge": None, "code_challenge_method": None},
        "consent_required": {"prompt": "none"},
    }
    for error, changed in faults.items():
        assert error_in(ask(Client(), site, **changed)["Location"]) == error
    plain = ask(browser, site, code_challenge_method="plain")
    assert error_in(plain["Location"]) == "invalid_request"
    assert error_in(ask(browser, site, "openid email")["Location"]) == "invalid_scope"
    assert not ProgramAccess.objects.exists()


@pytest.mark.parametrize(
    "changed",
    [
        {"redirect_uri": "https://evil.example.org/callback"},
        {"redirect_uri": f"{CALLBACK}?more=1"},
        {"redirect_uri": CALLBACK.replace("//", "//a@")},
        {"client_id": "nobody"},
        {"client_id": "ent\x00ries"},
        {"client_id": None},
        {"redirect_uri": None},
    ],
)
def test_unknown_address_or_site_is_never_redirected_to(site, changed):
    for browser in (Client(), browser_of(make_user())):
        page = ask(browser, site, **changed)
        assert page.status_code == 400
        assert "Sign-in not possible" in page.content.decode()


def test_program_on_the_own_machine_chooses_its_port(live_server, db):
    make_site(redirect_uris="http://127.0.0.1/back")
    at = "http://127.0.0.1:53211/back"
    program = Site(live_server.url, "entries", redirect_uri=at)
    account = make_user("member")
    make_player(account=account)
    page = ask(browser_of(account), program)
    assert "form-action 'self' http://127.0.0.1:53211;" in _policy(page)
    assert sign_in(account, program)["access_token"]
    for bad in ("http://127.0.0.1:1;script-src *:2/back", "http://a@127.0.0.1:1/back"):
        assert ask(browser_of(account), program, redirect_uri=bad).status_code == 400


def _policy(page) -> str:
    return page["Content-Security-Policy"] + ";"


def test_form_may_lead_to_this_site_only(site):
    account = make_user("member")
    make_player(account=account)
    page = ask(browser_of(account), site)
    assert "form-action 'self' https://entries.example.org;" in _policy(page)
    assert "form-action 'self';" in _policy(Client().get("/accounts/login/"))
    assert "no-store" in page["Cache-Control"]


def test_stolen_code_is_useless(site):
    account = make_user("member")
    make_player(account=account)
    location = consent(browser_of(account), site)
    assert site.redeem(location, code_verifier="x" * 50)["error"] == "invalid_grant"
    location = consent(browser_of(account), site)
    assert site.redeem(location)["access_token"]
    assert site.redeem(location)["error"] == "invalid_grant"


def test_confidential_site_needs_its_secret(live_server, db):
    make_site(secret="swordfish")
    site = Site(live_server.url, "entries", "swordfish", redirect_uri=CALLBACK)
    account = make_user("member")
    make_player(account=account)
    assert sign_in(account, site)["access_token"]
    site.secret = "wrong"
    location = consent(browser_of(account), site)
    assert site.redeem(location)["error"] == "invalid_client"


def test_account_without_a_member_has_nothing_to_tell(site):
    page = ask(browser_of(make_user()), site)
    assert "Link a member" in page.content.decode()
    account = make_user("nobody")
    claims = site.verified(sign_in(account, site, "openid")["id_token"])
    assert "member_id" not in claims


def test_guardian_chooses_the_child(site, kid, parent):
    own = make_player(given_name="Pat", account=parent)
    page = ask(browser_of(parent), site)
    assert page.context["form"].fields["member"].choices == [
        (own.member_id, own.name),
        (kid.member_id, kid.name),
    ]
    tokens = sign_in(parent, site, member=kid.member_id)
    claims = site.verified(tokens["id_token"])
    assert (claims["member_id"], claims["given_name"]) == (kid.member_id, "Kim")
    for_himself = sign_in(parent, site, member=own.member_id)
    other = site.verified(for_himself["id_token"])
    assert (other["member_id"], other["sub"] == claims["sub"]) == (own.member_id, False)
    site.userinfo(tokens)
    assert site.status == 401
    listed = browser_of(parent).get("/account/programs/").content.decode()
    assert f"for {own.name}" in listed
    assert str(BORN.year).encode() not in site.received


def test_guardian_signs_in_for_no_other_child(site, parent):
    stranger = make_player(given_name="Sam", birth_date=BORN)
    browser = browser_of(parent)
    form = ask(browser, site).context["form"]
    refused = browser.post(
        AUTHORIZE,
        {
            "request": form.initial["request"],
            "action": "grant",
            "scopes": ["name"],
            "member": stranger.member_id,
        },
    )
    assert refused.status_code == 422
    assert not ProgramAccess.objects.exists()


def end_guardianship(kid, parent) -> None:
    guardian = GuardianAccount.objects.get(account=parent)
    guardian.ended_at = timezone.now()
    guardian.save()
    revoke_guardian_access(guardian=guardian, actor=make_user())


def test_rights_end_with_the_guardianship(site, kid, parent):
    tokens = sign_in(parent, site)
    assert site.userinfo(tokens)["given_name"] == "Kim"
    end_guardianship(kid, parent)
    site.userinfo(tokens)
    assert site.status == 401
    assert site.refresh(tokens)["error"] == "invalid_grant"
    assert AuditEntry.objects.filter(action="account.program_revoked").exists()


def test_rights_end_on_the_18th_birthday(site, kid, parent):
    tokens = sign_in(parent, site)
    birthday = BORN.replace(year=BORN.year + 18)
    noon = timezone.now().replace(
        year=birthday.year, month=birthday.month, day=birthday.day
    )
    with time_machine.travel(noon - timedelta(days=2)):
        site.refresh(tokens)  # expired long ago
        tokens = sign_in(parent, site)
    with time_machine.travel(noon + timedelta(days=1)):
        assert site.refresh(tokens)["error"] == "invalid_grant"


def test_childs_own_account_needs_consent(site, kid, parent):
    kid.account = make_user("kim")
    kid.save()
    page = ask(browser_of(kid.account), site).content.decode()
    assert "a parent or guardian has to allow it" in page
    set_consent(player_id=kid.pk, kind="sign_in", is_allowed=True, actor=parent)
    tokens = sign_in(kid.account, site)
    assert site.userinfo(tokens)["member_id"] == kid.member_id
    set_consent(player_id=kid.pk, kind="sign_in", is_allowed=False, actor=parent)
    site.userinfo(tokens)
    assert site.status == 401
    assert site.refresh(tokens)["error"] == "invalid_grant"


def test_consent_of_a_guardian_who_left_counts_no_longer(site, kid, parent):
    kid.account = make_user("kim")
    kid.save()
    set_consent(player_id=kid.pk, kind="sign_in", is_allowed=True, actor=parent)
    tokens = sign_in(kid.account, site)
    end_guardianship(kid, parent)
    site.userinfo(tokens)
    assert site.status == 401


def test_site_reads_nothing_of_the_api_in_the_members_name(site):
    account = make_user("member")
    player = make_player(account=account)
    tokens = sign_in(account, site)
    url = f"{site.discovery['issuer']}/api/v1/members/{player.member_id}/ratings"
    refused = site.ask(url, token=tokens["access_token"])
    assert (site.status, refused["scope"]) == (403, "members:read")


def test_discovery_and_keys_may_be_cached(site):
    assert site.headers["Cache-Control"] == "public, max-age=3600"
    assert site.discovery["code_challenge_methods_supported"] == ["S256"]
    assert site.discovery["subject_types_supported"] == ["pairwise"]
    [key] = site.ask(site.discovery["jwks_uri"])["keys"]
    assert {"kty", "kid", "n", "e"} <= set(key)
    assert {"d", "p", "q"}.isdisjoint(key)
    assert site.headers["Cache-Control"] == "max-age=3600, must-revalidate"


def test_private_key_is_stored_encrypted_and_survives_a_new_secret_key(site, settings):
    [before] = site.ask(site.discovery["jwks_uri"])["keys"]
    stored = SigningKey.objects.get()
    assert "PRIVATE" not in stored.pem
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another key of the office"
    [after] = site.ask(site.discovery["jwks_uri"])["keys"]
    assert after == before
    settings.SECRET_KEY_FALLBACKS = []
    [new] = site.ask(site.discovery["jwks_uri"])["keys"]
    assert new["kid"] != before["kid"]
    assert SigningKey.objects.count() == 2


def test_site_knows_a_member_again_after_a_merge(site):
    account = make_user("member")
    duplicate = make_player(account=account)
    before = sign_in(account, site)
    kept = make_player()
    Player.objects.filter(pk=duplicate.pk).update(
        account=None, merged_into=kept, status="duplicate"
    )
    Player.objects.filter(pk=kept.pk).update(account=account)
    account = type(account).objects.get(pk=account.pk)
    url = site.discovery["userinfo_endpoint"]
    told = site.ask(url, token=before["access_token"])
    assert (site.status, told["member_id"]) == (200, kept.member_id)
    again = sign_in(account, site)
    assert site.ask(url, token=again["access_token"])["sub"] == told["sub"]
    assert ProgramAccess.objects.count() == 1
