"""The pages of acts of the office: a form, what it refuses, and what follows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse

from ratings_site.common.acts.effects import Effect
from ratings_site.common.acts.forms import ReasonForm, RowsChosen
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.acts.several import (
    MOST_AT_ONCE,
    ChosenRow,
    DoneRow,
    RefusedRow,
    WhatBecame,
    outcome_of,
)
from ratings_site.common.database.locks import RatingsBusy
from ratings_site.common.models import User


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


# Lists, and acts on several of their rows


class ListShown:
    """A list as somebody has it before them: where it is, its filter and its page.

    *said* is how its address says it. The pages of an act hand it on, so that one
    comes back to the same rows.
    """

    handed_on_as = "list"

    def __init__(self, said: QueryDict, view: str) -> None:
        self.said, self.view = said, view

    @classmethod
    def handed_on(cls, request: HttpRequest, view: str) -> Self:
        """Return the list that the address of another page names."""
        return cls(QueryDict(request.GET.get(cls.handed_on_as, "")), view)

    @property
    def url(self) -> str:
        return with_query(reverse(self.view), self.said.urlencode())

    @property
    def query(self) -> str:
        """What hands it on, to be put behind an address; blank for the plain list."""
        said = self.said.urlencode()
        return with_query("", urlencode({self.handed_on_as: said}) if said else "")


def with_query(url: str, query: str) -> str:
    return f"{url}?{query}" if query else url


Looked = tuple[Sequence[ChosenRow], Sequence[RefusedRow]]


@dataclass(frozen=True, slots=True)
class ActOnSeveral:
    """An act on several rows of a list, each by itself.

    *asks*, *button* and *done* are said with the number of rows. *look* says what the
    act does to the rows of these keys, and which are left out; what has changed since a
    key was made is left out too. *do* does it to one.
    """

    asks: Any
    button: Any
    done: Any
    look: Callable[[Sequence[str], User], Looked]
    do: Callable[[ChosenRow, User, str], DoneRow]
    after: Callable[[], Sequence[Effect]] = tuple
    every: Callable[[QueryDict], Sequence[str]] | None = None
    kind: str = "primary"


def several_page(
    request: HttpRequest, acts: Mapping[str, ActOnSeveral], shown: ListShown
) -> HttpResponse:
    """List what an act will do to the rows chosen; once it is confirmed, do it."""
    code, which = RowsChosen.act(request.POST)
    act = acts.get(code)
    if request.method != "POST" or act is None:
        return redirect(shown.url)
    if which == RowsChosen.ALL and act.every is not None:
        keys = list(act.every(shown.said))
    else:
        keys = RowsChosen.keys(request.POST, which)
    return act_on_rows(request, code, act, keys, shown)


def act_on_rows(
    request: HttpRequest,
    code: str,
    act: ActOnSeveral,
    keys: Sequence[str],
    shown: ListShown,
    do_url: str = "",
) -> HttpResponse:
    """List what an act will do to the rows of these keys, or do it."""
    is_confirmed = "confirm" in request.POST
    form = ReasonForm(
        request.POST if is_confirmed else None,
        initial={"reason": request.POST.get("reason", "")},
    )
    rows, left_out = act.look(keys[:MOST_AT_ONCE], request.user)
    if is_confirmed and keys and form.is_valid():
        return _do(request, act, rows, left_out, form, shown)
    context = {
        "asks": act.asks,
        "button": act.button,
        "kind": act.kind,
        "code": code,
        "listed": rows,
        "left_out": left_out,
        "has_more": len(keys) > MOST_AT_ONCE,
        "after": act.after(),
        "form": form,
        "shown": shown,
        "do_url": do_url,
    }
    status = 200 if keys and not is_confirmed else 422
    return several_listed(request, context, status=status)


def _do(
    request: HttpRequest,
    act: ActOnSeveral,
    lines: Sequence[ChosenRow],
    left_out: Sequence[RefusedRow],
    form: forms.Form,
    shown: ListShown,
) -> HttpResponse:
    reason = form.cleaned_data["reason"]
    outcome = outcome_of(lines, lambda line: act.do(line, request.user, reason))
    outcome.left_out[:0] = left_out
    return several_done(request, act.done, outcome, shown)


def several_listed(
    request: HttpRequest, context: dict[str, Any], *, status: int
) -> HttpResponse:
    """Show what will happen to each row, with what the act needs to be done."""
    number = len(context["listed"])
    context |= {
        "asks": context["asks"].format(number=number),
        "button": context["button"].format(number=number),
        "to_look_at": sum(line.needs_a_look for line in context["listed"]),
        "most": MOST_AT_ONCE,
    }
    return render(request, "common/several.html", context, status=status)


def several_done(
    request: HttpRequest,
    done: Any,
    outcome: WhatBecame,
    shown: ListShown,
    **context: object,
) -> HttpResponse:
    """Say of each row what became of it."""
    context |= {
        "done": done.format(number=len(outcome.done)),
        "outcome": outcome,
        "shown": shown,
    }
    return render(request, "common/several_done.html", context)


def list_keys(
    *, tick: str, act: str, other: str = "", all_ticked: str
) -> list[tuple[str, str]]:
    """Return the keys of a list with boxes, besides those of every page."""
    keys = [("x", tick), ("a", act), ("b", other), ("Shift+A", all_ticked)]
    return [(key, sentence) for key, sentence in keys if sentence]
