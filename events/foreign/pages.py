"""Previews of corrections to a foreign event or its games."""

from collections.abc import Callable, Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events.models import ForeignEvent, ForeignResult
from players.members.rating_history import rating_history
from ratings_site.common.approvals.preview import (
    PreviewLine,
    no_approval_line,
    pending_rerate_line,
)


def event_change_preview(event: ForeignEvent) -> list[PreviewLine]:
    return [
        *_rated_lines(event),
        PreviewLine(
            "look_up",
            _(
                "If you change the first day, the opponents’ ratings come from a "
                "different FIDE list."
            ),
        ),
        no_approval_line(),
    ]


def _rated_lines(event: ForeignEvent) -> Iterator[PreviewLine]:
    rated = event.results.filter(status=ForeignResult.Status.RATED).count()
    if not rated:
        yield PreviewLine(
            "no_change", _("No rating changes. No member is rated for this event yet.")
        )
        return
    yield PreviewLine(
        "rated",
        ngettext(
            "{number:,} member is already rated for it. A new name, place, or code "
            "doesn’t affect that. New dates or a new type of event need a rerate.",
            "{number:,} members are already rated for it. A new name, place, or code "
            "doesn’t affect that. New dates or a new type of event need a rerate.",
            rated,
        ).format(number=rated),
        "warning",
    )
    yield pending_rerate_line(event.ends, rating_history().next_rerate_from())
    yield PreviewLine(
        "earlier",
        _("If you enter an earlier last day, the pending rerate starts on that day."),
    )
    yield PreviewLine("undo", _("The old results are kept."))


def result_entry_preview(
    event: ForeignEvent,
    result: ForeignResult | None,
    correct: Callable[[], object] | None = None,
) -> list[PreviewLine]:
    """Preview the entry of games; *correct* enters those in the form."""
    if result is None or result.is_open:
        return [
            PreviewLine(
                "draft", _("No rating changes. The games must be checked first.")
            ),
            PreviewLine(
                "undo", _("You can enter them again until the result is rated.")
            ),
        ]
    rehearsed = rating_history().effects_of(correct, [result.player]) if correct else ()
    return [
        *(
            rehearsed
            or [pending_rerate_line(event.ends, rating_history().next_rerate_from())]
        ),
        PreviewLine(
            "ratings_wait",
            _("This result is rated. The rating doesn’t change until that rerate."),
        ),
        PreviewLine("undo", _("The old games are kept.")),
        no_approval_line(),
    ]
