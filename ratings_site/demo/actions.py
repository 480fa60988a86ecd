"""Office actions that the demo and the scripted month share."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from django.utils import timezone

from events.corrections.services.requests import approve_correction, ask_for_correction
from events.foreign.services.results import Facts, enter_event, enter_result
from events.formats.foreign.report import ReportedForeignGame
from events.models import CorrectionRequest, ForeignResult, Section
from players.fide.services.links import link_fide_id
from players.fide.services.lists import receive_list
from players.fide.services.opt_ins import opt_in
from players.models import Player
from ratings.foreign.services import mark_ready, rate_batch
from ratings.lists.services.lists import prepare_list, publish_list
from ratings.models import OfficialList, Run
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import User

FIDE_HEADER = (
    "ID Number      Name                                                         "
    "Fed Sex Tit  WTit OTit           FOA SRtng SGm SK RRtng RGm Rk BRtng BGm BK "
    "B-day Flag"
)


class FideListLine(NamedTuple):
    """A line of a FIDE list. All names are invented."""

    fide_id: int
    federation: str
    rating: int
    games: int
    born: int
    name: str = ""
    sex: str = ""


def rerate(*, staff: User, manager: User, reason: str) -> Run:
    """Run a rerate of the pending changes and publish it."""
    run = start_rerate(actor=staff, reason=reason)
    run_due_jobs()
    return publish_rerate(run_id=run.pk, actor=manager, reason="Looked it over.")


def publish_current_list(month: date, *, manager: User, reason: str) -> OfficialList:
    """Publish a list whose cutoff is now."""
    draft = prepare_list(month=month, actor=manager, cut_off=timezone.now())
    return publish_list(month=month, digest=draft.digest, actor=manager, reason=reason)


def ask_for_draw(
    section: Section,
    *,
    number: int,
    round_number: int,
    opponent: int,
    color: str,
    text: str,
    actor: User,
) -> CorrectionRequest:
    """Request a correction of a game to a draw; *color* is that of *number*."""
    cell = {
        "number": number,
        "round_number": round_number,
        "result": "D",
        "opponent": opponent,
        "color": color,
    }
    return ask_for_correction(
        section=section,
        kind=CorrectionRequest.Kind.RESULT,
        change={"cells": [cell]},
        text=text,
        version=section.version,
        actor=actor,
    )


def approve(request: CorrectionRequest, *, note: str, staff: User) -> CorrectionRequest:
    return approve_correction(
        request_id=request.pk,
        version=request.section.version,
        public_note=note,
        reason="",
        actor=staff,
    )


def read_fide_list(
    people: Sequence[FideListLine], *, day: date, staff: User, reason: str = ""
) -> None:
    """Import a FIDE list of these people."""
    receive_list(
        actor=staff,
        name="players_list_foa.txt",
        content=[fide_list_text(people).encode()],
        list_date=day,
        allow_older=bool(reason),
        allow_smaller=bool(reason),
        reason=reason,
    )
    run_due_jobs()


def opt_in_by_letter(
    player: Player, fide_id: int, *, before: date, days: int, staff: User
) -> None:
    """Link a member to a FIDE ID, and opt in some days before an event."""
    link_fide_id(player_id=player.pk, fide_id=fide_id, actor=staff, reason="Passport.")
    day = before - timedelta(days)
    opt_in(player_id=player.pk, actor=staff, note="By letter.", day=day)


def rate_abroad(
    player: Player, facts: Facts, games: Sequence[ReportedForeignGame], *, staff: User
) -> ForeignResult:
    """Enter and rate a foreign result of a member who opted in."""
    event, _ = enter_event(actor=staff, facts=facts)
    result = enter_result(actor=staff, event_id=event.pk, player=player, games=games)
    mark_ready(actor=staff, result_id=result.pk)
    rate_batch(actor=staff, result_ids=[result.pk])
    run_due_jobs()
    result.refresh_from_db()
    return result


def game_abroad(
    number: int, opponent: int, name: str, half_points: int
) -> ReportedForeignGame:
    return ReportedForeignGame(
        round_number=number,
        opponent_name=name,
        opponent_fide_id=str(opponent),
        opponent_federation="",
        stated_rating=None,
        color="W" if number % 2 else "B",
        half_points=half_points,
    )


def fide_list_text(people: Sequence[FideListLine]) -> str:
    """Return a small FIDE list in fixed-width format."""
    starts = {name: FIDE_HEADER.index(name) for name in FIDE_HEADER.split()[2:]}
    lines = [FIDE_HEADER]
    for one in people:
        line = [" "] * (len(FIDE_HEADER) + 4)
        for at, text in (
            (0, str(one.fide_id)),
            (starts["Name"], one.name or f"Player, No {one.fide_id}"),
            (starts["Fed"], one.federation),
            (starts["Sex"], one.sex),
            (starts["SRtng"], str(one.rating)),
            (starts["SGm"], str(one.games)),
            (starts["SK"], "20"),
            (starts["B-day"], str(one.born)),
        ):
            line[at : at + len(text)] = text
        lines.append("".join(line).rstrip())
    return "\n".join(lines) + "\n"
