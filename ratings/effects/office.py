"""What will happen to ratings, in the sentences of an act's page."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from players.models import Player
from ratings.effects.services import MOST_LINES, Move, Rehearsal, rehearse
from ratings.engine.numbers import official
from ratings.engine.systems import System
from ratings.floor_requests.services import LOWER_ONE, decide_floor_request
from ratings.floors.queries.floors import floor_now
from ratings.floors.services import adjustments, ceilings, floors, money
from ratings.floors.services.life_masters import floor_of_title
from ratings.floors.services.shared import member
from ratings.models import Adjustment, Ceiling, Floor, FloorRequest, PlayerRating
from ratings_site.common.acts.effects import Effect, says_what_happens
from ratings_site.common.acts.kinds import Approved, kind_of
from ratings_site.common.database.locks import RatingsBusy
from ratings_site.common.looks.figures import day_in_words, whole
from ratings_site.common.models import User

# A rehearsal has no reason of its own; the record that it makes has to have one.
REHEARSED = "Rehearsed."


def effects_of(do: Callable[[], object], members: Collection[Player]) -> list[Effect]:
    """Say what an act does to ratings, by a rehearsal of it."""
    people = {player.pk: player for player in members}
    try:
        seen = rehearse(do, people)
    except RatingsBusy:
        return [_busy()]
    return [
        *_at_once(seen, people),
        *_marks(seen),
        *_after_rerate(seen, people),
    ]


def effects_on_members(
    do: Callable[[], object], members: Collection[Player]
) -> list[Effect]:
    """Say the same, and first in which systems these members are rated."""
    rated = PlayerRating.objects.filter(player__in=members).order_by()
    systems = {System(one) for one in rated.values_list("system", flat=True)}
    if not systems:
        nowhere = Effect("no_systems", _("Nobody of them is rated in any system."))
        return [nowhere, *effects_of(do, members)]
    labels = ", ".join(_(one.label) for one in System if one in systems)
    where = Effect("systems", _("Rated now in: {systems}.").format(systems=labels))
    return [where, *effects_of(do, members)]


def _busy() -> Effect:
    return Effect(
        "busy",
        _(
            "Ratings are being written just now, so the effect on them is not known. "
            "Load the page again in a moment."
        ),
        "warning",
    )


def _at_once(seen: Rehearsal, people: Mapping[int, Player]) -> Iterator[Effect]:
    for move in seen.at_once:
        yield Effect(
            "at_once",
            _("{system} of {member}: {after} instead of {before}, at once.").format(
                **_words(move, people[move.player])
            ),
        )


def _marks(seen: Rehearsal) -> Iterator[Effect]:
    if seen.left and seen.begins:
        yield Effect(
            "late",
            ngettext(
                "Late: ratings have been computed since. It leaves a mark on {day}; "
                "the next rerate replays history from {begins} on.",
                "Late: ratings have been computed since. It leaves marks on {day}; "
                "the next rerate replays history from {begins} on.",
                len(seen.left),
            ).format(day=_days(seen.left), begins=day_in_words(seen.begins)),
            "warning",
        )
    elif seen.taken_back:
        yield Effect(
            "mark_taken_back",
            _(
                "The mark on {day} is taken back, as nothing has been rated since: "
                "ratings stay as they are, and no rerate has to follow from it."
            ).format(day=_days(seen.taken_back)),
        )
    else:
        yield Effect("in_order", _("In order: it leaves no mark, no rerate follows."))


def _days(days: Sequence[date]) -> str:
    return ", ".join(day_in_words(day) for day in dict.fromkeys(days))


def _after_rerate(seen: Rehearsal, people: Mapping[int, Player]) -> Iterator[Effect]:
    if not seen.left:
        return
    if seen.after_rerate is None:
        yield _known_later(seen)
        return
    others = 0
    for move in seen.after_rerate:
        if move.player in people:
            yield Effect(
                "rating",
                _(
                    "{system} of {member}: {after} instead of {before}, after the "
                    "next rerate."
                ).format(**_words(move, people[move.player])),
            )
        else:
            others += 1
    if others:
        yield Effect(
            "others",
            ngettext(
                "{number} rating of somebody else changes in whole points then.",
                "{number} ratings of others change in whole points then.",
                others,
            ).format(number=others),
        )
    if not seen.after_rerate:
        yield Effect(
            "no_rating", _("No rating changes in whole points, by a dry run of it.")
        )


def _known_later(seen: Rehearsal) -> Effect:
    if seen.replayed <= MOST_LINES:
        sentence = _(
            "The effect on ratings is known after the rerate: history cannot be "
            "replayed with it yet."
        )
    else:
        sentence = _(
            "The effect on ratings is known after the rerate: more than {number:,} "
            "ratings have been computed since."
        ).format(number=MOST_LINES)
    return Effect("known_later", sentence, "note")


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
    """Return what a second person's word does; nobody has said it yet."""
    return lambda: kind_of(kind).do(Approved(dict(facts), REHEARSED, actor, actor))


def _touched(player: Player, *systems: str) -> Effect:
    return Effect(
        "touched",
        _("It is about {member}: {systems}.").format(
            member=player, systems=", ".join(_(System(one).label) for one in systems)
        ),
    )


def _against(player: Player, system: str, level: int) -> Effect:
    """Say how the rating of today stands to a floor."""
    standing = floor_now(player, System(system))
    label = _(System(system).label)
    if standing is None:
        sentence = _("There is no {system} rating yet; the first one finds the floor.")
        return Effect("unrated", sentence.format(system=label))
    words = {"system": label, "level": level, "rating": whole(standing.rating)}
    if official(standing.rating) < level:
        sentence = _(
            "The {system} rating is {rating} now, below {level}: the floor lifts it, "
            "with a rerate or with the next event."
        )
        return Effect("below_floor", sentence.format(**words), "warning")
    sentence = _(
        "The {system} rating is {rating} now, not below {level}: the floor lifts "
        "nothing today."
    )
    return Effect("above_floor", sentence.format(**words))


def _can_be_ended() -> Effect:
    return Effect(
        "can_be_ended",
        _("It can be ended by its last day, and stays in the history then."),
    )


@says_what_happens(floors.OFFICE)
def of_office_floor(facts: Mapping[str, Any], actor: User) -> list[Effect]:
    player = member(facts["player_id"])
    rehearsed = effects_of(_approved(floors.OFFICE, facts, actor), [player])
    return [
        _touched(player, facts["system"]),
        _against(player, facts["system"], facts["level"]),
        *rehearsed,
        _can_be_ended(),
    ]


@says_what_happens(floors.MONEY)
def of_money_floor(facts: Mapping[str, Any], actor: User) -> list[Effect]:
    player = member(facts["player_id"])
    proposal = money.proposal_from(facts)
    rehearsed = effects_of(_approved(floors.MONEY, facts, actor), [player])
    return [
        _touched(player, *proposal.systems),
        *(_against(player, one, proposal.level) for one in proposal.systems),
        *rehearsed,
        _can_be_ended(),
    ]


@says_what_happens(floors.LIFE_MASTER)
def of_life_master(facts: Mapping[str, Any], actor: User) -> list[Effect]:
    floor = floor_of_title(facts["player_id"])
    rehearsed = effects_of(_approved(floors.LIFE_MASTER, facts, actor), [floor.player])
    return [
        _touched(floor.player, System.OTBR),
        _against(floor.player, floor.system, floor.level),
        *rehearsed,
        _can_be_ended(),
    ]


@says_what_happens(floors.END)
@says_what_happens(floors.END_MONEY)
def of_ending_floor(facts: Mapping[str, Any], actor: User) -> list[Effect]:
    floor = Floor.objects.select_related("player").get(pk=facts["floor_id"])
    if floor.kind == Floor.Kind.MONEY:
        do = _approved(floors.END_MONEY, facts, actor)
    else:
        do = _ending(floors.end_floor, facts, actor)
    return _of_ending(floor, facts, do)


@says_what_happens(floors.END_CEILING)
def of_ending_ceiling(facts: Mapping[str, Any], actor: User) -> list[Effect]:
    ceiling = Ceiling.objects.select_related("player").get(pk=facts["ceiling_id"])
    return _of_ending(ceiling, facts, _ending(ceilings.end_ceiling, facts, actor))


def _ending(
    end: Callable[..., object], facts: Mapping[str, Any], actor: User
) -> Callable[[], object]:
    said = {
        "ends": date.fromisoformat(facts["ends"]),
        "reason": REHEARSED,
        "actor": actor,
    }
    names = ("floor_id", "ceiling_id")
    return lambda: end(**said, **{one: facts[one] for one in names if one in facts})


def _of_ending(
    row: Floor | Ceiling, facts: Mapping[str, Any], do: Callable[[], object]
) -> list[Effect]:
    player = row.player.canonical
    held: dict[str, int | None] = {}

    def do_and_look() -> None:
        do()
        standing = floor_now(player, System(row.system))
        held["floor"] = standing.level if standing else None

    rehearsed = effects_of(do_and_look, [player])
    return [
        _touched(player, row.system),
        *_held_after(row, facts, held.get("floor")),
        *rehearsed,
        Effect("not_undone", _("An end is not undone: a new one would be decided.")),
    ]


def _held_after(
    row: Floor | Ceiling, facts: Mapping[str, Any], level: int | None
) -> Iterator[Effect]:
    is_past = date.fromisoformat(facts["ends"]) < timezone.localdate()
    if isinstance(row, Floor) and is_past and level is not None:
        yield Effect(
            "floor_after",
            _("The {system} floor that holds today is {level} then.").format(
                system=_(System(row.system).label), level=level
            ),
        )


@says_what_happens(floors.IMPOSE)
def of_ceiling(facts: Mapping[str, Any], actor: User) -> list[Effect]:
    columns = floors.columns_of_grant(facts)
    player, system = columns["player"], columns["system"]

    def do() -> None:
        said = columns | {"reason": REHEARSED, "actor": actor}
        ceilings.impose_ceiling(player_id=said.pop("player").pk, **said)

    rehearsed = effects_of(do, [player])
    return [
        _touched(player, system),
        *_under_ceiling(player, system, facts["level"]),
        *rehearsed,
        _can_be_ended(),
    ]


def _under_ceiling(player: Player, system: str, level: int) -> Iterator[Effect]:
    standing = floor_now(player, System(system))
    if standing is None:
        return
    label = _(System(system).label)
    words = {"system": label, "level": level, "rating": whole(standing.rating)}
    if standing.rating > level:
        sentence = _(
            "The {system} rating is {rating} now, above {level}: the ceiling takes it "
            "down, with a rerate or with the next event."
        )
        yield Effect("above_ceiling", sentence.format(**words), "warning")
    else:
        sentence = _("The {system} rating is {rating} now, not above {level}.")
        yield Effect("below_ceiling", sentence.format(**words))


@says_what_happens(adjustments.KIND)
def of_adjustment(facts: Mapping[str, Any], actor: User) -> list[Effect]:
    player = member(facts["player_id"])
    rehearsed = effects_of(_approved(adjustments.KIND, facts, actor), [player])
    return [
        _touched(player, facts["system"]),
        *rehearsed,
        Effect(
            "can_be_withdrawn",
            _(
                "It can be withdrawn, by two people again; the next rerate computes "
                "without it then."
            ),
        ),
    ]


@says_what_happens(adjustments.WITHDRAW)
def of_withdrawal(facts: Mapping[str, Any], actor: User) -> list[Effect]:
    rows = Adjustment.objects.select_related("player__merged_into")
    adjustment = rows.get(pk=facts["adjustment_id"])
    player = adjustment.player.canonical
    rehearsed = effects_of(_approved(adjustments.WITHDRAW, facts, actor), [player])
    return [
        _touched(player, adjustment.system),
        *rehearsed,
        Effect(
            "not_undone",
            _("A withdrawal is not undone: a new adjustment would be proposed."),
        ),
    ]


@says_what_happens(LOWER_ONE)
def of_lowering(facts: Mapping[str, Any], actor: User) -> list[Effect]:
    rows = FloorRequest.objects.select_related("player__merged_into")
    request = rows.get(pk=facts["request_id"])
    player = request.player.canonical

    def do() -> None:
        decide_floor_request(
            request_id=request.pk, is_granted=True, reason=REHEARSED, actor=actor
        )

    rehearsed = effects_of(do, [player])
    return [
        _touched(player, request.system),
        *rehearsed,
        Effect(
            "for_good",
            _(
                "It is for good: nobody can undo it. The floor comes back with a new "
                "peak, or where the office grants one."
            ),
        ),
    ]
