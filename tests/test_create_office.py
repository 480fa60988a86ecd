"""An empty office is opened, and its first manager comes in."""

from io import StringIO

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from ratings_site.common.models import AuditEntry, Office, User
from tests.factories import make_user

pytestmark = pytest.mark.django_db

SAID = {
    "name": "Chess Federation of Ruritania",
    "address": "1 Castle Street, Streslau",
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
    monkeypatch.setattr(Office, "shown", None)


def test_the_manager_sets_a_password_by_the_printed_link_and_comes_in(client):
    link = next(word for word in create().split() if word.startswith("http"))
    path = link.removeprefix(settings.SITE_URL)
    form = client.get(path, follow=True).request["PATH_INFO"]
    client.post(form, {"password1": PASSWORD, "password2": PASSWORD})
    assert User.objects.get(username="flavia").check_password(PASSWORD)
    assert client.login(username="flavia", password=PASSWORD)
    page = client.get("/office/intake/").content.decode()
    assert "Begin with the members." in page
    assert AuditEntry.objects.filter(action="office.opened").count() == 1


def test_pages_carry_the_name_once_the_process_knows_it(client):
    create()
    assert SAID["name"] not in client.get("/").content.decode()
    Office.show()
    page = client.get("/").content.decode()
    assert f"{SAID['name']}</a>" in page
    assert f"{SAID['name']}</title>" in page
    assert SAID["address"] in page


def test_an_office_is_opened_once():
    create()
    with pytest.raises(CommandError, match="open already"):
        create(manager="rudolf")
    assert not User.objects.filter(username="rudolf").exists()


@pytest.mark.parametrize(
    "said", [{"name": " "}, {"manager": ""}, {"email": "nowhere"}, {"manager": "taken"}]
)
def test_what_is_missing_or_wrong_opens_nothing(said):
    make_user("taken")
    with pytest.raises(CommandError):
        create(**said)
    assert not Office.objects.exists()
    assert User.objects.count() == 1
