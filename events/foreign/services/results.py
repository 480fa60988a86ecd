"""Services for foreign FIDE events and the members' results in them."""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from events.formats.foreign.report import ReportedForeignGame, ReportedUnplayedRound
from events.models import ForeignEvent, ForeignGame, ForeignResult, ForeignVersion
from players.fide.queries import fide_ratings_on
from players.members.rating_history import rating_history
from players.models import FideList, FidePlayer, Player
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import Refusal, changed_meanwhile, shown_digest
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import lock_ratings_or_refuse
from ratings_site.common.models import User
from ratings_site.common.names.phonetics import searchable

PERMISSION = "events.rate_foreign"

Source = ForeignGame.RatingSource


class NotPossible(Refusal):
    """The event or result does not allow this; the message says why."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a foreign event; two entries with the same facts are one event.

    Without *rated_list* FIDE rated it for the first list after the last day.
    """

    name: str
    federation: str
    starts: date
    ends: date
    city: str = ""
    fide_code: str = ""
    is_youth: bool = False
    rated_list: date | None = None


# --- The event ---


def enter_event(*, actor: User, facts: Facts) -> tuple[ForeignEvent, bool]:
    """Return the event with these facts, and whether it is new.

    The same FIDE code, or the same name and days, mean the same event; a FIDE code that
    was missing before is added.
    """
    require_permission(actor, PERMISSION)
    with transaction.atomic():
        known = _same_event(facts)
        if known is not None:
            _note_code(known, facts, actor)
            return known, False
        event = ForeignEvent.objects.create(**_columns(facts))
        record("foreign_event.entered", subject=event, actor=actor)
    return event, True


def _same_event(facts: Facts) -> ForeignEvent | None:
    events = ForeignEvent.objects.select_for_update()
    if facts.fide_code:
        same = events.filter(fide_code=facts.fide_code).first()
        if same is not None:
            return same
    wanted = searchable(facts.name)
    for event in events.filter(starts=facts.starts, ends=facts.ends):
        codes = {event.fide_code, facts.fide_code} - {""}
        # Groups of a festival share name and days, but not the code.
        if searchable(event.name) == wanted and len(codes) < 2:
            return event
    return None


def _note_code(event: ForeignEvent, facts: Facts, actor: User) -> None:
    if facts.fide_code and not event.fide_code:
        event.fide_code = facts.fide_code
        event.save(update_fields=["fide_code"])
        record("foreign_event.changed", subject=event, actor=actor)


def _columns(facts: Facts) -> dict[str, Any]:
    """Return the facts with their lists: in force at the start, first after the end."""
    first = facts.ends.replace(day=1)
    after = first.replace(
        year=first.year + first.month // 12, month=first.month % 12 + 1
    )
    return asdict(facts) | {
        "list_date": facts.starts.replace(day=1),
        "rated_list": facts.rated_list or after,
    }


def facts_digest(event: ForeignEvent) -> str:
    """Return a digest of an event's facts, to tell whether they have changed."""
    return shown_digest([getattr(event, name) for name in Facts.__dataclass_fields__])


def change_event(
    *, actor: User, event_id: int, facts: Facts, reason: str, was: str = ""
) -> ForeignEvent:
    """Correct the facts of an event; rated results wait for a rerate.

    With another first day, the opponents' ratings come from another list. *was* is the
    digest of the facts that *actor* saw.
    """
    require_permission(actor, PERMISSION)
    with transaction.atomic():
        lock_ratings_or_refuse(NotPossible)
        event = ForeignEvent.objects.select_for_update().get(pk=event_id)
        before = copy(event)
        other = _same_event(facts)
        if other is not None and other.pk != event.pk:
            raise NotPossible(
                _("{name} is already entered with this code or these dates.").format(
                    name=other.name
                )
            )
        for name, value in _columns(facts).items():
            setattr(event, name, value)
        now = facts_digest(before)
        if was and was != now and facts_digest(event) != now:
            raise NotPossible(changed_meanwhile())
        event.save()
        _follow_event(before, event, actor, reason)
        record("foreign_event.changed", subject=event, actor=actor, reason=reason)
    return event


def _follow_event(
    before: ForeignEvent, event: ForeignEvent, actor: User, reason: str
) -> None:
    """Update the results to their event's new facts, if these affect them."""
    if all(
        getattr(before, name) == getattr(event, name)
        for name in ("starts", "ends", "is_youth")
    ):
        return
    for result in event.results.select_related("player"):
        if result.status == ForeignResult.Status.RATED:
            _keep_version(result, before, actor, reason)
            _history_changed(
                result,
                actor,
                f"The dates or the kind of {event.name} were corrected.",
                min(before.ends, event.ends),
            )
        _look_up(result, event)


# --- Results ---


def enter_result(
    *,
    actor: User,
    event_id: int,
    player: Player,
    games: Sequence[ReportedForeignGame],
    rounds_off: Iterable[ReportedUnplayedRound] = (),
    source: str = "",
    file_id: int | None = None,
    was: str | None = None,
) -> ForeignResult:
    """Enter a member's games, or replace them as long as they are not rated.

    The opponents' ratings come from the FIDE list of the event. The ratings app decides
    whether the result can be rated; until then it is a draft. *was* is the digest of
    the games that *actor* saw.
    """
    require_permission(actor, PERMISSION)
    _check_games(games)
    unplayed = unplayed_as_json(rounds_off)
    with transaction.atomic():
        event = ForeignEvent.objects.select_for_update().get(pk=event_id)
        result = event.results.filter(player=player.canonical).first()
        if result is not None and not result.is_open:
            state = result.get_status_display().lower()
            raise NotPossible(
                _(
                    "The result of {name} is {state}. Change it on its own page and "
                    "give a reason."
                ).format(name=result.player.name, state=state)
            )
        _require_same_games(result, was, games, unplayed)
        result = result or ForeignResult(event=event, player=player.canonical)
        result.status = ForeignResult.Status.DRAFT
        result.source, result.file_id = source[:200], file_id
        result.unplayed = unplayed
        result.save()
        _write_games(result, games)
        record("foreign_result.entered", subject=result, actor=actor)
    return result


def games_digest(result: ForeignResult | None) -> str:
    """Return a digest of the games as they were entered; "" without a result."""
    return _digest_of(result.games.all(), result.unplayed) if result else ""


def _digest_of(
    games: Iterable[ForeignGame | ReportedForeignGame],
    unplayed: Iterable[dict[str, Any]],
) -> str:
    rounds: list[object] = [(one["round"], one["what"]) for one in unplayed]
    rounds += [
        (
            *(one.round_number, one.opponent_fide_id or one.opponent_name),
            *(one.color, one.half_points, one.stated_rating),
        )
        for one in games
    ]
    return shown_digest(sorted(map(repr, rounds)))


def _require_same_games(
    result: ForeignResult | None,
    was: str | None,
    games: Iterable[ReportedForeignGame],
    unplayed: Iterable[dict[str, Any]],
) -> None:
    now = games_digest(result)
    if was not in (None, now) and _digest_of(games, unplayed) != now:
        raise NotPossible(changed_meanwhile())


def _check_games(games: Sequence[ReportedForeignGame]) -> None:
    if not games:
        raise NotPossible(_("There’s no game that can be rated."))
    numbers = [game.round_number for game in games]
    if len(set(numbers)) < len(numbers):
        raise NotPossible(
            _("A round is entered twice. Give each game its own round number.")
        )


def unplayed_as_json(
    rounds_off: Iterable[ReportedUnplayedRound],
) -> list[dict[str, Any]]:
    return [{"round": one.round_number, "what": one.what} for one in rounds_off]


def _fallback(result: ForeignResult) -> str:
    """Return the source of a rating that no list confirms."""
    return Source.HAND if result.file_id is None else Source.FILE


def _write_games(result: ForeignResult, games: Iterable[ReportedForeignGame]) -> None:
    result.games.all().delete()
    rows = [ForeignGame(result=result, **asdict(game)) for game in games]
    _rate_opponents(rows, result.event, _fallback(result))
    ForeignGame.objects.bulk_create(rows)


def list_is_stored(event: ForeignEvent) -> bool:
    """Return whether the FIDE list in force on the first day is stored."""
    return FideList.objects.filter(
        list_date=event.list_date, state__in=FideList.IN_USE
    ).exists()


def _rate_opponents(
    games: Sequence[ForeignGame], event: ForeignEvent, fallback: str
) -> None:
    """Set each opponent's rating from the list, or else the stated rating.

    The stated rating is used if the list is not stored or the opponent's FIDE ID is
    unknown. An opponent without a rating is not counted.
    """
    ids = [int(game.opponent_fide_id) for game in games if game.opponent_fide_id]
    is_stored = list_is_stored(event)
    values = fide_ratings_on(ids, event.list_date) if is_stored else {}
    names = _names(ids)
    for game in games:
        if not game.opponent_name and game.opponent_fide_id:
            game.opponent_name = names.get(int(game.opponent_fide_id), "")
        if not (is_stored and game.opponent_fide_id):
            game.opponent_rating = game.stated_rating
            game.rating_source = fallback if game.stated_rating else ""
            continue
        value = values.get(int(game.opponent_fide_id))
        game.opponent_rating = value.rating if value else None
        game.rating_source = Source.LIST
        if value and not game.opponent_federation:
            game.opponent_federation = value.federation


def _names(fide_ids: Iterable[int]) -> dict[int, str]:
    """Return the names by FIDE ID; only the newest list has names."""
    rows = FidePlayer.objects.filter(
        list__state=FideList.State.CURRENT, fide_id__in=set(fide_ids)
    )
    return dict(rows.values_list("fide_id", "name"))


def look_up_again(*, actor: User, result_id: int) -> ForeignResult:
    """Set the opponents' ratings from the list again; only before rating."""
    require_permission(actor, PERMISSION)
    with transaction.atomic():
        result = _locked(result_id)
        if not result.is_open:
            raise NotPossible(_("This result can no longer be edited here."))
        _look_up(result, result.event)
        result.status = ForeignResult.Status.DRAFT
        result.save(update_fields=["status"])
        record("foreign_result.looked_up", subject=result, actor=actor)
    return result


def _look_up(result: ForeignResult, event: ForeignEvent) -> None:
    rows = list(result.games.all())
    _rate_opponents(rows, event, _fallback(result))
    ForeignGame.objects.bulk_update(
        rows,
        ["opponent_rating", "rating_source", "opponent_federation", "opponent_name"],
    )


def _locked(result_id: int) -> ForeignResult:
    return (
        ForeignResult.objects.select_for_update(of=("self",))
        .select_related("event", "player")
        .get(pk=result_id)
    )


# --- Decisions about a result ---


def exclude_result(*, actor: User, result_id: int, reason: str) -> ForeignResult:
    """Exclude a result. If it is rated, the next rerate removes it."""
    require_permission(actor, PERMISSION)
    with transaction.atomic():
        lock_ratings_or_refuse(NotPossible)
        result = _locked(result_id)
        if result.status == ForeignResult.Status.EXCLUDED:
            raise NotPossible(_("This result is already excluded."))
        was_rated = result.status == ForeignResult.Status.RATED
        result.status = ForeignResult.Status.EXCLUDED
        result.excluded_because = reason
        result.save(update_fields=["status", "excluded_because"])
        if was_rated:
            _history_changed(
                result,
                actor,
                f"The result of {result.player.name} in {result.event.name} was "
                "left out.",
            )
        record("foreign_result.left_out", subject=result, actor=actor, reason=reason)
    return result


def restore_result(*, actor: User, result_id: int, reason: str) -> ForeignResult:
    """Restore an excluded result."""
    require_permission(actor, PERMISSION)
    with transaction.atomic():
        result = _locked(result_id)
        if result.status != ForeignResult.Status.EXCLUDED:
            raise NotPossible(_("This result isn’t excluded."))
        result.status = ForeignResult.Status.DRAFT
        result.excluded_because = ""
        result.save(update_fields=["status", "excluded_because"])
        record("foreign_result.taken_in", subject=result, actor=actor, reason=reason)
    return result


def admit_resident(*, actor: User, result_id: int, reason: str) -> ForeignResult:
    """Include a US resident without the USA flag (2025 text, section 6)."""
    return _note(actor, result_id, "admitted_because", "admitted", reason)


def accept_duplicate(*, actor: User, result_id: int, reason: str) -> ForeignResult:
    """Count a result although another event seems to have the same games."""
    return _note(actor, result_id, "not_a_double_because", "not_a_double", reason)


def _note(
    actor: User, result_id: int, field: str, act: str, reason: str
) -> ForeignResult:
    require_permission(actor, PERMISSION)
    with transaction.atomic():
        result = _locked(result_id)
        if not result.is_open:
            raise NotPossible(_("This result can no longer be edited here."))
        setattr(result, field, reason)
        result.save(update_fields=[field])
        record(f"foreign_result.{act}", subject=result, actor=actor, reason=reason)
    return result


def correct_result(
    *,
    actor: User,
    result_id: int,
    games: Sequence[ReportedForeignGame],
    rounds_off: Iterable[ReportedUnplayedRound] = (),
    reason: str,
    was: str | None = None,
) -> ForeignResult:
    """Replace the games of a rated result, to be used by the next rerate.

    The previous games are stored as a version, with the reason. *was* is as in
    ``enter_result``.
    """
    require_permission(actor, PERMISSION)
    _check_games(games)
    unplayed = unplayed_as_json(rounds_off)
    with transaction.atomic():
        lock_ratings_or_refuse(NotPossible)
        result = _locked(result_id)
        if result.status != ForeignResult.Status.RATED:
            raise NotPossible(_("Only a rated result can be corrected."))
        _require_same_games(result, was, games, unplayed)
        _keep_version(result, result.event, actor, reason)
        result.unplayed = unplayed
        result.file = None
        result.save(update_fields=["unplayed", "file"])
        _write_games(result, games)
        _history_changed(
            result,
            actor,
            f"The games of {result.player.name} in {result.event.name} were corrected.",
        )
        record("foreign_result.corrected", subject=result, actor=actor, reason=reason)
    return result


VERSIONED_GAME_FIELDS = (
    "round_number",
    "opponent_name",
    "opponent_fide_id",
    "opponent_federation",
    "opponent_rating",
    "rating_source",
    "color",
    "half_points",
)


def _keep_version(
    result: ForeignResult, event: ForeignEvent, actor: User, reason: str
) -> None:
    """Store the result as a version, with the event as it was before."""
    games = list(result.games.values(*VERSIONED_GAME_FIELDS))
    ForeignVersion.objects.create(
        result=result,
        number=result.version,
        content={
            "starts": event.starts.isoformat(),
            "ends": event.ends.isoformat(),
            "is_youth": event.is_youth,
            "games": games,
        },
        replaced_by=actor,
        reason=reason,
    )
    result.version += 1
    result.save(update_fields=["version"])


def _history_changed(
    result: ForeignResult, actor: User, note: str, day: date | None = None
) -> None:
    rating_history().history_changed(
        kind="foreign",
        player=result.player,
        day=day or result.event.ends,
        actor=actor,
        note=note,
    )
