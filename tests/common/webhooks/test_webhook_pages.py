"""The pages of an account's webhooks."""

import pytest
from django.urls import reverse
from django.utils import timezone

from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry, Webhook, WebhookDelivery
from ratings_site.common.webhooks.services import (
    add_webhook,
    secret_of,
    send_ping,
)
from tests.common.webhooks.test_webhooks import announce_and_fan_out
from tests.factories import make_user
from tests.response_text import is_not_found
from tests.webhook_receiver import WebhookReceiver, running_receiver

pytestmark = pytest.mark.django_db

LIST = reverse("webhooks:webhooks")
URL = "https://club.example.org/hook"


@pytest.fixture
def owner(client):
    user = make_user()
    client.force_login(user)
    return user


def hook(owner, url: str = URL) -> Webhook:
    return add_webhook(owner=owner, url=url, kinds=["list.published"])


def test_secret_is_shown_once_after_adding(client, owner):
    kinds = ["list.published", "event.rated"]
    added = client.post(LIST, {"url": URL, "kinds": kinds})
    webhook = Webhook.objects.get()
    assert (webhook.owner, webhook.url, webhook.kinds) == (owner, URL, sorted(kinds))
    assert added["Location"] == webhook.get_absolute_url()
    secret = secret_of(webhook)
    first, second = client.get(added["Location"]), client.get(added["Location"])
    assert secret in first.content.decode()
    assert first["Cache-Control"] == (
        "max-age=0, no-cache, no-store, must-revalidate, private"
    )
    assert secret not in second.content.decode()
    assert AuditEntry.objects.get(action="webhook.added").actor == owner


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"url": "", "kinds": ["event.rated"]}, "This field is required."),
        ({"url": URL}, "Choose at least one."),
        ({"url": URL, "kinds": ["nonsense"]}, "nonsense is not one of the available"),
        (
            {"url": "http://club.example.org/", "kinds": ["event.rated"]},
            "The URL must start with https://",
        ),
        (
            {"url": "https://127.0.0.1/", "kinds": ["event.rated"]},
            "This URL is not on the public internet.",
        ),
        (
            {"url": f"https://a.example.org/{'x' * 500}", "kinds": ["event.rated"]},
            "Ensure this value has at most 500 characters",
        ),
    ],
)
def test_what_cannot_be_a_webhook_is_said(client, owner, sent, said):
    response = client.post(LIST, sent)
    assert response.status_code == 422
    assert said in response.content.decode()
    assert not Webhook.objects.exists()


def test_same_address_twice_is_said_beside_the_field(client, owner):
    hook(owner)
    response = client.post(LIST, {"url": URL, "kinds": ["event.rated"]})
    assert response.context["form"].errors == {
        "url": ["You already have a webhook for this URL."]
    }


def test_others_webhooks_are_not_there(client, owner):
    theirs = hook(make_user())
    delivery = send_ping(webhook=theirs)
    pages = [
        theirs.get_absolute_url(),
        reverse("webhooks:delete", args=[theirs.pk]),
        reverse("webhooks:act", args=[theirs.pk, "rotate"]),
        reverse("webhooks:delivery", args=[theirs.pk, delivery.pk]),
    ]
    before = Webhook.objects.values().get()
    for page in pages:
        assert client.get(page).status_code == 404
        assert client.post(page).status_code == 404
    assert Webhook.objects.values().get() == before
    assert theirs.url not in client.get(LIST).content.decode()


def test_message_of_another_webhook_is_not_there(client, owner):
    delivery = send_ping(webhook=hook(owner))
    other = hook(owner, "https://club.example.org/other")
    page = reverse("webhooks:delivery", args=[other.pk, delivery.pk])
    assert is_not_found(client.get(page))


def test_strangers_are_asked_to_sign_in(client):
    response = client.get(LIST)
    assert response["Location"] == f"/accounts/login/?next={LIST}"


def test_test_message_and_its_answer_are_shown(client, owner, settings):
    settings.WEBHOOKS_TO_PRIVATE_ADDRESSES = True
    with running_receiver(
        WebhookReceiver(status=418, answer=b"<b>teapot</b>")
    ) as receiver:
        webhook = hook(owner, receiver.url)
        response = client.post(
            reverse("webhooks:act", args=[webhook.pk, "ping"]), follow=True
        )
        assert "Test message sent." in response.content.decode()
        run_due_jobs()
    page = client.get(webhook.get_absolute_url()).content.decode()
    assert ">ping</a>" in page
    assert ">418</td>" in page
    assert "Failing since" in page
    delivery = WebhookDelivery.objects.get()
    message = client.get(
        reverse("webhooks:delivery", args=[webhook.pk, delivery.pk])
    ).content.decode()
    assert "HTTP 418 &lt;b&gt;teapot&lt;/b&gt;" in message
    assert "&quot;type&quot;: &quot;ping&quot;" in message


def test_new_secret_is_shown_once(client, owner):
    webhook = hook(owner)
    old = secret_of(webhook)
    client.post(reverse("webhooks:act", args=[webhook.pk, "rotate"]))
    webhook.refresh_from_db()
    assert secret_of(webhook) != old
    assert secret_of(webhook) in client.get(webhook.get_absolute_url()).content.decode()
    assert secret_of(webhook) not in client.get(LIST).content.decode()


def test_webhook_that_was_switched_off_says_so_and_can_be_switched_on(client, owner):
    webhook = hook(owner)
    Webhook.objects.update(is_active=False, switched_off_at=timezone.now())
    ping = client.post(
        reverse("webhooks:act", args=[webhook.pk, "ping"]), follow=True
    ).content.decode()
    assert "Turn it on first." in ping
    assert "Turned off on" in ping
    client.post(reverse("webhooks:act", args=[webhook.pk, "switch-on"]))
    assert Webhook.objects.get().is_active
    assert "Working" in client.get(LIST).content.decode()


def test_given_up_message_is_sent_again_from_its_page(client, owner):
    delivery = send_ping(webhook=hook(owner))
    page = reverse("webhooks:delivery", args=[delivery.webhook_id, delivery.pk])
    waiting = client.post(page, follow=True).content.decode()
    assert "Only failed messages can be sent again." in waiting
    WebhookDelivery.objects.update(state="given_up")
    assert "Send it again" in client.get(page).content.decode()
    client.post(page)
    assert WebhookDelivery.objects.get().state == "waiting"


def test_deleting_asks_first(client, owner):
    webhook = hook(owner)
    page = reverse("webhooks:delete", args=[webhook.pk])
    assert webhook.url in client.get(page).content.decode()
    assert Webhook.objects.exists()
    assert client.post(page)["Location"] == LIST
    assert not Webhook.objects.exists()
    assert AuditEntry.objects.filter(action="webhook.deleted").count() == 1


def test_unknown_action_is_not_found(client, owner):
    webhook = hook(owner)
    page = reverse("webhooks:act", args=[webhook.pk, "nonsense"])
    assert is_not_found(client.post(page))
    assert Webhook.objects.get() == webhook


@pytest.mark.parametrize("messages", [1, 20])
def test_page_takes_the_same_queries_for_any_number_of_messages(
    client, owner, messages, django_assert_max_num_queries
):
    webhook = hook(owner)
    for _ in range(messages):
        announce_and_fan_out(dict)
    with django_assert_max_num_queries(7):
        page = client.get(webhook.get_absolute_url()).content.decode()
    assert page.count("list.published</a>") == messages


@pytest.mark.parametrize("number", [1, 10])
def test_list_takes_the_same_queries_for_any_number_of_webhooks(
    client, owner, number, django_assert_max_num_queries
):
    for one in range(number):
        hook(owner, f"{URL}/{one}")
    with django_assert_max_num_queries(5):
        page = client.get(LIST).content.decode()
    assert page.count("Working") == number
