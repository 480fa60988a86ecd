"""Rating fees: what a report costs, and the lines of affiliates' statements."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from django.utils import timezone

from events.access import td_records
from events.formats.played_games import played_games
from events.formats.report import ReportedEvent
from events.models import (
    Event,
    FeeCharge,
    RatingFee,
    Section,
    Submission,
)
from events.models.fee import NO_MONEY, Basis
from events.records.section_rater import SectionImpact, section_rater

Cause = FeeCharge.Cause


def section_charges(
    reported: ReportedEvent,
    submission: Submission,
    impacts: Sequence[SectionImpact] | None = None,
) -> dict[int, FeeCharge]:
    """Return an unsaved charge for each section's number; none without fees.

    The fee is that of the event's last day. One query if there are no fees. The
    *impacts* of the sections are computed unless they are given.
    """
    day = reported.ends or timezone.localdate()
    in_force = RatingFee.objects.filter(starts__lte=day).order_by("starts")
    fees = {fee.system: fee for fee in in_force}
    if not fees:
        return {}
    is_td = td_records(account=submission.uploaded_by_id).exists()
    charges = {}
    if impacts is None:
        (impacts,) = section_rater().effects_of([reported])
    for section, impact in zip(reported.sections, impacts, strict=True):
        fee = fees.get(impact.main_system, fees.get(RatingFee.System.ANY))
        if fee is None:
            continue
        by_office = None if is_td else fee.office_amount
        games = sum(1 for _ in played_games(section))
        charges[section.number] = FeeCharge(
            cause=Cause.ACCEPTED,
            basis=fee.basis,
            quantity=_quantity(fee.basis, games, len(impact.players)),
            rate=fee.amount if by_office is None else by_office,
            minimum=fee.minimum,
        )
    return charges


def missing_to_minimum(charges: Iterable[FeeCharge]) -> Decimal:
    """Return by how much the sections' charges are below the minimum."""
    charges = list(charges)
    least = max((one.minimum for one in charges), default=NO_MONEY)
    return max(least - total_of(charges), NO_MONEY)


def total_of(charges: Iterable[FeeCharge]) -> Decimal:
    return sum((one.amount for one in charges), NO_MONEY)


def charge_sections(
    event: Event, sections: Iterable[Section], reported: ReportedEvent
) -> None:
    """Charge accepted sections, with the fees of the event's last day."""
    charges = section_charges(reported, event.submission)
    for section in sections:
        if section.number in charges:
            _save(charges[section.number], event, section)
    if charges:
        _settle_minimum(event)


def adjust_charges(section: Section) -> None:
    """Charge the difference that a correction makes, at the section's own rate.

    A section that was accepted without a fee stays without one.
    """
    lines = list(section.charges.all())
    if not lines:
        return
    first = lines[0]
    pairs = list(section.games.values_list("first__player", "second__player"))
    players = {player for pair in pairs for player in pair}
    charged = sum(line.quantity for line in lines)
    more = _quantity(first.basis, len(pairs), len(players)) - charged
    if more:
        facts = {name: getattr(first, name) for name in ("basis", "rate", "minimum")}
        line = FeeCharge(cause=Cause.CORRECTION, quantity=more, **facts)
        _save(line, section.event, section)
        _settle_minimum(section.event)


def _quantity(basis: str, games: int, players: int) -> int:
    """Return what is charged for; a section without a rated game costs nothing."""
    sections = min(games, 1)
    return {Basis.GAME: games, Basis.PLAYER: players, Basis.SECTION: sections}[
        Basis(basis)
    ]


def _save(charge: FeeCharge, event: Event, section: Section | None) -> None:
    charge.event, charge.section, charge.affiliate = event, section, event.affiliate
    charge.save(force_insert=True)


def _settle_minimum(event: Event) -> None:
    """Raise the event's total to the minimum, or lower an earlier raise."""
    Event.objects.select_for_update().get(pk=event.pk)  # one sum at a time
    lines = list(event.charges.all())
    raised = total_of(line for line in lines if line.section_id is None)
    missing = missing_to_minimum(line for line in lines if line.section_id)
    if missing != raised:
        line = FeeCharge(cause=Cause.MINIMUM, rate=missing - raised)
        _save(line, event, None)
