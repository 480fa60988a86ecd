"""The pages of an account's webhooks."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings_site.common.accounts.permissions import account_required
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.approvals.pages import EditView
from ratings_site.common.models import Webhook, WebhookDelivery
from ratings_site.common.ui.pagination import paginate
from ratings_site.common.web.requests import SignedInRequest
from ratings_site.common.webhooks.outbound import url_problem
from ratings_site.common.webhooks.services import (
    MAX_WEBHOOKS,
    add_webhook,
    delete_webhook,
    rotate_secret,
    secret_of,
    send_again,
    send_ping,
    switch_on,
)

DELIVERIES_PER_PAGE = 25
# The session names the webhook whose secret the next page shows; it is not stored.
SHOW_SECRET = "webhook_secret"  # noqa: S105


class WebhookForm(forms.Form):
    url = forms.CharField(
        label=_("URL"),
        max_length=500,
        help_text=_(
            "Where your program receives messages, such as "
            "https://club.example.org/ratings-hook"
        ),
        widget=forms.URLInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    kinds = forms.MultipleChoiceField(
        label=_("Send a message when"),
        choices=Webhook.Kind.choices,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one.")},
    )

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        if problem := url_problem(url):
            raise forms.ValidationError(problem)
        return url


def _own(request: SignedInRequest, pk: int) -> Webhook:
    return get_object_or_404(Webhook, pk=pk, owner=request.user)


@account_required
class Webhooks(EditView[None]):
    """List the account's webhooks, and add one."""

    form_class = WebhookForm
    template_name = "common/webhooks/webhooks.html"
    error_field = "url"

    def do(self, data: dict[str, Any]) -> Webhook:
        webhook = add_webhook(owner=self.request.user, **data)
        self.request.session[SHOW_SECRET] = webhook.pk
        return webhook

    def context(self) -> dict[str, Any]:
        return {
            "webhooks": Webhook.objects.filter(owner=self.request.user),
            "most": MAX_WEBHOOKS,
            "patience": settings.WEBHOOK_PATIENCE_DAYS,
        }


@account_required
def webhook(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show a webhook with its messages, and a new secret once."""
    shown = _own(request, pk)
    is_new = request.session.get(SHOW_SECRET) == shown.pk
    if is_new:
        del request.session[SHOW_SECRET]
    deliveries = shown.deliveries.defer("body")
    context = {
        "webhook": shown,
        "secret": secret_of(shown) if is_new else "",
        "page_obj": paginate(request, deliveries, DELIVERIES_PER_PAGE),
        "patience": settings.WEBHOOK_PATIENCE_DAYS,
    }
    return render(request, "common/webhooks/webhook.html", context)


@account_required
def act(request: SignedInRequest, pk: int, act: str) -> HttpResponse:
    """Test a webhook, rotate its secret, or turn it on."""
    shown = _own(request, pk)
    do = _ACTIONS.get(act)
    if do is None:
        raise Http404(gettext("Unknown action."))
    if request.method != "POST":
        return redirect(shown)
    try:
        messages.success(request, do(request, shown))
    except Refusal as refusal:
        messages.warning(request, str(refusal))
    return redirect(shown)


def _ping(request: SignedInRequest, webhook: Webhook) -> str:
    send_ping(webhook=webhook)
    return gettext(
        "Test message sent. Refresh the page in a moment to see the response."
    )


def _rotate(request: SignedInRequest, webhook: Webhook) -> str:
    rotate_secret(webhook=webhook, actor=request.user)
    request.session[SHOW_SECRET] = webhook.pk
    return gettext("New secret created. The old one no longer works.")


def _switch_on(request: SignedInRequest, webhook: Webhook) -> str:
    switch_on(webhook=webhook, actor=request.user)
    return gettext("Webhook turned on. Messages missed while it was off won’t be sent.")


_ACTIONS: dict[str, Callable[[SignedInRequest, Webhook], str]] = {
    "ping": _ping,
    "rotate": _rotate,
    "switch-on": _switch_on,
}


@account_required
def delete(request: SignedInRequest, pk: int) -> HttpResponse:
    """Delete a webhook and its messages after a confirmation."""
    shown = _own(request, pk)
    if request.method == "POST":
        delete_webhook(webhook=shown, actor=request.user)
        messages.success(request, gettext("Webhook deleted."))
        return redirect("webhooks:webhooks")
    context: dict[str, Any] = {"webhook": shown}
    return render(request, "common/webhooks/delete.html", context)


@account_required
def delivery(request: SignedInRequest, pk: int, delivery_pk: int) -> HttpResponse:
    """Show one message, and send it again if it failed."""
    deliveries = WebhookDelivery.objects.select_related("webhook")
    shown = get_object_or_404(
        deliveries, pk=delivery_pk, webhook__pk=pk, webhook__owner=request.user
    )
    if request.method == "POST":
        try:
            send_again(delivery=shown)
        except Refusal as refusal:
            messages.warning(request, str(refusal))
        else:
            messages.success(request, gettext("Message queued again."))
        return redirect("webhooks:delivery", pk, delivery_pk)
    context = {"webhook": shown.webhook, "delivery": shown}
    return render(request, "common/webhooks/delivery.html", context)
