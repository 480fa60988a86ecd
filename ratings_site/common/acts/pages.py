"""The page of an act of the office: a form, what it refuses, and what follows."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.database.locks import RatingsBusy

# What a service raises that does not do an act. The form stays, with what was typed.
REFUSALS = (Refusal, RatingsBusy, NotAllowed)


def refused(form: forms.Form, refusal: Exception, **now: object) -> int:
    """Say above a form why its act is refused; return the status of the page.

    What was typed stays. *now* are values the form has to go on from, such as the
    version that is shown by now.
    """
    form.add_error(None, str(refusal))
    if now:
        form.data = form.data.copy()
        for name, value in now.items():
            form.data[name] = value
    return 403 if isinstance(refusal, NotAllowed) else 422


def act_page(
    request: HttpRequest,
    form: forms.Form,
    do: Callable[[dict[str, Any]], object],
    *,
    done: str,
    to: str,
    template: str = "common/act.html",
    **context: object,
) -> HttpResponse:
    """Show a form; once it is sent, *do* with what it says, and go *to* a page.

    What the form or the service refuses stands above the form again.
    """
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                do(form.cleaned_data)
            except (Refusal, RatingsBusy) as refusal:
                form.add_error(None, str(refusal))
            else:
                messages.success(request, done)
                return redirect(to)
    context |= {"form": form, "cancel_url": to}
    return render(request, template, context, status=status)


def posted(request: HttpRequest) -> Any:
    return request.POST if request.method == "POST" else None
