"""The pages of notices: list, preferences, unsubscribe link, bell."""

import pytest
from django.test import Client
from django.urls import reverse

from ratings_site.common.models import Notice, NoticeSetting, User
from ratings_site.common.notices.mail import unsubscribe_token
from ratings_site.common.notices.services import Kind, NoticeDraft, kinds, notify
from tests.factories import make_user

pytestmark = pytest.mark.django_db

MAILED_KIND = Kind("tests.loud", "Loud", "Comes by email.")
LIST = "/account/notices/"
SETTINGS = "/account/notices/settings/"


def add_notices(user, number: int = 1) -> None:
    notify(
        NoticeDraft(
            MAILED_KIND,
            user.pk,
            str(one),
            f"/go/{one}/",
            lambda one=one: (f"No. {one}", ""),
        )
        for one in range(number)
    )


@pytest.fixture
def user(client):
    user = make_user(email="one@example.org")
    client.force_login(user)
    return user


def text(response) -> str:
    return " ".join(response.content.decode().split())


class TestList:
    @pytest.mark.parametrize("path", [LIST, SETTINGS, f"{LIST}read/"])
    def test_it_takes_an_account(self, client, path):
        response = client.get(path)
        assert (response.status_code, response["Location"]) == (
            302,
            f"/accounts/login/?next={path}",
        )

    def test_unread_come_first_with_their_links(self, client, user):
        add_notices(user, 3)
        newest = Notice.objects.get(key="2")
        client.post(f"{LIST}read/", {"notice": newest.pk})
        page = text(client.get(LIST))
        places = [page.index(f'href="/go/{one}/"') for one in (1, 0, 2)]
        assert places == sorted(places)
        assert page.count("Unread:") == 2

    def test_all_are_read_at_once(self, client, user):
        add_notices(user, 3)
        page = client.post(f"{LIST}read/", {"notice": "all"}, follow=True)
        assert "3 notices are marked as read." in text(page)
        assert not Notice.objects.filter(read_at=None).exists()

    def test_notices_of_other_accounts_are_hidden(self, client, user):
        add_notices(make_user(), 1)
        assert "No. 0" not in text(client.get(LIST))
        other = Notice.objects.get()
        client.post(f"{LIST}read/", {"notice": other.pk})
        client.post(f"{LIST}read/", {"notice": "all"})
        other.refresh_from_db()
        assert other.read_at is None

    @pytest.mark.parametrize("wrong", ["", "x", "-1", "9" * 30, "²", "1\x00"])
    def test_an_unknown_notice_changes_nothing(self, client, user, wrong):
        add_notices(user)
        client.post(f"{LIST}read/", {"notice": wrong})
        assert Notice.objects.get().read_at is None

    @pytest.mark.parametrize("number", [2, 40])
    def test_it_takes_the_same_queries_for_any_number(
        self, client, user, django_assert_num_queries, number
    ):
        add_notices(user, number)
        with django_assert_num_queries(5):
            page = client.get(LIST)
        assert text(page).count("Mark as read") == number


class TestBell:
    def test_it_counts_what_is_unread_for_no_query(
        self, client, user, django_assert_num_queries
    ):
        add_notices(user, 2)
        with django_assert_num_queries(3):  # session, account, member
            page = text(client.get(reverse("ratings:scales")))
        assert '<span class="count">2</span><span class="vh"> unread</span>' in page

    def test_it_says_no_more_than_99(self, client, user):
        User.objects.update(unread_notices=100)
        assert '<span class="count">99+</span>' in text(client.get(LIST))

    def test_public_pages_know_no_bell_and_ask_nothing(
        self, client, django_assert_num_queries
    ):
        with django_assert_num_queries(0):
            page = text(client.get(reverse("ratings:scales")))
        assert 'class="bell"' not in page


class TestSettings:
    def test_every_kind_of_the_office_has_two_switches(self, client, user):
        page = text(client.get(SETTINGS))
        for kind in kinds():
            assert f'name="{kind.name}-site"' in page
            assert f'name="{kind.name}-mail"' in page

    def test_lists_are_mailed_only_on_request(self, client, user):
        form = client.get(SETTINGS).context["form"]
        by_mail = {row["kind"].name: row["mail"].initial for row in form.rows()}
        assert {name for name, is_on in by_mail.items() if not is_on} == {
            "ratings.listed"
        }
        assert all(row["site"].initial for row in form.rows())

    def test_what_is_ticked_is_kept_and_the_rest_is_off(self, client, user):
        sent = {"ratings.rated-mail": "on", "language": "es"}
        assert client.post(SETTINGS, sent).status_code == 302
        on = NoticeSetting.objects.filter(account=user, is_on=True)
        assert list(on.values_list("kind", "channel")) == [("ratings.rated", "mail")]
        assert NoticeSetting.objects.count() == 2 * len(kinds())
        assert User.objects.get(pk=user.pk).language == "es"
        form = client.get(SETTINGS).context["form"]
        assert form["ratings.rated-mail"].initial is True
        assert form["ratings.rated-site"].initial is False

    def test_unknown_language_changes_nothing(self, client, user):
        response = client.post(SETTINGS, {"language": "xx"})
        assert response.status_code == 422
        assert "xx is not one of the available choices" in text(response)
        assert not NoticeSetting.objects.exists()


class TestLinkInEmails:
    def link(self, account: int, *names: str) -> str:
        token = unsubscribe_token(account, names or ["ratings.rated"])
        return reverse("notices:unsubscribe", args=[token])

    def test_looking_changes_nothing(self, client):
        user = make_user()
        page = text(client.get(self.link(user.pk)))
        assert "Events you played" in page
        assert "Stop these emails" in page
        assert not NoticeSetting.objects.exists()

    def test_post_switches_off_without_signing_in_or_a_token(self):
        user = make_user()
        strict = Client(enforce_csrf_checks=True)
        page = strict.post(
            self.link(user.pk, "ratings.rated", "ratings.reached"),
            {"List-Unsubscribe": "One-Click"},
        )
        assert "You won’t get these emails anymore:" in text(page)
        settings = NoticeSetting.objects.order_by("kind")
        assert list(settings.values_list("account", "kind", "channel", "is_on")) == [
            (user.pk, "ratings.rated", "mail", False),
            (user.pk, "ratings.reached", "mail", False),
        ]

    @pytest.mark.parametrize("method", ["get", "post"])
    @pytest.mark.parametrize("token", ["no", "a:b:c", ".eJw:1:x", "é"])
    def test_garbled_link_says_what_to_do(self, client, method, token):
        url = reverse("notices:unsubscribe", args=[token])
        response = getattr(client, method)(url)
        assert response.status_code == 404
        assert "This link is incomplete" in text(response)
        assert not NoticeSetting.objects.exists()

    @pytest.mark.parametrize("names", [("tests.gone",), ("ratings.rated",)])
    def test_link_to_what_is_gone_says_what_to_do(self, client, names):
        account = make_user().pk if names == ("tests.gone",) else 2**40
        response = client.post(self.link(account, *names))
        assert response.status_code == 404
        assert not NoticeSetting.objects.exists()
