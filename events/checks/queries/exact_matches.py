"""Entries without a member ID that match one member exactly, by FIDE ID or name.

Birth dates are not used, though FIDE's report file has them: anyone who may send
reports could find a member's birth date by trying days.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from events.checks.queries.identity import EXCLUDED_STATUSES
from events.checks.queries.member_records import EntryKey, single_entries
from events.formats.report import ReportedEntry, ReportedEvent
from players.models import Player
from ratings_site.common.names.phonetics import searchable

BY_FIDE_ID = _("FIDE ID")
BY_NAME = _("only member with this name")


@dataclass(frozen=True, slots=True)
class ExactMatch:
    """An entry, its member, and what matched."""

    entry_key: EntryKey
    name: str
    player: Player
    by: Any  # translated when shown


def exact_matches(reported: ReportedEvent) -> list[ExactMatch]:
    """Return the unambiguous matches, in the report's order (one query).

    A name matches if it is complete and belongs to one member only. No member is
    matched twice in a section, or if the section already has the member's ID.
    """
    nameless = [
        (entry_key, entry)
        for entry_key, entry in single_entries(reported)
        if not entry.member_id.strip("0")
        and (entry.normalized_fide_id or _is_full_name(entry.name))
    ]
    if not nameless:
        return []
    known = _MemberIndex([entry for _spot, entry in nameless])
    matches = [
        ExactMatch(entry_key, entry.name, *found)
        for entry_key, entry in nameless
        if (found := known.find(entry))
    ]
    return _without_duplicates(reported, matches)


class _MemberIndex:
    """Members by FIDE ID and by the words of their names."""

    def __init__(self, entries: Collection[ReportedEntry]) -> None:
        names = {
            searchable(entry.name) for entry in entries if _is_full_name(entry.name)
        }
        fide_ids = {entry.normalized_fide_id for entry in entries} - {""}
        players = Player.objects.filter(
            Q(fide_id__in=fide_ids)
            | Q(search_name__in=names)
            | Q(search_given__in=names)
        ).exclude(status__in=EXCLUDED_STATUSES)
        self.by_fide_id: dict[str, Player] = {}
        self.by_words: defaultdict[tuple[str, ...], list[Player]] = defaultdict(list)
        for player in players:
            self.by_words[_words(player.search_name)].append(player)
            if player.fide_id:
                self.by_fide_id[player.fide_id] = player

    def find(self, entry: ReportedEntry) -> tuple[Player, Any] | None:
        if entry.normalized_fide_id in self.by_fide_id:
            return self.by_fide_id[entry.normalized_fide_id], BY_FIDE_ID
        if not _is_full_name(entry.name):
            return None
        same = self.by_words[_words(searchable(entry.name))]
        # A different FIDE ID on record means a different person.
        if len(same) != 1 or (entry.normalized_fide_id and same[0].fide_id):
            return None
        return same[0], BY_NAME


def _words(name: str) -> tuple[str, ...]:
    return tuple(sorted(name.split()))


def _is_full_name(name: str) -> bool:
    """Return whether a name has a given and a family name, not as initials."""
    words = searchable(name).split()
    return len([word for word in words if len(word) > 1]) > 1


def _without_duplicates(
    reported: ReportedEvent, matches: Iterable[ExactMatch]
) -> list[ExactMatch]:
    matches = list(matches)
    here = {
        section.number: {entry.member_id for entry in section.entries}
        for section in reported.sections
    }
    often = Counter((match.entry_key[0], match.player.pk) for match in matches)
    return [
        match
        for match in matches
        if often[match.entry_key[0], match.player.pk] == 1
        and match.player.member_id not in here[match.entry_key[0]]
    ]
