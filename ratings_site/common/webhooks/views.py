"""The webhooks of an account: to add, to try, to look after."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache

from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.acts.pages import posted
from ratings_site.common.models import Webhook, WebhookDelivery
from ratings_site.common.webhooks.outbound import why_not_address
from ratings_site.common.webhooks.services import (
    MOST_WEBHOOKS,
    add_webhook,
    delete_webhook,
    rotate_secret,
    secret_of,
    send_again,
    send_ping,
    switch_on,
)

DELIVERIES_ON_A_PAGE = 25
# The session says whose secret the next page shows; the secret itself is nowhere kept.
SHOW_SECRET = "webhook_secret"  # noqa: S105


class WebhookForm(forms.Form):
    url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=500,
        help_text=gettext_lazy(
            "Where your program listens, such as https://club.example.org/ratings-hook"
        ),
        widget=forms.URLInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    kinds = forms.MultipleChoiceField(
        label=gettext_lazy("Tell it when"),
        choices=Webhook.Kind.choices,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose at least one.")},
    )

    def clean_url(self) -> str:
        url = self.cleaned_data["url"]
        if problem := why_not_address(url):
            raise forms.ValidationError(problem)
        return url


def _own(request: HttpRequest, pk: int) -> Webhook:
    return get_object_or_404(Webhook, pk=pk, owner=request.user)


@never_cache
@login_required
def webhooks(request: HttpRequest) -> HttpResponse:
    """List the account's webhooks, and add one."""
    form = WebhookForm(posted(request))
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                webhook = add_webhook(owner=request.user, **form.cleaned_data)
            except Refusal as refusal:
                form.add_error("url", str(refusal))
            else:
                request.session[SHOW_SECRET] = webhook.pk
                return redirect(webhook)
    context = {
        "form": form,
        "webhooks": Webhook.objects.filter(owner=request.user),
        "most": MOST_WEBHOOKS,
        "patience": settings.WEBHOOK_PATIENCE_DAYS,
    }
    return render(request, "common/webhooks/webhooks.html", context, status=status)


@never_cache
@login_required
def webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what was sent; the secret once, after it was made."""
    shown = _own(request, pk)
    is_new = request.session.get(SHOW_SECRET) == shown.pk
    if is_new:
        del request.session[SHOW_SECRET]
    deliveries = shown.deliveries.defer("body")
    paginator = Paginator(deliveries, DELIVERIES_ON_A_PAGE)
    context = {
        "webhook": shown,
        "secret": secret_of(shown) if is_new else "",
        "page_obj": paginator.get_page(request.GET.get("page")),
        "patience": settings.WEBHOOK_PATIENCE_DAYS,
    }
    return render(request, "common/webhooks/webhook.html", context)


@never_cache
@login_required
def act(request: HttpRequest, pk: int, act: str) -> HttpResponse:
    """Try a webhook out, give it another secret, or switch it on again."""
    shown = _own(request, pk)
    do = _ACTS.get(act)
    if do is None:
        raise Http404(_("There is no such act."))
    if request.method != "POST":
        return redirect(shown)
    try:
        messages.success(request, do(request, shown))
    except Refusal as refusal:
        messages.warning(request, str(refusal))
    return redirect(shown)


def _ping(request: HttpRequest, webhook: Webhook) -> str:
    send_ping(webhook=webhook)
    return _("A test message is on its way. Look again in a moment.")


def _rotate(request: HttpRequest, webhook: Webhook) -> str:
    rotate_secret(webhook=webhook, actor=request.user)
    request.session[SHOW_SECRET] = webhook.pk
    return _("The webhook has another secret; the old one signs nothing any more.")


def _switch_on(request: HttpRequest, webhook: Webhook) -> str:
    switch_on(webhook=webhook, actor=request.user)
    return _("The webhook is on. What happened in between is not sent again.")


_ACTS: dict[str, Callable[[HttpRequest, Webhook], str]] = {
    "ping": _ping,
    "rotate": _rotate,
    "switch-on": _switch_on,
}


@never_cache
@login_required
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask once, then delete the webhook with what was sent."""
    shown = _own(request, pk)
    if request.method == "POST":
        delete_webhook(webhook=shown, actor=request.user)
        messages.success(request, _("The webhook is deleted."))
        return redirect("webhooks:webhooks")
    context: dict[str, Any] = {"webhook": shown}
    return render(request, "common/webhooks/delete.html", context)


@never_cache
@login_required
def delivery(request: HttpRequest, pk: int, delivery_pk: int) -> HttpResponse:
    """Show one message as it is sent, and send it again if it was given up."""
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
            messages.success(request, _("The message is on its way again."))
        return redirect("webhooks:delivery", pk, delivery_pk)
    context = {"webhook": shown.webhook, "delivery": shown}
    return render(request, "common/webhooks/delivery.html", context)
