"""Files with results of foreign events: stored byte for byte, read, entered."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from events.foreign.services.file_reader import read_in_sandbox
from events.foreign.services.results import (
    PERMISSION,
    Facts,
    NotPossible,
    enter_event,
    enter_result,
)
from events.formats.foreign.report import (
    ForeignEventHeader,
    Remark,
    ReportedForeignEvent,
    ReportedForeignPlayer,
)
from events.formats.foreign.trf import LAYOUT as TRF
from events.models import ForeignEvent, ForeignFile, ForeignResult
from players.models import Player
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.audit.services import record
from ratings_site.common.models import User
from ratings_site.common.ui.formatting import format_day
from ratings_site.common.uploads.services import (
    register_uploads,
    store_upload,
)

# The kind of upload, and its folder in the storage.
FOREIGN = "foreign"
register_uploads(FOREIGN, rows=ForeignFile.objects.all(), done=Q())


@dataclass(frozen=True, slots=True)
class ReceivedFile:
    """The result of an upload: the entered results, and remarks on the others."""

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
) -> ReceivedFile:
    """Store a file and enter the results of our members.

    Without an *event* the file must be a TRF, which names its event. *player* has
    played the games if the file names no member. Valid results are entered; existing
    results stay unchanged. A file that cannot be read is not stored.
    """
    require_permission(actor, PERMISSION)
    report = read_in_sandbox(content)
    if any(remark.fatal for remark in report.remarks):
        return ReceivedFile(event, (), report.remarks)
    with transaction.atomic():
        is_new = False
        if event is None:
            facts = _facts(report, fide_code=fide_code, is_youth=is_youth)
            if facts is None:
                return ReceivedFile(None, (), (*report.remarks, _no_event(report)))
            event, is_new = enter_event(actor=actor, facts=facts)
        stored = _store(actor, event, name, content)
        found, unknown = _members(report, player)
        results, remarks = _enter_all(actor, event, stored, found)
        record(
            "foreign_file.received",
            subject=stored,
            actor=actor,
            facts={"results": len(results), "layout": report.layout},
        )
    mismatch = _event_mismatch_remarks(report, event)
    told = (*report.remarks, *mismatch, *unknown, *remarks)
    return ReceivedFile(event, tuple(results), told, is_new)


def _facts(
    reported: ReportedForeignEvent, *, fide_code: str, is_youth: bool
) -> Facts | None:
    said = reported.event or ForeignEventHeader()
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
        sentence = _("The file has no event name, first day, or last day.")
    else:
        sentence = _("A table doesn’t say which event it belongs to.")
    return Remark(
        "",
        sentence,
        _("Create the event first, then upload the file on its page."),
        True,
    )


def _event_mismatch_remarks(
    reported: ReportedForeignEvent, event: ForeignEvent
) -> list[Remark]:
    said = reported.event
    if said is None or said.starts is None or said.ends is None:
        return []
    if (said.starts, said.ends) == (event.starts, event.ends):
        return []
    return [
        Remark(
            "Heading",
            _("The file is from {event}, {starts} to {ends}.").format(
                event=said.name,
                starts=format_day(said.starts),
                ends=format_day(said.ends),
            ),
            _("If that’s a different event, leave the results out."),
        )
    ]


def _store(actor: User, event: ForeignEvent, name: str, content: bytes) -> ForeignFile:
    """Store the file; an identical file is stored once and read again."""
    stored, is_new = ForeignFile.objects.get_or_create(
        event=event,
        sha256=hashlib.sha256(content).hexdigest(),
        defaults={"name": name[-200:], "size": len(content), "received_by": actor},
    )
    if is_new or not stored.stored_as:
        stored.stored_as = store_upload(FOREIGN, name, [content]).stored_as
        stored.save(update_fields=["stored_as"])
    return stored


def _members(
    reported: ReportedForeignEvent, player: Player | None
) -> tuple[list[tuple[Player, ReportedForeignPlayer]], list[Remark]]:
    """Find our members among the players of the file (two queries).

    A table lists members only, so unknown names get a remark; a tournament file is full
    of players who are not members.
    """
    players = Player.objects.select_related("merged_into")
    member_ids = {one.member_id for one in reported.players} - {""}
    fide_ids = {one.fide_id for one in reported.players} - {""}
    players_by_id = players.in_bulk(member_ids, field_name="member_id")
    players_by_fide_id = {
        one.fide_id: one for one in players.filter(fide_id__in=fide_ids)
    }
    found, unknown = [], []
    for one in reported.players:
        member = players_by_id.get(one.member_id) or players_by_fide_id.get(one.fide_id)
        if member is None and not (one.member_id or one.fide_id):
            member = player if reported.layout != TRF else None
        if member is not None:
            found.append((member, one))
        elif reported.layout != TRF:
            unknown.append(_unknown_player_remark(one))
    if not found and reported.layout == TRF:
        unknown.append(
            Remark(
                "",
                _("None of our members is in this tournament."),
                _("We find members by FIDE ID. Link them to their FIDE IDs first."),
            )
        )
    return found, unknown


def _unknown_player_remark(one: ReportedForeignPlayer) -> Remark:
    if one.member_id or one.fide_id:
        who = one.member_id or f"FIDE ID {one.fide_id}"
        sentence = _("No member has the ID {member_id}.").format(member_id=who)
        return Remark(one.place, sentence, _("Correct the ID."))
    return Remark(
        one.place,
        _("The row has no member."),
        _("Fill in member_id, or choose a member."),
    )


def _enter_all(
    actor: User,
    event: ForeignEvent,
    stored: ForeignFile,
    found: Sequence[tuple[Player, ReportedForeignPlayer]],
) -> tuple[list[ForeignResult], list[Remark]]:
    known = set(event.results.values_list("player", flat=True))
    results: list[ForeignResult] = []
    remarks: list[Remark] = []
    for member, one in found:
        remarks += one.remarks
        if member.canonical.pk in known:
            remarks.append(
                Remark(
                    one.place,
                    _("{name} already has a result.").format(name=member.name),
                    _("It wasn’t changed. Edit it on its own page."),
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
                was="",
            )
        except NotPossible as refusal:
            remarks.append(Remark(one.place, f"{member.name}: {refusal}"))
        else:
            known.add(member.canonical.pk)
            results.append(result)
    return results, remarks
