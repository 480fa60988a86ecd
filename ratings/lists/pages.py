"""Previews of preparing and publishing an official list."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import lists_since
from ratings.lists.services.lists import MAY_PUBLISH, corrected_by, require_publishable
from ratings.lists.tasks import APPROVE
from ratings.models import ListDraft, OfficialList, RerateMark, Run
from ratings.models.official import month_name
from ratings_site.common.approvals.preview import (
    PreviewLine,
    no_approval_line,
    register_preview,
    second_approval_line,
)
from ratings_site.common.models import User
from ratings_site.common.ui.formatting import format_day, signed


def preview_preparing() -> list[PreviewLine]:
    return [
        PreviewLine(
            "draft",
            _(
                "We prepare a draft of the list for your review. Nothing is "
                "published, and no ratings change."
            ),
        ),
        PreviewLine(
            "again", _("You can prepare it again at any time before it is published.")
        ),
        no_approval_line(),
    ]


def preview_publishing(draft: ListDraft) -> list[PreviewLine]:
    """Return the preview of publishing a draft, from its summary (five queries).

    The page of the proposal adds who has to approve it.
    """
    return [
        *_member_lines(draft.summary),
        *_change_lines(draft.summary),
        *_correction_lines(draft),
        PreviewLine(
            "in_force",
            _(
                "It takes effect on {day} and lasts until the next list. Ratings do "
                "not change, and no rerate is needed."
            ).format(
                day=format_day(
                    max(draft.month, timezone.localdate())
                    if draft.correction
                    else draft.month
                )
            ),
        ),
        *_pending_rerate_lines(),
        *_other_month_lines(draft.month),
        *_rerate_lines(),
        PreviewLine(
            "told",
            _(
                "Its files are public. Members on the list who chose to be notified "
                "get a notice."
            ),
        ),
        PreviewLine(
            "final",
            _("This cannot be undone. A published list and its files never change."),
            "warning",
        ),
    ]


@register_preview(APPROVE)
def preview_approval(facts: Mapping[str, Any], actor: User) -> list[PreviewLine]:
    """Return the preview of a proposed list, or the reason why it is impossible now."""
    month = date.fromisoformat(facts["month"])
    draft = ListDraft.objects.filter(month=month).first()
    return preview_publishing(require_publishable(draft, facts["digest"]))


def approval_line(actor: User) -> PreviewLine:
    """Return the line on a second approval, and who can give it."""
    if settings.LIST_SECOND_PERSON:
        return second_approval_line(MAY_PUBLISH, actor)
    return no_approval_line()


def _correction_lines(draft: ListDraft) -> Iterator[PreviewLine]:
    corrected = corrected_by(draft.month, draft.correction)
    if corrected is not None:
        yield PreviewLine(
            "withdraws",
            _(
                "It replaces the {name} list published on {day}. Both stay available "
                "with their files, and each page says which one counts."
            ).format(name=corrected.name, day=format_day(corrected.published_at)),
            "warning",
        )


def _member_lines(summary: Mapping[str, Any]) -> Iterator[PreviewLine]:
    members = summary["members"]
    systems = ", ".join(
        f"{_(System(one['system']).label)} ({one['listed']:,})"
        for one in summary["systems"]
        if one["listed"]
    )
    sentence = ngettext(
        "The list has {number:,} member: {systems}.",
        "The list has {number:,} members: {systems}.",
        members,
    )
    yield PreviewLine("members", sentence.format(number=members, systems=systems))


def _change_lines(summary: Mapping[str, Any]) -> Iterator[PreviewLine]:
    if not summary["previous"]:
        yield PreviewLine("first", _("This is the first list."))
        return
    new, dropped, changed = (
        sum(one[name] for one in summary["systems"])
        for name in ("new", "dropped", "changed")
    )
    previous = month_name(date.fromisoformat(f"{summary['previous']}-01"))
    yield PreviewLine(
        "changes",
        _(
            "Ratings compared with the {previous} list: {changed:,} changed, {new:,} "
            "new, {dropped:,} removed."
        ).format(previous=previous, changed=changed, new=new, dropped=dropped),
    )
    extremes = summary.get("extremes") or _extremes(summary["largest"])
    if one := extremes.get("gain"):
        yield PreviewLine("gain", _("Largest gain: {gain}.").format(gain=_move(one)))
    if one := extremes.get("loss"):
        yield PreviewLine("loss", _("Largest loss: {loss}.").format(loss=_move(one)))


def _extremes(largest: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the largest gain and loss of a draft from before the summary had both."""
    found: dict[str, dict[str, Any]] = {}
    for one in largest:
        found.setdefault("gain" if one["after"] > one["before"] else "loss", one)
    return found


def _move(one: Mapping[str, Any]) -> str:
    points = signed(one["after"] - one["before"])
    return f"{points} ({one['name']}, {_(System(one['system']).label)})"


def _pending_rerate_lines() -> Iterator[PreviewLine]:
    marks = RerateMark.objects.pending()
    first = marks.first_day()
    if first is not None:
        number = marks.count()
        yield PreviewLine(
            "marks",
            ngettext(
                "{number:,} pending rerate, from {day} on. Its changes will be on a "
                "later list.",
                "{number:,} pending rerates, from {day} on. Their changes will be on "
                "a later list.",
                number,
            ).format(number=number, day=format_day(first)),
            "note",
        )


def _other_month_lines(month: date) -> Iterator[PreviewLine]:
    yield PreviewLine(
        "earlier_months",
        _("After this, no list for an earlier month can be published."),
    )
    newest = OfficialList.objects.first()
    drafts = ListDraft.objects.filter(month__lt=month).order_by("month")
    if newest is not None:
        drafts = drafts.filter(month__gt=newest.month)
    waiting = [month_name(draft.month) for draft in drafts.defer("summary")]
    if waiting:
        yield PreviewLine(
            "drafts",
            _("These drafts can no longer be published after this: {months}.").format(
                months=", ".join(waiting)
            ),
            "warning",
        )


def _rerate_lines() -> Iterator[PreviewLine]:
    """Say that undoing the last rerate will need a second approval from now on."""
    run = (
        Run.objects.filter(kind=Run.Kind.RERATE, status=Run.Status.PUBLISHED)
        .order_by("-published_at")
        .first()
    )
    if run and run.published_at and not lists_since(run.published_at).exists():
        yield PreviewLine(
            "undo_of_rerate",
            _("After this, undoing {run} needs a second approval.").format(run=run),
        )
