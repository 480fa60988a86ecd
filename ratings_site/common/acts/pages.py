"""The pages of acts of the office: what they do, a form, what they refuse."""

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Self
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.core.exceptions import BadRequest, SuspiciousOperation
from django.forms.utils import pretty_name
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse
from django.utils.translation import gettext as _

from ratings_site.common.accounts.permissions import NotAllowed, require
from ratings_site.common.accounts.queries import who_may
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

# The button that asks what will happen, and of what the page has said it.
LOOK, SEEN = "look", "seen"
# These say why, and change nothing of what will happen.
WORDS = ("reason", "evidence")
# More than this is a file, and no text that somebody typed.
MOST_GIVEN_BACK = 200_000
NEVER_GIVEN_BACK = ("csrf", "password", "secret", "token", "credential")
# Where only secrets are typed: sign-in, passwords, second factors.
OF_SECRETS = "/accounts/"
# What buttons and boxes send, and what a page says of itself.
OF_PAGES = {LOOK, SEEN, "act", "confirm", "row", "leave_out", "then", "use", "was"}
_OF_A_LINE = re.compile(r"(?:.+-)?[0-9]+-(\w+)", re.ASCII)

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
    do: Callable[[dict[str, Any]], Any],
    *,
    done: str | Callable[[Any], str],
    to: str,
    template: str = "common/act.html",
    permission: str = "",
    effects: Callable[[], Sequence[Effect]] | None = None,
    look: Callable[[dict[str, Any]], Sequence[Effect]] | None = None,
    **context: object,
) -> HttpResponse:
    """Show a form; once it is sent, *do* with what it says, and go *to* a page.

    *effects* says what will happen; *look* does where that depends on what is typed:
    then the page says it first, and again where something else is typed afterward.
    To who lacks the *permission* the act is not offered. What the form, the service or
    a lost permission refuses stands above the form again, with all that was typed.
    """
    why_not = why_not_allowed(request.user, permission)
    seen, status = None, 200
    if request.method == "POST":
        status, seen = _tried(request, form, do, done, why_not, look)
        if status == _DONE:
            return redirect(to)
    context |= {
        "form": form,
        "cancel_url": to,
        "why_not": why_not,
        "looks": look is not None,
        "seen": seen and _digest(form),
        "effects": seen or (effects() if effects and not why_not else ()),
    }
    return render(request, template, context, status=status)


_DONE = 302


def _tried(
    request: HttpRequest,
    form: forms.Form,
    do: Callable[[dict[str, Any]], Any],
    done: str | Callable[[Any], str],
    why_not: Sequence[str],
    look: Callable[[dict[str, Any]], Sequence[Effect]] | None,
) -> tuple[int, Sequence[Effect] | None]:
    """Return the status of the answer, and what will happen if that was asked."""
    is_valid = form.is_valid()
    if why_not:
        return _refused(form, why_not, 403), None
    if not is_valid:
        return 422, None
    try:
        if look is not None and _has_to_look(request, form):
            return 200, look(form.cleaned_data)
        result = do(form.cleaned_data)
    except NotAllowed as refusal:
        return _refused(form, sentences_of(refusal, request.user), 403), None
    except (Refusal, RatingsBusy) as refusal:
        return _refused(form, sentences_of(refusal, request.user), 422), None
    messages.success(request, done if isinstance(done, str) else done(result))
    return _DONE, None


def _refused(form: forms.Form, sentences: Sequence[str], status: int) -> int:
    for sentence in sentences:
        form.add_error(None, sentence)
    return status


def _has_to_look(request: HttpRequest, form: forms.Form) -> bool:
    """Tell whether the page has not said yet what this will do."""
    seen = request.POST.get(SEEN)
    return LOOK in request.POST or (seen is not None and seen != _digest(form))


def _digest(form: forms.Form) -> str:
    facts = sorted(
        (name, str(value))
        for name, value in form.cleaned_data.items()
        if name not in WORDS
    )
    return sha256(repr(facts).encode()).hexdigest()[:16]


def posted(request: HttpRequest) -> Any:
    return request.POST if request.method == "POST" else None


# What is refused, in sentences


def why_not_allowed(user: User, permission: str) -> list[str]:
    """Say why *user* may not do an act, and who may; nothing if there is no reason."""
    if not permission:
        return []
    try:
        require(user, permission)
    except NotAllowed as refusal:
        return sentences_of(refusal, user)
    return []


def sentences_of(refusal: Exception, user: User) -> list[str]:
    """Return what is to be said of a refusal: staff read who may do the act."""
    sentences = list(getattr(refusal, "sentences", [str(refusal)]))
    permission = getattr(refusal, "permission", "")
    names = who_may(permission) if permission and user.is_staff else []
    if names:
        said = _("Who may do it: {names}.")
        sentences.append(said.format(names=", ".join(names)))
    return sentences


def typed_in(request: HttpRequest) -> list[tuple[str, str]]:
    """Return what a form that was refused held, to be copied: nothing typed is lost."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    is_short = length.isascii() and length.isdigit() and len(length) < 9
    if request.method != "POST" or not is_short or int(length) > MOST_GIVEN_BACK:
        return []
    try:
        return labeled(request.path_info, sent_fields(request))
    except (BadRequest, MultiPartParserError, SuspiciousOperation):
        return []


def sent_fields(request: HttpRequest) -> list[tuple[str, str]]:
    """Return what a form sent, field by field, without what is secret."""
    if request.path_info.startswith(OF_SECRETS):
        return []
    return [
        (name, value)
        for name, values in request.POST.lists()
        for value in values
        if not any(word in name for word in NEVER_GIVEN_BACK)
    ]


def labeled(path: str, fields: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return what people typed of these fields, each under the label of its form.

    What no form knows stands together under one heading.
    """
    labels = _labels(path)
    said, others = [], []
    for name, value in fields:
        line = _OF_A_LINE.fullmatch(name)
        label = labels.get(name) or (line and labels.get(line[1]))
        is_typed = value.strip() and name not in OF_PAGES and name not in labels
        if label and value.strip():
            said.append((str(label), value))
        elif is_typed and not (line and line[1] in labels):
            others.append(value)
    return [*said, (_("Other fields"), "\n".join(others))] if others else said


def _labels(path: str) -> dict[str, Any]:
    """Return how forms call their fields; those of a page's own module come first.

    A field that is hidden has a blank label. Of several labels the commonest counts.
    """
    known: dict[str, Counter[Any]] = defaultdict(Counter)
    own = _named_by_view(path)
    for form in _forms(forms.BaseForm):
        weight = 1_000 if form.__name__ in own else 1
        for name, one in getattr(form, "base_fields", {}).items():
            label = "" if one.widget.is_hidden else one.label or pretty_name(name)
            known[name][label] += weight
    return {name: counts.most_common(1)[0][0] for name, counts in known.items()}


def _forms(kind: type) -> set[type]:
    below = kind.__subclasses__()
    return {*below, *(one for form in below for one in _forms(form))}


def _named_by_view(path: str) -> Collection[str]:
    """Return the names that stand in the module of the view at an address."""
    try:
        view = resolve(path).func
    except Resolver404:
        return ()
    return vars(sys.modules[view.__module__]).keys()


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
