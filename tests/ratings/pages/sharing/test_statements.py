"""Signed statements: what they say, who can check them, and what ends them."""

import io
import json
import subprocess
import sys
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from players.guardians.services import set_consent
from players.models import GuardianAccount
from players.sharing.services import revoke_share_link
from ratings.models import OfficialList, SigningKey
from ratings.pages.sharing.card import qr_code
from ratings.pages.sharing.queries import read_statement, shared_rating
from ratings.pages.sharing.services import (
    rotate_key,
    sign_statement,
)
from ratings_site.common.models import AuditEntry
from tests.factories import make_user
from tests.ratings.lists.helpers import play_for_norms
from tests.ratings.pages.sharing.test_share_links import BORN, link_of, listed, member

pytestmark = pytest.mark.django_db

SCRIPT = Path("ratings_site/static/office/verify_statement.py")


def decoded(part: str) -> dict:
    return json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def signed(link) -> str:
    return sign_statement(shared_rating(link.token), link.token)


def shared_member():
    ada = member(given_name="Añá", fide_id="2000001")
    listed(ada, 6, 1502)
    return ada, link_of(ada)


def run_script(tmp_path, client, statement: str) -> subprocess.CompletedProcess:
    keys = tmp_path / "keys.json"
    keys.write_bytes(client.get("/verify/keys.json").content)
    return subprocess.run(
        [sys.executable, SCRIPT, keys, statement],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONIOENCODING": "utf-8"},
    )


def test_statement_has_what_the_share_page_shows_and_the_day(client):
    _, link = shared_member()
    head, body, _ = signed(link).split(".")
    key = SigningKey.objects.get()
    assert decoded(head) == {"alg": "EdDSA", "kid": key.key_id}
    facts = decoded(body)
    assert len(facts.pop("link")) == 12
    assert facts == {
        "member": link.player.member_id,
        "name": "Añá Adams",
        "system": "OTBR",
        "rating": 1502,
        "list": "2024-06",
        "issued": timezone.localdate().isoformat(),
    }
    assert link.token not in signed(link)
    assert b"".join(
        urlsafe_b64decode(part + "==") for part in signed(link).split(".")[:2]
    ).decode() == (
        f'{{"alg":"EdDSA","kid":"{key.key_id}"}}'
        f'{{"member":"{link.player.member_id}","name":"Añá Adams","system":"OTBR",'
        f'"rating":1502,"list":"2024-06","issued":"{timezone.localdate()}",'
        f'"link":"{decoded(body)["link"]}"}}'
    )


def test_statement_and_its_page_have_the_highest_norm_title(client):
    people = [member() for _ in range(5)]
    play_for_norms(people)
    listed(people[0], 6, 1502)
    statement = signed(link_of(people[0]))
    assert decoded(statement.split(".")[1])["title"] == "3rd Category"
    assert "3rd Category" in client.get(f"/verify/{statement}/").content.decode()


def test_about_rating_says_so(client):
    ada = member()
    listed(ada, 6, 600, is_about=True)
    link = link_of(ada)
    assert decoded(signed(link).split(".")[1])["about"] is True
    html = client.get(f"/verify/{signed(link)}/").content.decode()
    assert "about 600" in html


def test_page_says_the_rating_then_and_the_newer_list(client):
    ada, link = shared_member()
    statement = signed(link)
    html = client.get(f"/verify/{statement}/").content.decode()
    assert "and it has not been changed since." in html
    assert "Añá Adams" in html
    assert "1502" in html
    assert "Official rating (Regular), June 2024" in html
    assert "It is from the newest list" in html
    assert '<meta name="robots" content="noindex">' in html
    listed(ada, 7, 1488)
    html = client.get(f"/verify/{statement}/").content.decode()
    assert "1502" in html
    assert "1488" not in html
    assert "There is a newer list:" in html
    assert "July 2024" in html


def test_page_says_that_the_list_was_corrected(client):
    ada, link = shared_member()
    statement = signed(link)
    first = OfficialList.objects.get()
    first.pk, first.correction, first.in_force_from = None, 1, timezone.localdate()
    first._state.adding = True
    first.save()
    html = client.get(f"/verify/{statement}/").content.decode()
    assert "The list was corrected after this statement was signed." in html
    assert "It is from the newest list" not in html
    assert "There is a newer list" not in html
    assert "1502" in html
    listed(ada, 7, 1488)
    html = client.get(f"/verify/{statement}/").content.decode()
    assert "The list was corrected after this statement was signed." in html
    assert "There is a newer list" in html


def test_script_checks_it_without_the_site(client, tmp_path):
    _, link = shared_member()
    statement = signed(link)
    for text in (statement, f"https://ratings.example.org/verify/{statement}/"):
        done = run_script(tmp_path, client, text)
        assert (done.returncode, done.stderr) == (0, "")
        assert "name: Añá Adams" in done.stdout
        assert "rating: 1502" in done.stdout
        assert "list: 2024-06" in done.stdout


def tampered(statement: str) -> dict[str, str]:
    head, body, signature = statement.split(".")
    facts = decoded(body) | {"rating": 2502}
    other = urlsafe_b64encode(json.dumps(facts).encode()).decode().rstrip("=")
    none = urlsafe_b64encode(b'{"alg":"none"}').decode().rstrip("=")
    return {
        "another rating": f"{head}.{other}.{signature}",
        "no signature": f"{head}.{body}.",
        "alg none": f"{none}.{body}.",
        "a letter less": statement[:-1],
        "two parts": f"{head}.{body}",
        "not base64": f"{head}.{body}.é",
        "a list as header": f"W10.{body}.{signature}",
        "an odd key": f"eyJraWQiOltdfQ.{body}.{signature}",
        "nonsense": "nonsense",
        "NUL": "\x00",
        "long": "x" * 3000,
    }


def test_tampered_statement_is_refused_by_page_and_script(client, tmp_path):
    _, link = shared_member()
    for what, text in tampered(signed(link)).items():
        assert read_statement(text) is None, what
        if what in ("NUL", "long"):
            continue
        response = client.get(f"/verify/{text}/")
        assert response.status_code == 404, what
        assert "Not a valid statement" in response.content.decode()
        done = run_script(tmp_path, client, text)
        assert (done.returncode, done.stderr) == (1, ""), what
        assert done.stdout.startswith("Not valid. "), what


def test_key_that_was_rotated_still_verifies(client, tmp_path):
    _, link = shared_member()
    before = signed(link)
    call_command("rotate_signing_key", "Once a year.", stdout=io.StringIO())
    after = signed(link)
    assert decoded(before.split(".")[0]) != decoded(after.split(".")[0])
    for statement in (before, after):
        assert read_statement(statement).facts["rating"] == 1502
        assert run_script(tmp_path, client, statement).returncode == 0
    old = SigningKey.objects.get(retired_at__isnull=False)
    assert old.private == ""
    published = {
        key["kid"]: key for key in client.get("/verify/keys.json").json()["keys"]
    }
    assert published[old.key_id]["valid_until"] == timezone.localdate().isoformat()
    entry = AuditEntry.objects.get(action="signing_key.rotated")
    assert entry.reason == "Once a year."


@pytest.mark.parametrize("is_rotated", [False, True])
def test_key_that_was_revoked_verifies_nothing(client, tmp_path, is_rotated):
    _, link = shared_member()
    before = signed(link)
    key = SigningKey.objects.get()
    if is_rotated:
        rotate_key(reason="Once a year.")
        kept = signed(link)
    for _ in range(2):
        call_command("rotate_signing_key", "Stolen.", revoke=key.key_id)
    assert read_statement(before) is None
    assert run_script(tmp_path, client, before).returncode == 1
    assert read_statement(signed(link)) is not None
    if is_rotated:
        assert signed(link) == kept
    key.refresh_from_db()
    assert (key.is_revoked, key.private) == (True, "")
    entry = AuditEntry.objects.get(action="signing_key.revoked")
    assert (entry.reason, entry.subject_id) == ("Stolen.", str(key.pk))


def test_unknown_key_cannot_be_revoked():
    with pytest.raises(CommandError, match="There is no key abc"):
        call_command("rotate_signing_key", "Stolen.", revoke="abc")


def test_rotation_takes_a_reason():
    for options in ({}, {"revoke": "abc"}):
        with pytest.raises(CommandError, match="Give a reason"):
            call_command("rotate_signing_key", " ", **options)
    assert not SigningKey.objects.exists()


def test_private_half_is_encrypted_and_lost_with_the_secret_key(settings):
    _, link = shared_member()
    before = signed(link)
    key = SigningKey.objects.get()
    assert key.private.startswith("gAAAA")
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another" * 9
    assert decoded(signed(link).split(".")[0])["kid"] == key.key_id
    settings.SECRET_KEY_FALLBACKS = []
    other = decoded(signed(link).split(".")[0])["kid"]
    assert other != key.key_id
    assert decoded(signed(link).split(".")[0])["kid"] == other
    assert read_statement(before).is_shared
    # It stays as it was, so that it can be read if the old SECRET_KEY comes back.
    assert SigningKey.objects.filter(pk=key.pk, private=key.private, retired_at=None)
    assert not AuditEntry.objects.filter(action="signing_key.rotated").exists()


def test_withdrawn_link_ends_the_page_and_not_the_signature(client, tmp_path):
    ada, link = shared_member()
    statement = signed(link)
    assert client.get(f"{link.get_absolute_url()}statement/").status_code == 200
    revoke_share_link(player_id=ada.pk, actor=ada.account)
    link_of(ada)  # another link does not bring it back
    assert client.get(f"{link.get_absolute_url()}statement/").status_code == 404
    response = client.get(f"/verify/{statement}/")
    assert response.status_code == 410
    html = response.content.decode()
    assert "No longer shared" in html
    assert "Añá" not in html
    assert "1502" not in html
    assert run_script(tmp_path, client, statement).returncode == 0


def test_child_has_a_statement_only_while_a_guardian_consents(client):
    kid = member(birth_date=BORN)
    listed(kid, 6, 900)
    parent = make_user("parent")
    GuardianAccount.objects.create(player=kid, account=parent)
    consent = {"player_id": kid.pk, "kind": "share", "actor": parent}
    set_consent(**consent, is_allowed=True)
    link = link_of(kid)
    statement = signed(link)
    html = client.get(f"/verify/{statement}/").content.decode()
    assert "900" in html
    assert str(BORN.year) not in html
    set_consent(**consent, is_allowed=False)
    assert client.get(f"{link.get_absolute_url()}statement/").status_code == 404
    assert client.get(f"/verify/{statement}/").status_code == 410


def test_statement_page_has_address_and_code_and_is_linked(client):
    _, link = shared_member()
    assert (
        f'href="{link.get_absolute_url()}statement/"'
        in client.get(link.get_absolute_url()).content.decode()
    )
    html = client.get(f"{link.get_absolute_url()}statement/").content.decode()
    address = html.split('class="receipt"><a href="')[1].split('"')[0]
    assert address.startswith("http://127.0.0.1:8000/verify/")
    assert read_statement(address.rstrip("/").rpartition("/")[2]).is_shared
    assert "<svg" in html
    assert "style=" not in qr_code(address)


def test_code_of_the_longest_name_fits():
    ada = member(given_name="Ñ" * 60, family_name="W" * 60)
    listed(ada, 6, 1502)
    statement = signed(link_of(ada))
    assert "<path" in qr_code(f"https://ratings.example.org/verify/{statement}/")
    assert read_statement(statement).facts["name"] == ada.name


def test_member_who_is_not_listed_has_no_statement(client):
    ada = member()
    listed(member(), 6, 1502)
    link = link_of(ada)
    assert client.get(f"{link.get_absolute_url()}statement/").status_code == 404
    assert "/statement/" not in client.get(link.get_absolute_url()).content.decode()


def test_pasted_statement_is_checked(client):
    _, link = shared_member()
    statement = signed(link)
    for text in (statement, f" https://x.example/verify/{statement}/\n"):
        response = client.get("/verify/", {"statement": text})
        assert response["Location"] == f"/verify/{statement}/"
    html = client.get("/verify/").content.decode()
    assert "office/verify_statement.py" in html
    assert "/verify/keys.json" in html


def test_page_is_never_cached_and_keys_for_an_hour(client):
    _, link = shared_member()
    assert "no-store" in client.get(f"/verify/{signed(link)}/")["Cache-Control"]
    assert client.get("/verify/keys.json")["Cache-Control"] == "public, max-age=3600"
    assert "private" not in client.get("/verify/keys.json").content.decode()


def test_statement_dated_after_its_key_is_refused_by_page_and_script(client, tmp_path):
    _, link = shared_member()
    statement = signed(link)
    rotate_key(reason="Once a year.")
    yesterday = timezone.now() - timedelta(1)
    old = SigningKey.objects.filter(retired_at__isnull=False)
    old.update(created_at=yesterday, retired_at=yesterday)
    assert read_statement(statement) is None
    done = run_script(tmp_path, client, statement)
    assert (done.returncode, "after the last day" in done.stdout) == (1, True)
