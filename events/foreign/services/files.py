"""Files with results of foreign events: kept byte for byte, read, entered."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from events.foreign.services.reading import read_bounded
from events.foreign.services.results import (
    PERMISSION,
    Facts,
    NotPossible,
    enter_event,
    enter_result,
)
from events.importers.foreign.records import (
    EventAbroad,
    PlayerAbroad,
    Remark,
    ReportedForeignEvent,
)
from events.importers.foreign.trf import LAYOUT as TRF
from events.models import ForeignEvent, ForeignFile, ForeignResult
from players.models import Player
from ratings_site.common.accounts.permissions import require
from ratings_site.common.audit.services import record
from ratings_site.common.looks.figures import day_in_words
from ratings_site.common.models import User


@dataclass(frozen=True, slots=True)
class Received:
    """What became of a file: the results entered, and what could not be."""

    event: ForeignEvent | None
    results: tuple[ForeignResult, ...]
    remarks: tuple[Remark, ...]
    is_new_event: bool = False


def receive_file(
    *,
    actor: User,
    name: str,
    content: bytes,
    event: ForeignEvent | None = None,
    player: Player | None = None,
    fide_code: str = "",
    is_youth: bool = False,
) -> Received:
    """Keep a file and enter the results of our members in it.

    Without an *event* the file has to be a TRF, which says what event it is.
    *player* is whose games they are if the file names no member. What is good is
    entered; a result that is there already stays as it is. A file from which nothing
    can be read is not kept.
    """
    require(actor, PERMISSION)
    report = read_bounded(content)
    if any(remark.fatal for remark in report.remarks):
        return Received(event, (), report.remarks)
    with transaction.atomic():
        is_new = False
        if event is None:
            facts = _facts(report, fide_code=fide_code, is_youth=is_youth)
            if facts is None:
                return Received(None, (), (*report.remarks, _no_event(report)))
            event, is_new = enter_event(actor=actor, facts=facts)
        stored = _store(actor, event, name, content)
        found, strangers = _members(report, player)
        results, remarks = _enter_all(actor, event, stored, found)
        record(
            "foreign_file.received",
            subject=stored,
            actor=actor,
            facts={"results": len(results), "layout": report.layout},
        )
    remarks = (
        *report.remarks,
        *_of_another_event(report, event),
        *strangers,
        *remarks,
    )
    return Received(event, tuple(results), remarks, is_new)


def _facts(
    reported: ReportedForeignEvent, *, fide_code: str, is_youth: bool
) -> Facts | None:
    said = reported.event or EventAbroad()
    if not (said.name and said.starts and said.ends) or said.ends < said.starts:
        return None
    return Facts(
        name=said.name,
        federation=said.federation,
        starts=said.starts,
        ends=said.ends,
        city=said.city,
        fide_code=fide_code,
        is_youth=is_youth,
    )


def _no_event(reported: ReportedForeignEvent) -> Remark:
    if reported.layout == TRF:
        sentence = "The file does not say name, first and last day of the event."
    else:
        sentence = "A table does not say which event it belongs to."
    return Remark(
        "", sentence, "Enter the event first, then send the file on its page.", True
    )


def _of_another_event(
    reported: ReportedForeignEvent, event: ForeignEvent
) -> list[Remark]:
    said = reported.event
    if said is None or None in (said.starts, said.ends):
        return []
    if (said.starts, said.ends) == (event.starts, event.ends):
        return []
    return [
        Remark(
            "Heading",
            f"The file is of {said.name}, {day_in_words(said.starts)} to "
            f"{day_in_words(said.ends)}.",
            "If that is another event than this one, leave the results out.",
        )
    ]


def _store(actor: User, event: ForeignEvent, name: str, content: bytes) -> ForeignFile:
    """Keep the file; the very same one is kept once and read again."""
    stored, _ = ForeignFile.objects.get_or_create(
        event=event,
        sha256=hashlib.sha256(content).hexdigest(),
        defaults={
            "name": name[-200:],
            "content": content,
            "size": len(content),
            "received_by": actor,
        },
    )
    return stored


def _members(
    reported: ReportedForeignEvent, player: Player | None
) -> tuple[list[tuple[Player, PlayerAbroad]], list[Remark]]:
    """Find our members among the players of the file (two queries).

    A table names members only, so a name that is not found is remarked on; a tournament
    is full of people who are no members.
    """
    by_member_id = {
        one.member_id: one
        for one in Player.objects.select_related("merged_into").filter(
            member_id__in={one.member_id for one in reported.players if one.member_id}
        )
    }
    by_fide_id = {
        one.fide_id: one
        for one in Player.objects.select_related("merged_into").filter(
            fide_id__in={one.fide_id for one in reported.players if one.fide_id}
        )
    }
    found, strangers = [], []
    for one in reported.players:
        member = by_member_id.get(one.member_id) or by_fide_id.get(one.fide_id)
        if member is None and not (one.member_id or one.fide_id):
            member = player if reported.layout != TRF else None
        if member is not None:
            found.append((member, one))
        elif reported.layout != TRF:
            strangers.append(_stranger(one))
    if not found and reported.layout == TRF:
        strangers.append(
            Remark(
                "",
                "No member of ours is in this tournament.",
                "Members are found by FIDE ID; link them to theirs first.",
            )
        )
    return found, strangers


def _stranger(one: PlayerAbroad) -> Remark:
    if one.member_id or one.fide_id:
        who = one.member_id or f"FIDE ID {one.fide_id}"
        return Remark(one.place, f"No member is {who}.", "Correct the number.")
    return Remark(
        one.place, "The row names no member.", "Fill in member_id, or choose a member."
    )


def _enter_all(
    actor: User,
    event: ForeignEvent,
    stored: ForeignFile,
    found: Sequence[tuple[Player, PlayerAbroad]],
) -> tuple[list[ForeignResult], list[Remark]]:
    known = set(event.results.values_list("player", flat=True))
    results, remarks = [], []
    for member, one in found:
        remarks += one.remarks
        if member.canonical.pk in known:
            remarks.append(
                Remark(
                    one.place,
                    f"The result of {member.name} is entered already.",
                    "It was left as it is; change it on its own page.",
                )
            )
            continue
        try:
            result = enter_result(
                actor=actor,
                event_id=event.pk,
                player=member,
                games=one.games,
                rounds_off=one.rounds_off,
                source=f"{stored.name}, {one.place.lower()}",
                file_id=stored.pk,
            )
        except NotPossible as refusal:
            remarks.append(Remark(one.place, f"{member.name}: {refusal}"))
        else:
            known.add(member.canonical.pk)
            results.append(result)
    return results, remarks
