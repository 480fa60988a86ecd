"""Preview lines: the effects of rating or excluding foreign results."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events.foreign.services.results import exclude_result
from events.models import ForeignResult
from players.members.rating_history import rating_history
from ratings.engine.classes import rating_class_for
from ratings.engine.numbers import official
from ratings.foreign.services import Preview
from ratings.ledger.services.rating_order import foreign_order_key, latest_order_keys
from ratings.models import Calculation
from ratings_site.common.approvals.preview import (
    PreviewLine,
    no_approval_line,
    pending_rerate_line,
)
from ratings_site.common.models import User
from ratings_site.common.ui.formatting import signed


def preview_rating(previews: Sequence[Preview]) -> list[PreviewLine]:
    """Describe the effect of rating all results of a preview (up to three queries)."""
    rated = [one for one in previews if one.line is not None]
    waiting = [one.result.event.ends for one in previews if one.waits]
    if not rated and not waiting:
        return [PreviewLine("nothing_rated", _("None of these results can be rated."))]
    again = _rated_before(rated)
    now = [one for one in rated if one.result.pk not in again]
    return [
        *_preview_members(now),
        *_preview_points(now),
        *_preview_classes(now),
        *_preview_rerated(again),
        *_preview_waiting(len(waiting)),
        *_preview_late(now, [*again.values(), *waiting]),
        *_preview_refused(len(previews) - len(rated) - len(waiting)),
        PreviewLine(
            "final",
            _(
                "You can’t undo this right away. To remove a rated result, exclude "
                "it on its own page; the next rerate removes it."
            ),
        ),
        no_approval_line(),
    ]


def _rated_before(previews: Iterable[Preview]) -> dict[int, date]:
    """Return the last days of results that are still rated; they only change status."""
    ends = {one.result.pk: one.result.event.ends for one in previews}
    rated = Calculation.objects.filter(foreign__in=list(ends), is_current=True)
    return {pk: ends[pk] for pk in rated.values_list("foreign", flat=True)}


def _preview_members(now: Sequence[Preview]) -> Iterator[PreviewLine]:
    if not now:
        return
    members = len({one.result.player.canonical.pk for one in now})
    yield PreviewLine(
        "members",
        ngettext(
            "{number:,} Regular rating changes.",
            "{number:,} Regular ratings change.",
            members,
        ).format(number=members),
    )


def _ratings(previews: Iterable[Preview]) -> Iterator[tuple[Preview, int, int]]:
    for one in previews:
        if one.line is not None and one.line.pre_rating is not None:
            yield one, official(one.line.pre_rating), official(one.line.post_rating)


def _preview_points(now: Sequence[Preview]) -> Iterator[PreviewLine]:
    moves = [
        (after - before, one.result.player.name) for one, before, after in _ratings(now)
    ]
    for code, sentence, (points, name) in (
        ("gain", _("Largest gain: {gain}."), max((*moves, (0, "")))),
        ("loss", _("Largest loss: {loss}."), min((*moves, (0, "")))),
    ):
        if points:
            text = f"{signed(points)} ({name})"
            yield PreviewLine(code, sentence.format(**{code: text}))


def _preview_classes(now: Sequence[Preview]) -> Iterator[PreviewLine]:
    classes = [
        (rating_class_for(before), rating_class_for(after))
        for _one, before, after in _ratings(now)
    ]
    higher = sum(new.lowest > old.lowest for old, new in classes)
    lower = sum(new.lowest < old.lowest for old, new in classes)
    if higher or lower:
        yield PreviewLine(
            "classes",
            _("Classes: {higher:,} gained, {lower:,} lost.").format(
                higher=higher, lower=lower
            ),
        )


def _preview_rerated(again: dict[int, date]) -> Iterator[PreviewLine]:
    if again:
        yield PreviewLine(
            "again",
            ngettext(
                "{number:,} result was rated before and not removed. Its rating "
                "stays until the next rerate checks it.",
                "{number:,} results were rated before and not removed. Their "
                "ratings stay until the next rerate checks them.",
                len(again),
            ).format(number=len(again)),
            "note",
        )


def _preview_waiting(number: int) -> Iterator[PreviewLine]:
    if number:
        yield PreviewLine(
            "waiting",
            ngettext(
                "{number:,} result is accepted and will be rated with the next rerate.",
                "{number:,} results are accepted and will be rated with the next "
                "rerate.",
                number,
            ).format(number=number),
            "note",
        )


def _preview_late(
    now: Sequence[Preview], again: Iterable[date]
) -> Iterator[PreviewLine]:
    late = _late(now)
    days = [*late, *again]
    if late:
        yield PreviewLine(
            "late",
            ngettext(
                "{number:,} result is late: the member already has a later rated "
                "event. It is rated from the current rating.",
                "{number:,} results are late: the members already have later rated "
                "events. They are rated from the current ratings.",
                len(late),
            ).format(number=len(late)),
            "warning",
        )
    if days:
        yield pending_rerate_line(min(days), rating_history().next_rerate_from())
    else:
        yield PreviewLine("in_order", _("In order. No rerate is needed."))


def _late(now: Sequence[Preview]) -> list[date]:
    """Return the last days of the results that arrive too late (one query)."""
    if not now:
        return []
    results = [one.result for one in now]
    players = {result.player.canonical.pk for result in results}
    latest = latest_order_keys(players, min(result.event.ends for result in results))
    return [
        result.event.ends
        for result in results
        if latest.get(result.player.canonical.pk, ()) > foreign_order_key(result)
    ]


def _preview_refused(number: int) -> Iterator[PreviewLine]:
    if number:
        yield PreviewLine(
            "refused",
            ngettext(
                "{number:,} result can’t be rated and won’t change.",
                "{number:,} results can’t be rated and won’t change.",
                number,
            ).format(number=number),
            "note",
        )


def preview_decisions(result: ForeignResult, actor: User) -> list[PreviewLine]:
    """Describe the effects of the possible decisions on a result."""
    if result.status == ForeignResult.Status.RATED:

        def do() -> None:
            exclude_result(actor=actor, result_id=result.pk, reason="-")

        return [
            *rating_history().effects_of(do, [result.player.canonical]),
            PreviewLine(
                "ratings_wait",
                _(
                    "Excluding it changes no rating right away. The next rerate "
                    "removes it and updates later ratings."
                ),
            ),
            PreviewLine("undo", _("You can include it again later.")),
            no_approval_line(),
        ]
    if result.status == ForeignResult.Status.EXCLUDED:
        return [
            PreviewLine(
                "draft",
                _(
                    "If you include it again, it is checked and rated like a new "
                    "result."
                ),
            ),
            PreviewLine("no_change", _("This changes no ratings.")),
            no_approval_line(),
        ]
    return [
        PreviewLine("no_change", _("None of these decisions changes a rating.")),
        PreviewLine(
            "rated_later", _("Results marked ready are rated from the preview page.")
        ),
        PreviewLine("undo", _("You can include an excluded result again later.")),
        no_approval_line(),
    ]
