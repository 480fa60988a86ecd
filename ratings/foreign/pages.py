"""What will happen: what rating or leaving out results abroad does, beforehand."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events.foreign.services.results import leave_out
from events.models import ForeignResult
from players.members.careers import careers
from ratings.engine.classes import class_of
from ratings.engine.numbers import official
from ratings.foreign.services import Preview
from ratings.ledger.services.order import latest_places, place_of_foreign
from ratings.models import Calculation, RatingChange
from ratings_site.common.acts.effects import Effect, leaves_mark, of_nobody_else
from ratings_site.common.looks.figures import signed
from ratings_site.common.models import User


def of_rating(previews: Sequence[Preview]) -> list[Effect]:
    """Say what rating all results of a preview would do (three queries at most)."""
    rated = [one for one in previews if one.line is not None]
    waiting = [one.result.event.ends for one in previews if one.waits]
    if not rated and not waiting:
        return [Effect("nothing_rated", _("None of these results can be rated."))]
    again = _rated_before(rated)
    now = [one for one in rated if one.result.pk not in again]
    return [
        *_of_members(now),
        *_of_points(now),
        *_of_classes(now),
        *_of_again(again),
        *_of_waiting(len(waiting)),
        *_of_order(now, [*again.values(), *waiting]),
        *_of_refused(len(previews) - len(rated) - len(waiting)),
        Effect(
            "final",
            _(
                "It cannot be undone at once: a rated result is left out on its own "
                "page, and the next rerate takes it away."
            ),
        ),
        of_nobody_else(),
    ]


def _rated_before(previews: Iterable[Preview]) -> dict[int, date]:
    """Return the last days of results that are rated still; they are only marked."""
    ends = {one.result.pk: one.result.event.ends for one in previews}
    rated = Calculation.objects.filter(foreign__in=list(ends), is_current=True)
    return {pk: ends[pk] for pk in rated.values_list("foreign", flat=True)}


def _of_members(now: Sequence[Preview]) -> Iterator[Effect]:
    if not now:
        return
    members = len({one.result.player.canonical.pk for one in now})
    yield Effect(
        "members",
        ngettext(
            "Regular: the rating of {number:,} member changes.",
            "Regular: the ratings of {number:,} members change.",
            members,
        ).format(number=members),
    )


def _lines(previews: Iterable[Preview]) -> Iterator[tuple[Preview, RatingChange]]:
    for one in previews:
        if one.line is not None:
            yield one, one.line


def _of_points(now: Sequence[Preview]) -> Iterator[Effect]:
    moves = [
        (official(line.post_rating) - official(line.pre_rating), one.result.player.name)
        for one, line in _lines(now)
    ]
    gain = max(moves, default=(0, ""))
    loss = min(moves, default=(0, ""))
    if gain[0] > 0:
        said = f"{signed(gain[0])} ({gain[1]})"
        yield Effect("gain", _("The largest gain: {gain}.").format(gain=said))
    if loss[0] < 0:
        said = f"{signed(loss[0])} ({loss[1]})"
        yield Effect("loss", _("The largest loss: {loss}.").format(loss=said))


def _of_classes(now: Sequence[Preview]) -> Iterator[Effect]:
    classes = [
        (class_of(official(line.pre_rating)), class_of(official(line.post_rating)))
        for _one, line in _lines(now)
    ]
    higher = sum(new.lowest > old.lowest for old, new in classes)
    lower = sum(new.lowest < old.lowest for old, new in classes)
    if higher or lower:
        yield Effect(
            "classes",
            _("Classes: {higher:,} gained, {lower:,} lost.").format(
                higher=higher, lower=lower
            ),
        )


def _of_again(again: dict[int, date]) -> Iterator[Effect]:
    if again:
        yield Effect(
            "again",
            ngettext(
                "{number:,} result was rated before and never taken away: its rating "
                "stays, and the next rerate looks at it.",
                "{number:,} results were rated before and never taken away: their "
                "ratings stay, and the next rerate looks at them.",
                len(again),
            ).format(number=len(again)),
            "note",
        )


def _of_waiting(number: int) -> Iterator[Effect]:
    if number:
        yield Effect(
            "waiting",
            ngettext(
                "{number:,} result is accepted and waits for the next rerate.",
                "{number:,} results are accepted and wait for the next rerate.",
                number,
            ).format(number=number),
            "note",
        )


def _of_order(now: Sequence[Preview], again: Iterable[date]) -> Iterator[Effect]:
    late = _late(now)
    days = [*late, *again]
    if late:
        yield Effect(
            "late",
            ngettext(
                "{number:,} result is late: its member has been rated for something "
                "later. It is rated from the rating of today.",
                "{number:,} results are late: their members have been rated for "
                "something later. They are rated from the ratings of today.",
                len(late),
            ).format(number=len(late)),
            "warning",
        )
    if days:
        yield leaves_mark(min(days), careers().next_rerate_from())
    else:
        yield Effect("in_order", _("In order: no rerate follows."))


def _late(now: Sequence[Preview]) -> list[date]:
    """Return the last days of the results that come too late (one query)."""
    if not now:
        return []
    results = [one.result for one in now]
    players = {result.player.canonical.pk for result in results}
    latest = latest_places(players, min(result.event.ends for result in results))
    return [
        result.event.ends
        for result in results
        if latest.get(result.player.canonical.pk, ()) > place_of_foreign(result)
    ]


def _of_refused(number: int) -> Iterator[Effect]:
    if number:
        yield Effect(
            "refused",
            ngettext(
                "{number:,} result cannot be rated and is left as it is.",
                "{number:,} results cannot be rated and are left as they are.",
                number,
            ).format(number=number),
            "note",
        )


def of_deciding(result: ForeignResult, actor: User) -> list[Effect]:
    """Say what the decisions do that can be made about a result."""
    if result.status == ForeignResult.Status.RATED:

        def do() -> None:
            leave_out(actor=actor, result_id=result.pk, reason="-")

        return [
            *careers().effects_of(do, [result.player.canonical]),
            Effect(
                "ratings_wait",
                _(
                    "Leaving it out changes no rating at once: the rerate takes it "
                    "away, with all that rests on it."
                ),
            ),
            Effect("undo", _("It can be taken in again.")),
            of_nobody_else(),
        ]
    if result.status == ForeignResult.Status.EXCLUDED:
        return [
            Effect(
                "draft",
                _("Taken in again it is checked and rated like one just entered."),
            ),
            Effect("no_change", _("No rating changes by it.")),
            of_nobody_else(),
        ]
    return [
        Effect("no_change", _("None of these decisions changes a rating.")),
        Effect("rated_later", _("What is ready is rated on the preview’s page.")),
        Effect("undo", _("A result that is left out can be taken in again.")),
        of_nobody_else(),
    ]
