"""The page of an act of the office: what it does, a form, and what it refuses."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from ratings_site.common.accounts.permissions import NotAllowed, require
from ratings_site.common.accounts.queries import who_may
from ratings_site.common.acts.effects import Effect
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.database.locks import RatingsBusy
from ratings_site.common.models import User

# The button that asks what will happen, and of what the page has said it.
LOOK, SEEN = "look", "seen"
# These say why, and change nothing of what will happen.
WORDS = ("reason", "evidence")
# More than this is a file, and no text that somebody typed.
MOST_GIVEN_BACK = 200_000
NEVER_GIVEN_BACK = ("csrf", "password", "code", "secret", "token")

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
        fields = request.POST.lists()
    except (BadRequest, MultiPartParserError, SuspiciousOperation):
        return []
    return [
        (name.replace("_", " "), value)
        for name, values in fields
        for value in values
        if value.strip() and not any(word in name for word in NEVER_GIVEN_BACK)
    ]
