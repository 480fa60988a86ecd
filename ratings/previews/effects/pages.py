"""The lines of a rating preview on the page of an action."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from players.models import Player
from ratings.decisions.floors.queries.floors import current_floor
from ratings.decisions.floors.services import adjustments, floors, money
from ratings.decisions.floors.services.life_masters import life_master_floor
from ratings.decisions.floors.services.validation import member
from ratings.engine.numbers import official
from ratings.engine.systems import System
from ratings.models import Adjustment, Ceiling, Floor, FloorRequest, PlayerRating
from ratings.previews.effects.services import (
    MAX_LINES,
    Move,
    RatingPreview,
    preview_rating_changes,
)
from ratings.previews.floor_requests.services import LOWER_ONE, decide_floor_request
from ratings_site.common.approvals.kinds import ApprovedAction, kind_of
from ratings_site.common.approvals.preview import PreviewLine, register_preview
from ratings_site.common.db.locks import RatingsBusy
from ratings_site.common.models import User
from ratings_site.common.ui.formatting import format_day, whole

# Placeholder reason for dry runs, because the audit record needs one.
PREVIEW_REASON = "Rehearsed."


def preview_ratings(
    do: Callable[[], object], members: Collection[Player]
) -> list[PreviewLine]:
    """Return the preview lines of an action, from a dry run of it."""
    people = {player.pk: player for player in members}
    try:
        preview = preview_rating_changes(do, people)
    except RatingsBusy:
        sentence = _(
            "Ratings are being updated, so the effect can’t be shown yet. Reload "
            "the page in a moment."
        )
        return [PreviewLine("busy", sentence, "warning")]
    return [
        *_immediate_lines(preview, people),
        *_pending_rerate_lines(preview),
        *_after_rerate(preview, people),
    ]


def preview_members(
    do: Callable[[], object], members: Collection[Player]
) -> list[PreviewLine]:
    """Return the same lines, after one on the systems that these members have."""
    rated = PlayerRating.objects.filter(player__in=members).order_by()
    systems = {System(one) for one in rated.values_list("system", flat=True)}
    if not systems:
        nowhere = PreviewLine("no_systems", _("None of these members has a rating."))
        return [nowhere, *preview_ratings(do, members)]
    labels = ", ".join(_(one.label) for one in System if one in systems)
    where = PreviewLine("systems", _("Rated in: {systems}.").format(systems=labels))
    return [where, *preview_ratings(do, members)]


def _immediate_lines(
    preview: RatingPreview, people: Mapping[int, Player]
) -> Iterator[PreviewLine]:
    for move in preview.immediate:
        yield PreviewLine(
            "at_once",
            _("{member}, {system}: {before} becomes {after} right away.").format(
                **_words(move, people[move.player])
            ),
        )


def _pending_rerate_lines(preview: RatingPreview) -> Iterator[PreviewLine]:
    if preview.added and preview.begins:
        yield PreviewLine(
            "late",
            ngettext(
                "Late: later events are already rated. This adds a pending rerate "
                "from {day}. The next rerate replays history from {begins}.",
                "Late: later events are already rated. This adds pending rerates "
                "from {day}. The next rerate replays history from {begins}.",
                len(preview.added),
            ).format(day=_days(preview.added), begins=format_day(preview.begins)),
            "warning",
        )
    elif preview.removed:
        yield PreviewLine(
            "mark_taken_back",
            _(
                "The pending rerate from {day} is removed because nothing has been "
                "rated since. Ratings don’t change."
            ).format(day=_days(preview.removed)),
        )
    else:
        yield PreviewLine("in_order", _("In order. No rerate is needed."))


def _days(days: Sequence[date]) -> str:
    return ", ".join(format_day(day) for day in dict.fromkeys(days))


def _after_rerate(
    preview: RatingPreview, people: Mapping[int, Player]
) -> Iterator[PreviewLine]:
    if not preview.added:
        return
    if preview.after_rerate is None:
        yield _known_later_line(preview)
        return
    others = 0
    for move in preview.after_rerate:
        if move.player in people:
            yield PreviewLine(
                "rating",
                _(
                    "{member}, {system}: {before} becomes {after} after the next "
                    "rerate."
                ).format(**_words(move, people[move.player])),
            )
        else:
            others += 1
    if others:
        yield PreviewLine(
            "others",
            ngettext(
                "{number} rating of another player then changes by a whole point "
                "or more.",
                "{number} ratings of other players then change by a whole point or "
                "more.",
                others,
            ).format(number=others),
        )
    if not preview.after_rerate:
        yield PreviewLine(
            "no_rating",
            _("A test run shows no rating changes of a whole point or more."),
        )


def _known_later_line(preview: RatingPreview) -> PreviewLine:
    if preview.replayed <= MAX_LINES:
        sentence = _("The effect on ratings will be known after the rerate.")
    else:
        sentence = _(
            "The effect on ratings will be known after the rerate. More than "
            "{number:,} later ratings are involved."
        ).format(number=MAX_LINES)
    return PreviewLine("known_later", sentence, "note")


def _words(move: Move, player: Player) -> dict[str, str]:
    return {
        "system": _(move.system.label),
        "member": str(player),
        "before": _rating(move.before),
        "after": _rating(move.after),
    }


def _rating(points: float | None) -> str:
    return _("unrated") if points is None else str(whole(points))


# Floors, ceilings and adjustments


def _approved(kind: str, facts: Mapping[str, Any], actor: User) -> Callable[[], object]:
    """Return the fields of an approved grant, before its approval."""
    return lambda: kind_of(kind).do(
        ApprovedAction(dict(facts), PREVIEW_REASON, actor, actor)
    )


def _floor_line(player: Player, system: str, level: int) -> PreviewLine:
    """Return the line that compares the current rating with a floor."""
    standing = current_floor(player, System(system))
    label = _(System(system).label)
    if standing is None:
        sentence = _(
            "There is no {system} rating yet. The floor applies from the first rating."
        )
        return PreviewLine("unrated", sentence.format(system=label))
    words = {"system": label, "level": level, "rating": whole(standing.rating)}
    if official(standing.rating) < level:
        sentence = _(
            "The {system} rating is {rating}, below {level}. The floor raises it "
            "with the next rerate or event."
        )
        return PreviewLine("below_floor", sentence.format(**words), "warning")
    sentence = _(
        "The {system} rating is {rating}, not below {level}. The floor does not "
        "raise it today."
    )
    return PreviewLine("above_floor", sentence.format(**words))


def _previewed(
    do: Callable[[], object],
    player: Player,
    systems: Sequence[str],
    facts: Iterable[PreviewLine] = (),
    last: PreviewLine | None = None,
) -> list[PreviewLine]:
    """Return the preview of an action on one member's ratings.

    *facts* are more lines about the action, read after the dry run. *last* says how it
    can be taken back, by default by ending it.
    """
    rating_lines = preview_ratings(do, [player])
    subject = _("Member: {member}. {systems}.").format(
        member=player, systems=", ".join(_(System(one).label) for one in systems)
    )
    return [
        PreviewLine("touched", subject),
        *facts,
        *rating_lines,
        last
        or PreviewLine(
            "can_be_ended", _("You can end it later. It stays in the history.")
        ),
    ]


@register_preview(floors.OFFICE)
def preview_office_floor(facts: Mapping[str, Any], actor: User) -> list[PreviewLine]:
    do, player = _approved(floors.OFFICE, facts, actor), member(facts["player_id"])
    system = facts["system"]
    return _previewed(
        do, player, [system], [_floor_line(player, system, facts["level"])]
    )


@register_preview(floors.MONEY)
def preview_money_floor(facts: Mapping[str, Any], actor: User) -> list[PreviewLine]:
    proposal = money.proposal_from(facts)
    player, level = proposal.player, proposal.level
    do = _approved(floors.MONEY, facts, actor)
    compared = [_floor_line(player, one, level) for one in proposal.systems]
    return _previewed(do, player, proposal.systems, compared)


@register_preview(floors.LIFE_MASTER)
def preview_life_master(facts: Mapping[str, Any], actor: User) -> list[PreviewLine]:
    floor = life_master_floor(facts["player_id"])
    do = _approved(floors.LIFE_MASTER, facts, actor)
    compared = _floor_line(floor.player, floor.system, floor.level)
    return _previewed(do, floor.player, [floor.system], [compared])


@register_preview(floors.END)
@register_preview(floors.END_MONEY)
def preview_ending_floor(facts: Mapping[str, Any], actor: User) -> list[PreviewLine]:
    floor = Floor.objects.select_related("player").get(pk=facts["floor_id"])
    if floor.kind == Floor.Kind.MONEY:
        do = _approved(floors.END_MONEY, facts, actor)
    else:
        do = _ending(floors.end_floor, facts, actor)
    return _preview_ending(floor, facts, do)


@register_preview(floors.END_CEILING)
def preview_ending_ceiling(facts: Mapping[str, Any], actor: User) -> list[PreviewLine]:
    ceiling = Ceiling.objects.select_related("player").get(pk=facts["ceiling_id"])
    return _preview_ending(ceiling, facts, _ending(floors.end_ceiling, facts, actor))


def _ending(
    end: Callable[..., object], facts: Mapping[str, Any], actor: User
) -> Callable[[], object]:
    arguments = {
        "ends": date.fromisoformat(facts["ends"]),
        "reason": PREVIEW_REASON,
        "actor": actor,
    }
    names = ("floor_id", "ceiling_id")
    return lambda: end(
        **arguments, **{one: facts[one] for one in names if one in facts}
    )


def _preview_ending(
    row: Floor | Ceiling, facts: Mapping[str, Any], do: Callable[[], object]
) -> list[PreviewLine]:
    player = row.player.canonical
    held: dict[str, int | None] = {}

    def do_and_read_floor() -> None:
        do()
        standing = current_floor(player, System(row.system))
        held["floor"] = standing.level if standing else None

    last = PreviewLine(
        "not_undone",
        _("You can’t undo this. To restore it, grant or impose a new one."),
    )
    floor_after = _floor_after_line(row, facts, held)
    return _previewed(do_and_read_floor, player, [row.system], floor_after, last)


def _floor_after_line(
    row: Floor | Ceiling, facts: Mapping[str, Any], held: Mapping[str, int | None]
) -> Iterator[PreviewLine]:
    """Yield the floor that is left, which the dry run finds out."""
    is_past = date.fromisoformat(facts["ends"]) < timezone.localdate()
    level = held.get("floor")
    if isinstance(row, Floor) and is_past and level is not None:
        sentence = _("The current {system} floor becomes {level}.").format(
            system=_(System(row.system).label), level=level
        )
        yield PreviewLine("floor_after", sentence)


@register_preview(floors.IMPOSE)
def preview_ceiling(facts: Mapping[str, Any], actor: User) -> list[PreviewLine]:
    player, system = member(facts["player_id"]), facts["system"]

    def do() -> None:
        floors.impose_ceiling(
            player_id=player.pk,
            reason=PREVIEW_REASON,
            actor=actor,
            **floors.grant_columns(facts),
        )

    compared = _ceiling_lines(player, system, facts["level"])
    return _previewed(do, player, [system], compared)


def _ceiling_lines(player: Player, system: str, level: int) -> Iterator[PreviewLine]:
    standing = current_floor(player, System(system))
    if standing is None:
        return
    label = _(System(system).label)
    words = {"system": label, "level": level, "rating": whole(standing.rating)}
    if official(standing.rating) > level:
        sentence = _(
            "The {system} rating is {rating}, above {level}. The ceiling lowers it "
            "with the next rerate or event."
        )
        yield PreviewLine("above_ceiling", sentence.format(**words), "warning")
    else:
        sentence = _("The {system} rating is {rating}, not above {level}.")
        yield PreviewLine("below_ceiling", sentence.format(**words))


@register_preview(adjustments.KIND)
def preview_adjustment(facts: Mapping[str, Any], actor: User) -> list[PreviewLine]:
    do, player = _approved(adjustments.KIND, facts, actor), member(facts["player_id"])
    last = PreviewLine(
        "can_be_withdrawn",
        _("Two people can withdraw it later. The next rerate then ignores it."),
    )
    return _previewed(do, player, [facts["system"]], last=last)


@register_preview(adjustments.WITHDRAW)
def preview_withdrawal(facts: Mapping[str, Any], actor: User) -> list[PreviewLine]:
    rows = Adjustment.objects.select_related("player__merged_into")
    adjustment = rows.get(pk=facts["adjustment_id"])
    do = _approved(adjustments.WITHDRAW, facts, actor)
    last = PreviewLine(
        "not_undone",
        _("You can’t undo a withdrawal. Propose a new adjustment instead."),
    )
    return _previewed(do, adjustment.player.canonical, [adjustment.system], last=last)


@register_preview(LOWER_ONE)
def preview_lowering(facts: Mapping[str, Any], actor: User) -> list[PreviewLine]:
    rows = FloorRequest.objects.select_related("player__merged_into")
    request = rows.get(pk=facts["request_id"])
    player = request.player.canonical

    def do() -> None:
        decide_floor_request(
            request_id=request.pk, is_granted=True, reason=PREVIEW_REASON, actor=actor
        )

    last = PreviewLine(
        "for_good",
        _(
            "You can’t undo this. A new peak can raise the floor again, or the "
            "office can grant one."
        ),
    )
    return _previewed(do, player, [request.system], last=last)
