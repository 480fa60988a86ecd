"""The lines of a history, ready to show: where each is from, and what it may tell."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from django.db.models import (
    BooleanField,
    OuterRef,
    QuerySet,
    Subquery,
    Value,
)
from django.urls import reverse
from django.utils.translation import gettext as _

from players.models import Player
from ratings.access import StartReader
from ratings.engine.numbers import official
from ratings.engine.systems import System
from ratings.ledger.queries.privacy import (
    Starts,
    difference,
    has_newcomers,
    is_guarded,
    newcomers_before,
    shown,
)
from ratings.models import (
    Calculation,
    RatingChange,
)
from ratings_site.common.looks.figures import About

NOT_ASKED: Mapping[int, int] = {}


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """One line of the ledger, ready to show.

    A number is rounded if its decimals would help to compute a birth date.
    """

    day: date
    title: str
    section: str
    url: str
    why_url: str
    system: System
    half_points: int
    games: int
    before: float | None
    after: float
    marks: tuple[tuple[str, str], ...]
    source: str
    is_before_rounded: bool
    is_after_rounded: bool
    performance: int | None = None

    @property
    def change(self) -> float | None:
        return difference(self.before, self.after)


def lines_shown(
    pks: list[int], reader: StartReader, player: Player
) -> dict[int, RatingChange]:
    """Return lines with what they come from, and what is rounded (one query)."""
    lines = RatingChange.objects.select_related(
        "calculation__section__event",
        "calculation__opening",
        "calculation__adjustment",
        "calculation__foreign__event",
    )
    return _with_rounding(lines, reader, player).in_bulk(pks)


def _with_rounding(
    history: QuerySet[RatingChange], reader: StartReader, player: Player
) -> QuerySet[RatingChange]:
    """Annotate which numbers of a line the reader gets without decimals."""
    if reader.is_office or (is_guarded() and not reader.may_see(player.pk)):
        all_of_them = Value(not reader.is_office, output_field=BooleanField())
        return history.annotate(rounds_before=all_of_them, rounds_after=all_of_them)
    before = newcomers_before(OuterRef("previous_id"), reader.speaks_for)
    return history.annotate(
        rounds_before=Subquery(before), rounds_after=has_newcomers(reader.speaks_for)
    )


def line_of(
    change: RatingChange,
    player: Player,
    starts: Starts,
    performances: Mapping[int, int] = NOT_ASKED,
    *,
    sees_exact: bool = False,
) -> HistoryLine:
    calculation = change.calculation
    before, after = change.pre_rating, change.post_rating
    if not sees_exact:
        before, after = _seen(change, starts)
    place = place_of(calculation, player)
    return HistoryLine(
        day=calculation.age_day,
        title=place.title,
        section=place.section,
        url=place.url,
        why_url=place.why_url,
        system=System(calculation.system),
        half_points=change.half_points,
        games=change.games,
        before=before,
        after=after,
        marks=tuple(_marks(change, tells_bonus=not isinstance(after, About))),
        source=place.source,
        # Every number of a section is rounded, the rating before too.
        is_before_rounded=bool(change.rounds_before or change.rounds_after),
        is_after_rounded=change.rounds_after,
        performance=performances.get(calculation.pk),
    )


def _seen(change: RatingChange, starts: Starts) -> tuple[float | None, float]:
    """Return the ratings before and after as everybody sees them."""
    of = change.player_id, change.calculation.system
    before = change.pre_rating
    if before is not None:
        before = shown(before, starts.told(*of, change.pre_games))
    return before, shown(change.post_rating, starts.told(*of, change.post_games))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a line of the ledger comes from, in words and addresses."""

    title: str
    section: str = ""
    url: str = ""
    why_url: str = ""
    source: str = ""


def place_of(calculation: Calculation, player: Player) -> _Place:
    if calculation.section is not None:
        return _home(calculation, player)
    if calculation.foreign is not None:
        event = calculation.foreign.event
        why = reverse("ratings:foreign_why", args=[event.pk, player.member_id])
        return _Place(event.name, _("Foreign event"), event.get_absolute_url(), why)
    if calculation.adjustment is not None:
        kind = calculation.adjustment.get_kind_display()
        return _Place(_("Adjusted by the office"), source=kind)
    return _Place(_("Opening entry"), source=calculation.opening.source)


def _home(calculation: Calculation, player: Player) -> _Place:
    section = calculation.section
    event = section.event
    where = [event.event_id, section.number]
    return _Place(
        event.name,
        section.name or _("Section {number}").format(number=section.number),
        reverse("ratings:crosstable", args=where),
        reverse("ratings:why", args=[*where, player.member_id, calculation.system]),
    )


def _marks(change: RatingChange, *, tells_bonus: bool) -> list[tuple[str, str]]:
    """Return the letters behind a rating, each with its meaning.

    How large a bonus is gives away the start of a newcomer, or of who is shown rounded.
    """
    marks = []
    if change.bonus:
        has_size = tells_bonus and change.pre_rating is not None
        marks.append(("b", _bonus(change) if has_size else _("Bonus")))
    if change.floor_used is not None:
        marks.append(
            (
                "f",
                _("Held by the floor of {floor_used:.0f}").format(
                    floor_used=change.floor_used
                ),
            )
        )
    if change.ceiling_used is not None:
        marks.append(
            (
                "c",
                _("Held by the ceiling of {ceiling_used:.0f}").format(
                    ceiling_used=change.ceiling_used
                ),
            )
        )
    if change.calculation.is_late:
        marks.append(
            ("late", _("Reported late, so rated from the ratings of that day"))
        )
    return marks


def _bonus(change: RatingChange) -> str:
    if change.rounds_after:
        return _("Bonus of about {bonus} points").format(bonus=official(change.bonus))
    return _("Bonus of {bonus:.1f} points").format(bonus=change.bonus)
