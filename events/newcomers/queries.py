"""Members who may be meant by a new member's name."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from events.checks.messages import translated_finding, translated_place
from events.checks.queries.likely_members import LikelyMember, likely_members_at
from events.checks.queries.member_records import (
    EntryKey,
    player_places,
    single_entries,
)
from events.checks.services import cached_findings
from events.formats.findings import Finding, Place
from events.formats.report import ReportedEntry, ReportedEvent
from events.models import Submission
from events.reports.pages.findings import MATCHABLE
from events.reports.services.submissions import reported_in
from players.models import Player
from ratings_site.common.names.casing import in_name_case
from ratings_site.common.names.phonetics import searchable

MAX_SHOWN = 6
# The most players in one table.
MAX_ROWS = 300


@dataclass
class PlayerRow:
    """A player of a report without a certain member, and what is chosen for them."""

    entry_key: EntryKey
    entry: ReportedEntry
    places: str
    problem: str
    likely: Sequence[LikelyMember]
    has_namesake: bool = False  # a new member of this name needs a reason
    choice: str = ""  # a member ID, NEW, or "" to leave it
    birth: str = ""
    reason: str = ""
    error: str = ""

    @property
    def key(self) -> str:
        return "-".join(map(str, self.entry_key))


def unmatched_players(submission: Submission) -> list[PlayerRow]:
    """Return the players who need a member, one row for all their sections.

    If just one likely member has exactly the name, it is chosen.
    """
    reported = reported_in(submission)
    places = player_places(reported)
    confirmed = set(submission.overrides.values_list("finding_key", flat=True))
    found: dict[EntryKey, Finding] = {}
    for finding in cached_findings(submission):
        place = finding.place
        own = (place.section or 0, place.pairing_number or 0)
        if finding.code in MATCHABLE and own in places and finding.key not in confirmed:
            found.setdefault(places[own][0], finding)
    keys = list(found)[:MAX_ROWS]
    entries = dict(single_entries(reported))
    likely = likely_members_at(reported, keys)
    names = {
        key: searchable(" ".join(names_in(entries[key].name)[::-1])) for key in keys
    }
    taken = names_of_members(names.values())
    rows = [
        PlayerRow(
            entry_key,
            entries[entry_key],
            "; ".join(translated_place(Place("", *one)) for one in places[entry_key]),
            translated_finding(found[entry_key]).message,
            likely.get(entry_key, ()),
            has_namesake=names[entry_key] in taken,
        )
        for entry_key in keys
    ]
    chosen: set[tuple[int, str]] = set()
    for row in rows:
        exact = [member.member_id for member in row.likely if member.is_exact]
        if len(exact) == 1 and (row.entry_key[0], exact[0]) not in chosen:
            row.choice = exact[0]
            chosen.add((row.entry_key[0], exact[0]))
    return rows


def likely_members_for(
    reported: ReportedEvent, section_number: int, entry: ReportedEntry
) -> Sequence[LikelyMember]:
    entry_key = (section_number, entry.pairing_number)
    return likely_members_at(reported, [entry_key]).get(entry_key, ())


def names_of_members(search_names: Iterable[str]) -> set[str]:
    """Return which of these names a member has exactly."""
    same = Player.objects.filter(search_name__in=set(search_names))
    active = same.exclude(status=Player.Status.DUPLICATE)
    return set(active.values_list("search_name", flat=True))


def namesakes(given_name: str, family_name: str) -> list[Player]:
    """Return members of exactly this name, whatever their birth date.

    Matching the birth date too would let anyone who may send reports find a member's
    birth date by trying days.
    """
    same = Player.objects.filter(search_name=searchable(f"{family_name} {given_name}"))
    return list(same.exclude(status=Player.Status.DUPLICATE)[:MAX_SHOWN])


def names_in(reported_name: str) -> tuple[str, str]:
    """Return the given and the family name, as far as a reported name has them.

    >>> names_in("O'NEIL, MARY ANN"), names_in("Ben Okri"), names_in("Pele")
    (('Mary Ann', "O'Neil"), ('Ben', 'Okri'), ('', 'Pele'))
    """
    if "," in reported_name:
        family, _comma, given = reported_name.partition(",")
    else:
        given, _space, family = reported_name.strip().rpartition(" ")
    return _spelled(given), _spelled(family)


def _spelled(name: str) -> str:
    return in_name_case(" ".join(name.split()))
