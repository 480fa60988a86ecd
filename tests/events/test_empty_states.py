"""Empty pages of a new office name the next step."""

from datetime import date

import pytest

from events.models import Official
from events.templatetags.setup_tags import next_step
from tests.factories import make_affiliate, make_player, make_user, rated_section

pytestmark = pytest.mark.django_db

INTAKES, INVITE = "/office/intake/", "/office/claims/invite/list/"
PAGES = (
    *("/office/", "/office/duplicates/", "/office/claims/", "/office/newcomers/"),
    *("/office/opt-ins/", "/office/lists/", "/office/rerates/"),
    *("/office/corrections/", "/office/messages/", "/office/expected/"),
    *("/office/forget/", "/laboratory/experiments/", "/calendar/", "/events/", "/"),
    *("/admin/players/player/", "/admin/events/official/", "/admin/events/affiliate/"),
)


def main_of(client, path: str) -> str:
    page = client.get(path).content.decode()
    return page.partition("<main")[2] or page


@pytest.fixture
def boss(client):
    client.force_login(make_user(is_superuser=True, is_staff=True))


@pytest.mark.parametrize("path", PAGES)
def test_each_page_of_an_empty_office_leads_to_the_first_file(client, boss, path):
    assert f'href="{INTAKES}"' in main_of(client, path)
    make_player()
    assert "This office is empty" not in main_of(client, path)


def test_page_of_fide_lists_has_the_form_itself(client, boss):
    assert 'type="file"' in main_of(client, "/office/fide/")


def test_one_step_follows_the_other():
    assert next_step().url == INTAKES
    player = make_player()
    seen = {next_step().sentence}
    make_affiliate()
    seen.add(next_step().sentence)
    Official.objects.create(player=player, level="local", certified_until=date.max)
    assert next_step().url == INVITE
    assert len(seen) == 2
    rated_section(players=2, rounds=1)
    assert next_step() is None


def test_public_is_told_that_the_office_has_just_opened(client):
    page = main_of(client, "/")
    assert "This ratings office has just opened." in page
    assert INTAKES not in page
    make_player()
    assert "has just opened" not in main_of(client, "/")
