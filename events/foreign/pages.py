"""What will happen: what correcting an event abroad or its games does, beforehand."""

from collections.abc import Callable, Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events.models import ForeignEvent, ForeignResult
from players.members.careers import careers
from ratings_site.common.acts.effects import Effect, leaves_mark, of_nobody_else


def of_changing(event: ForeignEvent) -> list[Effect]:
    return [
        *_of_rated(event),
        Effect(
            "look_up",
            _(
                "With another first day, the opponents’ ratings come from another FIDE "
                "list."
            ),
        ),
        of_nobody_else(),
    ]


def _of_rated(event: ForeignEvent) -> Iterator[Effect]:
    rated = event.results.filter(status=ForeignResult.Status.RATED).count()
    if not rated:
        yield Effect("no_change", _("No rating changes: nobody is rated for it yet."))
        return
    yield Effect(
        "rated",
        ngettext(
            "{number:,} member has been rated for it. Name, place and code can change "
            "without touching that; other days or another kind of event need a rerate.",
            "{number:,} members have been rated for it. Name, place and code can "
            "change without touching that; other days or another kind of event need a "
            "rerate.",
            rated,
        ).format(number=rated),
        "warning",
    )
    yield leaves_mark(event.ends, careers().next_rerate_from())
    yield Effect(
        "earlier", _("With an earlier last day, the mark stands on that day instead.")
    )
    yield Effect("undo", _("The results as they were are kept."))


def of_entering(
    event: ForeignEvent,
    result: ForeignResult | None,
    correct: Callable[[], object] | None = None,
) -> list[Effect]:
    """Say what entering games does; *correct* enters those that were typed."""
    if result is None or result.is_open:
        return [
            Effect("draft", _("No rating changes: the games wait to be checked.")),
            Effect("undo", _("They can be entered again until the result is rated.")),
        ]
    rehearsed = careers().effects_of(correct, [result.player]) if correct else ()
    return [
        *(rehearsed or [leaves_mark(event.ends, careers().next_rerate_from())]),
        Effect(
            "ratings_wait",
            _("This result is rated. Its rating stays as it is until that rerate."),
        ),
        Effect("undo", _("The games as they were are kept.")),
        of_nobody_else(),
    ]
