"""An empty office is opened, and its first manager comes in."""

import struct
from datetime import UTC, date, datetime
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.template import Context, Template
from django.utils import timezone

from ratings_site.common.jobs import services
from ratings_site.common.jobs.services import enqueue
from ratings_site.common.models import AuditEntry, Office, User
from tests.factories import make_user

pytestmark = pytest.mark.django_db

SAID = {
    "name": "Chess Federation of Ruritania",
    "address": "1 Castle Street, Streslau",
    "time_zone": "Europe/Prague",
    "manager": "flavia",
    "email": "flavia@example.org",
}
PASSWORD = "a-long-way-to-Zenda"


def create(**said: str) -> str:
    out = StringIO()
    call_command("create_office", stdout=out, **(SAID | said))
    return out.getvalue()


@pytest.fixture(autouse=True)
def _name_of_the_process(monkeypatch):
    monkeypatch.setattr(Office, "current", None)


def test_the_manager_sets_a_password_by_the_printed_link_and_comes_in(client):
    link = next(word for word in create().split() if word.startswith("http"))
    path = link.removeprefix(settings.SITE_URL)
    form = client.get(path, follow=True).request["PATH_INFO"]
    client.post(form, {"password1": PASSWORD, "password2": PASSWORD})
    assert User.objects.get(username="flavia").check_password(PASSWORD)
    assert client.login(username="flavia", password=PASSWORD)
    page = client.get("/office/intake/").content.decode()
    assert "starting with members." in page
    assert AuditEntry.objects.filter(action="office.opened").count() == 1


def test_the_office_says_from_which_day_history_is_its_own(client):
    create(ours_from=date(2024, 1, 1))
    assert Office.objects.get().ours_from == date(2024, 1, 1)
    client.force_login(make_user(is_superuser=True, is_staff=True))
    path = f"/admin/common/office/{Office.SINGLETON_ID}/change/"
    said = {"name": "Ruritania", "address": "", "time_zone": "UTC"}
    client.post(path, said | {"ours_from": "2025-01-01", "reason_for_change": "Later."})
    assert Office.objects.get().ours_from == date(2025, 1, 1)
    entry = AuditEntry.objects.get(action="office.changed")
    assert "2025-01-01" in str(entry.facts)


def test_an_office_that_was_only_tried_is_named_in_the_admin_once(admin_client):
    add = "/admin/common/office/add/"
    assert '<option value="UTC" selected>' in admin_client.get(add).content.decode()
    said = {"name": "Ruritania", "address": "", "time_zone": "UTC"}
    admin_client.post(add, said | {"reason_for_change": "We stay."})
    assert Office.objects.get(pk=Office.SINGLETON_ID).name == "Ruritania"
    assert AuditEntry.objects.get(action="office.added").reason == "We stay."
    again = admin_client.post(
        add, said | {"name": "Graustark", "reason_for_change": "Another."}
    )
    assert again.status_code == 403
    assert Office.objects.get().name == "Ruritania"


def test_pages_carry_the_name_within_seconds(client, monkeypatch):
    create()
    assert SAID["name"] not in client.get("/").content.decode()
    monkeypatch.setattr(Office, "REFRESH_SECONDS", -1)
    page = client.get("/").content.decode()
    assert f"{SAID['name']}</a>" in page
    assert f"{SAID['name']}</title>" in page
    assert SAID["address"] in page


def test_an_office_is_opened_once():
    create()
    with pytest.raises(CommandError, match="This office is already set up"):
        create(manager="rudolf")
    assert not User.objects.filter(username="rudolf").exists()


@pytest.mark.parametrize(
    "said",
    [
        {"name": " "},
        {"manager": ""},
        {"email": "nowhere"},
        {"manager": "taken"},
        {"time_zone": "Ruritania/Streslau"},
        {"logo": Path("no-such-picture.png")},
        {"logo": Path(__file__)},
    ],
)
def test_what_is_missing_or_wrong_opens_nothing(said):
    make_user("taken")
    with pytest.raises(CommandError):
        create(**said)
    assert not Office.objects.exists()
    assert User.objects.count() == 1


def png(*, width: int = 64, height: int = 64, length: int = 100) -> bytes:
    head = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height)
    return head.ljust(length, b"\0")


def save_logo(client, **form):
    """Fill in the admin's form of the office."""
    said = {name: SAID[name] for name in ("name", "address", "time_zone")}
    return client.post(
        f"/admin/common/office/{Office.SINGLETON_ID}/change/",
        said | {"reason_for_change": "A new face."} | form,
    )


def test_the_office_shows_its_logo(
    admin_client, client, django_capture_on_commit_callbacks
):
    create()
    with django_capture_on_commit_callbacks(execute=True):
        saved = save_logo(admin_client, new_logo=BytesIO(png()))
    assert saved.status_code == 302
    address = f"/logo/{Office.current.logo_digest}.png"
    assert f'<img src="{address}" alt="">' in client.get("/").content.decode()
    assert client.get(address).content == png()
    assert client.get("/logo/another.png").status_code == 404
    with django_capture_on_commit_callbacks(execute=True):
        save_logo(admin_client, no_logo="on")
    assert "<img" not in client.get("/").content.decode()


@pytest.mark.parametrize(
    "content",
    [
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        png()[:20],
        png(width=2001),
        png(height=0),
        png(length=200_001),
    ],
    ids=["svg", "cut", "wide", "flat", "large"],
)
def test_what_is_no_logo_is_refused_with_a_sentence(admin_client, content):
    create()
    answer = save_logo(admin_client, new_logo=BytesIO(content))
    assert "The logo" in answer.content.decode()
    assert not Office.objects.get().logo


def test_days_and_times_are_those_of_the_office(client, monkeypatch):
    """At half past eleven in London in summer it is tomorrow in Prague."""
    create()
    Office.refresh()
    moment = datetime(2026, 7, 1, 22, 30, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: moment)
    days = []
    job = enqueue("test.day", key="1")
    monkeypatch.setitem(
        services._handlers, "test.day", lambda _: days.append(timezone.localdate())
    )
    services.perform(services.claim(job.pk))
    assert [str(day) for day in days] == ["2026-07-02"]


def test_a_moment_is_told_by_the_day_it_was_at_the_office():
    create(time_zone="America/Chicago")
    Office.refresh()
    moment = datetime(2026, 11, 23, 2, 30, tzinfo=UTC)
    with timezone.override(Office.time()):
        page = Template("{{ moment|day }}").render(Context({"moment": moment}))
    assert page == "Nov 22, 2026"
