"""Norms that a report would make, and the titles they lead to."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from events.formats.report import ReportedEvent, is_temporary_id
from players.models import Player
from ratings.decisions.floors.queries.titles import (
    NormLine,
    NormOf,
    NormsMade,
    in_order,
    member_outlooks,
)
from ratings.engine.norms import Norm
from ratings.engine.systems import System
from ratings.ledger.services.previews import SectionPreview


def previewed_norms(
    reported: ReportedEvent,
    previews: Sequence[SectionPreview],
    members: Mapping[str, Player],
) -> list[NormsMade]:
    """Return who makes norms, with the titles completed and those one norm short."""
    norms: defaultdict[str, list[NormOf]] = defaultdict(list)
    here: defaultdict[int, list[tuple[NormLine, Norm | None]]] = defaultdict(list)
    names: dict[str, str] = {}
    for section, preview in zip(reported.sections, previews, strict=True):
        lines = {
            line.pairing_number: line
            for line in preview.lines
            if line.system is System.OTBR and line.post is not None
        }
        starts, ends = reported.dates_of(section)
        seen = set()
        for entry in section.entries:
            line = lines.get(entry.pairing_number)
            if line is None or line.post is None or not (starts and ends):
                continue
            who = entry.member_id
            if who not in members and not is_temporary_id(who):
                who = f"{section.number}/{entry.pairing_number}"
            if who in seen:
                continue  # a player who re-entered
            seen.add(who)
            names[who] = entry.name
            if line.norm is not None:
                norms[who].append(NormOf(section.number, line.norm.level))
            if who in members:
                rated = NormLine(
                    *(System.OTBR, ends, starts, line.post, line.games, 0, None, True)
                )
                here[members[who].pk].append((rated, line.norm))
    outlooks = member_outlooks(here)
    made = [
        NormsMade(names[who], "", norms[who])
        if who not in members
        else NormsMade(
            members[who].name,
            members[who].member_id,
            norms[who],
            outlooks[members[who].pk].completed,
            outlooks[members[who].pk].one_short,
        )
        for who in names
    ]
    return in_order(made)
