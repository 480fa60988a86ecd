"""What will happen: what preparing or publishing an official list does, beforehand."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ratings.engine.systems import System
from ratings.ledger.queries.published import lists_since
from ratings.models import ListDraft, OfficialList, RerateMark, Run
from ratings.models.official import month_name
from ratings_site.common.acts.effects import Effect, of_nobody_else
from ratings_site.common.looks.figures import day_in_words, signed


def of_preparing() -> list[Effect]:
    return [
        Effect(
            "draft",
            _(
                "A worker computes what the list would be, for the office to look at. "
                "Nothing is published, and no rating changes."
            ),
        ),
        Effect("again", _("It can be prepared again at any time until published.")),
        of_nobody_else(),
    ]


def of_publishing(draft: ListDraft) -> list[Effect]:
    """Say what publishing a draft does, from what it counted (five queries)."""
    return [
        *_of_members(draft.summary),
        *_of_changes(draft.summary),
        Effect(
            "in_force",
            _(
                "It is in force from {day} until the next one. Ratings do not change, "
                "and no rerate follows."
            ).format(day=day_in_words(draft.month)),
        ),
        *_of_marks(),
        *_of_months(draft.month),
        *_of_rerates(),
        Effect(
            "told",
            _(
                "Its files are there for everybody. Members on it are told, if they "
                "wish to be."
            ),
        ),
        Effect(
            "final",
            _("It cannot be undone: a published list and its files never change."),
            "warning",
        ),
        of_nobody_else(),
    ]


def _of_members(summary: Mapping[str, Any]) -> Iterator[Effect]:
    members = summary["members"]
    systems = ", ".join(
        f"{_(System(one['system']).label)} ({one['listed']:,})"
        for one in summary["systems"]
        if one["listed"]
    )
    sentence = ngettext(
        "{number:,} member is on it: {systems}.",
        "{number:,} members are on it: {systems}.",
        members,
    )
    yield Effect("members", sentence.format(number=members, systems=systems))


def _of_changes(summary: Mapping[str, Any]) -> Iterator[Effect]:
    if not summary["previous"]:
        yield Effect("first", _("It is the first list."))
        return
    new, dropped, changed = (
        sum(one[name] for one in summary["systems"])
        for name in ("new", "dropped", "changed")
    )
    previous = month_name(date.fromisoformat(f"{summary['previous']}-01"))
    yield Effect(
        "changes",
        _(
            "Beside the list of {previous}, {changed:,} ratings differ, {new:,} are "
            "new and {dropped:,} are no longer on it."
        ).format(previous=previous, changed=changed, new=new, dropped=dropped),
    )
    extremes = summary.get("extremes") or _among(summary["largest"])
    if one := extremes.get("gain"):
        yield Effect("gain", _("The largest gain: {gain}.").format(gain=_move(one)))
    if one := extremes.get("loss"):
        yield Effect("loss", _("The largest loss: {loss}.").format(loss=_move(one)))


def _among(largest: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the largest gain and loss of a draft that was prepared in earlier days."""
    found: dict[str, dict[str, Any]] = {}
    for one in largest:
        found.setdefault("gain" if one["after"] > one["before"] else "loss", one)
    return found


def _move(one: Mapping[str, Any]) -> str:
    points = signed(one["after"] - one["before"])
    return f"{points} ({one['name']}, {_(System(one['system']).label)})"


def _of_marks() -> Iterator[Effect]:
    marks = RerateMark.objects.filter(run=None)
    first = marks.order_by("from_day").values_list("from_day", flat=True).first()
    if first is not None:
        number = marks.count()
        yield Effect(
            "marks",
            ngettext(
                "{number:,} mark is open, from {day} on: what a rerate makes of it "
                "comes on a later list.",
                "{number:,} marks are open, from {day} on: what a rerate makes of "
                "them comes on a later list.",
                number,
            ).format(number=number, day=day_in_words(first)),
            "note",
        )


def _of_months(month: date) -> Iterator[Effect]:
    yield Effect(
        "earlier_months", _("No list of an earlier month can be published after it.")
    )
    newest = OfficialList.objects.first()
    drafts = ListDraft.objects.filter(month__lt=month).order_by("month")
    if newest is not None:
        drafts = drafts.filter(month__gt=newest.month)
    waiting = [month_name(draft.month) for draft in drafts.defer("summary")]
    if waiting:
        yield Effect(
            "drafts",
            _("Prepared and then lost: {months}.").format(months=", ".join(waiting)),
            "warning",
        )


def _of_rerates() -> Iterator[Effect]:
    """A rerate that no list rests on yet can be undone by one person until now."""
    run = (
        Run.objects.filter(kind=Run.Kind.RERATE, status=Run.Status.PUBLISHED)
        .order_by("-published_at")
        .first()
    )
    if run and not lists_since(run.published_at).exists():
        yield Effect(
            "undo_of_rerate",
            _("Undoing {run} takes a second person from then on.").format(run=run),
        )
